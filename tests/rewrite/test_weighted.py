"""Roots of squares with weights that may be 0: slopes where squares are, and where weights are."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive


def distance(x: float, y: float, a: float, b: float) -> float:
    return math.sqrt(a * x * x + b * y * y)


def mahalanobis(x: float, y: float, a: float, b: float, c: float) -> float:
    return math.sqrt((a * x * x - 2.0 * b * x * y + c * y * y) / (a * c - b * b))


def kernel(x: float, y: float, a: float, b: float) -> float:
    return math.exp(-math.sqrt(a * (x - y) ** 2 + b * (x + y - 1.0) ** 2))


def mass(a: float, b: float, t: float) -> float:
    """Of two particles without any, by the angle between them."""
    return math.sqrt(2.0 * a * b * (1.0 - math.cos(t)))


def spread(v: float, w: float, s: float, t: float) -> float:
    """Of what is added up over two times."""
    return math.sqrt(v * v * s + w * w * t)


POINTS = {
    distance: (0.0, 0.0, 1.0, 2.0),
    mahalanobis: (0.0, 0.0, 2.0, 0.3, 1.0),
    kernel: (0.5, 0.5, 1.0, 2.0),
    mass: (1.0, 2.0, 0.0),
    spread: (0.0, 0.0, 0.3, 0.4),
}


@pytest.mark.numbers
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_slopes_at_the_origin_are_those_of_a_length(f):
    value, slopes = derive(f, "value_and_grad", dtype="float64")(*POINTS[f])
    assert value == f(*POINTS[f])
    assert slopes == tuple([0.0] * len(slopes))
    second_derivatives_are_numbers(f, [POINTS[f]])


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_values_and_slopes_elsewhere(f, dtype):
    away = [x + 0.25 * (i + 1) for i, x in enumerate(POINTS[f])]
    values_and_slopes_are_right(f, [away], dtype)


def test_where_weights_are_0_the_slope_by_them_is_infinite():
    assert derive(spread, dtype="float64")(1.0, 1.0, 0.0, 0.0, 1.0).s == np.inf


def direction(x: float, y: float, a: float, b: float) -> float:
    return x / math.sqrt(a * x * x + b * y * y)


def of_no_squares(x: float, y: float, a: float) -> float:
    return math.sqrt(x * x + a * y)


@pytest.mark.parametrize("f", [direction, of_no_squares], ids=lambda f: f.__name__)
def test_no_choice_is_paid_for_in_vain(f):
    assert "?" not in derive(f).source
