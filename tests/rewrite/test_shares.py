"""Logarithms and shares of sums of exponentials, where exp overflows or vanishes."""

import math

import numpy as np
import pytest
from gaps import wanted

from egad import derive


def partition(a: float, b: float, c: float) -> float:
    return math.log(math.exp(a) + math.exp(b) + math.exp(c))


def share(a: float, b: float, c: float) -> float:
    return math.exp(a) / (math.exp(a) + math.exp(b) + math.exp(c))


def surprise(a: float, b: float, c: float) -> float:
    return -math.log(math.exp(a) / (math.exp(a) + math.exp(b) + math.exp(c)))


def with_reference(a: float, b: float, c: float) -> float:
    """A multinomial logit."""
    return c * math.exp(a) / (1.0 + math.exp(a) + math.exp(b))


def none_of_them(a: float, b: float, c: float) -> float:
    return c / (1.0 + math.exp(a) + math.exp(b))


def attention(a: float, b: float, c: float) -> float:
    x, y, z = math.exp(a), math.exp(b), math.exp(c)
    return (2.0 * x + 3.0 * y + z * b) / (x + y + z)


def smooth_minimum(a: float, b: float, c: float) -> float:
    return -math.log(math.exp(-9.0 * a) + math.exp(-9.0 * b) + math.exp(-9.0 * c)) / 9.0


def subtracted_by_hand(a: float, b: float, c: float) -> float:
    m = max(a, b, c)
    return m + math.log(math.exp(a - m) + math.exp(b - m) + math.exp(c - m))


FUNCTIONS = (
    *(partition, share, surprise, with_reference, none_of_them, attention, smooth_minimum),
)
POINTS = ((1.0, 2.0, 3.0), (1000.0, 999.0, 2.0), (-1000.0, -999.0, -1001.0))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    d = derive(f, "value_and_grad", dtype=dtype)
    for point in POINTS:
        want = wanted(f, point)
        for value, gradient in (d.reference(*point), d(*point)):
            assert [value, *gradient] == pytest.approx(want, rel=1e-4, abs=1e-4)


@pytest.mark.numbers
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    d, by_hand = derive(f, "hessian", dtype="float64"), derive(f, "hessian", math="strict")
    for point in POINTS:
        assert np.isfinite(np.array(d(*point), float)).all()
    want = np.array(by_hand(*POINTS[0]), float)
    assert np.array(d(*POINTS[0]), float) == pytest.approx(want, rel=1e-3, abs=1e-5)


def test_what_is_impossible_has_no_weight():
    d = derive(partition, "value_and_grad")
    value, slopes = d(-math.inf, 1.0, -math.inf)
    assert (value, *slopes) == (1.0, 0.0, 1.0, 0.0)
    assert d(-math.inf, -math.inf, -math.inf)[0] == -math.inf


def test_no_second_shift_for_who_has_one():
    text = str(derive(subtracted_by_hand, "value_and_grad"))
    assert text.count("fmax(") == 2


def mixture(x: float, a: float, b: float, w: float) -> float:
    return math.log(w * math.exp(-0.5 * (x - a) ** 2) + (1.0 - w) * math.exp(-0.5 * (x - b) ** 2))


def of_densities(x: float, a: float, b: float, w: float) -> float:
    """Two normal densities with scales of their own."""
    s, t, unit = 1.0 + a * a, 0.5 + b * b, math.sqrt(2.0 * math.pi)
    p = w * math.exp(-0.5 * ((x - a) / s) ** 2) / (s * unit)
    return math.log(p + (1.0 - w) * math.exp(-0.5 * ((x - b) / t) ** 2) / (t * unit))


def responsible(x: float, a: float, b: float, w: float) -> float:
    p = w * math.exp(-0.5 * (x - a) ** 2)
    return p / (p + (1.0 - w) * math.exp(-0.5 * (x - b) ** 2))


def decays(x: float, a: float, b: float, w: float) -> float:
    a, b = 1.0 + a * a, 1.0 + b * b
    return -math.log(w * a * math.exp(-a * x) + (1.0 - w) * b * math.exp(-b * x))


MIXTURES = (mixture, of_densities, responsible, decays)
PLACES = ((0.3, 0.0, 1.0, 0.3), (60.0, 0.0, 1.0, 0.3), (900.0, 0.5, 2.0, 0.7))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", MIXTURES, ids=lambda f: f.__name__)
def test_mixtures_far_from_all_their_parts(f, dtype):
    d = derive(f, "value_and_grad", dtype=dtype)
    for point in PLACES:
        want = wanted(f, [float(np.dtype(dtype).type(x)) for x in point])
        for value, gradient in (d.reference(*point), d(*point)):
            assert [value, *gradient] == pytest.approx(want, rel=1e-4, abs=1e-30)


@pytest.mark.numbers
@pytest.mark.parametrize("f", MIXTURES, ids=lambda f: f.__name__)
def test_second_derivatives_of_mixtures(f):
    d, plain = derive(f, "hessian", dtype="float64"), derive(f, "hessian", math="strict")
    for point in PLACES:
        assert np.isfinite(np.array(d(*point), float)).all()
    want = np.array(plain(*PLACES[0]), float)
    assert np.array(d(*PLACES[0]), float) == pytest.approx(want, rel=1e-3, abs=1e-5)


def test_weights_that_are_0_count_nothing():
    d = derive(mixture, "value_and_grad", dtype="float64")
    value, slopes = d(0.5, 0.0, 1.0, 1.0)
    assert (value, slopes.x, slopes.a, slopes.b) == (-0.125, -0.5, 0.5, 0.0)
