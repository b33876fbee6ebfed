"""Angles and areas over the root of what they are 0 with, and ramps by roots."""

import math

import pytest
from far import right_to_second_order
from gaps import no_digits_are_lost

from egad import derive

LIMIT = {"float32": 3e-5, "float64": 1e-12}


def angle(x: float) -> float:
    return math.acos(1.0 - x) / math.sqrt(2.0 * x)


def area(x: float) -> float:
    return math.acosh(1.0 + x) / math.sqrt(2.0 * x)


def half(x: float, a: float) -> float:
    return a * math.acos(1.0 - 2.0 * x) / math.sqrt(x)


def area_squared(x: float) -> float:
    """Its slope was -459150 at 1e-7 in single precision, where it is -1/6."""
    return math.acosh(1.0 + x) ** 2 / (2.0 * x)


def turned(x: float) -> float:
    return math.acosh(x + 1.0) ** 2 * 0.5 / x


NEAR = [(0.0,), (1e-7,), (1e-3,), (0.02,), (0.05,), (0.3,), (1.2,)]
PROGRAMS = [
    (angle, NEAR),
    (area, [*NEAR, (20.0,)]),
    (half, [(x / 2.0, 1.3) for (x,) in NEAR]),
    (area_squared, [*NEAR, (20.0,)]),
    (turned, NEAR),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_distances_are_taken_as_they_are_written(f, points, dtype):
    right_to_second_order(f, points, dtype, limit=60 * LIMIT[dtype], least=1e-30)


def cosine(c: float) -> float:
    return math.acos(c) ** 2 / (1.0 - c)


def rapidity(c: float) -> float:
    return math.acosh(c) ** 2 / (c - 1.0)


@pytest.mark.parametrize(("f", "side"), [(cosine, -1), (rapidity, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_at_one(f, side, dtype):
    points = [(1.0,)] + [(1.0 + side * x,) for (x,) in NEAR[2:]]
    right_to_second_order(f, points, dtype, limit=60 * LIMIT[dtype], side=side)


def pole(c: float) -> float:
    return math.acos(c) / (1.0 - c)


def test_poles_stay():
    assert derive(pole, "primal", dtype="float64")(1.0 - 1e-12) == pytest.approx(1.41e6, rel=1e-2)
    assert math.isnan(derive(pole, "primal", dtype="float64")(1.0))


# --------------------------------------------------------------------------------------- ramps


def squareplus(x: float) -> float:
    """14.1 at -1e9 in single precision, where it is 1e-9."""
    return (x + math.sqrt(x * x + 4.0)) / 2.0


def smooth_maximum(x: float, y: float) -> float:
    return 0.5 * (x - y + math.sqrt((x - y) ** 2 + 1e-6))


def reciprocal(x: float) -> float:
    return math.log(math.sqrt(1.0 + x * x) - x)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ramps_by_roots_keep_their_digits(dtype):
    far = [(-1e9,), (-1e4,), (-30.0,), (-0.3,), (0.0,), (2.0,), (1e4,)]
    no_digits_are_lost(squareplus, far, dtype, LIMIT[dtype], 0.0)
    points = [(-3.0, 4.0), (-0.01, 0.02), (0.5, 0.5), (4.0, -3.0)]
    no_digits_are_lost(smooth_maximum, points, dtype, LIMIT[dtype], 0.0)
    no_digits_are_lost(reciprocal, [(1e9,), (1e3,), (2.0,)], dtype, LIMIT[dtype], 0.0)
