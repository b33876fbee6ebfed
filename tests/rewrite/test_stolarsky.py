"""Means by powers, where exponents are 0 and 1, or infinite."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers

POINTS = [(2.0, 3.0, 1.0), (2.0, 3.0, 0.0), (2.0, 2.0, 1.0), (2.0, 3.0, -1.0), (2.0, 7.0, 1.0)]


def stolarsky(x: float, y: float, p: float) -> float:
    return ((x**p - y**p) / (p * (x - y))) ** (1.0 / (p - 1.0))


def elasticity_of_variance(f: float, k: float, b: float) -> float:
    return (f ** (1.0 - b) - k ** (1.0 - b)) / ((1.0 - b) * (f - k))


def identric(a: float, b: float) -> float:
    return math.exp(-1.0) * (b**b / a**a) ** (1.0 / (b - a))


def without_reciprocal(a: float, b: float) -> float:
    return (a**a / b**b) ** (2.0 / (a - b))


FORWARDS = [(1.0, 1.0, 0.5), (1.0, 2.0, 1.0), (1.0, 1.0, 1.0), (1e-3, 10.0, 0.5), (1.3, 1e5, 2.5)]
PAIRS = [(2.0, 2.0), (2.0, 2.00001), (0.3, 5.0), (1.0, 1.0), (7.0, 0.2), (300.0, 400.0)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_slopes(dtype):
    values_and_slopes_are_right(stolarsky, POINTS, dtype)
    values_and_slopes_are_right(elasticity_of_variance, FORWARDS, dtype)
    values_and_slopes_are_right(identric, PAIRS, dtype)
    values_and_slopes_are_right(without_reciprocal, PAIRS, dtype)


def test_curvatures():
    second_derivatives_are_numbers(stolarsky, POINTS)
    second_derivatives_are_numbers(elasticity_of_variance, FORWARDS)
    second_derivatives_are_numbers(identric, PAIRS)


def test_identric_and_logarithmic_means():
    """Stolarsky's mean is the identric mean at the exponent 1, the logarithmic one at 0."""
    d = derive(stolarsky, "value_and_grad", dtype="float64")
    identric = (3.0**3 / 2.0**2) / math.e
    assert d(2.0, 3.0, 1.0)[0] == pytest.approx(identric, rel=1e-14)
    assert d(2.0, 3.0, 0.0)[0] == pytest.approx(1.0 / math.log(1.5), rel=1e-14)
