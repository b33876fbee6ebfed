"""Quotients that are 0/0 at 0, beside it: one over a denormal is infinite, and they are numbers."""

import math

import mpmath
import numpy as np
import pytest

import egad

pytestmark = pytest.mark.numbers


def compared(x: float) -> float:
    return np.sin(x) / x


def grown(x: float) -> float:
    return np.expm1(x) / x


def logarithm(x: float) -> float:
    return np.log1p(x) / x


def charge(x: float) -> float:
    return math.erf(x) / x


def catenary(x: float) -> float:
    return np.sinh(x) / x


def dispersion(x: float) -> float:
    return x / np.sinh(x)


def friction(x: float) -> float:
    return np.tanh(x) / x


def lens(x: float) -> float:
    return np.arctan(x) / x


def arc(x: float) -> float:
    return np.arcsin(x) / x


def rapidity(x: float) -> float:
    return np.arctanh(x) / x


def stretched(x: float) -> float:
    return np.arcsinh(x) / x


def half_versed(x: float) -> float:
    return (1 - np.cos(x)) / x


def langevin(x: float) -> float:
    return 1 / x - 1 / np.tan(x)


def compounded(x: float) -> float:
    return (1 + 0.75 * x) ** (1 / x)


def discounted(x: float) -> float:
    return np.log(1 + 0.75 * x) / x


IN_HIGH_PRECISION = {
    compared: lambda x: mpmath.sin(x) / x,
    grown: lambda x: mpmath.expm1(x) / x,
    logarithm: lambda x: mpmath.log1p(x) / x,
    charge: lambda x: mpmath.erf(x) / x,
    catenary: lambda x: mpmath.sinh(x) / x,
    dispersion: lambda x: x / mpmath.sinh(x),
    friction: lambda x: mpmath.tanh(x) / x,
    lens: lambda x: mpmath.atan(x) / x,
    arc: lambda x: mpmath.asin(x) / x,
    rapidity: lambda x: mpmath.atanh(x) / x,
    stretched: lambda x: mpmath.asinh(x) / x,
    half_versed: lambda x: (1 - mpmath.cos(x)) / x,
    langevin: lambda x: 1 / x - mpmath.cot(x),
    compounded: lambda x: (1 + 3 * x / 4) ** (1 / x),
    discounted: lambda x: mpmath.log(1 + 3 * x / 4) / x,
}
#: Denormals of both signs, and the smallest number whose reciprocal is one.
POINTS = {
    "float32": [1e-45, -1e-42, 3e-39, -5e-39, 1.2e-38, 1e-31],
    "float64": [5e-324, -1e-320, 1e-309, -5e-309, 2.3e-308, 1e-31],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", IN_HIGH_PRECISION, ids=lambda f: f.__name__)
def test_beside_0(f, dtype):
    points = np.array(POINTS[dtype], dtype)
    derived = egad.derive(f, "value_and_grad", dtype=dtype)
    with mpmath.workdps(1000):  # 1 - cos(x) is x*x/2 of 1
        exact = IN_HIGH_PRECISION[f]
        taken = [mpmath.mpf(float(x)) for x in points]
        values = np.array([float(exact(x)) for x in taken])
        # Of the function about 0, which is analytic there: beside a denormal there is no room.
        slopes = np.array([float(mpmath.diff(exact, x + mpmath.mpf(10) ** -60)) for x in taken])
    tolerance = 1e-6 if dtype == "float32" else 1e-14
    for run in (derived.reference, derived):
        value, slope = run(points)
        np.testing.assert_allclose(value, values, rtol=tolerance, atol=1e-30)
        np.testing.assert_allclose(slope.x, slopes, rtol=tolerance, atol=1e-30)


def squared(x: float, y: float) -> float:
    """The squares of small numbers are denormals."""
    r = x * x + y * y
    return np.log1p(r) / r + (1 + 0.2 * r) ** (-3.5)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 1e-20), ("float64", 1e-155)])
def test_squares_of_small_numbers(dtype, size):
    derived = egad.derive(squared, "value_and_grad", dtype=dtype)
    for run in (derived.reference, derived):
        value, slopes = run(0.6 * size, 0.64 * size)
        assert value == 2
        # d/dr (log1p(r)/r + (1 + r/5)**(-7/2)) = -1/2 - 7/10 at 0, times 2*x and 2*y.
        np.testing.assert_allclose(
            [slopes.x, slopes.y], [-1.44 * size, -1.536 * size], rtol=1e-6, atol=0
        )
