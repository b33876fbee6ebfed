"""Entropies of shares, powers times logarithms, flat quotients: numbers at the ends."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers


def entropy_of_two(a: float, b: float) -> float:
    p = math.exp(a) / (math.exp(a) + math.exp(b))
    q = math.exp(b) / (math.exp(a) + math.exp(b))
    return -p * math.log(p) - q * math.log(q)


def entropy_of_a_chance(x: float) -> float:
    p = 1.0 / (1.0 + math.exp(-x))
    return -p * math.log(p) - (1.0 - p) * math.log(1.0 - p)


def divergence(a: float, b: float) -> float:
    p = math.exp(a) / (math.exp(a) + math.exp(b))
    return p * math.log(p) + math.log(2.0) * a


def power_and_logarithm(x: float, y: float) -> float:
    return x**y * math.log(x)


def planck(f: float, t: float) -> float:
    return f**3 / (math.exp(f / t) - 1.0)


def steep(g: float, a: float, x: float) -> float:
    return g / (1.0 + a / x**4)


def bound(x: float, k: float) -> float:
    """Hill's function of order 4."""
    return 1.0 / (1.0 + (k / x) ** 4)


CASES = {
    entropy_of_two: [(800.0, -800.0), (800.0, 800.0), (0.3, 0.1), (-800.0, 900.0), (0.0, 20.0)],
    entropy_of_a_chance: [(0.0,), (600.0,), (-600.0,), (0.7,), (-20.0,)],
    divergence: [(0.8, -800.0), (0.8, 800.0), (0.3, 0.1)],
    power_and_logarithm: [(0.0, 2.5), (0.0, 1.5), (0.3, 2.5), (2.0, -1.5), (1.0, 0.0)],
    planck: [(1.0, 0.0), (2.0, 0.0), (1.0, 0.3), (0.0, 0.5)],
    steep: [(3.0, 2.0, 0.0), (3.0, -2.0, 0.0), (3.0, 2.0, 0.5), (3.0, 2.0, 1e5)],
    bound: [(0.0, 2.0), (0.5, 2.0), (2.0, 0.0)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype, scaled=True)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    points = CASES[f][2:] if f is power_and_logarithm else CASES[f]  # infinite at 0 below 2
    second_derivatives_are_numbers(f, points)


@pytest.mark.parametrize("x", [0.0, 1e-12, 1e-10])
def test_a_quotient_that_overflows_has_no_slope_left(x):
    """x**4 is 0 in float32, and a over it infinite; so are its slopes."""
    value, slopes = derive(steep, "value_and_grad", dtype="float32").reference(3.0, 2.0, x)
    assert [value, *slopes] == pytest.approx([0.0, 0.0, 0.0, 0.0], abs=1e-28)


def test_low_powers_are_not_flat():
    """Slopes or curvatures are other than 0 there: these have no choice that would hide them."""

    def once(a: float, x: float) -> float:
        return 1.0 / (1.0 + a / x)

    def twice(a: float, x: float) -> float:
        return 1.0 / (1.0 + a / x**2)

    def beside(a: float, x: float) -> float:
        return 1.0 / (1.0 + a / x**4) / x**3

    assert derive(once, dtype="float64")(2.0, 0.0, 1.0).x == 0.5
    assert np.array(derive(twice, "hessian", dtype="float64")(2.0, 0.0))[1][1] == 1.0
    assert derive(beside, dtype="float64")(2.0, 0.0, 1.0).x == 0.5
