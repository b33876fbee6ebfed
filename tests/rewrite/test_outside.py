"""What is undefined for the sign of something stays so, whatever cancels by algebra."""

import math

import numpy as np
import pytest

import egad
from egad.rewrite.egraph import leaks, numbers
from egad.rewrite.egraph.egraph import Graph
from egad.rules import load
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64


def between_roots(x: float, y: float, s: float) -> float:
    return (x * math.sqrt(s)) * (y / math.sqrt(s)) / (1 + s)


def logarithm_taken_away(x: float, y: float, s: float) -> float:
    return (x * math.log(s)) * (y / math.log(s)) / (1 + s)


def behind_a_choice(x: float, y: float, s: float) -> float:
    r = math.acosh(s) if s < 10 else x
    return x * r * (y / r) / (1 + s)


@pytest.mark.parametrize("effort", ["fast", "default", "best"])
@pytest.mark.parametrize("f", [between_roots, logarithm_taken_away, behind_a_choice])
def test_what_is_outside_of_a_domain_stays_no_number(f, effort):
    """Values and slopes; inside of the domain all are x*y/(1 + s)."""
    x, y, s = 1.5, 2.5, 3.0
    for mode, bars in (("primal", ()), ("bwd", (1.0,))):
        derived = egad.derive(f, mode, dtype="float64", optimize=effort)
        for run in (derived, derived.reference):
            assert np.isnan(np.array(run(x, y, -0.5, *bars), float)).all()
            inside = np.array(run(x, y, s, *bars), float)
            whole = x * y / (1 + s)
            want = (y / (1 + s), x / (1 + s), -whole / (1 + s)) if bars else whole
            assert inside == pytest.approx(np.array(want), rel=1e-14)


def test_gaps_at_single_points_are_filled_as_before():
    def f(x: float, y: float) -> float:
        return x * (y / x) + x * x / x

    derived = egad.derive(f, "primal", dtype="float64")
    assert derived.reference(0.0, 2.0) == 2.0 and not derived.report.counts_after.get("div")


def test_a_number_outside_of_a_domain_is_seen_and_its_node_found():
    x, y = var("x", REAL), var("y", REAL)
    root = Term("sqrt", (x,), None, REAL)
    plain = Term("div", (Term("mul", (y, root), None, REAL), root), None, REAL)
    other = Term("add", (y, const(0.0, REAL)), None, REAL)
    at = numbers.points([x, y], special=True)
    witness = leaks.Witness(RULES, [plain], at)
    places = witness.astray([y])
    assert not witness.lost([y]) and not witness.astray([plain])
    assert places and all(at[x][i] < 0 for i in places)
    with Graph([plain], equal=[(plain, other)]) as graph:
        classes = graph.read()
    (node,) = leaks.leaking(RULES, classes, [plain], at, places[:1])
    assert classes.nodes[node].head[0] == "add"
