"""Programs with generators: functions that yield, and expressions.

Every public function takes two real numbers; Python runs them too.
"""

import math

import numpy as np


def _powers(x, n):
    p = 1.0
    for _ in range(n):
        yield p
        p *= x


def gen_fn(a, b):
    return sum(c * p for c, p in zip((1.0, b, 2.0), _powers(a, 3), strict=True))


def nested_gen(a, b):
    def pairs(xs):
        for i in range(len(xs) - 1):
            yield xs[i], xs[i + 1]

    t = 0.0
    for p, q in pairs([a, b, a * b, 1.0]):
        t += p * q
    return t


def from_gen(a, b):
    def inner(k):
        yield k
        yield from [k * k, k**3]

    def outer():
        yield from inner(a)
        yield b

    return sum(outer()) + len(list(inner(b)))


def enum_gen(a, b):
    return (
        sum(i * p for i, p in enumerate(_powers(b, 4), 1))
        + max(_powers(a, 3))
        + list(_powers(a, 3))[2]
    )


def next_gen(a, b):
    g = _powers(a, 4)
    next(g)
    first = next(g)
    return first * b + sum(g)


def cond_gen(a, b):
    def g(flag):
        if flag:
            yield a
            return
        yield b
        yield a * b

    return sum(g(True)) + sum(g(False))


def dyn_cond(a, b):
    def g():
        for k in range(3):
            if a > b:
                yield a * k
            else:
                yield b * k

    t = 1.0
    for v in g():
        t *= 1 + v * v
    return t


def dict_gen(a, b):
    def items():
        yield "a", a
        yield "b", b

    d = dict(items())
    return d["a"] * d["b"]


class Grid:
    def __init__(self, n, h):
        self.n, self.h = n, h

    def __iter__(self):
        for i in range(self.n):
            yield i * self.h

    def cells(self):
        for i in range(self.n):
            yield i, self.h


def iter_method(a, b):
    g = Grid(3, a)
    return sum(x * b for x in g) + sum(i * h for i, h in g.cells())


def arrays_gen(a, b):
    def rows():
        for k in range(2):
            yield np.array([a * k, b])

    return sum(r @ r for r in rows())


def rk_states(a, b):
    def states(x, v, n):
        for _ in range(n):
            v = v - 0.1 * x
            x = x + 0.1 * v
            yield x, v

    e = 0.0
    for x, v in states(a, b, 6):
        e += x * x + v * v
    return e


def star_gen(a, b):
    x, *rest = _powers(a, 3)
    return x + rest[1] * b + max(*_powers(b, 3))


def next_genexpr(a, b):
    g = (x * x for x in (a, b, 1.0))
    f = next(g)
    return f * sum(g) + next((k for k in range(5) if k > 2), 0) * b + next(iter([b]))


def genexprs(a, b):
    xs = [a, b, a * b]
    mean = sum(x * 1.0 for x in xs) / len(xs)
    return (
        math.sqrt(sum((x - mean) ** 2 for x in xs))
        + max(abs(x) for x in xs)
        + float(any(x > 100 for x in xs))
        + float(all(x < 100 for x in xs))
        + math.prod(1 + x for x in xs)
        + sum(sorted(-x for x in xs)[:1])
        + dict((k, v) for k, v in zip("abc", xs, strict=True))["a"]
        + tuple(2 * x for x in xs)[1]
        + np.array(list(xs)).sum()
        + math.fsum(3 * x for x in xs)
    )


def joined(a, b):
    names = "_".join(str(k) for k in range(2))
    d = {"0_1": a}
    return d[names] * b + sum(c * d["0_1"] for c in (1, 2))


def genarg(a, b):
    def total(xs):
        t = 0.0
        for x in xs:
            t += x
        return t

    return (
        total(x * b for x in (a, b))
        + min((x for x in (a, b)), key=lambda v: -v)
        + sum(x * y for x, y in zip((k for k in (a, b)), (b, a), strict=True))
    )
