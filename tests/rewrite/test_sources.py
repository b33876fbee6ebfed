"""Guards at their sources: values stay what they are, at the points that guards are for, too."""

import mpmath
import numpy as np
import pytest

import egad
from egad.rewrite.egraph.numbers import values
from egad.rewrite.guarded import Undefined, at_sources, guardings
from egad.rules import load
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

X, Y, H = (var(name, Scalar.F64) for name in "xyh")
ZERO, ONE = (const(number, Scalar.F64) for number in (0.0, 1.0))


def op(name, *args):
    return Term(name, args, None, Scalar.BOOL if name in ("eq", "ne") else Scalar.F64)


AT_0, NOT_0 = op("eq", H, ZERO), op("ne", H, ZERO)
R = op("rcp", H)


def unless_0(term):
    return op("select", AT_0, ZERO, term)


def remade(*flat):
    """The program after its first condition has been tried, and how many choices are left."""
    found = guardings(flat)
    if not found:
        return list(flat), None
    _, terms = at_sources(flat, found[0], Undefined(load()))
    after = [terms[t] for t in flat]
    return after, sum(t.op == "select" for t in toposort(after))


def test_products_and_sums_of_what_is_0_need_no_guard():
    product, square = op("mul", X, R), op("mul", R, R)
    total = op("sub", product, op("mul", Y, square))
    flat = list(map(unless_0, (R, product, square, total, op("div", R, ONE))))
    after, choices = remade(*flat)
    assert choices == 1
    for h in (0.0, 2.0):
        at = {t: np.array([x]) for t, x in ((X, 3.0), (Y, 5.0), (H, h))}
        with np.errstate(all="ignore"):
            numbers = values(load(), [*flat, *after], at)
        assert [numbers[t] for t in flat] == [numbers[t] for t in after]


def test_the_arm_that_is_0_may_be_the_second_one():
    first, second = (op("select", NOT_0, t, ZERO) for t in (R, op("mul", R, X)))
    after, choices = remade(first, second)
    assert (after, choices) == ([first, op("mul", first, X)], 1)


@pytest.mark.parametrize(
    "factor", [op("log", Y), op("rcp", Y), op("exp", Y), op("sqrt", Y), R], ids=lambda t: t.op
)
def test_a_factor_that_is_no_number_or_infinite_keeps_its_guard(factor):
    beside = op("mul", op("mul", X, R), factor)
    after, choices = remade(unless_0(op("mul", X, R)), unless_0(beside))
    assert choices == 2 and after[1].op == "select"


def test_a_sum_with_something_else_keeps_its_guard():
    assert guardings([unless_0(R), unless_0(op("add", R, X))]) == []
    one, two = unless_0(op("mul", X, R)), unless_0(op("add", R, X))
    _, choices = remade(unless_0(R), one, two)
    assert choices == 2


def test_what_is_used_outside_of_guards_stays_as_it_is():
    after, _ = remade(unless_0(R), unless_0(op("mul", X, R)), op("mul", Y, R))
    assert after[2] is op("mul", Y, R)


def test_one_choice_of_a_condition_is_left_alone():
    assert guardings([unless_0(R), op("select", NOT_0, R, ZERO)]) == []


def torus(x, y, z, m=egad):
    q = m.sqrt(x * x + z * z) - 1
    return m.sqrt(q * q + y * y) - 0.25


def test_a_torus_has_right_second_derivatives_and_one_guard_for_each_length():
    derived = egad.derive(lambda x, y, z: torus(x, y, z), mode="hessian", dtype="float64")
    assert derived.report.counts_after["select"] <= 3
    point = (0.3, 0.4, 0.5)
    found = np.asarray(derived.reference(*point), float).ravel()
    with mpmath.workdps(50):
        orders = [
            tuple(int(i == k) + int(j == k) for k in range(3)) for i in range(3) for j in range(3)
        ]
        expected = [
            float(mpmath.diff(lambda x, y, z: torus(x, y, z, mpmath), point, order))
            for order in orders
        ]
    assert found == pytest.approx(expected if found.size == 9 else _upper(expected), rel=1e-12)


@pytest.mark.numbers
@pytest.mark.parametrize("point", [(0.0, 0.5, 0.0), (1.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
def test_a_torus_has_numbers_where_lengths_are_0(point):
    derived = egad.derive(lambda x, y, z: torus(x, y, z), mode="hessian", dtype="float64")
    assert np.isfinite(np.asarray(derived.reference(*point), float)).all()


def _upper(entries):
    return [entries[3 * i + j] for i in range(3) for j in range(i, 3)]
