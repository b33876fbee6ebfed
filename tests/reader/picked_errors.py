"""What cannot be said of elements of which only the kernel knows how many there are."""

import numpy as np

from egad import Array

Four = Array[float, 4]


def another_condition(v: Four):
    m = v > 0
    v[m] = v[v > 0.8]
    return v


def an_array_of_all(v: Four):
    return (v[v > 0] * v).sum()


def several_numbers(v: Four):
    v[v > 0] = [1, 2]
    return v


def one_of_them(v: Four):
    return v[v > 0][0]


def their_truth(v: Four):
    return 1.0 if v[v > 0] else 0.0


def returned(v: Four):
    return v[v > 0]


def run_over(v: Four):
    return sum(x * x for x in v[v > 0])


def joined(v: Four):
    return np.concatenate([v[v > 0], v])


def in_order(v: Four):
    return np.sort(v[v > 0])[0]


def multiplied(v: Four):
    return v[v > 0] @ v[v > 0]


def changed(v: Four):
    w = v[v > 0]
    w += 1.0
    return w.sum()


def a_field(v: Four):
    return v[v > 0].T


def a_condition_that_has_changed(v: Four):
    m = v > 0
    w = v[m]
    m[0] = False
    v[m] = w
    return v
