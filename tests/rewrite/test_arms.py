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


@pytest.mark.parametrize("math", MATH)
def test_a_side_of_max_that_lost_stays_zero_where_the_next_derivative_is_infinite(math):
    found = derive(floored, mode="bwd", dtype="float64", math=math)
    x_bar, y_bar, z_bar = found(*np.array([[0.0, 4.0], [3.0, 3.0], [2.0, 2.0]]), 1.0)
    assert np.array_equal(x_bar, [0.0, 1.5])
    assert np.array_equal(y_bar, [0.0, 4.0])
    assert np.array_equal(z_bar, [0.0, 6.0])


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
