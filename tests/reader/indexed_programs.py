"""Objects that have `__getitem__` and no `__iter__`: Python runs over them until IndexError.

Every public function takes two real numbers; Python runs them too.
"""

import numpy as np


class _Poly:
    def __init__(self, c):
        self.c = c

    def __len__(self):
        return len(self.c) - 1  # the degree: Python does not ask for it

    def __getitem__(self, k):
        return self.c[k]


class _Squares:
    def __init__(self, n, x):
        self.n, self.x = n, x

    def __getitem__(self, k):
        if k >= self.n:
            raise IndexError(k)
        return k * k * self.x


def by_a_list(a, b):
    total = 0.0
    for k, c in enumerate(_Poly([a, b, a * b])):
        total += c * k
    return total


def by_what_raises(a, b):
    first, *rest = _Squares(4, a)
    return first + b * sum(rest) + max(_Squares(3, b))


def by_an_array(a, b):
    p = _Poly(np.array([a, b, 2.0]))
    return sum(x * y for x, y in zip(p, _Squares(5, a), strict=False)) + len(list(p))


def is_in_it(a, b):
    return a if 4 in _Squares(3, 1) else b


def taken_in_turn(a, b):
    it = iter(_Poly([a, b]))
    return next(it) - 2.0 * next(it) + next(it, 0.25)
