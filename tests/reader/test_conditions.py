"""Conditions that change something, or that may only be evaluated under another condition."""

import numpy as np
import pytest

import egad
from egad import Array, derive, max_iters, struct

pytestmark = pytest.mark.numbers


@struct
class Counter:
    n: float

    def bump(self, x: float) -> bool:
        self.n = self.n + x
        return self.n > 2.0


def in_elif(x: float) -> float:
    c = Counter(1.0)
    if x > 3.0:
        c.n = 10.0 * x
    elif c.bump(x):
        c.n = c.n * 2.0
    elif c.bump(x * x):
        c.n = c.n * 5.0
    else:
        c.n = c.n * 3.0
    return c.n


def in_while(x: float) -> float:
    c = Counter(0.0)
    max_iters(10)
    while not c.bump(x):
        c.n = c.n * 1.5
    return c.n * x


def left_by_break(x: float) -> float:
    c = Counter(0.0)
    max_iters(10)
    while not c.bump(x):
        if c.n > 1.0:
            c.n = c.n * x
            break
    return c.n


def in_and(x: float) -> float:
    c = Counter(1.0)
    if x > 0.75 and c.bump(x):
        return c.n * x
    return c.n * 2.0


def in_or(x: float) -> float:
    c = Counter(1.0)
    y = c.n if x > 3.0 or c.bump(x) else 2 * c.n
    return y + c.n * x


def in_comparison(x: float) -> float:
    c = Counter(1.0)
    if 1.0 < x < (1.0 if c.bump(x) else 3.0):
        return c.n
    return c.n * x


def in_guard(x: float) -> float:
    c = Counter(1.0)
    match int(x):
        case 1 if c.bump(x):
            return c.n * x
        case 4 | 5:
            c.n = c.n + x
        case _ if c.bump(2 * x):
            c.n = c.n * 7.0
    return c.n * 2.0


ACTING = [in_elif, in_while, left_by_break, in_and, in_or, in_comparison, in_guard]


@pytest.mark.parametrize("x", [0.53, 1.27, 1.52, 4.47])
@pytest.mark.parametrize("f", ACTING, ids=lambda f: f.__name__)
def test_what_a_condition_changes_is_changed_where_it_is_evaluated(f, x):
    value_and_gradient = derive(f, "value_and_grad", dtype="float64")
    value, (slope,) = value_and_gradient.reference(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-8)
    found, (gradient,) = value_and_gradient(x)
    np.testing.assert_allclose((found, gradient), (value, slope), rtol=1e-12)


def guarded_by_and(w: Array[float, 8], k: int) -> float:
    return w[0] if k < 8 and w[k] > 0 else 0.0


def guarded_by_or(w: Array[float, 8], k: int) -> float:
    return w[0] if k >= 8 or w[k] > 0 else 0.0


def guarded_by_comparison(w: Array[float, 8], k: int) -> float:
    return w[0] if k < 8 < 8 + w[k] else 0.0


def guarded_by_elif(w: Array[float, 8], k: int) -> float:
    if k >= 8:
        return 2.0
    elif w[k] > 0:
        return 3.0 * w[0]
    return 4.0


def guarded_in_while(w: Array[float, 8], k: int) -> float:
    max_iters(20)
    while k < 8 and w[k] > 0:
        k += 1
    return float(k)


def unguarded_in_while(w: Array[float, 8], k: int) -> float:
    max_iters(20)
    while w[k] > 0:
        k += 1
    return float(k)


GUARDED = [
    guarded_by_and,
    guarded_by_or,
    guarded_by_comparison,
    guarded_by_elif,
    guarded_in_while,
]
ALL_POSITIVE = np.arange(1.0, 9.0)


@pytest.mark.parametrize("f", GUARDED, ids=lambda f: f.__name__)
def test_a_guarded_index_is_in_range(f):
    for k in (0, 5, 9):
        for w in (ALL_POSITIVE, -ALL_POSITIVE):
            assert derive(f, "primal").reference(w, k) == f(list(w), k)


def test_an_index_in_the_last_test_of_a_loop_is_checked():
    primal = derive(unguarded_in_while, "primal")
    ends = [*ALL_POSITIVE[:7], -1.0]
    assert primal.reference(ends, 2) == unguarded_in_while(ends, 2) == 7.0
    with pytest.raises(egad.DeviceError, match="out of range"):
        primal.reference(ALL_POSITIVE, 2)
