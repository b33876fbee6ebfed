"""Transposition: cotangents, and how they are summed across branches."""

import math

import numpy as np
import precise
import pytest

import egad
from egad.rewrite import derive
from egad.rewrite.derivation.local import Setting, expand
from egad.rewrite.derivation.reverse import carries, pullback, transpose
from egad.rewrite.guards import Guard, accumulate
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.term import SELECT, Term, const, var
from egad.terms.types import Scalar

F, BOOL = Scalar.F64, Scalar.BOOL
RULES = load()
X, Y, S = var("x", F), var("y", F), var("out_bar", F)
A, B = var("a", BOOL), var("b", BOOL)


def op(name, *args):
    return Term(name, args, None, F)


def select(c, then, other):
    return Term(SELECT, (c, then, other), None, F)


def add(a, b):
    return op("add", a, b)


def program(root, **booleans):
    slots = (*(Slot(n, BOOL) for n in "ab"), Slot("x", F), Slot("y", F))
    return Program("f", slots, (Slot("out", F),), ((root,),))


def gradient(root, **point):
    """The derivative program of `root`, and its values."""
    bwd = derive(program(root), "bwd", RULES, F)
    full = {"a": False, "b": False, "x": 0.0, "y": 0.0, "out_bar": 1.0, **point}
    return bwd, precise.numbers(bwd, RULES, full)


def test_parts_of_one_guard_are_summed():
    always = Guard(None, None, True)
    assert accumulate([(always, X), (always, Y)], always, add) is add(X, Y)
    assert accumulate([(always, X)], always, add) is X


def test_both_outcomes_of_a_condition_become_one_branch():
    always = Guard(None, None, True)
    then, other = always.under(A, True), always.under(A, False)
    parts = [(then, X), (other, Y), (then, Y)]
    assert accumulate(parts, always, add) is select(A, add(X, Y), Y)
    assert accumulate(parts[1:2], always, add) is select(A, const(0.0, F), Y)


def test_inner_guards_are_closed_before_outer_ones():
    always = Guard(None, None, True)
    outer = always.under(A, True)
    inner = outer.under(B, False)
    zero = const(0.0, F)
    found = accumulate([(always, X), (inner, X), (outer, Y)], always, add)
    assert found is add(X, select(A, add(Y, select(B, zero, X)), zero))
    assert accumulate([(inner, X), (outer, Y)], outer, add) is add(Y, select(B, zero, X))


@pytest.mark.parametrize(("a", "wanted"), [(True, (1, 0)), (False, (0, 1))])
def test_a_variable_of_one_arm_has_the_gradient_zero_in_the_other(a, wanted):
    _, found = gradient(select(A, X, Y), a=a)
    assert tuple(found) == wanted


def test_a_term_in_both_arms_is_differentiated_once():
    s = op("sin", X)
    bwd, found = gradient(select(A, op("mul", s, Y), s), a=True, x=0.5, y=3.0)
    np.testing.assert_allclose(found, [3 * math.cos(0.5), math.sin(0.5)], rtol=1e-15)
    assert sum(t.op == "cos" for t in bwd.terms()) == 1


def test_branches_with_one_condition_are_joined():
    root = add(select(A, op("sin", X), X), select(A, op("cos", X), op("mul", X, X)))
    bwd, found = gradient(root, a=False, x=3.0)
    assert found == [7.0, 0.0]
    assert sum(t.op == SELECT for t in bwd.terms()) == 1


def test_contributions_from_inside_and_outside_of_an_arm():
    root = op("mul", select(A, op("sqrt", X), Y), X)
    _, found = gradient(root, a=True, x=4.0, y=9.0)
    assert found == [3.0, 0.0]  # d x^1.5 = 1.5 sqrt(x)
    _, found = gradient(root, a=False, x=0.0, y=9.0)
    assert found == [9.0, 0.0]  # the derivative of the root, infinite here, does not leak


def test_structural_zeros_stay_away():
    setting = Setting(RULES, F)
    f = program(op("floor", X))
    assert pullback(f, [(f.flat[0], S)], [X, Y], setting) == [None, None]
    (x_bar,) = pullback(program(add(X, X)), [(add(X, X), S)], [X], setting)
    assert expand(setting, [x_bar]) == [add(S, S)]


def test_a_forward_rule_is_transposed():
    """(x, y, dx, dy) -> x y, x dy + y dx has the transpose (y bar, x bar)."""
    dx, dy = var("d_x", F), var("d_y", F)
    body = Program("f", (Slot("x", F), Slot("y", F)), (Slot("out", F),), ((op("mul", X, Y),),))
    tangent = add(op("mul", X, dy), op("mul", Y, dx))
    slots = (*body.params, Slot("d_x", F), Slot("d_y", F))
    fwd = Program("g", slots, (Slot("out", F), Slot("d_out", F)), (body.roots[0], (tangent,)))
    bwd = transpose(fwd, body, Setting(RULES, F))
    assert [s.name for s in bwd.params] == ["x", "y", "out_bar"]
    assert precise.numbers(bwd, RULES, {"x": 3.0, "y": 5.0, "out_bar": 2.0}) == [10.0, 6.0]


def test_transposing_does_not_meet_the_tangent_zero():
    """A rule that branches on its tangent is taken where the tangent is not zero."""

    def rule(x):
        return egad.diff_pair(x.p * x.p, x.d * 2 * x.p if x.d != 0 else 0.0)

    @egad.custom_fwd(rule)
    def square(x: float) -> float:
        return x * x

    def f(x: float) -> float:
        return square(x)

    assert egad.derive(f, "bwd").reference(3.0, 1.0).x == 6


def test_slots_that_carry():
    assert carries(Slot("x", F))
    assert not carries(Slot("x", F, diff=False))
    assert not carries(Slot("n", Scalar.I32))
