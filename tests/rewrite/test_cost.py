"""Costs of loops: computed once for each body, by the rules that are asked."""

import gc
import sys
from dataclasses import replace
from weakref import ref

from egad.rewrite.egraph.cost import loop_cost, program_cost
from egad.rules import load
from egad.terms.loop import LOOP, Loop
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

F, I32 = Scalar.F64, Scalar.I32
RULES = load()
SINE = RULES.operator("sin")
DEAR = replace(RULES, operators={**RULES.operators, "sin": (replace(SINE, cost=1000.0, costs={}),)})
MODULE = sys.modules["egad.rewrite.egraph.cost"]


def loop(name="s"):
    slots = (Slot("k", I32), Slot(name, F))
    results = (Slot("go", Scalar.BOOL), Slot("next", F))
    after = Term("sin", (var(name, F),), None, F)
    roots = ((const(True, Scalar.BOOL),), (after,))
    return Loop(Program("loop", slots, results, roots), 1, 10)


def test_a_body_is_priced_once_for_all_loops_that_have_it(monkeypatch):
    priced = []
    real = MODULE.program_cost
    monkeypatch.setattr(MODULE, "program_cost", lambda *given: priced.append(1) or real(*given))
    one, other = loop(), loop()
    assert one.body is not other.body
    costs = {loop_cost(RULES, each) for each in (one, other, one, other)}
    assert len(costs) == len(priced) == 1


def test_other_rules_have_other_costs():
    one = loop()
    for _ in range(2):
        assert loop_cost(DEAR, one) - loop_cost(RULES, one) == 10 * (
            1000 - SINE.costs.get(F, SINE.cost)
        )


def test_what_is_remembered_of_a_body_goes_with_it():
    one = loop("gone")
    term = Term(LOOP, (const(3, I32), const(0.5, F)), one, I32)
    assert program_cost(RULES, [term]) > 0 and one.body in MODULE._BODIES
    body, before = ref(one.body), len(MODULE._BODIES)
    del one, term
    gc.collect()
    assert body() is None and len(MODULE._BODIES) < before
