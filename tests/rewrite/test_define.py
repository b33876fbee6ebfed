"""Functions replaced by their definitions after derivation."""

import math
import sys

import precise
import pytest

from egad import derive
from egad.rewrite.derivation.define import define
from egad.rewrite.loops.parts import bodies
from egad.rules import load, loads
from egad.terms.applied import Applied
from egad.terms.errors import EgadError
from egad.terms.loop import LOOP, Loop
from egad.terms.program import Program, Slot
from egad.terms.term import DETACH, PROJ, Term, const, toposort, var
from egad.terms.types import Scalar, Vec

F = Scalar.F64
RULES = load()
X = var("x", F)


def op(name, *args, attr=None):
    return Term(name, args, attr, F)


def evaluated(roots, rules=RULES, **at):
    slots = tuple(Slot(n, F) for n in at)
    results = tuple(Slot(f"o{i}", F) for i in range(len(roots)))
    return precise.numbers(Program("f", slots, results, tuple((r,) for r in roots)), rules, at)


def test_primitives_stay():
    root = op("add", op("sin", X), X)
    assert define(RULES, [root, root], F, derived=True) == [root, root]


def test_detach_has_done_its_work():
    assert define(RULES, [op("sin", op(DETACH, X))], F, derived=True) == [op("sin", X)]


def test_only_primitives_are_left():
    v = tuple(var(f"v.{c}", F) for c in "xyz")
    root = op("softplus", op("length", *v, attr=Applied((Vec(F, 3),))))
    (found,) = define(RULES, [root], F, derived=False)
    assert all(RULES.operator(t.op).is_primitive for t in toposort([found]) if t.args)
    (value,) = evaluated([found], **{"v.x": 2.0, "v.y": 3.0, "v.z": 6.0})
    assert value == pytest.approx(math.log(1 + math.exp(7)), rel=1e-15)


def test_derived_programs_take_the_stable_definition():
    root = op("softplus", X)
    (plain,), (primal,) = (define(RULES, [root], F, derived=d) for d in (False, True))
    assert evaluated([plain], x=1000.0) == [math.inf]
    assert evaluated([primal], x=1000.0) == [1000.0]
    for x in (-2.0, 0.0, 3.0):
        assert evaluated([plain], x=x) == pytest.approx(evaluated([primal], x=x), rel=1e-15)


def test_a_definition_shared_by_two_roots_is_put_in_once():
    s = op("softplus", X)
    found = define(RULES, [op("neg", s), op("mul", s, s)], F, derived=True)
    assert sum(t.op == "exp" for t in toposort(found)) == 1


def test_definitions_of_definitions():
    rules = loads("def f1(x) -> y: y = x + 1\n", "a.rules")
    for i in range(2, 31):
        text = f"def f{i}(x) -> y:\n    y = f{i - 1}(x) + 1\n    dy = dx\n"
        rules = loads(text, f"{i}.rules", rules)
    (found,) = define(rules, [op("f30", X)], F, derived=False)
    assert evaluated([found], rules, x=5.0) == [35.0]


def test_a_definition_by_itself_is_refused():
    text = "def even(x) -> y:\n    y = odd(x)\n    dy = dx\n"
    text += "def odd(x) -> y:\n    y = even(x)\n    dy = dx\n"
    with pytest.raises(EgadError, match=r"even|odd"):
        define(loads(text), [op("even", X)], F, derived=False)


def test_the_primal_program_keeps_what_the_user_wrote():
    def f(x: float) -> float:
        return math.log(1 + math.exp(x))

    assert derive(f, "primal").reference(1000.0) == math.inf
    assert derive(f, "value_and_grad").reference(1000.0) == (1000.0, (1.0,))


def nest(depth):
    """A loop in a loop in a loop, with a function in the innermost."""
    state, first = var("s", F), const(0.5, F)
    slots = (Slot("k", Scalar.I32), Slot("s", F))
    results = (Slot("go", Scalar.BOOL), Slot("s_next", F))
    value = op("sigmoid", state)
    for level in reversed(range(depth)):
        body = Program("loop", slots, results, ((const(True, Scalar.BOOL),), (value,)))
        args = (const(2, Scalar.I32), state if level else first)
        loop = Term(LOOP, args, Loop(body, 1, 2), Scalar.I32)
        value = Term(PROJ, (loop,), 1, F)
    return value


def test_the_body_of_a_loop_is_gone_through_once_however_deep_it_is(monkeypatch):
    module = sys.modules["egad.rewrite.derivation.define"]
    calls, real = [], module._replaced
    monkeypatch.setattr(module, "_replaced", lambda *given: calls.append(1) or real(*given))
    (result,) = define(RULES, [nest(12)], F, derived=True)
    assert len(calls) == 13
    inside = bodies([result])
    assert len(inside) == 12 and not any(t.op == "sigmoid" for b in inside for t in b.terms())
