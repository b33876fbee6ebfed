"""Mish, x*tanh(log(1 + exp(x))): its slopes are rational in one exponential, and never overflow."""

import mpmath
import numpy as np
import pytest

import egad

POINTS = (-700.0, -100.0, -20.0, -3.0, -1e-3, 0.0, 0.5, 5.0, 20.0, 44.2, 300.0, 354.8, 720.0, 1e30)


def mish(x):
    return x * egad.tanh(egad.log(1 + egad.exp(x)))


def slopes(x):
    """The first and the second one, with 60 digits: the second by differences of the first."""
    with mpmath.workdps(60):

        def slope(z):
            t = mpmath.tanh(mpmath.log1p(mpmath.exp(z)))
            return t + z * (1 - t**2) / (1 + mpmath.exp(-z))

        z, h = mpmath.mpf(x), mpmath.mpf(10) ** -15
        near = [slope(z - h), slope(z + h)] if abs(x) < 300 else [0, 0]
        return float(slope(z) if abs(x) < 1e3 else 1), float((near[1] - near[0]) / (2 * h))


@pytest.mark.numbers
@pytest.mark.parametrize("x", POINTS)
def test_digits_are_right_on_both_sides(x):
    first, second = slopes(x)
    derived = egad.derive(mish, mode="bwd", dtype="float64").reference(x, 1.0)
    assert np.asarray(derived[0]) == pytest.approx(first, rel=1e-14, abs=1e-320)
    found = egad.derive(mish, mode="hessian", dtype="float64").reference(x)
    if abs(x) < 300:
        assert np.ravel(found)[0] == pytest.approx(second, rel=1e-12)


def test_no_logarithm_and_no_hyperbolic_function_is_left():
    counts = egad.derive(mish, mode="bwd").report.counts_after
    assert counts.get("exp") == 1
    assert not {"log1p", "log", "tanh"} & {op for op, n in counts.items() if n}
