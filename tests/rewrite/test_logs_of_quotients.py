"""Logarithms of quotients over differences: digits far apart, and a value where both are equal."""

import math

import mpmath
import numpy as np
import pytest
from gaps import no_digits_are_lost, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers


def peak_time(ka: float, ke: float) -> float:
    """When a drug is at its peak: absorbed at one rate, gone at the other."""
    return math.log(ka / ke) / (ka - ke)


def by_differences(a: float, b: float) -> float:
    return (math.log(a) - math.log(b)) / (a - b)


def of_next(a: float, b: float) -> float:
    return (math.log1p(0.3 * a) - math.log1p(0.3 * b)) / (a - b)


def peak(ka: float, ke: float) -> float:
    """A power of the quotient that is 1 to an infinite one where both rates are equal."""
    return (ka / ke) ** (-ke / (ka - ke))


EQUAL = [(0.4, 0.4), (0.4 + 1e-7, 0.4), (0.5, 0.4), (1.5, 0.4)]
APART = [(1e-8, 0.4), (1e-4, 0.4), (1.5, 1e5), (0.4, 1e-8)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [peak_time, by_differences, of_next, peak], ids=lambda f: f.__name__)
def test_where_both_are_equal(f, dtype):
    values_and_slopes_are_right(f, EQUAL, dtype)


@pytest.mark.parametrize("f", [peak_time, by_differences], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("dtype", "limit"), [("float32", 3e-6), ("float64", 1e-14)])
def test_where_one_is_small_beside_the_other(f, dtype, limit):
    no_digits_are_lost(f, APART, dtype, limit, 1e-30)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-5), ("float64", 1e-13)])
def test_powers_where_one_is_small_beside_the_other(dtype, limit):
    no_digits_are_lost(peak, APART, dtype, limit, 1e-30)


@pytest.mark.parametrize("f", [by_differences, of_next], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("dtype", "large"), [("float32", 1e20), ("float64", 1e200)])
def test_a_ratio_that_no_number_is(f, dtype, large):
    """Both logarithms have values where the quotient of what they are of has none."""
    found = derive(f, "value_and_grad", dtype=dtype)
    for a, b in ((large, 1 / large), (1 / large, large), (large, 2.0), (2.0, large)):
        a, b = (float(np.array(x, dtype)) for x in (a, b))
        with mpmath.workdps(500):
            exact = mpmath.mpf(a), mpmath.mpf(b)
            of = _in_digits[f]
            want = [of(*exact), *(mpmath.diff(of, exact, n) for n in ((1, 0), (0, 1)))]
        value, slopes = found(a, b)
        limit = {"float32": 1e-6, "float64": 1e-14}[dtype]
        for here, there in zip([value, *slopes], map(float, want), strict=True):
            assert here == pytest.approx(there, rel=limit, abs=float(np.finfo(dtype).tiny))


_in_digits = {
    by_differences: lambda a, b: (mpmath.log(a) - mpmath.log(b)) / (a - b),
    of_next: lambda a, b: (mpmath.log1p(0.3 * a) - mpmath.log1p(0.3 * b)) / (a - b),
}


def value_of_date(f: float, k: float) -> float:
    """A normal smile at a fixed correlation: a divisor is 0 with a difference inside of it."""
    r = -0.25
    z = 2.0 * (f - k)
    return z / math.log((math.sqrt(1.0 - 2.0 * r * z + z * z) + z - r) / (1.0 - r))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_differences_inside_of_divisors(dtype):
    values_and_slopes_are_right(value_of_date, [(0.9, 0.9), (0.9 + 1e-6, 0.9), (1.1, 0.9)], dtype)
