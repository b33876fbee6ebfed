"""Functions that are flat where a variable divides that is 0: limits and slopes there."""

import math

import numpy as np
import pytest
from gaps import second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive


def fermi(e: float, m: float, t: float) -> float:
    return 1.0 / (math.exp((e - m) / t) + 1.0)


def fermi_in_kelvin(e: float, t: float) -> float:
    return 1.0 / (1.0 + math.exp(e / (8.617333e-5 * t)))


def bose(e: float, m: float, t: float) -> float:
    return 1.0 / (math.exp((e - m) / t) - 1.0)


def planck(f: float, t: float) -> float:
    return f**3 / (math.exp(f / t) - 1.0)


def planck_by_length(w: float, t: float) -> float:
    return 1.0 / (w**5 * (math.exp(1.0 / (w * t)) - 1.0))


def einstein(t: float) -> float:
    """The heat of a solid."""
    x = 2.0 / t
    return x**2 * math.exp(x) / (math.exp(x) - 1.0) ** 2


def einstein_of(t: float, h: float) -> float:
    """A product of two functions, of which one is infinite where the other one is 0."""
    x = h / t
    e = math.exp(x)
    return x * x * e / ((e - 1.0) * (e - 1.0))


def disorder(t: float, e: float) -> float:
    """The entropy of a level that is occupied or not."""
    f = 1.0 / (math.exp(e / t) + 1.0)
    return -(f * math.log(f) + (1.0 - f) * math.log(1.0 - f))


def polarized(h: float, t: float) -> float:
    return math.tanh(h / t)


def softer(h: float, t: float) -> float:
    """Beside another way that the temperature takes."""
    return t * h + math.tanh(h / t)


def front(x: float, t: float) -> float:
    return math.erfc(x / (2.0 * math.sqrt(t)))


def spread(x: float, t: float) -> float:
    return math.exp(-x * x / (4.0 * t)) / math.sqrt(4.0 * math.pi * t)


def spread_by(x: float, d: float, t: float) -> float:
    return math.exp(-x * x / (4.0 * d * t)) / math.sqrt(4.0 * math.pi * d * t)


def density(x: float, w: float) -> float:
    return math.exp(-0.5 * (x / w) ** 2) / (w * math.sqrt(2.0 * math.pi))


def inverse_gamma(x: float, a: float) -> float:
    return math.exp(-a / x) / (x * x)


def call(f: float, k: float, t: float) -> float:
    """Bachelier's price of an option."""
    s = 0.2 * math.sqrt(t)
    d = (f - k) / s
    below = 0.5 * math.erfc(-d / math.sqrt(2.0))
    return (f - k) * below + s * math.exp(-0.5 * d * d) / math.sqrt(2.0 * math.pi)


def black_scholes(s: float, k: float, v: float, t: float) -> float:
    w = v * math.sqrt(t)
    d1 = math.log(s / k) / w + 0.5 * w
    above, below = (0.5 * math.erfc(-d / math.sqrt(2.0)) for d in (d1, d1 - w))
    return s * above - k * math.exp(-0.05 * t) * below


def reached(s: float, k: float, v: float, t: float) -> float:
    """The probability that a price is above a limit."""
    return 0.5 * math.erfc(-(math.log(s / k) / (v * math.sqrt(t)) - 0.5 * v * math.sqrt(t)))


def blurred(x: float, d: float, t: float) -> float:
    """An edge by a width and the root of a time."""
    return 0.5 + 0.5 * math.erf(x / (d * math.sqrt(t))) + d * t


def crossed(a: float, b: float, w: float, t: float) -> float:
    return math.tanh((a - b) / (w * t))


