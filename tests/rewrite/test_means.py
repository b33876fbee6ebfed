"""Means by exponentials: by two of them, and logarithms of means over what exponents share."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers


def attention(a: float, b: float, v: float, w: float) -> float:
    return (v * math.exp(a) + math.exp(b) * w) / (math.exp(a) + math.exp(b))


def first_share(a: float, b: float, v: float) -> float:
    return v * math.exp(a) / (math.exp(b) + math.exp(a))


def between(x: float, v: float, w: float) -> float:
    return (v * math.exp(x) + w) / (1.0 + math.exp(x))


def less(a: float, b: float, v: float) -> float:
    return (math.exp(a) - v * math.exp(b)) / (math.exp(a) + math.exp(b))


def difference(a: float, b: float) -> float:
    return (math.exp(a) - math.exp(b)) / (math.exp(a) + math.exp(b))


BY_TWO = {
    attention: [(1.0, 2.0, 3.0, 4.0), (800.0, 801.0, 1.0, 2.0), (-800.0, -801.0, 1.0, 2.0)],
    first_share: [(1.0, 2.0, 3.0), (800.0, 801.0, 1.0), (800.0, -800.0, 1.0)],
    between: [(1.0, 2.0, 3.0), (800.0, 2.0, 3.0), (-800.0, 2.0, 3.0)],
    less: [(1.0, 2.0, 3.0), (800.0, 801.0, 0.5), (-800.0, 800.0, 0.5)],
    difference: [(1.0, 2.0), (800.0, 801.0), (-800.0, 800.0), (-3.0, -3.0)],
}


def mellow_maximum(a: float, b: float, c: float, t: float) -> float:
    return math.log((math.exp(a * t) + math.exp(b * t) + math.exp(c * t)) / 3.0) / t


def certainty_equivalent(a: float, b: float, p: float, g: float) -> float:
    return -math.log(p * math.exp(-g * a) + (1.0 - p) * math.exp(-g * b)) / g


def entropic_risk(a: float, b: float, g: float) -> float:
    return math.log(0.5 * math.exp(a * g) + 0.5 * math.exp(b * g)) / g


def beside_nothing(a: float, b: float, t: float) -> float:
    return math.log(0.25 * math.exp(a * t) + 0.25 * math.exp(b * t) + 0.5) / t


def less_its_number(a: float, b: float, c: float, t: float) -> float:
    x, y, z = math.exp(a * t), math.exp(b * t), math.exp(c * t)
    return (math.log(x + y + z) - math.log(3.0)) / t


OVER_A_FACTOR = {
    mellow_maximum: [(1.0, 2.0, 3.0, t) for t in (0.0, 1e-7, 0.5, 1000.0, -1000.0)],
    certainty_equivalent: [(1.0, 2.0, 0.3, g) for g in (0.0, 1e-7, 0.5, 1000.0, -1000.0)],
    entropic_risk: [(1.0, 2.0, 0.0), (2.0, 2.0, 1e-7), (-1.0, 2.0, 1000.0), (3.0, 2.0, -1.0)],
    beside_nothing: [(1.0, 2.0, 0.0), (-1.0, 2.0, 1e-7), (-1.0, 2.0, 1000.0), (3.0, 2.0, -1.0)],
    less_its_number: [(1.0, 2.0, 3.0, t) for t in (0.0, 1e-7, 0.5, 1000.0)],
}
CASES = BY_TWO | OVER_A_FACTOR


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype, scaled=True)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


def test_the_smaller_share_keeps_its_digits():
    """1 less the other one has none."""
    _, slopes = derive(attention, "value_and_grad", dtype="float64")(40.0, 0.0, 1.0, 2.0)
    assert slopes.w == pytest.approx(math.exp(-40.0) / (1.0 + math.exp(-40.0)), rel=1e-15)
    assert slopes.a == pytest.approx(-math.exp(-40.0) / (1.0 + math.exp(-40.0)) ** 2, rel=1e-14)


def test_who_divides_by_a_number_has_the_largest_exponent_subtracted():
    def smooth(a: float, b: float, c: float) -> float:
        return math.log(math.exp(9.0 * a) + math.exp(9.0 * b) + math.exp(9.0 * c)) / 9.0

    d = derive(smooth, "value_and_grad")
    assert "?" not in str(d)
    assert np.isfinite(d(100.0, 99.0, 98.0)[0])
