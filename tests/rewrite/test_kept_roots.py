"""Roots that are kept from negative numbers, and powers of roots, as rendering has them."""

import math

import pytest
from far import right_to_second_order

from egad import derive


def solid_angle(d: float, r: float) -> float:
    return 2 * math.pi * (1 - math.sqrt(max(0.0, 1 - (r / d) ** 2)))


def sheen(c: float, a: float) -> float:
    """Charlie's distribution of fibres."""
    i = 1 / a
    return (2 + i) * math.sqrt(max(1 - c * c, 0.0)) ** i / (2 * math.pi)


@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-5), ("float64", 1e-13)])
def test_a_far_sphere_is_seen(dtype, limit):
    points = [(3.0, 1.0), (1e4, 1.0), (1e6, 1.0)]
    right_to_second_order(solid_angle, points, dtype, limit=limit)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_inside_of_the_sphere_nothing_changes(dtype):
    value, slopes = derive(solid_angle, "value_and_grad", dtype=dtype)(1.0, 2.0)
    assert value == pytest.approx(2 * math.pi) and slopes == (0, 0)


@pytest.mark.numbers
@pytest.mark.parametrize(("dtype", "limit"), [("float32", 1e-4), ("float64", 1e-12)])
def test_powers_of_roots(dtype, limit):
    right_to_second_order(sheen, [(0.75, 0.25), (0.25, 0.5), (0.5, 1.0)], dtype, limit=limit)
    for d in (derive(sheen, mode, dtype=dtype) for mode in ("jacobian", "bwd")):
        more = () if d.mode == "jacobian" else (1.0,)
        assert list(d(1.0, 0.25, *more)) == [0, 0]
