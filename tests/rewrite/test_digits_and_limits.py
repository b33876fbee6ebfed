"""Differences that cancel, and quotients that overflow on both sides, beside 200 digits."""

import math

import pytest
from gaps import no_digits_are_lost, second_derivatives_are_numbers

from egad import derive

pytestmark = pytest.mark.numbers


def kinetic_energy(m: float, v: float, c: float) -> float:
    return m * (1.0 / math.sqrt(1.0 - v * v / (c * c)) - 1.0)


def less_its_leg(x: float, a: float) -> float:
    return math.sqrt(a * a + x * x) - a


def root_step(x: float, h: float) -> float:
    return math.sqrt(x + h) - math.sqrt(x)


def secant(x: float, k: float) -> float:
    return k * (1.0 / math.cos(x) - 1.0)


def turned(x: float) -> float:
    return math.acos(1.0 - x * x)


def drawn(u: float) -> float:
    return math.acos(1.0 - 2.0 * u)


def solid_angle(x: float, r: float) -> float:
    return 2.0 * math.pi * (1.0 - x / math.sqrt(x * x + r * r))


def heat_capacity(t: float) -> float:
    """Einstein's."""
    return (1.0 / t) * (1.0 / t) * math.exp(1.0 / t) / (math.exp(1.0 / t) - 1.0) ** 2


def heat_capacity_in_one(t: float, a: float) -> float:
    return math.exp(a / t) / (t**2 * (math.exp(a / t) - 1.0) ** 2)


def logistic_density(x: float, m: float, s: float) -> float:
    z = (x - m) / s
    return math.exp(-z) / (s * (1.0 + math.exp(-z)) ** 2)


def logistic_density_divided(z: float, s: float) -> float:
    return math.exp(-z) / s / (1.0 + math.exp(-z)) ** 2


def hill(x: float, k: float, n: float, v: float) -> float:
    return v * x**n / (k**n + x**n)


def hill_of_a_ratio(x: float, k: float, n: float) -> float:
    return 1.0 / (1.0 + (k / x) ** n)


def log_of_sigmoid(z: float) -> float:
    return z - math.log(1.0 + math.exp(z))


def softplus_turned(z: float) -> float:
    return z + math.log(1.0 + math.exp(-z))


def log_of_share(z: float) -> float:
    return math.log(math.exp(z) / (1.0 + math.exp(z)))


def share_of_logs(z: float) -> float:
    return math.exp(z - math.log(1.0 + math.exp(z)))


def log_of_rest(x: float) -> float:
    return math.log(1.0 - 1.0 / math.exp(x))


def skin_effect(x: float, c: float) -> float:
    return c * x * math.sinh(x) / (math.cosh(x) - 1.0)


def half_angle(x: float, c: float) -> float:
    return c * (math.cosh(x) - 1.0) / math.sinh(x) + math.sinh(x) / (math.cosh(x) + 1.0)


SMALL = [(1e-9,), (1e-5,), (1e-3,), (0.1,), (0.7,)]
WIDE = [(z,) for z in (0.0, 1e-5, 1.0, 20.0, -20.0, 60.0, -60.0)]
POINTS = {
    skin_effect: [(1e-9, 2.0), (1e-3, 2.0), (1.0, 2.0), (30.0, 2.0), (-30.0, 0.5)],
    half_angle: [(1e-9, 2.0), (1e-3, 2.0), (1.0, 2.0), (30.0, 2.0), (-30.0, 0.5)],
    kinetic_energy: [(1.0, 10.0, 3e8), (1.0, 1e-6, 1.0), (2.0, 0.6, 1.0)],
    less_its_leg: [(1e-6, 1.0), (0.5, 3.0), (0.5, -3.0), (1e-6, -1.0), (0.0, 2.0), (2.0, 0.0)],
    root_step: [(1.0, 1.0), (1.0, 1e-6), (1.0, 1e-12), (1e5, 1.0), (2.0, -1.0)],
    secant: [(1e-5, 2.0), (1e-2, 2.0), (1.0, 2.0), (2.0, 1.0)],
    turned: [*SMALL, (-0.1,), (1.2,)],
    **dict.fromkeys((drawn, log_of_rest), SMALL),
    solid_angle: [(1.0, 1.0), (1e3, 1.0), (1e6, 1.0), (-3.0, 2.0), (0.0, 1.0)],
    heat_capacity: [(1.0,), (0.1,), (0.02,), (3.0,)],
    heat_capacity_in_one: [(1.0, 1.0), (0.1, 2.0), (0.02, 1.0)],
    logistic_density: [(0.5, 0.0, 1.0), (20.0, 1.0, 1.0), (-60.0, 1.0, 1.0), (60.0, 1.0, 1.0)],
    logistic_density_divided: [(0.5, 1.0), (20.0, 2.0), (-60.0, 1.0), (60.0, 1.0)],
    hill: [
        (1.0, 2.0, 4.0, 3.0),
        (1e10, 1e10, 8.0, 3.0),
        (3.0, 2.0, 2.5, 1.0),
        (5.0, 1e5, 5.0, 1.0),
    ],
    hill_of_a_ratio: [(1.0, 2.0, 4.0), (1e10, 1e10, 8.0), (1e-3, 1.0, 8.0), (3.0, 2.0, 2.5)],
    **dict.fromkeys((log_of_sigmoid, softplus_turned, log_of_share, share_of_logs), WIDE),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_no_digits_are_lost(f, dtype):
    limit = 3e-5 if dtype == "float32" else 1e-13
    no_digits_are_lost(f, POINTS[f], dtype, limit, 1e-35)


@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_second_derivatives_are_numbers(f):
    second_derivatives_are_numbers(f, POINTS[f])


@pytest.mark.parametrize(
    ("f", "point", "want"),
    [
        (heat_capacity, (0.002,), [0.0, 0.0]),
        (logistic_density_divided, (-500.0, 1.0), [0.0, 0.0, 0.0]),
        (hill, (1e30, 1.0, 4.0, 3.0), [3.0, 0.0, 0.0, 0.0, 1.0]),
        (hill, (0.0, 2.0, 1.0, 3.0), [0.0, 1.5, 0.0, 0.0, 0.0]),
        (hill, (0.0, 2.0, 2.0, 3.0), [0.0, 0.0, 0.0, 0.0, 0.0]),
        (hill_of_a_ratio, (1e-10, 1.0, 8.0), [0.0, 0.0, 0.0, 0.0]),
        (less_its_leg, (0.0, 0.0), [0.0, 0.0, 0.0]),
        (turned, (0.0,), [0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_beyond_the_range_of_a_type_are_limits(f, point, want, dtype):
    value, slopes = derive(f, "value_and_grad", dtype=dtype)(*point)
    assert [value, *slopes] == pytest.approx(want, abs=1e-30)
