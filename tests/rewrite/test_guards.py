"""Guards: which conditions decide whether a term is needed."""

import random

import precise
from hypothesis import given, settings
from hypothesis import strategies as st

from egad.rewrite import derive
from egad.rewrite.guards import Guard, guards, meet, shared
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.term import SELECT, Term, const, toposort, var
from egad.terms.types import Scalar

F, BOOL = Scalar.F64, Scalar.BOOL
X, Y = var("x", F), var("y", F)
A, B = var("a", BOOL), var("b", BOOL)


def select(c, then, other):
    return Term(SELECT, (c, then, other), None, F)


def op(name, *args):
    return Term(name, args, None, F)


def chain(guard):
    """The conditions of a guard, outermost first."""
    found = []
    while guard.parent is not None:
        found.append((guard.condition, guard.holds))
        guard = guard.parent
    return found[::-1]


def test_an_arm_stands_behind_its_condition():
    s, c = op("sqrt", X), op("cos", Y)
    found = guards([select(A, s, c)])
    assert chain(found[s]) == chain(found[X]) == [(A, True)]
    assert chain(found[c]) == chain(found[Y]) == [(A, False)]
    assert chain(found[A]) == []


def test_a_term_in_both_arms_is_always_needed():
    s = op("sqrt", X)
    found = guards([select(A, s, op("neg", s))])
    assert chain(found[s]) == []


def test_a_term_used_outside_too_is_always_needed():
    s = op("sqrt", X)
    assert chain(guards([select(A, s, Y), s])[s]) == []
    assert chain(guards([op("add", select(A, s, Y), s)])[s]) == []


def test_two_branches_with_one_condition_share_a_guard():
    s, t = op("sqrt", X), op("log", X)
    found = guards([op("add", select(A, s, Y), select(A, t, op("mul", s, Y)))])
    assert found[t] is found[t]
    assert chain(found[t]) == [(A, True)]
    assert chain(found[s]) == []  # the second branch needs it where the first does not
    found = guards([op("add", select(A, s, Y), select(A, t, Y))])
    assert found[s] is found[t]


def test_nested_conditions_make_a_chain():
    s, t = op("sqrt", X), op("exp", X)
    found = guards([select(A, select(B, s, t), Y)])
    assert chain(found[s]) == [(A, True), (B, True)]
    assert chain(found[t]) == [(A, True), (B, False)]
    assert chain(found[X]) == [(A, True)]
    assert repr(found[t]) == "a and not b"
    assert repr(found[A]) == "always"


def test_a_condition_that_holds_already_adds_nothing():
    s = op("sqrt", X)
    found = guards([select(A, select(A, s, Y), Y)])
    assert chain(found[s]) == [(A, True)]


def test_a_condition_inside_an_arm_is_guarded_itself():
    c = Term("gt", (op("log", X), Y), None, BOOL)
    found = guards([select(A, select(c, X, Y), Y)])
    assert chain(found[c]) == chain(found[c.args[0]]) == [(A, True)]


def plain_meet(a, b):
    above = set()
    while a is not None:
        above.add(a)
        a = a.parent
    while b not in above:
        b = b.parent
    return b


def test_meet_is_the_lowest_common_guard_in_random_trees():
    draw = random.Random(1)
    for spread in (1, 3, 1000):  # a path, a slim tree, a bush
        tree = [Guard(None, None, True)]
        for i in range(400):
            above = tree[draw.randrange(max(len(tree) - spread, 0), len(tree))]
            tree.append(above.under(var(f"c{i}", BOOL), True))
        for _ in range(2000):
            a, b = draw.choice(tree), draw.choice(tree)
            assert meet(a, b) is meet(b, a) is plain_meet(a, b)


@st.composite
def branches(draw):
    """Roots over boolean variables, with nested and shared branches."""
    tests = [var(n, BOOL) for n in "abcd"]
    terms = [X, Y]
    for _ in range(draw(st.integers(2, 16))):
        a, b = draw(st.sampled_from(terms)), draw(st.sampled_from(terms))
        if draw(st.booleans()):
            terms.append(select(draw(st.sampled_from(tests)), a, b))
        else:
            terms.append(op(draw(st.sampled_from(("add", "mul"))), a, b))
    return terms[-2:]


def needed(roots, truth):
    """The terms that lazy evaluation computes."""
    seen = {}
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen[term] = True
        if term.op == SELECT:
            stack += [term.args[0], term.args[1 if truth[term.args[0].attr] else 2]]
        else:
            stack += term.args
    return seen


@settings(max_examples=150, deadline=None, derandomize=True)
@given(branches())
def test_where_a_term_is_needed_its_guard_holds(roots):
    found = guards(roots)
    assert set(found) == set(toposort(roots))
    for bits in range(16):
        truth = {n: bool(bits >> i & 1) for i, n in enumerate("abcd")}
        for term in needed(roots, truth):
            assert all(truth[c.attr] == holds for c, holds in chain(found[term]))


DEPTH = 20_000


def else_ifs(depth):
    """x < 0 ? x·0 : x < 1 ? x·1 : … : y, written from the inside out."""
    term = Y
    for i in reversed(range(depth)):
        test = Term("lt", (X, const(float(i), F)), None, BOOL)
        term = select(test, op("mul", X, const(float(i), F)), term)
    return term


def test_twenty_thousand_else_ifs():
    root = else_ifs(DEPTH)
    found = guards([root])
    last = op("mul", X, const(float(DEPTH - 1), F))
    assert found[last].depth == DEPTH
    assert found[Y].depth == DEPTH and not found[Y].holds
    assert found[X].depth == 0
    assert meet(found[last], found[Y]) is found[last].parent


def test_twenty_thousand_else_ifs_are_differentiated():
    program = Program("f", (Slot("x", F), Slot("y", F)), (Slot("out", F),), ((else_ifs(DEPTH),),))
    bwd = derive(program, "bwd", load(), F)
    assert len(bwd.terms()) < 8 * len(program.terms())
    for x, wanted in ((4.5, [5, 0]), (DEPTH - 1.5, [DEPTH - 1, 0]), (DEPTH + 1.0, [0, 1])):
        with precise.mp.workdps(30):
            point = {"x": x, "y": 0.0, "out_bar": 1.0}
            assert precise.values(bwd.flat, precise.precise(point)) == wanted


def test_guards_that_part_share_what_follows_from_both():
    """`A and not (B or C)` and `not B`: the term is needed only where B does not hold."""
    either = Term("logical_or", (B, var("c", BOOL)), None, BOOL)
    s = op("sqrt", X)
    one = select(A, select(either, Y, s), Y)
    other = select(B, Y, s)
    assert chain(guards([op("add", one, other)])[s]) == []
    assert chain(guards([op("add", one, other)], shared)[s]) == [(B, False)]
