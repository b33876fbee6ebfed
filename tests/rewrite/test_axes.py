"""Angles of a side of a length, near the axis and on it."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers


def of_rotation(w: float, x: float, y: float, z: float) -> float:
    return 2.0 * math.acos(w / math.sqrt(w * w + x * x + y * y + z * z))


def shorter_way(x: float, y: float, z: float, w: float) -> float:
    return math.acos(abs(w) / math.sqrt(x**2 + y**2 + z**2 + w**2))


def latitude(x: float, y: float, z: float) -> float:
    return math.asin(2.0 * z / math.sqrt(x * x + y * y + 4.0 * z * z))


def rapidity(x: float, y: float, z: float) -> float:
    return math.atanh(z / math.sqrt(x * x + y * y + z * z))


def rapidity_in_plane(x: float, z: float) -> float:
    return math.atanh(z / math.sqrt(x * x + z * z))


def sine(x: float, y: float, z: float) -> float:
    return math.sin(math.acos(z / math.sqrt(x * x + y * y + z * z)))


def power(w: float, x: float, y: float, z: float, p: float) -> float:
    return math.cos(p * math.acos(w / math.sqrt(w * w + x * x + y * y + z * z)))


CASES = {
    of_rotation: [(1.0, 1e-4, 2e-5, 0.0), (0.5, 0.5, -0.5, 0.5), (-1.0, 1e-4, 0.0, 0.0)],
    shorter_way: [(1e-4, 2e-5, 0.0, 1.0), (0.5, 0.5, -0.5, -0.5), (1e-4, 0.0, 0.0, -1.0)],
    latitude: [(1e-4, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 2.0, -0.0)],
    rapidity: [(1e-4, 0.0, 1.0), (1e-9, 1e-9, -1.0), (1.0, 2.0, 3.0)],
    rapidity_in_plane: [(1e-4, 1.0), (-1e-9, -1.0), (1.0, 3.0)],
    sine: [(1e-4, 0.0, 1.0), (1.0, 2.0, 3.0)],
    power: [(1.0, 1e-4, 2e-5, 0.0, 0.3), (0.5, 0.5, -0.5, 0.5, 2.0), (2.0, 1e-9, 0.0, 0.0, 0.5)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


def test_no_turn_has_no_slope():
    d = derive(of_rotation, "value_and_grad", dtype="float64")
    assert [*d(2.0, 0.0, 0.0, 0.0)[1], d(2.0, 0.0, 0.0, 0.0)[0]] == [0.0] * 5


def test_functions_of_the_cosine_stay_that():
    def third(x: float, y: float, z: float) -> float:
        return math.cos(3.0 * math.acos(z / math.sqrt(x * x + y * y + z * z)))

    assert "atan2" not in str(derive(third, "value_and_grad"))
