"""Distances on curved planes: tips as those of lengths where both points are the same."""

import math

import pytest
from gaps import values_and_slopes_are_right, wanted

from egad import derive

pytestmark = pytest.mark.numbers


def poincare(a: float, b: float, c: float, d: float) -> float:
    q = (a - c) ** 2 + (b - d) ** 2
    return math.acosh(1.0 + 2.0 * q / ((1.0 - a * a - b * b) * (1.0 - c * c - d * d)))


def upper(m: float, n: float, s: float, t: float) -> float:
    """Of normal distributions, by means and deviations."""
    return math.acosh(1.0 + ((m - n) ** 2 + (s - t) ** 2) / (2.0 * s * t))


def hyperboloid(x: float, y: float) -> float:
    return math.acosh(1.0 + x * x + 0.5 * y * y)


def sphere(x: float, y: float) -> float:
    return math.acos(1.0 - (x * x + y * y))


SAME = {
    poincare: (0.1, 0.2, 0.1, 0.2),
    upper: (0.3, 0.3, 1.5, 1.5),
    hyperboloid: (0.0, 0.0),
    sphere: (0.0, 0.0),
}


@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
def test_slopes_at_the_tip_are_0(f):
    value, slopes = derive(f, "value_and_grad", dtype="float64")(*SAME[f])
    assert value == 0.0
    assert slopes == tuple([0.0] * len(slopes))


@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
def test_digits_beside_the_tip(f):
    point = (SAME[f][0] + 2.0**-30, *SAME[f][1:])
    value, slopes = derive(f, "value_and_grad", dtype="float64")(*point)
    want = wanted(f, point)
    assert [value, *slopes] == pytest.approx(want, rel=1e-9, abs=1e-8)
    assert value == pytest.approx(want[0], rel=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
def test_values_and_slopes_elsewhere(f, dtype):
    away = [x + 0.125 * (i + 1) for i, x in enumerate(SAME[f])]
    values_and_slopes_are_right(f, [away], dtype)
