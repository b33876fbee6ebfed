"""Programs over arrays of truth values, and over what NumPy takes as arrays: the truth is NumPy's.

`x` and `y` have six elements, `m` is 3 by 6, `s` is a number.
"""

from typing import NamedTuple

import numpy as np

from egad import Array

Six = Array[float, 6]
Rows = Array[Array[float, 6], 3]


class Pair(NamedTuple):
    u: float
    v: float


def products_of_truths_are_truths(x: Six, y: Six, s: float):
    p, q = x > 0.3, y > 0.2
    found = 1.0 * np.dot(p, q) + 2.0 * (p @ q) + 4.0 * np.inner(p, q) + 8.0 * np.vdot(q, p)
    return found * s + 16.0 * np.einsum("i,i", p, q) + np.dot(list(p), list(q)) + np.dot(p, x)


def rows_of_truths_meet_columns(m: Rows, x: Six, s: float):
    p = m > 0.4
    return (
        (p @ p.T) * s + (np.outer(x > 0.1, x > 0.2) @ (x > 0.3)).sum() + np.convolve(p[0], p[1])[:3]
    )


def differences_of_truths(x: Six, y: Six, s: float):
    p = x > 0.3
    return y[:4] * np.diff(p, n=2) + s * np.diff([*p])[1:] + np.diff(p, prepend=0)[:4]


def neither_holds_nor_counts(x: Six, y: Six, s: float):
    p, q = x > 0.3, y > 0.2
    return x * np.invert(p) + y * np.bitwise_not(q) + s * np.logical_xor(p, q)


def one_of_two_numbers(x: Six, y: Six, s: float):
    k = np.arange(6) // 2
    return x * np.logical_xor(k, [3, 0, 0, 1, 2, 0]) + y * np.logical_xor(x, k)


def truths_that_are_counted(x: Six, y: Six, s: float):
    p = x > 0.3
    return y * np.add.reduce(p) + s * np.add.accumulate(p) + np.multiply.reduce(p)


def elements_that_are_in_an_array(m: Rows, x: Six, s: float):
    found = 1.0 * (x[2] in x) + 2.0 * (s in m) + 4.0 * (m[1, 0] in m) + 8.0 * (m[2] in m)
    return x * found + 16.0 * (tuple(m[0]) in m) + 32.0 * (x[1] not in m)


def named_tuples_are_arrays(x: Six, y: Six, s: float):
    pair = Pair(x[0], s * y[1])
    sums = np.cumsum(pair) + np.cumprod(pair) * np.flip(pair) + np.sum(pair) + np.dot(pair, pair)
    return sums * np.max(pair) + np.tanh(pair) + np.array([pair, pair])[1]
