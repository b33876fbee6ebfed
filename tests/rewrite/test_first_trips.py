"""Functions in loops that are steep in the first trip, where what they are of is 0 by the count."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

import egad
from egad import derive


def roots(x: float) -> float:
    s = 0.0
    for i in range(5):
        s += math.sqrt(x * i)
    return s


def powers(x: float, p: float) -> float:
    s = 0.0
    for i in range(6):
        s += (x * i) ** p
    return s


def angles(x: float, y: float) -> float:
    s = 0.0
    for i in range(6):
        s += math.atan2(x * i, y * i)
    return s


def half_angles(x: float) -> float:
    s = 0.0
    for i in range(6):
        s += math.acos(1.0 - x * i)
    return s


def weighted(x: float, y: float) -> float:
    s = 0.0
    for i in range(6):
        s += math.sqrt(x * x * i + y * y * i * i)
    return s


def nested(x: float) -> float:
    s = 0.0
    for i in range(3):
        for j in range(3):
            s += (1.0 + i) * math.sqrt(x * j)
    return s


CASES = {
    roots: [(1.3,), (0.04,)],
    powers: [(1.3, 0.7), (1.3, 1.5), (1e-3, 0.75)],
    angles: [(1.3, 0.4), (0.0, 0.4), (-2.0, 3.0)],
    half_angles: [(0.04,), (0.3,)],
    weighted: [(1.3, 0.4)],
    nested: [(1.3,)],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype, scaled=True)


@pytest.mark.parametrize("f", [roots, angles, half_angles, weighted], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


def test_where_the_count_begins_at_one_there_is_no_choice():
    def later(x: float) -> float:
        s = 0.0
        for i in range(1, 6):
            s += math.sqrt(x * i)
        return s

    assert "?" not in derive(later, "bwd").source


def test_roots_that_are_kept_in_an_array():
    def kept(a: egad.Array[float, 6]) -> float:
        r = egad.Array[float, 6]()
        for i in range(6):
            r[i] = egad.sqrt(a[i] * i)
        s = 0.0
        for i in range(6):
            s += 2.0 * r[i]
        return s

    at = np.array([0.3, 1.0, 2.0, 0.7, 0.2, 4.0])
    (slopes,) = derive(kept, "bwd", dtype="float64").reference(at, 1.0)
    wanted = np.sqrt(np.arange(6.0) / at)
    assert np.asarray(slopes).ravel() == pytest.approx(wanted, rel=1e-14)
