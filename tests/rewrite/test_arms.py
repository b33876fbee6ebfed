"""Zeros that choices say: not multiplied with what is infinite, and not chosen more than once."""

import numpy as np
import pytest

from egad import derive, float3, force_unroll, sqrt
from egad.rewrite import derive as derive_program
from egad.rules import load
from egad.terms.term import SELECT, toposort
from egad.terms.types import Scalar

RULES = load()
MATH = ["strict", "safe", "fast"]


def floored(x: float, y: float, z: float) -> float:
    return max(y * (z * sqrt(x)), 1.0)


def ratio(p: float, x: float) -> float:
    return max(p * (3.0 * (1.0 / x)), -1.0)


def long(x: float, y: float) -> float:
    product = sqrt(x)
    for _ in force_unroll(range(50)):
        product = y * product
    return max(product, 1.0)


def weighed(w: float3, x: float3) -> float:
    return max(w.x * sqrt(x.x) + w.y * sqrt(x.y) + w.z * sqrt(x.z), 0.001)


@pytest.mark.numbers
@pytest.mark.parametrize("math", MATH)
def test_a_side_of_max_that_lost_stays_zero_where_the_next_derivative_is_infinite(math):
    found = derive(floored, mode="bwd", dtype="float64", math=math)
    x_bar, y_bar, z_bar = found(*np.array([[0.0, 4.0], [3.0, 3.0], [2.0, 2.0]]), 1.0)
    assert np.array_equal(x_bar, [0.0, 1.5])
    assert np.array_equal(y_bar, [0.0, 4.0])
    assert np.array_equal(z_bar, [0.0, 6.0])


@pytest.mark.numbers
@pytest.mark.parametrize("math", ["strict", "safe"])
def test_it_stays_zero_where_a_factor_is_infinite(math):
    p_bar, _ = derive(ratio, mode="bwd", dtype="float64", math=math)(
        np.array([-2.0, 2.0]), np.array([0.0, 1.0]), 1.0
    )
    assert np.array_equal(p_bar, [0.0, 3.0])


def test_it_stays_zero_behind_more_factors_than_one_arm_takes():
    x_bar, y_bar = derive(long, mode="bwd", dtype="float64", math="strict")(0.0, 1.5, 1.0)
    assert (x_bar, y_bar) == (0.0, 0.0)


def test_products_that_stay_finite_need_no_choice_of_their_own():
    program = derive(weighed, mode="primal", math="strict").program
    terms = toposort(derive_program(program, "bwd", RULES, Scalar.F32).flat)
    # Ties, the side of max, and one for each derivative of a root: none for w.
    assert sum(t.op == SELECT for t in terms) == 5


def squared(x: float, y: float, z: float) -> float:
    return max(x * x + y * y + z * z, 1.0)


def test_a_square_below_a_choice_takes_no_choice_of_its_own():
    """Twice a product is no sum of two choices: all three share that of max, and its tie."""
    found = derive(squared, mode="bwd", dtype="float64")
    assert found.report.counts_after["select"] == 2
    assert found(0.5, 0.5, 0.5, 1.0) == (0.0, 0.0, 0.0)
    assert found(1.0, 0.0, 0.0, 1.0) == (1.0, 0.0, 0.0)  # a tie
    assert found(2.0, 1.0, 0.5, 1.0) == (4.0, 2.0, 1.0)


def outflow(g: float, h: float, a: float) -> float:
    """Torricelli: nothing flows below the opening, however heavy it is."""
    return a * sqrt(2.0 * g * max(h, 0.0))


def shared(g: float, h: float, a: float) -> float:
    return (max(h, 0.0) / (g * a)) ** 0.5 + sqrt(g * (a * (h if h > 0.0 else 0.0)))


@pytest.mark.numbers
@pytest.mark.parametrize("math", MATH)
@pytest.mark.parametrize("f", [outflow, shared])
def test_a_root_of_what_is_zero_over_a_region_is_flat_there(f, math):
    derived, primal = (derive(f, mode=m, dtype="float64", math=math) for m in ("bwd", "primal"))
    assert tuple(derived(9.75, -1.0, 3.0, 1.0)) == (0.0, 0.0, 0.0)
    at = np.array([9.75, 0.5, 3.0])
    for i, (found, step) in enumerate(zip(derived(*at, 1.0), 1e-6 * np.eye(3), strict=True)):
        want = (primal(*(at + step)) - primal(*(at - step))) / 2e-6
        assert found == pytest.approx(want, rel=1e-8), i


def test_the_slope_by_what_is_zero_stays_infinite():
    assert derive(outflow, mode="bwd", dtype="float64")(9.75, 0.0, 3.0, 1.0).h == np.inf


def test_other_roots_of_products_pay_for_no_choice():
    counts = derive(lambda x, y: sqrt(x * y), "bwd").report.counts_after
    assert "select" not in counts
