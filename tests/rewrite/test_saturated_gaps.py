"""Gaps of functions that saturate: far out what is next to nothing of them says the slopes."""

import math

import mpmath
import numpy as np
import pytest
from gaps import no_digits_are_lost, wanted

from egad import derive


def share(x: float, a: float) -> float:
    return (1.0 - math.exp(-x * a)) / (1.0 - math.exp(-a))


def screened(r: float, k: float) -> float:
    return (1.0 - (1.0 + k * r) * math.exp(-k * r)) / (r * r)


def screened_twice(r: float, k: float) -> float:
    return ((1.0 - math.exp(-k * r)) / r - k * math.exp(-k * r)) / r


def exchanged(n: float, c: float) -> float:
    """How effective a heat exchanger is."""
    return (1.0 - math.exp(-n * (1.0 - c))) / (1.0 - c * math.exp(-n * (1.0 - c)))


def duration(y: float, n: float) -> float:
    """How long one waits for what a bond with a coupon of 5 % pays in n years."""
    return (1.0 + y) / y - (1.0 + y + n * (0.05 - y)) / (0.05 * ((1.0 + y) ** n - 1.0) + y)


def blocked(r: float, k: float) -> float:
    """How often a queue with k places is full."""
    return (1.0 - r**k) / (1.0 - r ** (k + 1.0))


def counted(x: float, a: float) -> float:
    return math.erf(a * x) / math.erf(a)


LIMITS = {"float32": 1e-4, "float64": 1e-11}
CASES = [
    (share, [(0.25, 80.0), (0.5, 50.0), (0.25, 0.9375), (0.75, 1.0625), (0.5, 0.0), (2.0, 0.125)]),
    (share, [(1e-6, 80.0), (1e-6, 0.75), (1e-3, 2.0), (1e-6, 1e-3)]),  # near on one side
    (screened, [(1.0, 30.0), (1.0, 60.0), (0.25, 8.0), (0.5, 1.0), (0.0, 0.5)]),
    (screened_twice, [(1.0, 30.0), (0.25, 8.0), (0.5, 1.0), (0.0, 0.5)]),
    (exchanged, [(30.0, 0.0), (30.0, 0.5), (3.0, 0.5), (3.0, 0.75), (3.0, 1.0), (60.0, 1.5)]),
    (duration, [(0.125, 360.0), (0.0625, 20.0), (0.0, 10.0)]),
    (blocked, [(0.0, 2.0), (0.125, 12.0), (0.5, 2.0), (1.0, 2.0)]),
    (counted, [(0.5, 10.0), (0.25, 1.0), (0.75, 1.5), (0.5, 0.0), (1e-6, 3.0)]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f, points", CASES, ids=[f.__name__ for f, _ in CASES])
def test_slopes_have_their_digits_where_functions_saturate(f, points, dtype):
    no_digits_are_lost(f, points, dtype, LIMITS[dtype], 1e-30)


def second(f, point):
    """Second derivatives with many digits."""
    with mpmath.workdps(120):
        step = mpmath.mpf(10) ** -30
        given = [mpmath.mpf(x) for x in point]

        def at(*moves):
            return f(*[x + k * step for x, k in zip(given, moves, strict=True)])

        mixed = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * step**2)
        own = [(at(*m) - 2 * at(0, 0) + at(*[-k for k in m])) / step**2 for m in ((1, 0), (0, 1))]
    return np.array([[own[0], mixed], [mixed, own[1]]], float)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_second_derivatives_have_their_digits_too(dtype):
    cases = [
        (share, lambda x, a: mpmath.expm1(-x * a) / mpmath.expm1(-a), [(0.25, 80.0), (0.5, 1.5)]),
        (
            screened,
            lambda r, k: (1 - (1 + k * r) * mpmath.exp(-k * r)) / (r * r),
            [(1.0, 30.0), (0.5, 3.0)],
        ),
    ]
    for f, exact, points in cases:
        d = derive(f, "hessian", dtype=dtype)
        for point in points:
            found = np.array(d(*point), float)
            assert found == pytest.approx(second(exact, point), rel=LIMITS[dtype], abs=1e-30)


def test_what_is_over_the_bare_distance_costs_what_it_did():
    def grown(x: float, a: float) -> float:
        return (1.0 - math.exp(-x * a)) / x

    assert derive(grown, "bwd").report.cost_after < 60
    assert wanted(grown, [30.0, 1.0])[2] == pytest.approx(math.exp(-30.0))
    no_digits_are_lost(grown, [(30.0, 1.0), (1e-3, 1.0)], "float32", 1e-5, 1e-30)