CASES = {
    black_scholes: [(1.2, 1.0, 0.3, 0.0), (0.8, 1.0, 0.3, 0.0), (1.2, 1.0, 0.3, 1.0)],
    reached: [(1.2, 1.0, 0.3, 0.0), (0.8, 1.0, 0.0, 1.0), (1.2, 1.0, 0.3, 0.5)],
    blurred: [(1.0, 0.3, 0.0), (-1.0, 0.0, 0.5), (1.0, 0.3, 0.5)],
    crossed: [(1.0, 0.5, 0.3, 0.0), (0.5, 1.0, 0.0, 2.0), (1.0, 0.5, 1.5, 2.0)],
    fermi: [(1.0, 0.0, 0.0), (0.5, 1.0, 0.0), (0.5, 1.0, 0.3)],
    fermi_in_kelvin: [(0.1, 0.0), (-0.1, 0.0), (0.1, 300.0)],
    bose: [(1.0, 0.0, 0.0), (1.0, 0.5, 0.3)],
    planck: [(1.0, 0.3), (2.0, 1.5)],
    planck_by_length: [(0.0, 1.0), (0.5, 1.0)],
    einstein: [(0.0,), (0.7,)],
    einstein_of: [(0.0, 1.0), (0.0, -1.0), (1e-3, 1.0), (0.7, 2.0)],
    disorder: [(0.0, 1.0), (1e-3, 1.0), (0.7, 2.0), (0.7, -2.0)],
    polarized: [(1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)],
    softer: [(1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)],
    front: [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.5)],
    spread: [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.5)],
    spread_by: [(1.0, 1.0, 0.0), (1.0, 0.0, 1.0), (1.0, 0.5, 0.5)],
    density: [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.5)],
    inverse_gamma: [(0.0, 1.0), (0.5, 1.0)],
    call: [(1.1, 1.0, 0.0), (0.9, 1.0, 0.0), (1.1, 1.0, 0.5)],
}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype):
    values_and_slopes_are_right(f, CASES[f], dtype, scaled=True)


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f", [fermi, polarized, spread, call, black_scholes], ids=lambda f: f.__name__
)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


@pytest.mark.numbers
@pytest.mark.parametrize("f", [fermi, polarized], ids=lambda f: f.__name__)
def test_what_has_no_limit_has_no_slope(f):
    assert np.isnan(derive(f, dtype="float64")(*[0.0] * (len(CASES[f][0]) + 1))).all()


def gated(x: float, t: float) -> float:
    return 1.0 / (1.0 + math.exp(-x / t)) / t


def gated_sum(x: float, t: float) -> float:
    return 1.0 / (1.0 + math.exp(-x / t)) * (1.0 + x / t)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [gated, gated_sum], ids=lambda f: f.__name__)
def test_what_is_0_at_one_end_is_infinite_at_the_other(f):
    """It was 0 at both, without a word."""
    d = derive(f, "value_and_grad", dtype="float64")
    assert d(1.0, 0.0)[0] == np.inf
    assert d(-1.0, 0.0) == (0.0, (0.0, 0.0))


def test_an_entropy_is_even_in_the_energy():
    """Below 0 nothing is left of 1 - f, in any number of digits."""
    d = derive(disorder, "value_and_grad", dtype="float64")
    assert d(0.0, -1.0) == d(1e-3, -1.0) == (0.0, (0.0, 0.0))


def a_power(x: float) -> float:
    """No exponential is left of it."""
    return math.exp(-0.7 * math.log(1.0 / x))


def bell(x: float, y: float, w: float) -> float:
    return math.exp(-(x * x + y * y) / (2.0 * w * w))


def also_divided(x: float, t: float) -> float:
    return math.tanh(x / t) + x / t


def guarded(x: float, t: float) -> float:
    return math.tanh(x / t) if t > 0.0 else 1.0


@pytest.mark.parametrize("f", [bell, also_divided, guarded], ids=lambda f: f.__name__)
def test_no_choice_is_paid_for_in_vain(f):
    assert "INFINITY" not in derive(f).source and "INFINITY" not in derive(f, "jacobian").source


def test_powers_are_not_flat():
    assert derive(a_power, dtype="float64")(0.0, 1.0) == (np.inf,)


def test_where_several_divide_most_of_a_program_is_behind_no_choice():
    assert "INFINITY" not in derive(black_scholes, "hessian").source


def with_a_root(x: float, d: float, t: float) -> float:
    return math.erf(x / (d * math.sqrt(t))) + math.sqrt(t)


def test_an_infinite_slope_is_no_number():
    assert not np.isfinite(derive(with_a_root, dtype="float64")(1.0, 0.3, 0.0, 1.0).t)


def test_strict_mathematics_keeps_what_is_written():
    assert "INFINITY" not in derive(polarized, math="strict").source
    assert "INFINITY" in derive(polarized).source
