"""What would change an object after a property of it has kept its first value."""

import copy
import functools

import numpy as np


class _Pair:
    def __init__(self, a):
        self.a, self.xs, self.m = a, [a, 2.0], np.array([a, 1.0])

    @functools.cached_property
    def area(self):
        return self.a * self.xs[0] * self.m[1]


def a_field_changes_later(x):
    pair = _Pair(x)
    s = pair.area
    pair.a *= 2.0
    return s + pair.area


def a_field_changes_in_a_loop(x):
    pair, s = _Pair(x), 0.0
    for _ in range(20):
        pair.a *= 1.1
        s += pair.area
    return s


def an_array_changes_after_it_in_a_loop(x):
    pair, s = _Pair(x), 0.0
    for _ in range(3):
        s += pair.area
        pair.m[0:2] += 1.0
    return s


def an_array_of_others_changes(x):
    pair, s, whole = _Pair(x), 0.0, np.zeros(3)
    pair.m = whole[1:]
    i = 0
    while i < 100:
        whole += 1.0
        i += 1
        s += pair.area
    return s


def a_list_grows(x):
    pair = _Pair(x)
    s = pair.area
    pair.xs.append(x)
    return s + pair.area


def a_copy_changes(x):
    pair = _Pair(x)
    s, other = pair.area, copy.copy(pair)
    other.a = 3.0
    return s + other.area
