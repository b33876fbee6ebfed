"""Functions far out, where squares overflow, and where two poles of one variable meet.

Each is compared with 300 digits; limits at infinity and at poles are stated.
"""

import math

import numpy as np
import pytest
from gaps import values_and_slopes_are_right

from egad import derive


def potential(r: float, k: float) -> float:
    """Of a charge that is spread like a bell."""
    return math.erf(k * r) / r


def screened(r: float, k: float) -> float:
    return (1.0 - math.exp(-k * r)) / r


def discounted(t: float, a: float) -> float:
    return (1.0 - math.exp(-a * t)) / a


def excess(x: float, k: float) -> float:
    """The logarithm of Pareto's density, generalized."""
    return -(1.0 + 1.0 / k) * math.log(1.0 + k * x)


def angle(x: float, k: float) -> float:
    return math.atan(k * x) / x


FAR = [
    (potential, [(0.7, 1e200), (0.7, -1e200), (1e200, 1.3), (0.0, 1.3), (1e-9, 1.3)]),
    (screened, [(0.7, 1e200), (1e200, 1.3), (0.0, 1.3), (1e-9, 1.3)]),
    (discounted, [(1e200, 1.3), (1e200, 1e100), (2.0, 0.0), (2.0, 1e-9)]),
    (excess, [(1e200, 1.3), (0.7, 1e200), (0.7, 1e-9), (2.0, 1e-3)]),
    (angle, [(0.7, 1e200), (1e200, 1.3), (0.0, 1.3), (1e-9, 1.3)]),
]


@pytest.mark.parametrize(("f", "points"), FAR, ids=lambda p: getattr(p, "__name__", ""))
def test_quotients_of_functions_of_multiples(f, points):
    values_and_slopes_are_right(f, points, "float64")


@pytest.mark.parametrize(
    ("f", "wanted"), [(potential, 1 / 0.7), (screened, 1 / 0.7), (angle, math.pi / 1.4)]
)
def test_a_rate_may_be_infinite(f, wanted):
    value, gradient = derive(f, "value_and_grad", dtype="float64")(0.7, math.inf)
    assert [value, gradient.k] == pytest.approx([wanted, 0], rel=1e-14)


# ----------------------------------------------------------------------- what is left of a share


def in_parallel(a: float, b: float) -> float:
    return 2.0 / (1.0 / a + 1.0 / b)


def product_over_sum(a: float, b: float) -> float:
    return a * b * b / (a + b)


@pytest.mark.parametrize("f", [in_parallel, product_over_sum])
def test_what_is_left_of_a_share_has_its_digits(f):
    """As 2*a*(1 - a/(a + b)) it had lost four of seven at a = 1e4*b."""
    large = [1.3e3, 1.7e4, 1.1e6]
    d = derive(f, "value_and_grad", dtype="float32")
    for a, b in [(x, 1.3) for x in large] + [(1.3, x) for x in large]:
        (value, gradient), (a, b) = d(a, b), map(float, np.float32([a, b]))
        wanted = [f(a, b), *derive(f, "value_and_grad", dtype="float64").reference(a, b)[1]]
        assert [value, *gradient] == pytest.approx(wanted, rel=2e-6)


# --------------------------------------------------------------------------- poles that are apart


def survival(r: float, s: float) -> float:
    return 1.0 / (1.0 + (s / r) ** 12 - (s / r) ** 6)


def boltzmann(r: float, e: float) -> float:
    """How often two atoms are at a distance (Lennard and Jones)."""
    return math.exp(-4.0 * e * ((0.3 / r) ** 12 - (0.3 / r) ** 6))


def mayer(r: float, e: float) -> float:
    return e * (math.exp(2.0 / r**6 - 1.0 / r**12) - 1.0)


def wall(r: float, e: float) -> float:
    return e / (2.0 + 1.0 / r**9 - 1.0 / r**4)


@pytest.mark.parametrize(
    ("f", "slope"),
    [(survival, 0), (boltzmann, 0), (mayer, -1), (wall, 0)],
    ids=lambda p: getattr(p, "__name__", str(p)),
)
def test_a_difference_of_poles_in_a_function(f, slope):
    """At 0 both are infinite; `slope` is that by the second variable there."""
    for at in (0.0, 1e-200, 1e-100):
        value, gradient = derive(f, "value_and_grad", dtype="float64")(at, 1.0)
        assert [value, *gradient] == [slope, 0, slope]
        assert [*derive(f, "bwd", dtype="float64")(at, 1.0, 1.0)] == [0, slope]
        assert not np.any(np.array(derive(f, "hessian", dtype="float64")(at, 1.0), float))
    values_and_slopes_are_right(f, [(0.31, 1.1), (0.9, 1.0), (1.2, 0.9), (20.0, 1.0)], "float64")


def test_poles_of_half_orders():
    def f(r: float, e: float) -> float:
        return e / (1.0 + r**-5.5 * math.sqrt(e) - 1.0 / (r * r * math.sqrt(r)))

    values_and_slopes_are_right(f, [(0.31, 1.1), (0.9, 1.0), (20.0, 1.0)], "float64")

    def g(r: float, e: float) -> float:
        return math.exp(2.0 / (r**3 * math.sqrt(r)) - e / (r**6 * r))

    values_and_slopes_are_right(g, [(0.8, 1.1), (0.9, 1.0), (20.0, 1.0)], "float64")
