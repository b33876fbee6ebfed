"""Objects that are iterators by `__next__`: run over where they are made, and asked by `next`."""

import itertools
import math


class _Steps:
    """A pendulum that is damped."""

    def __init__(self, x, dt, n):
        self.x, self.dt, self.n, self.i = x, dt, n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        self.x = self.x - self.dt * math.sin(self.x)
        return self.x


class _Anew(_Steps):
    def __iter__(self):
        self.i = 0
        return self


class _Chain:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return _Steps(self.x, 0.1, 3)


class _Endless:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        return self

    def __next__(self):
        found = self.a
        self.a, self.b = self.b, 0.5 * (self.a + self.b)
        return found


class _Rows:
    def __init__(self, xs):
        self.xs, self.i = xs, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i == len(self.xs):
            raise StopIteration("no more rows")
        self.i += 1
        return self.xs[self.i - 1]


def all_of_them(x: float, y: float) -> float:
    total = 0.0
    for v in _Steps(x, y, 4):
        total += v * v
    first, *rest = _Steps(y, 0.2, 3)
    return total + sum(_Steps(x, 0.1, 2)) + first * max(rest) + [v for v in _Steps(x, 0.3, 3)][2]


def one_after_the_other(x: float, y: float) -> float:
    steps = _Steps(x, y, 3)
    a = next(steps)
    b = next(steps)
    return a + 2.0 * b + steps.x * steps.i + next(steps) + next(steps, 7.0) + steps.i * x


def in_a_loop_and_a_branch(x: float, y: float) -> float:
    steps, total = _Steps(x, y, 9), 0.0
    for i in range(3):
        total += next(steps) * i
    if x > y:
        total += next(steps)
    return total + steps.i * x + steps.x


def side_by_side(x: float, y: float) -> float:
    total = 0.0
    for k, (a, b) in enumerate(zip(_Endless(x, y), _Chain(x), strict=False)):
        total += a * b * k
    total += sum(itertools.islice(_Endless(y, x), 4))
    return total + sum(_Chain(y)) + list(_Anew(x, y, 2))[1]


def over_what_others_hold(x: float, y: float) -> float:
    rows, total = [[x, y], [y, 2.0], [x * y, x]], 0.0
    for row in _Rows(rows):
        total = total * y + row[0] * row[1]
    return total + sum(_Rows(rows[0]))
