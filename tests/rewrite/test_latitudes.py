"""Logarithms of tangents, by which maps have latitudes: near the equator and along parallels."""

import math

import pytest
from gaps import no_digits_are_lost, second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive


def ordinate(p: float) -> float:
    return math.log(math.tan(math.pi / 4 + p / 2))


def in_metres(p: float) -> float:
    return 6378137.0 * math.log(math.tan(0.5 * (p + math.pi / 2)))


def isometric(p: float) -> float:
    """On an ellipsoid, by the angle from the pole."""
    s = 0.0818 * math.sin(p)
    return -math.log(math.tan(math.pi / 4 - p / 2) / ((1 - s) / (1 + s)) ** 0.0409)


def rhumb(a: float, b: float, east: float) -> float:
    """How far east a course of constant bearing gets, which may be along a parallel."""
    q = math.log(math.tan(math.pi / 4 + b / 2) / math.tan(math.pi / 4 + a / 2))
    return east * (b - a) / q


@pytest.mark.numbers
@pytest.mark.parametrize("f", [ordinate, in_metres], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("dtype", "limit"), [("float32", 2e-6), ("float64", 4e-15)])
def test_small_latitudes_keep_their_digits(f, dtype, limit):
    no_digits_are_lost(f, [(1e-8,), (-1e-4,), (0.01,), (0.8,), (-1.5,)], dtype, limit, 0.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_other_factors_stay(dtype):
    values_and_slopes_are_right(isometric, [(1e-3,), (0.0,), (-0.8,), (1.5,)], dtype)
    assert "tan(" not in derive(isometric, "bwd", dtype=dtype).source


def test_factors_that_may_be_negative():
    """Beyond the pole the tangent is negative, and so may be what it is multiplied by."""

    def turned(p: float) -> float:
        return math.log(-math.tan(math.pi / 4 + p / 2))

    value, gradient = derive(turned, "value_and_grad", dtype="float64")(2.0)
    assert value == pytest.approx(turned(2.0), rel=1e-14)
    assert gradient.p == pytest.approx(1 / math.cos(2.0), rel=1e-14)
    value, gradient = derive(rhumb, "value_and_grad", dtype="float64")(2.0, 2.5, 0.7)
    assert value == pytest.approx(rhumb(2.0, 2.5, 0.7), rel=1e-14)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_courses_along_a_parallel(dtype):
    points = [(0.5, 0.5, 0.7), (0.5, 0.5 + 1e-6, 0.7), (-0.3, -0.3001, 0.7), (0.3, 0.9, 0.7)]
    values_and_slopes_are_right(rhumb, points, dtype)


def test_second_derivatives_along_a_parallel():
    second_derivatives_are_numbers(rhumb, [(0.5, 0.5, 0.7), (0.0, 0.0, 0.7)])


def test_slopes_are_those_of_the_latitude():
    """1/cos(p) needs no tangent."""
    source = derive(ordinate, "bwd", dtype="float64").source
    assert "cos(" in source and "tan(" not in source
