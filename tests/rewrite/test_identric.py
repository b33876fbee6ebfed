"""The identric mean as it is written by powers: 1 to an infinite power where both are equal."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right


def identric(a: float, b: float) -> float:
    return math.exp(-1.0) * (b**b / a**a) ** (1.0 / (b - a))


def without_reciprocal(a: float, b: float) -> float:
    return (a**a / b**b) ** (2.0 / (a - b))


POINTS = [(2.0, 2.0), (2.0, 2.00001), (0.3, 5.0), (1.0, 1.0), (7.0, 0.2), (300.0, 400.0)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_slopes(dtype):
    values_and_slopes_are_right(identric, POINTS, dtype)
    values_and_slopes_are_right(without_reciprocal, POINTS, dtype)


def test_curvatures():
    second_derivatives_are_numbers(identric, POINTS)
