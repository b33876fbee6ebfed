"""Quotients that gaps take apart, far from the gap, and quotients of two exponentials."""

import math

import pytest
from far import right_to_second_order
from gaps import values_and_slopes_are_right

from egad import derive

FAR = [0.0, 1e-3, -0.3, 2.0, 60.0, -60.0, 100.0, -100.0, 800.0, -800.0]


def bose(x: float) -> float:
    return 1 / (math.exp(x) - 1) - 1 / x + 0.5


def thermal(e: float, t: float) -> float:
    return 1 / (math.exp(e / t) - 1) - t / e


def left(x: float) -> float:
    return 1 / x - 1 / math.expm1(x)


def spectral(x: float) -> float:
    """What hot electrons do to the background radiation."""
    return x * (math.exp(x) + 1) / (math.exp(x) - 1) - 4


def cotangent(x: float) -> float:
    return (math.exp(x) + math.exp(-x)) / (math.exp(x) - math.exp(-x)) - 1 / x


def fisher(k: float) -> float:
    """What a distribution on a sphere is multiplied by."""
    return k / (2 * math.pi * (math.exp(k) - math.exp(-k)))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [bose, left, spectral, cotangent], ids=lambda f: f.__name__)
def test_functions_of_one_variable(f, dtype):
    values_and_slopes_are_right(f, [(x,) for x in FAR], dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_a_quotient(dtype):
    values_and_slopes_are_right(thermal, [(100.0, 0.5), (1e5, 0.5), (0.0, 0.5), (0.3, 0.5)], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_vanishes_has_slopes(dtype):
    points = [(x,) for x in (0.0, 0.3, 40.0, 100.0, 800.0, -800.0)]
    right_to_second_order(fisher, points, dtype, limit=1e-5, least=1e-37)


def test_one_tangent_for_three_exponentials():
    def quotient(x: float) -> float:
        return (3.0 * math.exp(-2.0 * x) + 3.0) / (1.0 - math.exp(-2.0 * x))

    d = derive(quotient, "bwd", dtype="float64")
    assert d(800.0, 1.0).x == 0 and d(-800.0, 1.0).x == 0
    assert "exp(" not in d.source or d.source.count("exp") == 1


def force(r: float) -> float:
    """Of a halo by Navarro, Frenk and White."""
    return (r / (1 + r) - math.log(1 + r)) / (r * r)


def density(r: float, a: float) -> float:
    """Within a radius."""
    x = r / a
    return (math.log(1 + x) - x / (1 + x)) / x**3


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 2e-5), ("float64", 1e-11)])
def test_forces_of_halos(dtype, limit):
    points = [(r,) for r in (0.0, 1e-6, 1e-3, 0.05, 0.5, 30.0, 1e3, 1e6)]
    right_to_second_order(force, points, dtype, limit=limit)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-4), ("float64", 1e-11)])
def test_densities_of_halos(dtype, limit):
    points = [(1e-3, 0.7), (0.5, 0.7), (30.0, 0.7), (1e4, 0.7)]
    right_to_second_order(density, points, dtype, limit=limit)


@pytest.mark.parametrize("optimize", ["default", "fast"])
def test_the_mass_of_a_halo_forward(optimize):
    """1/(1 + x) - 1/(1 + x)**2 has lost what x is larger than 1."""

    def mass(x: float) -> float:
        return math.log(1 + x) - x / (1 + x)

    from egad import diff_pair

    d = derive(mass, "fwd", dtype="float64", optimize=optimize)
    assert d(diff_pair(1e10, 1.0)).d == pytest.approx(1e10 / (1 + 1e10) ** 2, rel=1e-14)


def level(n: float) -> float:
    """Of a barrier by Maekawa's formula: far out 1 - tanh(u)**2 has no digits beside 1/u."""
    u = math.sqrt(2 * math.pi * n)
    return 5 + 20 * math.log10(u / math.tanh(u))


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 3e-6), ("float64", 1e-13)])
def test_slopes_of_saturated_tangents_of_roots(dtype, limit):
    right_to_second_order(level, [(1e5,), (1e3,), (50.0,), (0.7,)], dtype, limit=limit)
