"""Roots and logarithms beside functions that are 0 where they are."""

import math

import numpy as np
import pytest
from gaps import values_and_slopes_are_right

from egad import derive


def of_sine(x: float) -> float:
    return math.sqrt(x) * math.sin(x)


def of_rest(x: float, c: float) -> float:
    return c * math.sqrt(x) * (1.0 - math.exp(-c * x))


def of_angle(x: float, a: float) -> float:
    return math.atan(x - a) / (1.0 + a) * math.sqrt(x - a)


def of_two(x: float, y: float) -> float:
    return math.sqrt(x * y) * math.log(1.0 + x)


def of_logarithm(x: float) -> float:
    return math.sqrt(1.0 - x) * math.log(x)


CASES = {
    of_sine: [(0.0,), (1e-20,), (0.7,)],
    of_rest: [(0.0, 2.0), (1e-20, 2.0), (0.7, 3.0)],
    of_angle: [(0.5, 0.5), (0.75, 0.5), (2.0, 0.5)],
    of_two: [(0.0, 2.0), (1e-9, 1.0), (0.7, 2.0)],
    of_logarithm: [(1.0,), (0.75,)],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(
        f, CASES[f], dtype, side=1 if f in (of_sine, of_rest, of_two) else -1
    )


@pytest.mark.parametrize("mode", ["bwd", "jacobian", "fwd"])
def test_all_modes(mode):
    d = derive(of_sine, mode, dtype="float64", optimize="fast")
    given = {"bwd": (0.0, 1.0), "jacobian": (0.0,), "fwd": ((0.0, 1.0),)}[mode]
    assert np.ravel(np.array(d(*given), float))[-1] == 0.0


def test_no_second_derivative_is_invented():
    """It is infinite, which is 0 times infinity and 1 times infinity as written."""
    for f, point in ((of_sine, (0.0,)), (of_two, (0.0, 2.0)), (of_angle, (0.5, 0.5))):
        second = derive(f, "hessian", dtype="float64")(*point)[0][0]
        assert np.isnan(second) or second == np.inf


def test_infinite_slopes_stay():
    def beside_itself(x: float) -> float:
        return math.sqrt(x) * math.sin(x) + math.sqrt(x)

    assert derive(beside_itself, "value_and_grad", dtype="float64")(0.0)[1].x == np.inf
    assert derive(of_two, "value_and_grad", dtype="float64")(1.0, 0.0)[1].y == np.inf


def logarithm_of_sine(x: float, a: float) -> float:
    return math.log(x) * math.sin(a * x)


def two_logarithms(x: float) -> float:
    return math.log(x) * math.log(1.0 - x)


def test_logarithms_beside_what_is_0():
    d = derive(logarithm_of_sine, "value_and_grad", dtype="float64")
    for value, slopes in (d(0.0, 2.0), d.reference(0.0, 2.0)):
        assert value == slopes.a == 0.0
        assert np.isnan(slopes.x) or slopes.x == -np.inf
    assert derive(two_logarithms, "value_and_grad")(0.0)[0] == 0.0
    values_and_slopes_are_right(logarithm_of_sine, [(1e-20, 2.0), (0.7, 2.0)], "float64")
    values_and_slopes_are_right(two_logarithms, [(1e-20,), (0.7,)], "float64")
