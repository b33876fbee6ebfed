"""Derivatives where two numbers are equal of which a program takes the larger and the smaller."""

import math

import numpy as np
import pytest
from gaps import wanted

from egad import derive
from egad.rules import loads

pytestmark = pytest.mark.numbers


def own_hypot(x: float, y: float) -> float:
    a = max(abs(x), abs(y))
    b = min(abs(x), abs(y))
    r = b / a
    return a * math.sqrt(1.0 + r * r)


def sorted_product(x: float, y: float) -> float:
    return max(x, y) * min(x, y) ** 2 + max(y, x) ** 2 * min(x, y)


def halves_of_a_square(x: float, y: float) -> float:
    return max(x, 0.0) ** 2 + min(x, 0.0) ** 2 + y * y


def smooth_min(x: float, y: float) -> float:
    h = max(0.5 - abs(y - x), 0.0)
    return min(x, y) - 0.5 * h * h


def compared(x: float, y: float) -> float:
    b = y if x > y else x
    return max(x, y) ** 2 * b * b + b + max(y, x)


def compared_the_other_way(x: float, y: float) -> float:
    a = y if x <= y else x
    return a * a * min(x, y) ** 2 - math.exp(-abs(x - y)) + abs(y - x)


def in_a_loop(x: float, y: float) -> float:
    s = 0.0
    for i in range(4):
        p = x * (i + 1.0)
        q = y * (i + 1.0)
        s += max(p, q) ** 2 * min(p, q) ** 2 + (p - q if p > q else q - p) - abs(q - p)
    return s


SMOOTH = [own_hypot, sorted_product, smooth_min, compared, in_a_loop]
TIES = [(1.0, 1.0), (0.3, 0.3), (1.0, 2.0), (2.0, 1.0)]


def curvatures(f, point):
    """Second derivatives by differences of slopes with 300 digits on one side of the tie."""
    step = 2.0**-20
    x, y = point
    left, right = (wanted(f, (x + s, y))[1:] for s in (step, 3 * step))
    low, high = (wanted(f, (x + 2 * step, y + s))[1:] for s in (-step, step))
    return np.array([(right - left) / (2 * step), (high - low) / (2 * step)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", SMOOTH, ids=lambda f: f.__name__)
def test_slopes(f, dtype):
    d = derive(f, "value_and_grad", dtype=dtype)
    for point in TIES:
        given = [float(np.dtype(dtype).type(x)) for x in point]
        value, slopes = d.reference(*given)
        assert [value, *slopes] == pytest.approx(wanted(f, given), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("f", SMOOTH, ids=lambda f: f.__name__)
def test_curvatures(f):
    d = derive(f, "hessian", dtype="float64")
    for point in TIES:
        found = np.array(d.reference(*point), float).reshape(2, 2)
        assert found == pytest.approx(curvatures(f, point), rel=1e-4, abs=1e-4)


def test_halves_of_a_square_are_one():
    hessian = derive(halves_of_a_square, "hessian", dtype="float64")
    for x in (-1.0, 0.0, 1.0):
        assert np.array(hessian.reference(x, 0.3), float).reshape(2, 2).tolist() == [[2, 0], [0, 2]]


def test_all_take_the_side_of_a_comparison():
    """Either side is right where both differ, a mixture is not."""
    d = derive(compared_the_other_way, "bwd", dtype="float64")
    beside = [wanted(compared_the_other_way, (1.0 + s, 1.0))[1:] for s in (-1e-9, 1e-9)]
    found = np.array(d.reference(1.0, 1.0, 1.0), float)
    assert any(found == pytest.approx(each, abs=1e-6) for each in beside)


def test_one_alone_has_the_middle_of_its_slopes():
    def alone(x: float, y: float) -> float:
        return max(x, y) ** 2

    assert tuple(derive(alone, "bwd").reference(1.0, 1.0, 1.0)) == (1.0, 1.0)


def test_a_nan_still_loses_against_a_number():
    def twice(x: float, y: float) -> float:
        return max(x, y) + (x if x > y else y)

    value, slopes = derive(twice, "value_and_grad", dtype="float64").reference(math.nan, 2.0)
    assert (value, *slopes) == (4.0, 0.0, 2.0)


def test_whoever_says_another_slope_of_max_means_it():
    first = "@derivative(unchecked='the first one')\ndef max(a: number, b: number) -> m:\n"
    rules = loads(first + "    dm_da = 1 if a >= b else 0\n    dm_db = 0 if a >= b else 1\n")
    own = derive(compared, "bwd", rules=[rules], dtype="float64")
    assert tuple(own.reference(1.0, 1.0, 1.0)) != (3.0, 3.0)
