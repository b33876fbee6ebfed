"""Differences at two points over their distance, of which one is large: both keep their digits."""

import math

import pytest
from gaps import no_digits_are_lost, second_derivatives_are_numbers, values_and_slopes_are_right

RATES = [(0.7, 1e5, 1.3), (0.7, 1.3, 1e5), (0.7, 1.3, 40.0), (0.7, 1.3, 1.3), (0.7, 1.3, 1.3001)]


def two_rates(t: float, a: float, b: float) -> float:
    """What is left of what is made at one rate and decays at another one."""
    return (math.exp(-b * t) - math.exp(-a * t)) / (a - b)


def angles(t: float, a: float, b: float) -> float:
    return (math.atan(b * t) - math.atan(a * t)) / (b - a)


def logistic(t: float, a: float, b: float) -> float:
    return (math.tanh(b * t) - math.tanh(a * t)) / (b - a)


def powers(a: float, b: float, c: float) -> float:
    return (b**c - a**c) / (b - a)


POWERS = [(1e6, 1.3, 0.3), (1.3, 1e6, 0.3), (1.3, 1.3, 0.3), (1.3, 1.4, -1.5), (1e5, 1e-3, -1.5)]


@pytest.mark.parametrize("f", [two_rates, angles, logistic], ids=lambda f: f.__name__)
def test_rates_that_are_far_apart(f):
    values_and_slopes_are_right(f, RATES, "float64")
    second_derivatives_are_numbers(f, RATES)


def test_no_digit_of_the_smaller_rate_is_lost():
    """As -a*t + (a - b)*t the smaller one had no digits in single precision: slopes were wrong."""
    no_digits_are_lost(two_rates, RATES, "float32", 2e-5, 1e-30)


def test_powers_that_are_far_apart():
    values_and_slopes_are_right(powers, POWERS, "float64")
    no_digits_are_lost(powers, POWERS[:2], "float32", 2e-5, 1e-30)
