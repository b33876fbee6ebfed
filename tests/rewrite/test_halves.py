"""Roots that meet in products: numbers where the root is 0, as beside it, and no dearer."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive


def beckmann(m: float, c: float) -> float:
    """Microfacets by the tangent of the half angle."""
    t = math.tan(math.acos(c)) / m
    return math.exp(-t * t) / (math.pi * m * m * c**4)


def by_pythagoras(m: float, c: float) -> float:
    t = math.sqrt(1.0 - c * c) / c
    return math.exp(-((t / m) ** 2))


def grazing(m: float, c: float) -> float:
    return (m * math.sin(math.acos(c))) ** 4 / m


def rising(m: float, c: float) -> float:
    return (m * math.cos(math.asin(c))) ** 2 + c


def diffusing(x: float, t: float) -> float:
    s = x * math.sqrt(t) / 3.0
    return x / (1.0 + s * s)


def mixed(a: float, b: float) -> float:
    s, u = a * math.sqrt(b), math.sqrt(b) * (a + 2.0)
    return math.exp(s * u)


def both(a: float, b: float) -> float:
    """The root stays, and all that is of it."""
    s = a * math.sqrt(b)
    return s * s + s


def colorfulness(a: float, b: float) -> float:
    """Of CIEDE2000: how much of a is added where there is little colour."""
    c = math.sqrt(a * a + b * b)
    return a * (1.0 + 0.5 * (1.0 - math.sqrt(c**7 / (c**7 + 25.0**7))))


def rotation_term(c: float, d: float) -> float:
    m = 0.5 * (c + d)
    return 2.0 * math.sqrt(m**7 / (m**7 + 25.0**7)) * (c - d + 1.0)


def fifth(x: float, r: float) -> float:
    return math.sqrt(x**5 * r) / r


ANGLES = [(0.3, 1.0), (0.3, 0.9), (0.3, 1 - 1e-6), (0.05, 0.999)]
TIMES = [(1.5, 0.0), (1.5, 1e-12), (0.7, 0.3), (-0.7, 2.0)]
COLORS = [(0.0, 0.0), (1e-3, 0.0), (3.0, 4.0), (30.0, 40.0)]
POINTS = {
    **dict.fromkeys((colorfulness, rotation_term), (COLORS, 1)),
    fifth: ([(0.0, 2.0), (0.5, 2.0), (2.0, 0.3)], 1),
    **dict.fromkeys((beckmann, by_pythagoras, grazing, rising), (ANGLES, -1)),
    **dict.fromkeys((diffusing, mixed), (TIMES, 1)),
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_where_the_root_is_zero(f, dtype):
    points, side = POINTS[f]
    points = [p for p in points if dtype == "float64" or 1 - p[1] not in (1e-6,)]
    values_and_slopes_are_right(f, points, dtype, scaled=True, side=side)
    second_derivatives_are_numbers(f, points[:1])


def test_what_needs_the_root_stays():
    slopes = derive(both, "bwd", dtype="float64")
    assert slopes(1.0, 0.0, 1.0).b == math.inf
    assert slopes.source.count("sqrt(") == 1
    assert derive(diffusing, "bwd").source.count("sqrt(") == 0
