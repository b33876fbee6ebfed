"""Normal densities over normal tails, where both have vanished, and at ordinary points."""

import math

import pytest
from gaps import no_digits_are_lost, second_derivatives_are_numbers

from egad import derive

pytestmark = pytest.mark.numbers


def mills(x: float) -> float:
    """The inverse of Mills' ratio."""
    return math.exp(-x * x / 2.0) / math.erfc(x / math.sqrt(2.0))


def rate_of_failure(x: float, m: float, s: float) -> float:
    z = (x - m) / s
    density = math.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    return density / (1.0 - 0.5 * math.erfc(-z / math.sqrt(2.0)))


def scaled(x: float, a: float) -> float:
    return a * math.exp(x * x) * math.erfc(x)


def over_density(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2.0)) / math.exp(-0.5 * (x * x))


CASES = {
    mills: [(-3.0,), (0.0,), (0.7,), (4.0,), (9.0,), (60.0,), (1e4,)],
    rate_of_failure: [(1.0, 0.5, 2.0), (15.5, 0.5, 0.5), (-3.0, 0.5, 2.0)],
    scaled: [(-3.0, 2.0), (0.0, 2.0), (4.0, 1.0), (12.0, 2.0), (60.0, -1.0), (1e4, 1.0)],
    over_density: [(-3.0,), (0.7,), (4.0,), (9.0,), (60.0,), (1e4,)],
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_slopes(f):
    no_digits_are_lost(f, CASES[f], "float64", 1e-11, 0.0)
    no_digits_are_lost(f, CASES[f], "float32", 1e-4, 0.0)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    second_derivatives_are_numbers(f, CASES[f])


@pytest.mark.parametrize("x", [-1.0, 0.5, 10.0, 30.0])
def test_tails_by_erf(x):
    def by_erf(x: float) -> float:
        return math.exp(-x * x) / (1.0 - math.erf(x))

    def by_other_side(x: float) -> float:
        return math.exp(-x * x) / (0.5 * (1.0 + math.erf(-x)))

    def by_erfc(x: float) -> float:
        return math.exp(-x * x) / math.erfc(x)

    want = derive(by_erfc, "value_and_grad", dtype="float64")(x)
    for f, times in ((by_erf, 1.0), (by_other_side, 2.0)):
        value, slopes = derive(f, "value_and_grad", dtype="float64")(x)
        assert value == pytest.approx(times * want[0], rel=1e-12)
        assert slopes.x == pytest.approx(times * want[1].x, rel=1e-11)
