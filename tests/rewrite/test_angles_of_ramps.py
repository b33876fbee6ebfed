"""Angles whose cosine is 1 over the root of a square and a number: slopes of terrain, of rays."""

import math

import pytest
from far import right_to_second_order
from gaps import no_digits_are_lost, values_and_slopes_are_right


def bent(h: float) -> float:
    return math.acos(1 / math.sqrt(1 + h * h)) ** 2


def steep(x: float, y: float) -> float:
    return math.acos(1 / math.sqrt(1 + x * x + y * y))


def along(h: float) -> float:
    return math.asin(h / math.sqrt(4 + h * h))


def rapid(x: float) -> float:
    return math.atanh(x / math.sqrt(1 + x * x))


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 4e-6), ("float64", 1e-13)])
def test_digits_beside_the_axis_and_far_from_it(dtype, limit):
    right_to_second_order(bent, [(1e-4,), (0.01,), (-0.3,), (2.0,)], dtype, limit=limit)
    no_digits_are_lost(steep, [(1e-4, 2e-4), (0.3, -0.4), (10.0, 3.0)], dtype, limit, 1e-30)
    for f in (along, rapid):
        points = [(0.0,), (1e-4,), (-0.5,), (1e4,), (1e6,)]
        no_digits_are_lost(f, points, dtype, limit, 1e-30)


def test_a_square_of_an_angle_is_smooth_on_the_axis():
    right_to_second_order(bent, [(0.0,)], "float64", limit=1e-13, least=1e-30)
    values_and_slopes_are_right(bent, [(0.0,)], "float32")
