"""Even powers of a length are those of what it is the root of, where the length is not needed."""

import cmath
import math

import pytest

from egad import derive


def square(x: float, y: float) -> float:
    return math.hypot(x, y) ** 2


def fourth(x: float, y: float) -> float:
    return math.hypot(x, y) ** 4


def bell(x: float, y: float) -> float:
    return math.exp(-(math.hypot(x, y) ** 2) / 2)


def intensity(x: float, y: float) -> float:
    return abs((1 + 2j) * complex(x, y)) ** 2


def beside(x: float, y: float) -> float:
    """Where the length counts itself, its square is its square."""
    r = math.hypot(x, y)
    return r * r / (1 + r)


def swing(x: float, y: float) -> float:
    return abs(cmath.exp(1j * x) - y) ** 2


def bell_slopes(x, y):
    return [-x * bell(x, y), -y * bell(x, y)]


def bell_curves(x, y):
    b = bell(x, y)
    return [[(x * x - 1) * b, x * y * b], [x * y * b, (y * y - 1) * b]]


POINTS = [(0.0, 0.0), (3.0, 4.0), (-1e-9, 0.0), (0.5, -2.0)]
SLOPES = {
    square: lambda x, y: [2 * x, 2 * y],
    fourth: lambda x, y: [4 * x * (x * x + y * y), 4 * y * (x * x + y * y)],
    bell: bell_slopes,
    intensity: lambda x, y: [10 * x, 10 * y],
    swing: lambda x, y: [2 * y * math.sin(x), 2 * (y - math.cos(x))],
}


@pytest.mark.numbers
@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("f", SLOPES)
def test_slopes(f, at):
    value, slopes = derive(f, mode="value_and_grad", dtype="float64")(*at)
    assert value == pytest.approx(f(*at), rel=1e-14)
    assert [slopes.x, slopes.y] == pytest.approx(SLOPES[f](*at), rel=1e-14, abs=1e-300)


@pytest.mark.numbers
@pytest.mark.parametrize("at", POINTS)
def test_second_derivatives(at):
    found = derive(bell, mode="hessian", dtype="float64")(*at)
    rows = [[found.x.x, found.x.y], [found.y.x, found.y.y]]
    for row, wanted in zip(rows, bell_curves(*at), strict=True):
        assert row == pytest.approx(wanted, rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("mode", ["primal", "bwd", "hessian"])
@pytest.mark.parametrize("f", [square, fourth, bell, intensity])
def test_no_length_is_computed(f, mode):
    assert "hypot" not in derive(f, mode=mode).source


@pytest.mark.parametrize("mode", ["primal", "bwd", "value_and_grad"])
def test_one_length_is_enough(mode):
    source = derive(beside, mode=mode).source
    assert source.count("hypot(") == 1
    assert "x * x" not in source
