"""Digits of what is kept from 0 by a small number, and of what is nearly a number."""

import math

import pytest
from gaps import no_digits_are_lost

from egad import derive

pytestmark = pytest.mark.numbers


def likelihood(u: float) -> float:
    return -math.log(1 - math.tanh(u) ** 2 + 1e-6)


def versine(x: float) -> float:
    return math.log(1 - math.cos(x) + 1e-6)


def upwind(s: float) -> float:
    return 1 - (1 - math.exp(-s)) / s


def downwind(s: float) -> float:
    return (1 - math.exp(-s)) / s - math.exp(-s)


def compressed(x: float) -> float:
    return math.copysign(2.0, x) * math.log1p(abs(x))


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-5), ("float64", 1e-9)])
def test_a_small_number_under_a_logarithm(dtype, limit):
    no_digits_are_lost(likelihood, [(3.0,), (-5.0,), (8.0,)], dtype, limit, 1e-30)
    no_digits_are_lost(versine, [(1e-3,), (0.01,), (-1.0,)], dtype, limit, 1e-30)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-5), ("float64", 1e-13)])
def test_weights_of_both_ends_of_a_piece_of_a_ray(dtype, limit):
    points = [(1e-6,), (1e-3,), (0.25,), (3.0,), (50.0,)]
    for f in (upwind, downwind):
        no_digits_are_lost(f, points, dtype, limit, 1e-30)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_size_beside_the_sign_of_its_number_has_a_slope(dtype):
    both, one = (derive(compressed, mode, dtype=dtype) for mode in ("value_and_grad", "jacobian"))
    for x in (0.0, -0.0):
        assert both(x) == (0.0, (2.0,)) and both.reference(x) == (0.0, (2.0,))
        assert list(one(x)) == [2.0]
    for x in (0.5, -0.25):
        want = math.copysign(2 * math.log1p(abs(x)), x), 2 / (1 + abs(x))
        assert both(x)[0] == pytest.approx(want[0], rel=1e-6)
        assert both(x)[1] == pytest.approx((want[1],), rel=1e-6)
