"""Transposition: cotangents, and how they are summed across branches."""

import math
import random

import numpy as np
import precise
import pytest

import egad
from egad.codegen.host.reference import evaluate
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


def random_parts(rng, conditions):
    """Contributions under guards that lie in chains of chains, with what each of them says."""
    always = Guard(None, None, True)
    known, parts = [(always, {})], []
    for _ in range(rng.randrange(1, 40)):
        guard, said = known[rng.randrange(len(known))] if rng.random() < 0.3 else known[-1]
        condition, holds = rng.choice(conditions), rng.random() < 0.5
        if condition not in said:
            known.append((guard.under(condition, holds), said | {condition: holds}))
    for k in range(rng.randrange(1, 8)):
        guard, said = rng.choice(known)
        parts.append((guard, const(2.0**k, F), said))
    return always, parts


@pytest.mark.parametrize("seed", range(40))
def test_sums_of_contributions_are_those_whose_conditions_hold(seed):
    """However deep their guards are, and wherever they meet."""
    rng = random.Random(seed)
    conditions = [var(f"c{k}", BOOL) for k in range(24)]
    always, parts = random_parts(rng, conditions)
    total = accumulate([(guard, term) for guard, term, _ in parts], always, add)
    slots = [Slot(c.attr, BOOL) for c in conditions]
    whole = Program("f", tuple(slots), (Slot("out", F),), ((total,),))
    for _ in range(40):
        _, _, wanted = rng.choice(parts)
        given = {c: wanted.get(c, rng.random() < 0.5) for c in conditions}
        (found,) = evaluate(whole, RULES, {c.attr: v for c, v in given.items()})
        holds = [all(given[c] == v for c, v in said.items()) for _, _, said in parts]
        assert found == sum(2.0**k for k, on in enumerate(holds) if on)


def nearest(*x):
    """The square of the largest, as the nearest of many things is kept in a variable."""
    best, kept = x[0], 2.0 * x[0]
    for v in x[1:]:
        kept, best = np.where(v > best, v * v, kept), np.maximum(v, best)
    return kept


def by_thresholds(*x):
    """One of many arms, two variables each."""
    found = x[-1] * x[-2]
    for k in range(len(x) - 3, 0, -1):
        found = np.where(x[0] < 0.1 * k, x[k] * x[k + 1] + k, found)
    return found


@pytest.mark.parametrize("f", [nearest, by_thresholds])
def test_derivatives_grow_as_chains_of_choices_do(f):
    sizes = []
    for many in (40, 160):
        names = [f"x{k}" for k in range(many)]
        derived = egad.derive(
            egad.traced(f, [(name, "float") for name in names]), dtype="float64", optimize="fast"
        )
        sizes.append(derived.report.terms["derived"])
        rng = random.Random(many)
        for _ in range(4):
            x = [rng.uniform(0.0, 0.1 * many) for _ in names]
            slopes = np.array(list(derived.reference(*x, 1.0)))
            for k in {0, 1, many // 3, many - 1, *np.flatnonzero(slopes)}:
                up, down = ([*x[:k], x[k] + d, *x[k + 1 :]] for d in (1e-6, -1e-6))
                slope = (float(f(*up)) - float(f(*down))) / 2e-6
                np.testing.assert_allclose(slopes[k], slope, rtol=1e-7, atol=1e-7)
    assert sizes[1] < 4.5 * sizes[0]


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
