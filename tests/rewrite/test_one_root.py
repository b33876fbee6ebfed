"""Roots of quotients beside functions of a root: smooth where that root is 0."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive


def falling(g: float, k: float, t: float) -> float:
    """The speed of what falls through air."""
    return math.sqrt(g / k) * math.tanh(math.sqrt(g * k) * t)


def heavy(m: float, k: float, t: float) -> float:
    return math.sqrt(2.0 * m * 9.81 / k) * math.tanh(t * math.sqrt(9.81 * k / (2.0 * m)))


def spring(m: float, k: float, v: float) -> float:
    return v * math.sqrt(m / k) * math.sin(math.sqrt(k / m) * 3.0)


def fin(h: float, k: float, x: float) -> float:
    """What a fin of a radiator gives."""
    return math.sqrt(h * 2.0 * k) * math.tanh(x * math.sqrt(h * 2.0 / k))


def boys(t: float) -> float:
    """Of which the integrals of quantum chemistry are made."""
    return 0.5 * math.sqrt(math.pi / t) * math.erf(math.sqrt(t))


def boys_of_distance(a: float, r: float) -> float:
    return 0.5 * math.sqrt(math.pi / (a * r * r)) * math.erf(math.sqrt(a * r * r))


def bodies(c: float, t: float) -> float:
    return math.sqrt(c / t) * math.atan(math.sqrt(t / c))


POINTS = {
    falling: [(9.8, 0.0, 1.0), (9.8, 1e-9, 1.0), (9.8, 0.1, 2.0), (0.0, 0.1, 1.0)],
    heavy: [(80.0, 0.0, 1.0), (80.0, 1e-9, 2.0), (80.0, 0.25, 3.0)],
    spring: [(1.0, 0.0, 2.0), (1.0, 1e-9, 2.0), (0.5, 2.0, -1.0)],
    fin: [(0.0, 2.0, 0.5), (1e-9, 2.0, 0.5), (0.7, 2.0, 0.5)],
    boys: [(0.0,), (1e-9,), (1e-3,), (0.06,), (0.07,), (1.0,), (30.0,)],
    boys_of_distance: [(1.0, 0.0), (1.5, 1e-6), (1.5, 0.2), (0.5, 3.0)],
    bodies: [(1.0, 0.0), (2.0, 1e-9), (2.0, 0.3)],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_where_the_root_is_zero(f, dtype):
    values_and_slopes_are_right(f, POINTS[f], dtype, scaled=True)
    second_derivatives_are_numbers(f, POINTS[f])


def test_two_negative_factors():
    """A root of their quotient is a number, and so is that of their product."""
    value, slopes = derive(falling, "value_and_grad", dtype="float64")(-9.8, -0.1, 2.0)
    assert [value, *slopes] == pytest.approx(wanted(falling, (-9.8, -0.1, 2.0)), rel=1e-12)
    value, slopes = derive(falling, "value_and_grad", dtype="float64")(9.8, -0.1, 2.0)
    assert math.isnan(value)


def even(g: float, k: float) -> float:
    return math.sqrt(g / k) * math.exp(math.sqrt(g * k))


def test_what_no_pattern_divides_stays():
    assert derive(even, "bwd").report.counts_after["sqrt"] >= 1
    assert "?" not in derive(even, "bwd").source
