"""Even functions of multiples of roots, where the root is 0: curvature, drag, critical damping."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive


def sine(k: float, x: float) -> float:
    """A length on a surface of constant curvature."""
    return math.sin(math.sqrt(k) * x) / math.sqrt(k)


def cosine(k: float, x: float) -> float:
    return math.cos(x * math.sqrt(k))


def tangent(k: float, x: float) -> float:
    return math.tan(math.sqrt(k) * x) / math.sqrt(k)


def arc_sine(k: float, x: float) -> float:
    return math.asin(math.sqrt(k) * x) / math.sqrt(k)


def arc_tangent(k: float, x: float) -> float:
    return 2.0 * math.atan(math.sqrt(k) * x) / math.sqrt(k)


def less(k: float, x: float) -> float:
    return (1.0 - math.cos(math.sqrt(k) * x)) / k


def sinh(k: float, x: float) -> float:
    return math.sinh(math.sqrt(k) * x) / math.sqrt(k)


def spring(k: float, m: float) -> float:
    return math.cos(0.7 * math.sqrt(k / (1.0 + m)))


def falling(k: float, t: float) -> float:
    """The speed of what falls, and is slowed by its square."""
    return math.tanh(math.sqrt(k) * t) / math.sqrt(k)


def area(k: float, x: float) -> float:
    return math.atanh(math.sqrt(k) * x) / math.sqrt(k)


def into_a_disc(c: float, x: float) -> float:
    """The exponential map of a hyperbolic space with curvature -c."""
    n = math.hypot(x, 2.0 * x)
    return math.tanh(math.sqrt(c) * n) * x / (math.sqrt(c) * n)


def out_of_a_disc(c: float, x: float) -> float:
    n = math.sqrt(x * x + 0.01)
    return math.atanh(math.sqrt(c) * n) * x / (math.sqrt(c) * n)


def damped(d: float, t: float) -> float:
    """Critical where d is 0."""
    return math.exp(-t) * (math.cos(math.sqrt(d) * t) + math.sin(math.sqrt(d) * t) / math.sqrt(d))


FUNCTIONS = (
    *(sine, cosine, tangent, arc_sine, arc_tangent, less, sinh, spring, falling, area),
    *(into_a_disc, out_of_a_disc, damped),
)
POINTS = [(0.0, 0.7), (1e-9, 0.7), (1e-3, -0.3), (0.02, 0.9), (0.3, 0.4), (0.9, 0.2)]


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, POINTS, dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, POINTS)


def test_second_derivatives_by_curvature():
    """x**5/60 and -x**2/2: the next terms of the series."""
    d = derive(sine, "hessian", dtype="float64")
    (kk, kx), (_, xx) = d(0.0, 0.7)
    assert (kk, kx, xx) == pytest.approx((0.7**5 / 60.0, -(0.7**2) / 2.0, 0.0), rel=1e-12)


def stumpff(z: float) -> float:
    """As books on orbits write it: nothing beside 0 may be lost."""
    if z > 0.0:
        return (1.0 - math.cos(math.sqrt(z))) / z
    elif z < 0.0:
        return (1.0 - math.cosh(math.sqrt(-z))) / z
    else:
        return 0.5


def other_stumpff(z: float) -> float:
    if z > 0.0:
        return (1.0 - math.cos(math.sqrt(z))) / z
    elif z < 0.0:
        return (math.cosh(math.sqrt(-z)) - 1.0) / (-z)
    else:
        return 0.5


@pytest.mark.numbers
@pytest.mark.parametrize("f", [stumpff, other_stumpff], ids=lambda f: f.__name__)
def test_stumpff_functions_in_arms(f):
    slope, bend = (derive(f, mode, dtype="float64") for mode in ("jacobian", "hessian"))
    for z in (1e-9, -1e-9, 1e-5, -1e-5, 1e-3, -1e-3, 0.3, -0.3):
        powers = range(1, 9)
        wanted = sum((-1) ** n * n * z ** (n - 1) / math.factorial(2 * n + 2) for n in powers)
        bent = sum(
            (-1) ** n * n * (n - 1) * z ** (n - 2) / math.factorial(2 * n + 2) for n in powers[1:]
        )
        assert np.ravel(slope(z))[0] == pytest.approx(wanted, rel=1e-12)
        assert np.ravel(bend(z))[0] == pytest.approx(bent, rel=1e-11)


def direction_of_logarithm(x: float, y: float) -> float:
    """Out of the disc of Poincaré, at its centre."""
    n = math.sqrt(x * x + y * y)
    return math.atanh(n) / n * x


def prolate(e: float) -> float:
    return 1.0 + (1.0 - e * e) / e * math.atanh(e)


def test_area_tangents_at_0():
    points = [(0.0, 0.0), (1e-9, 0.0), (1e-4, -2e-4), (0.1, 0.05), (0.3, 0.4)]
    values_and_slopes_are_right(direction_of_logarithm, points, "float64")
    second_derivatives_are_numbers(direction_of_logarithm, points)
    values_and_slopes_are_right(prolate, [(0.0,), (1e-9,), (1e-3,), (0.2,), (0.9,)], "float64")


def film(n: float, d: float) -> float:
    """The root is a factor of the amplitude, too: its slope is infinite in any case."""
    c = math.sqrt(1.0 - n * n)
    return c + math.cos(d * c)


def phase(a: float, b: float) -> float:
    """Where the root is 0, the angle is infinite."""
    return math.cos(a / math.sqrt(b))


def asked(k: float, x: float) -> float:
    """A condition has no slope."""
    w = math.sqrt(k)
    return math.cos(w * x) if w < 3.0 else x


@pytest.mark.parametrize("f, met", [(film, 0), (phase, 0), (asked, 1), (cosine, 1)])
def test_functions_stay_where_their_root_stays_or_divides(f, met):
    derived = derive(f, "jacobian", dtype="float64", cache=False)
    found = [n for name, n in derived.report.substitutes.items() if "of_root" in name]
    assert found == [1] * met
    values_and_slopes_are_right(f, [(0.3, 0.7), (0.9, 2.0), (1e-3, 0.5)], "float64")
