"""Differences of functions that patterns know by one: log(cosh(a)) - log(cosh(b))."""

import math

import pytest
from far import right_to_second_order
from gaps import values_and_slopes_are_right

from egad import derive


def saturated(a: float, b: float) -> float:
    """What a signal that tanh saturates is between two samples."""
    return (math.log(math.cosh(a)) - math.log(math.cosh(b))) / (a - b)


def softened(a: float, b: float) -> float:
    return (math.log(1 + math.exp(a)) - math.log(1 + math.exp(b))) / (a - b)


def peak(a: float, b: float) -> float:
    """When the difference of two exponentials is largest."""
    return a * b / (b - a) * math.log(b / a)


def part(a: float, b: float) -> float:
    return a / (a - b) * math.log(a / b)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 5e-3), ("float64", 1e-11)])
def test_far_apart_and_equal(dtype, limit):
    points = [(0.3, 0.3), (1e-3, 2e-3), (1.0, 0.2), (20.0, 0.2), (200.0, 0.25), (-200.0, 0.25)]
    right_to_second_order(saturated, points, dtype, limit=limit, least=1e-12)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_slopes(dtype):
    values_and_slopes_are_right(softened, [(0.3, 0.3), (200.0, -0.25), (5.0, 1.0)], dtype)
    for f in (peak, part):
        points = [(0.7, 0.7), (0.7001, 0.7), (0.7, 0.9), (2.0, 0.1), (0.1, 20.0)]
        values_and_slopes_are_right(f, points, dtype)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-4), ("float64", 1e-12)])
def test_curvature_of_the_time_of_a_peak(dtype, limit):
    right_to_second_order(peak, [(0.7, 0.7), (0.7001, 0.7), (2.0, 0.1)], dtype, limit=limit)


def test_what_nothing_is_left_of_is_zero():
    value, slopes = derive(part, "value_and_grad", dtype="float64")(0.0, 0.5)
    assert value == 0 and slopes == (math.inf, 0)
