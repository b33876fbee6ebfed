"""Arms that overflow where they are not taken: the derivatives are those of the arm that is taken.

At the first point exponentials overflow, or a divisor is 0, and the arm given beside it is taken;
at the second point the other one is. Slopes of arms are found by mpmath.
"""

import math
from math import cosh, exp, expm1, isfinite, isinf, log, sinh

import mpmath
import numpy as np
import pytest

from egad import derive, diff_pair

OVER, UNDER = (5.0, 2.0), (-0.003, 2.0)


def asked(a: float, k: float) -> float:
    return 7.0 if isinf(exp(400 * a)) else k * exp(400 * a)


def finite(a: float, k: float) -> float:
    e = exp(400 * a)
    return e * k if isfinite(e) else a * k


def compared(a: float, k: float) -> float:
    e = exp(400 * a)
    return e * k if e < 1e6 else 1e6 * k


def smaller(a: float, k: float) -> float:
    return min(k * exp(400 * a), 1e6)


def clipped(a: float, k: float) -> float:
    return np.clip(k * expm1(400 * a), -10.0, 10.0) * k


def hyperbolic(a: float, k: float) -> float:
    s = min(sinh(400 * a), 3.0)
    return s * k + max(a, -cosh(400 * a))


def powers(a: float, k: float) -> float:
    return min(2.0 ** (400 * a), 1.0) * k


def twice(a: float, k: float) -> float:
    e = exp(400 * a)
    f = e * e
    g = f if f < 1e5 else 0.0
    h = e if e < 1e5 else 0.0
    return g * h * k + g


def surrogate(a: float, k: float) -> float:
    # The clipped ratio of proximal policies: a sum of two choices is multiplied by what overflows.
    r = exp(400 * a) * k
    return min(r * k, np.clip(r, 0.8, 1.2) * k)


def logarithm(a: float, k: float) -> float:
    y = log(a - 5.0)
    return a * k if isinf(y) else y * k


def reciprocal(a: float, k: float) -> float:
    d = a - 5.0
    q = 1 / d if abs(1 / d) < 1e10 else 0.0
    return q * k


E = mpmath.exp
CASES = [
    (asked, lambda a, k: 7.0 + 0 * a, lambda a, k: k * E(400 * a)),
    (finite, lambda a, k: a * k, lambda a, k: k * E(400 * a)),
    (compared, lambda a, k: 1e6 * k, lambda a, k: k * E(400 * a)),
    (smaller, lambda a, k: 1e6 + 0 * a, lambda a, k: k * E(400 * a)),
    (clipped, lambda a, k: 10 * k, lambda a, k: k * k * (E(400 * a) - 1)),
    (hyperbolic, lambda a, k: 3 * k + a, lambda a, k: mpmath.sinh(400 * a) * k + a),
    (powers, lambda a, k: k, lambda a, k: mpmath.power(2, 400 * a) * k),
    (twice, lambda a, k: 0 * a, lambda a, k: k * E(1200 * a) + E(800 * a)),
    (surrogate, lambda a, k: 1.2 * k, lambda a, k: k * k * E(400 * a)),
    (reciprocal, lambda a, k: 0 * a, lambda a, k: k / (a - 5)),
]


def slopes(arm, point, order):
    """The derivative of an arm, `order` times by each variable."""
    with mpmath.workdps(40):
        return float(mpmath.diff(arm, tuple(map(mpmath.mpf, point)), order))


@pytest.mark.parametrize("f, over, under", CASES, ids=lambda f: getattr(f, "__name__", ""))
def test_slopes_are_those_of_the_arm_that_is_taken(f, over, under):
    back, ahead = derive(f, dtype="float64"), derive(f, "fwd", dtype="float64")
    jacobian, hessian = (
        derive(f, "jacobian", dtype="float64"),
        derive(f, "hessian", dtype="float64"),
    )
    for point, arm in ((OVER, over), (UNDER, under)):
        a, k = point
        first = [slopes(arm, point, order) for order in ((1, 0), (0, 1))]
        second = [slopes(arm, point, order) for order in ((2, 0), (1, 1), (1, 1), (0, 2))]
        for way in (back, back.reference):
            np.testing.assert_allclose([*way(a, k, 1.0)], first, rtol=1e-11, atol=1e-12)
        pushed = [ahead(diff_pair(a, 1.0 - d), diff_pair(k, float(d))).d for d in (0, 1)]
        np.testing.assert_allclose(pushed, first, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose([*jacobian(a, k)], first, rtol=1e-11, atol=1e-12)
        found = [number for row in hessian(a, k) for number in row]
        np.testing.assert_allclose(found, second, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_second_derivatives_beside_a_logarithm_that_is_infinite(dtype):
    hessian = derive(logarithm, "hessian", dtype=dtype)
    assert [[*row] for row in hessian(5.0, 2.0)] == [[0.0, 1.0], [1.0, 0.0]]
    assert derive(logarithm, dtype=dtype)(5.0, 2.0, 1.0) == (2.0, 5.0)
    assert derive(logarithm, dtype=dtype)(6.0, 2.0, 1.0) == (2.0, 0.0)


def test_slopes_of_a_long_sum_of_choices():
    def f(a: float, k: float) -> float:
        e = exp(a)
        return sum([min(e * (1 + i), 3.0) for i in range(12)]) * k

    found = derive(f, dtype="float64")
    slope = sum((1 + i) * math.exp(0.2) for i in range(12) if (1 + i) * math.exp(0.2) < 3) * 2.0
    assert found(0.2, 2.0, 1.0).a == pytest.approx(slope, rel=1e-14)
