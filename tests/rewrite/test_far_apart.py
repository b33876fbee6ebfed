"""Shares, means and currents whose exponentials are far apart, or whose two points are one."""

import math

import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive

pytestmark = pytest.mark.numbers


def entropy_of_three(a: float, b: float, c: float) -> float:
    s = math.exp(a) + math.exp(b) + math.exp(c)
    p, q, r = math.exp(a) / s, math.exp(b) / s, math.exp(c) / s
    return -(p * math.log(p) + q * math.log(q) + r * math.log(r))


def digits_of_shifted(a: float, b: float, c: float) -> float:
    m = max(a, b, c)
    s = math.exp(a - m) + math.exp(b - m) + math.exp(c - m)
    p, q, r = math.exp(a - m) / s, math.exp(b - m) / s, math.exp(c - m) / s
    return -p * math.log10(p) - q * math.log10(q) - r * math.log10(r)


def divergence_of_three(a: float, b: float, c: float, x: float, y: float) -> float:
    s = math.exp(a) + math.exp(b) + math.exp(c)
    t = math.exp(x) + math.exp(y) + 1.0
    p, q, r = math.exp(a) / s, math.exp(b) / s, math.exp(c) / s
    u, v, w = math.exp(x) / t, math.exp(y) / t, 1.0 / t
    return p * math.log(p / u) + q * math.log(q / v) + r * math.log(r / w)


def identric_mean(a: float, b: float) -> float:
    return math.exp((b * math.log(b) - a * math.log(a)) / (b - a) - 1.0)


def mean_of_growth(k: float, a: float, b: float) -> float:
    return (math.exp(k * a) - math.exp(k * b)) / (k * (a - b))


def current(v: float, i: float, o: float) -> float:
    """Through a membrane, by Goldman, Hodgkin and Katz."""
    return v * (i - o * math.exp(-v)) / (1.0 - math.exp(-v))


def current_of_a_voltage(v: float, p: float, i: float, o: float) -> float:
    u = v / 25.0
    return p * u * (i - o * math.exp(-u)) / (1.0 - math.exp(-u))


def current_inwards(v: float, i: float, o: float) -> float:
    return v * (i * math.exp(v) - o) / (math.exp(v) - 1.0)


LOGITS = [(0.1, 0.2, 0.3), (800.0, 0.0, 0.0), (800.0, 800.0, 0.0), (300.0, 100.0, -900.0)]
VOLTAGES = [(v, 1.0, 2.0) for v in (0.0, 1e-9, 0.5, -20.0, 90.0, -90.0, 800.0, -800.0, 1e5, -1e5)]
CASES = {
    entropy_of_three: LOGITS,
    digits_of_shifted: [(0.1, 0.2, 0.3), (800.0, 0.0, 0.5), (300.0, 100.0, -900.0)],
    divergence_of_three: [(0.1, 0.2, 0.3, 0.4, -0.3), (800.0, 0.0, 0.0, 1.0, 2.0)],
    identric_mean: [(2.0, 2.0), (2.0, 2.00001), (1.0, 1.0), (0.3, 5.0), (1e-8, 2.0)],
    mean_of_growth: [(0.0, 1.0, 2.0), (0.0, 1.0, 1.0), (1e-9, 1.0, 2.0), (2.0, 0.5, 0.5)],
    current: VOLTAGES,
    current_of_a_voltage: [(v, 0.7, i, o) for v, i, o in VOLTAGES],
    current_inwards: VOLTAGES,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype, scaled=True)


def mean_of_surprise(a: float, b: float) -> float:
    return (b * math.log(b) - a * math.log(a)) / (b - a)


def test_where_one_of_two_is_0_their_mean_is_a_number():
    value, (by_a, _) = derive(mean_of_surprise, "value_and_grad", dtype="float64")(2.0, 0.0)
    assert (value, by_a) == (pytest.approx(math.log(2.0)), pytest.approx(0.5))
    value, (_, by_b) = derive(mean_of_surprise, "value_and_grad", dtype="float64")(0.0, 2.0)
    assert (value, by_b) == (pytest.approx(math.log(2.0)), pytest.approx(0.5))


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_slopes_of_slopes(f):
    second_derivatives_are_numbers(f, CASES[f])
