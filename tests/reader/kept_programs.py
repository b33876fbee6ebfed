"""Properties that keep their first value, of objects that do not change any more.

Every public function takes two real numbers; Python runs them too.
"""

import copy
import functools

import numpy as np


class _Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b
        self.xs = [a, b]
        self.m = np.array([a, b])

    @functools.cached_property
    def area(self):
        return self.a * self.b + self.xs[0] * self.m[1]

    @functools.cached_property
    def squared(self):
        return self.area * self.area


def asked_often(a, b):
    pair = _Pair(a, b)
    pair.a *= 2.0
    s = pair.area + pair.squared
    for _ in range(3):
        s = 0.5 * s * pair.area + _Pair(0.1 * s, b).squared
    return s


def copies_have_it(a, b):
    pair = _Pair(a, b)
    s = pair.area
    return s * copy.copy(pair).area + copy.deepcopy(pair).squared


def asked_in_an_arm(a, b):
    pair = _Pair(a, b)
    return pair.area if a > b else 2.0 * pair.squared
