"""Sines over 1 - cos(x): the cotangent of half the angle, as logarithms of motions have it."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

NEAR = (0.0, 1e-9, 1e-4, 0.3, -0.3, 3.0, math.pi, -5.0)


def by_tangent(t: float, u: float) -> float:
    h = 0.5 * t
    return u * h / math.tan(h)


def by_versed_sine(t: float, u: float) -> float:
    return u * 0.5 * t * math.sin(t) / (1.0 - math.cos(t))


def turned_round(t: float, u: float) -> float:
    """As in Sophus."""
    return -(0.5 * t * math.sin(t)) / (math.cos(t) - 1.0) * u


def of_a_motion(t: float, u: float) -> float:
    """The first entry of what inverts a planar motion's Jacobian, by its determinant."""
    a = math.sin(t) / t
    b = (1.0 - math.cos(t)) / t
    return a / (a * a + b * b) * u


FORMS = (by_versed_sine, turned_round, of_a_motion)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, [(t, 1.7) for t in NEAR], dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_second_derivatives_are_numbers(f):
    second_derivatives_are_numbers(f, [(t, 1.7) for t in NEAR])


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_costs_what_the_tangent_of_the_half_costs(f):
    cost = derive(by_tangent, dtype="float64").report.cost_after
    assert derive(f, dtype="float64").report.cost_after <= cost


def test_a_cotangent_without_a_factor_has_its_pole():
    def cotangent(t: float) -> float:
        return math.sin(t) / (1.0 - math.cos(t))

    d = derive(cotangent, "value_and_grad", dtype="float64")
    for t in (1e-9, 0.3, 3.0, -5.0):
        value, (slope,) = d(t)
        h = 0.5 * t
        assert value == pytest.approx(1 / math.tan(h), rel=1e-14)
        assert slope == pytest.approx(-0.5 / math.sin(h) ** 2, rel=1e-14)
