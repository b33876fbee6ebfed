"""Programs with iterators that have no end, of which some items are taken.

Every public function takes two real numbers; Python runs them too.
"""

import itertools
import math
from itertools import compress, count, cycle, dropwhile, islice, takewhile


def fib(a, b):
    def gen():
        x, y = a, b
        while True:
            yield x
            x, y = y, x * 0.5 + y

    return sum(islice(gen(), 6))


def _naturals():
    n = 0
    while True:
        yield n
        n += 1


def zipped(a, b):
    return sum(k * x for k, x in zip(_naturals(), (a, b, a * b), strict=False))


def brk(a, b):
    s = 0.0
    for n in _naturals():
        if n > 6:
            break
        s = s * a + b * n
    return s


def cnt(a, b):
    return sum(x**k for k, x in zip(count(1), (a, b, a * b)))


def cyc(a, b):
    s = 0.0
    for k, w in zip(range(7), cycle((a, b))):
        s += k * w
    return s


def nxt(a, b):
    c = count(3, 2)
    x = next(c) * a
    return x + next(c) * b


def firstpow(a, b):
    k = next(k for k in count() if 2**k > 20)
    return a**k + b


def enum(a, b):
    s = 0.0
    for i, w in enumerate(cycle([a, b])):
        if i == 5:
            break
        s = s * 0.5 + w
    return s


def tw(a, b):
    return (
        sum(a * k for k in takewhile(lambda n: n < 5, count()))
        + sum(dropwhile(lambda n: n < 3, range(6))) * b
    )


def comp(a, b):
    return sum(compress([a, b, a * b], [1, 0, 1]))


def mapped(a, b):
    terms = map(lambda k: a**k / math.factorial(k), count())
    return sum(islice(terms, 8)) + b


def ret(a, b):
    for k in count(1):
        if k * k > 30:
            return a * k + b


def kernelbreak(a, b):
    for k in count(1):
        a = a * 0.5
        if a < 0.01 or k > 12:
            return a * k + b


def sched(a, b):
    rate = cycle([0.1, 0.2, 0.3])
    x = a
    for _i in range(5):
        x -= next(rate) * (x - b)
    return x


def accum(a, b):
    return sum(islice(itertools.accumulate(count(1)), 4)) * a + b


def group(a, b):
    s = 0.0
    for k, g in itertools.groupby([1, 1, 2, 2, 2, 1]):
        s = s * a + k * len(list(g)) * b
    return s


def as_far_as_it_goes(a, b):
    def exponential():
        n = 0
        while True:
            yield a**n / math.factorial(n)
            n += 1

    return sum(t for _, t in zip(range(9), exponential(), strict=False)) + b


def of_a_class(a, b):
    class_steps = zip(count(1), cycle((a, b)), itertools.repeat(0.5, 5))
    return sum(k * w * h for k, w, h in class_steps)


def several_ends(a, b):
    def until(limit):
        k = 1
        while True:
            if k > limit:
                return
            yield k * a
            k += 1

    return sum(until(3)) + b * sum(until(2))
