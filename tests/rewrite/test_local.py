"""Local derivative nodes: one rule per kind of node expands them all."""

import math

import numpy as np
import precise
import pytest

import egad
from egad.rewrite.derivation.local import (
    PULL,
    PUSH,
    Local,
    Setting,
    check_differentiable,
    expand,
    flows,
    local,
    scale,
)
from egad.rules import load, loads
from egad.terms.applied import Applied
from egad.terms.errors import DeriveError
from egad.terms.program import Program, Slot
from egad.terms.term import DETACH, Term, const, toposort, var
from egad.terms.types import Scalar, Vec

F, F32 = Scalar.F64, Scalar.F32
RULES = load()
X, Y, S = var("x", F), var("y", F), var("s", F)


def op(name, *args, attr=None):
    return Term(name, args, attr, F)


def value(term, **at):
    slots = tuple(Slot(n, F) for n in at)
    return precise.numbers(Program("f", slots, (Slot("out", F),), ((term,),)), RULES, at)[0]


@pytest.mark.parametrize("side", [PUSH, PULL])
def test_both_sides_of_a_quotient(side):
    term = op("div", X, Y)
    nodes = [local(side, term, i, S) for i in (0, 1)]
    found = expand(Setting(RULES, F), nodes)
    assert not any(isinstance(t.attr, Local) for t in toposort(found))
    at = {"x": 3.0, "y": 2.0, "s": 5.0}
    assert [value(t, **at) for t in found] == [5 / 2, -3 / 4 * 5]


def test_nodes_over_nodes_are_expanded_together():
    inner = local(PUSH, op("sin", X), 0, S)
    outer = local(PUSH, op("exp", inner), 0, inner)
    setting = Setting(RULES, F)
    (found,) = expand(setting, [outer])
    slope = math.cos(0.5) * 2
    assert value(found, x=0.5, s=2.0) == pytest.approx(math.exp(slope) * slope, rel=1e-15)
    assert sorted(setting.fired.values()) == [1, 1]


def test_one_rule_expands_all_nodes_of_a_kind():
    terms = [op("sin", op("mul", X, const(float(i), F))) for i in range(2, 42)]
    setting = Setting(RULES, F)
    found = expand(setting, [local(PULL, t, 0, S) for t in terms])
    assert list(setting.fired.values()) == [40]
    (name,) = setting.fired
    assert name.startswith("trig.rules:") and name.endswith("pull.sin.0")
    for i, term in enumerate(found, start=2):
        assert value(term, x=0.5, s=1.0) == math.cos(0.5 * i)


def test_a_seed_of_one_gives_the_partial_itself():
    (found,) = expand(Setting(RULES, F), [local(PULL, op("sin", X), 0, const(1.0, F))])
    assert found is op("cos", X)


def test_factors_one_and_minus_one_are_not_multiplied():
    setting = Setting(RULES, F)
    found = expand(setting, [local(PULL, op("sub", X, Y), i, S) for i in (0, 1)])
    assert found == [S, op("neg", S)]
    assert scale(RULES, const(1.0, F), S, F) is S
    assert scale(RULES, X, const(1.0, F), F) is X
    assert scale(RULES, const(-1.0, F), S, F) is op("neg", S)
    assert scale(RULES, X, S, F) is op("mul", X, S)


def test_the_result_is_used_where_the_rule_names_it():
    (found,) = expand(Setting(RULES, F), [local(PULL, op("exp", X), 0, S)])
    assert found in (op("mul", op("exp", X), S), op("mul", S, op("exp", X)))


def test_types_do_not_mix():
    """The same operator in two precisions is expanded in each."""
    a, s = var("a", F32), var("t", F32)
    single = Term("sin", (a,), None, F32)
    found = expand(Setting(RULES, F), [local(PULL, op("sin", X), 0, S), local(PULL, single, 0, s)])
    for root, type_ in zip(found, (F, F32), strict=True):
        assert {t.type for t in toposort([root])} == {type_}


def test_a_function_of_a_vector():
    v = tuple(var(f"v.{c}", F) for c in "xyz")
    length = op("length", *v, attr=Applied((Vec(F, 3),)))
    found = expand(Setting(RULES, F), [local(PULL, length, i, S) for i in range(3)])
    slots = (Slot("v", Vec(F, 3)), Slot("s", F))
    program = Program(
        "f", slots, tuple(Slot(f"o{i}", F) for i in range(3)), tuple((t,) for t in found)
    )
    at = {"v.x": 2.0, "v.y": 3.0, "v.z": 6.0, "s": 7.0}
    assert precise.numbers(program, RULES, at) == pytest.approx([2, 3, 6], rel=1e-15)


def test_vectors_of_two_sizes():
    def f(v: egad.float2, w: egad.float3) -> float:
        return egad.length(v) * egad.length(w)

    found = egad.derive(f, "bwd", dtype="float64").reference([3.0, 4.0], [2.0, 3.0, 6.0], 1.0)
    np.testing.assert_allclose(found.v, [7 * 0.6, 7 * 0.8], rtol=1e-15)
    np.testing.assert_allclose(found.w, [10 / 7, 15 / 7, 30 / 7], rtol=1e-15)


def test_what_flows():
    assert flows(RULES, op("mul", X, Y), 1)
    assert not flows(RULES, op("floor", X), 0)
    assert not flows(RULES, op(DETACH, X), 0)
    test = Term("lt", (X, Y), None, Scalar.BOOL)
    assert not flows(RULES, test, 0)
    assert not flows(RULES, op("select", test, X, Y), 0)
    assert flows(RULES, op("select", test, X, Y), 1)


NONDIFF = loads(
    '@nondiff\ndef lookup(x) -> y:\n    numpy = "floor(x)"\n    opencl = "floor({x})"\n', "my.rules"
)


def test_an_operator_without_derivative_is_an_error():
    with pytest.raises(DeriveError, match=r"(?s)'lookup' has no derivative.*my\.rules:2.*no_diff"):
        check_differentiable(NONDIFF, op("lookup", X), PULL, None)
    with pytest.raises(DeriveError, match="no operator 'missing'"):
        check_differentiable(NONDIFF, op("missing", X), PUSH, None)
    assert check_differentiable(NONDIFF, op("sin", X), PUSH, None).name == "sin"


BACKWARD_ONLY = loads(
    "@op(cost=5)\ndef odd(x) -> y:\n"
    '    numpy = "x * x"\n    mpmath = "x * x"\n    opencl = "({x} * {x})"\n'
    "    x_bar = min(max(3 * x * y_bar, -1), 1)\n",
    "back.rules",
)


def test_a_backward_side_that_is_not_linear():
    (found,) = expand(Setting(BACKWARD_ONLY, F), [local(PULL, op("odd", X), 0, S)])
    assert value(found, x=0.25, s=1.0) == 0.75
    assert value(found, x=3.0, s=-1.0) == -1.0
    with pytest.raises(DeriveError, match=r"back\.rules:2"):
        check_differentiable(BACKWARD_ONLY, op("odd", X), PUSH, None)
