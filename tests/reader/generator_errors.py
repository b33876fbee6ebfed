"""Generators that Python tells from a list of their items, or whose length is not known."""

from egad import float2


def consumer_changes(a: float):
    xs = [a, 2 * a, 3 * a]

    def g(v):
        for k in range(3):
            yield v[k]

    t = 0.0
    for y in g(xs):
        xs[2] = t
        t += y
    return t


def yields_same_list(a: float):
    def g():
        acc = []
        for k in range(3):
            acc.append(a * k)
            yield acc

    return sum(len(x) for x in g()) * a


def gen_changes(a: float):
    xs = [a]

    def g():
        xs.append(a)
        yield 1.0

    return sum(g()) * len(xs)


def closure_changes(a: float):
    k, t = 1.0, 0.0

    def g():
        for i in range(3):
            yield k * i

    for v in g():
        k = k * a
        t += v
    return t


def vec(a: float):
    def g():
        v = float2(a, a)
        yield v
        v.x = 2.0
        yield v

    return sum(w.x for w in g())


def infinite(a: float):
    def g():
        while True:
            yield a

    return sum(g())


def left_over(a: float):
    def g():
        yield a
        yield 2.0 * a

    t = 0.0
    it = g()
    for k in range(30):
        if t < a * k:
            t += next(it)
    return t


def nothing_left(a: float):
    it = iter([a])
    return next(it) + next(it)


def as_many_as(a: float):
    def g():
        if a > 0:
            yield a

    return sum(g())


def again(a: float):
    squares = (k * a for k in range(3))
    return sum(squares) + sum(squares)
