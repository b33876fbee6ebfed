"""Quotients of hyperbolic sines of which both are infinite, whatever stands beside them."""

import math

import pytest
from gaps import no_digits_are_lost


def profile(x: float, a: float) -> float:
    return math.sinh(a * x) / math.sinh(a)


def opposite(x: float, a: float) -> float:
    return math.sinh(a * (1.0 - x)) / math.sinh(a)


@pytest.mark.parametrize("f", [profile, opposite])
@pytest.mark.parametrize("dtype, large", [("float32", 400.0), ("float64", 4000.0)])
def test_quotients_of_sines_are_numbers_where_both_overflow(f, dtype, large):
    x = 1.0 - 2.0**-6 if f is profile else 2.0**-6
    limit = 1e-4 if dtype == "float32" else 1e-11
    no_digits_are_lost(f, [(x, large), (0.5, 3.0), (0.75, 0.125)], dtype, limit, 1e-30)
