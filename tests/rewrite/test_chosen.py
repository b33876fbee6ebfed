"""Quotients of what is chosen, by what one arm is 0 with: friction that is smooth at rest."""

import math

import pytest
from far import right_to_second_order
from gaps import values_and_slopes_are_right

from egad import derive


def rubbed(u: float, e: float) -> float:
    f = 2 * u / e - u * u / (e * e) if u < e else 1.0
    return f / u


def force(x: float, y: float, e: float) -> float:
    u = math.sqrt(x * x + y * y)
    f = 2 * u / e - u * u / (e * e) if u < e else 1.0
    return f * x / u


def behind(x: float, y: float) -> float:
    u = math.hypot(x, y)
    f = u * (2 - u) if u < 1 else 1.0
    return -0.5 * f / u * x


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (rubbed, [(0.0, 0.5), (1e-4, 0.5), (0.25, 0.5), (1.0, 0.5)]),
        (force, [(0.0, 0.0, 0.5), (1e-4, 2e-4, 0.5), (0.2, 0.1, 0.5), (0.5, 0.75, 0.5)]),
        (behind, [(0.0, 0.0), (1e-4, 2e-4), (0.25, 0.5), (1.5, 2.0)]),
    ],
)
def test_friction_has_a_value_and_slopes_at_rest(f, points, dtype):
    values_and_slopes_are_right(f, points, dtype)


@pytest.mark.numbers
@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-5), ("float64", 1e-12)])
def test_second_derivatives_keep_their_digits(dtype, limit):
    points = [(0.0, 0.5), (1e-4, 0.5), (0.25, 0.5), (1.0, 0.5)]
    right_to_second_order(rubbed, points, dtype, limit=limit, least=1e-30)


def test_a_choice_of_quotients_costs_no_more():
    """As quotients of a choice they cost 41.5 and 113 (measured before)."""
    assert derive(rubbed, "hessian").report.cost_after <= 41.5
    assert derive(force, "hessian").report.cost_after <= 113
