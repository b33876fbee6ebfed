"""Quotients in arms, whose guards leave numbers near 0: digits are kept as outside of arms."""

import math

import numpy as np
import pytest
from gaps import no_digits_are_lost, wanted

from egad import derive


def driven(v: float, w: float, t: float) -> float:
    if abs(w) < 1e-6:
        return v * t
    return v / w * math.sin(w * t)


def turned(v: float, w: float, t: float) -> float:
    if w == 0.0:
        return v * t
    return v / w * (math.sin(0.3 + w * t) - math.sin(0.3))


def rotated(x: float, y: float, z: float) -> float:
    q = x * x + y * y + z * z
    if q < 1e-12:
        return 1.0 - 0.5 * (y * y + z * z)
    t = math.sqrt(q)
    return math.cos(t) + x * x * (1.0 - math.cos(t)) / q


def growing(r: float, n: float) -> float:
    return n if r == 0.0 else ((1.0 + r) ** 12 - 1.0) / r * n


NEAR = [1e-5, 1e-3, 1e-1]
WIDE = {"float32": 2e-5, "float64": 1e-12}


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_not_0_alone_is_no_reason_to_lose_digits(dtype):
    points = [(1.5, w, 0.75) for w in NEAR]
    no_digits_are_lost(turned, points, dtype, WIDE[dtype], 1e-30)
    points = [(r, 3.0) for r in NEAR]
    no_digits_are_lost(growing, points, dtype, WIDE[dtype], 1e-30)


def test_a_guard_that_is_far_enough_for_one_type_is_not_for_another():
    single, double = (derive(driven, "bwd", dtype=d).report for d in ("float32", "float64"))
    assert single.cost_after > double.cost_after
    no_digits_are_lost(driven, [(1.5, w, 0.75) for w in NEAR], "float32", 2e-5, 1e-30)


def test_slopes_of_a_rotation_are_right_beside_its_guard():
    derived = derive(rotated, "value_and_grad", dtype="float32")
    for size in (1.5e-6, 1e-5, 1e-3):
        given = [float(np.float32(size * k)) for k in (1.0, -0.5, 2.0)]
        value, *slopes = wanted(rotated, given)
        found, gradient = derived.reference(*given)
        assert found == pytest.approx(value, rel=1e-6)
        assert list(gradient) == pytest.approx(slopes, rel=2e-5, abs=1e-5 * size)


def test_what_a_guard_says_at_0_stays():
    derived = derive(turned, "value_and_grad", dtype="float64")
    value, gradient = derived(1.5, 0.0, 0.75)
    assert value == 1.5 * 0.75
    assert list(gradient) == [0.75, 0.0, 1.5]
