"""A number at one point that the function has there anyway does not hide its slope."""

import mpmath
import numpy as np
import pytest

from egad import derive
from egad.reader import read
from egad.rewrite import substitute_primals
from egad.rules import load
from egad.terms.rule import MATH_TAGS
from egad.terms.types import Scalar

RULES = load()


def square(x: float) -> float:
    return 1.0 if x == 1.0 else x * x


def sine(x: float) -> float:
    return np.where(x != 0.0, np.sin(x), 0.0)


def exponential(x: float) -> float:
    if x == 0:
        return 0.5
    return (np.exp(x) - 1 - x) / (x * x)


def logarithm(x: float) -> float:
    return np.where(x == 1, 1.0, np.log(x) / (x - 1))


def tangent(x: float) -> float:
    return np.where(x == 0, 1.0, np.tan(x) / x)


def rounded(x: float) -> float:
    return np.where(x == 0.1, 0.01, x * x)


def line(x: float) -> float:
    return np.where(x == 2, 3 * x - 2, x * x)


def chain(x: float) -> float:
    return 0.0 if x == 0 else (1.0 if x == 1 else x**3)


#: By the point, and the function in real numbers that this is everywhere.
SAME = {
    square: (1.0, lambda x: x * x),
    sine: (0.0, mpmath.sin),
    exponential: (0.0, lambda x: (mpmath.exp(x) - 1 - x) / (x * x)),
    logarithm: (1.0, lambda x: mpmath.log(x) / (x - 1)),
    tangent: (0.0, lambda x: mpmath.tan(x) / x),
    rounded: (0.1, lambda x: x * x),
    line: (2.0, lambda x: x * x),
    chain: (1.0, lambda x: x**3),
}


@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimize", ["fast", "default"])
def test_slopes_are_those_of_the_function(f, optimize):
    at, real = SAME[f]
    options = {"dtype": "float64", "optimize": optimize}
    gradient, hessian = derive(f, "value_and_grad", **options), derive(f, "hessian", **options)
    with mpmath.workdps(120):  # the point itself is left out: quotients have no number there
        h = mpmath.mpf(10) ** -20
        before, after = real(at - h), real(at + h)
        value, slope = (before + after) / 2, (after - before) / (2 * h)
        far = (real(at - 2 * h) + real(at + 2 * h)) / 2
        bend = 2 * (far - value) / (3 * h * h)
    for way in (gradient, gradient.reference):
        found, slopes = way(at)
        assert (found, slopes.x) == pytest.approx((float(value), float(slope)), rel=1e-14)
    for way in (hessian, hessian.reference):
        assert way(at).x.x == pytest.approx(float(bend), rel=1e-12, abs=1e-30)
    with np.errstate(invalid="ignore"):
        assert f(at) == pytest.approx(float(value), rel=1e-15)


def infinite(x: float) -> float:
    return np.where(x == 0, 0.0, np.sqrt(x))


def another_number(x: float) -> float:
    return np.where(x == 0, 3.0, np.sin(x))


def without_a_number(x: float) -> float:
    return np.where(x == 0, 0.0, 1 / x)


def without_a_slope(x: float) -> float:
    return np.where(x == 0, 0.0, x * np.sin(1 / x))


def of_a_root(x: float) -> float:
    r = np.sqrt(x)
    return np.where(r == 0, 0.0, r * np.exp(r))


def of_two(x: float, y: float) -> float:
    return np.where(x == 0, 0.0, x * np.log(y))


def counted(x: float, n: int) -> float:
    return x if n == 0 else x + n * x


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f",
    [infinite, another_number, without_a_number, without_a_slope, of_a_root, of_two, counted],
    ids=lambda f: f.__name__,
)
def test_other_choices_stay(f):
    source = read(f, rules=RULES, real=Scalar.F64)
    (found,) = substitute_primals(source, RULES, MATH_TAGS["safe"], {}).flat
    assert found.op == "select"
    assert derive(f, dtype="float64")(*(0,) * len(source.params), 1.0)[0] == (f is counted)


def test_the_text_counts_in_strict_mode():
    source = read(square, rules=RULES, real=Scalar.F64)
    assert substitute_primals(source, RULES, MATH_TAGS["strict"], {}) is source
    assert derive(square, math="strict")(1.0, 1.0).x == 0.0


def radial(x: float, y: float) -> float:
    r = np.sqrt(x * x + y * y)
    return np.where(r == 0, 1.0, np.sin(r) / r)


def test_of_a_length():
    found = derive(radial, "hessian", dtype="float64")(0.0, 0.0)  # 1 - (x*x + y*y)/6 + …
    assert np.array(found) == pytest.approx(np.array([[-1 / 3, 0.0], [0.0, -1 / 3]]), abs=1e-15)
