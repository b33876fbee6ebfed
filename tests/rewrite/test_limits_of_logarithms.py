"""Differences of logarithms of what is 0 together, and functions that are written by them."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right, wanted

from egad import derive

pytestmark = pytest.mark.numbers


def on_a_sphere(k: float) -> float:
    """The logarithm of what von Mises' and Fisher's distribution is divided by."""
    return math.log(k) - math.log(4.0 * math.pi * math.sinh(k))


def density(k: float, c: float) -> float:
    return k * c + math.log(k) - math.log(12.0) - math.log(math.sinh(k))


def entropy(k: float) -> float:
    return 1.0 - k / math.tanh(k) - math.log(k / (4.0 * math.pi * math.sinh(k)))


def truncated(x: float) -> float:
    """Counts that are never 0."""
    return math.log(x) - math.log(1.0 - math.exp(-x)) - x


def sine(x: float) -> float:
    return math.log(math.sin(x)) - math.log(x)


PLACES = [(0.0,), (1e-9,), (1e-3,), (0.3,), (3.0,)]
FAR = [(80.0,), (800.0,)]
CASES = {
    on_a_sphere: [*PLACES, *FAR],
    density: [(k, 0.3) for (k,) in (*PLACES, *FAR)],
    entropy: [*PLACES, *FAR],
    truncated: [*PLACES, *FAR],
    sine: PLACES[:-1],
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_differences_of_logarithms(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype)
    second_derivatives_are_numbers(f, CASES[f])


def fisher(r: float) -> float:
    return 0.5 * math.log((1.0 + r) / (1.0 - r))


def rapidity(v: float) -> float:
    return 0.5 * (math.log(1.0 + v) - math.log(1.0 - v))


@pytest.mark.parametrize("dtype, limit", [("float64", 1e-13), ("float32", 1e-5)])
@pytest.mark.parametrize("f", [fisher, rapidity], ids=lambda f: f.__name__)
def test_small_correlations_and_speeds_keep_their_digits(f, dtype, limit):
    d = derive(f, "value_and_grad", dtype=dtype)
    for x in (0.0, 2.0**-30, -(2.0**-12), 0.5, -0.75):
        value, (slope,) = d(x)
        assert (value, slope) == pytest.approx(tuple(wanted(f, (x,))), rel=limit, abs=1e-35)


def latitude(y: float) -> float:
    """Of a map by Mercator."""
    return 2.0 * math.atan(math.exp(y)) - 0.5 * math.pi


def test_angles_of_exponentials_that_overflow():
    for dtype, far in (("float32", 100.0), ("float64", 800.0)):
        d = derive(latitude, "value_and_grad", dtype=dtype)
        assert d(far)[0] == pytest.approx(0.5 * math.pi, rel=1e-6)
        assert 0.0 <= d(far)[1].y < 1e-30
        assert d(-far)[1].y < 1e-30
        values_and_slopes_are_right(latitude, [(0.0,), (0.5,), (-3.0,)], dtype)


def unit(w: float, e: float) -> float:
    return w / math.sqrt(w * w) * e


def test_signs_as_quotients_have_no_slope():
    d = derive(unit, "hessian", dtype="float64")
    slopes = derive(unit, "jacobian", dtype="float64")
    for w in (1e-9, -3.0, 1e-200):
        assert (slopes(w, 2.0).w, slopes(w, 2.0).e) == (0.0, math.copysign(1.0, w))
        assert [x for row in d(w, 2.0) for x in row] == [0.0] * 4
