"""The e-graph: what is loaded comes back bit for bit, in an order that no hash decides."""

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from egad.rewrite.egraph.classes import build
from egad.rewrite.egraph.egraph import Graph
from egad.rewrite.egraph.encode import is_odd, number
from egad.rewrite.egraph.rulebook import by_rule
from egad.terms.errors import ExtractError
from egad.terms.term import SELECT, Term, const, const_value, toposort, var
from egad.terms.types import Scalar

F16, F32, F64, I32, BOOL = Scalar.F16, Scalar.F32, Scalar.F64, Scalar.I32, Scalar.BOOL
X, Y = var("x", F64), var("y", F64)


def op(name, *args, attr=None, type=F64):
    return Term(name, args, attr, type)


def back(roots):
    """The roots, loaded and read."""
    with Graph(roots) as graph:
        classes = graph.read()
    chosen = {n.owner: n for n in classes.nodes}
    assert len(chosen) == len(classes.nodes) == classes.count  # no rule ran: one node per class
    built = {}
    return [build(chosen, classes.loaded[r], built) for r in roots]


def test_a_program_comes_back_as_it_was():
    test = Term("lt", (X, Y), None, BOOL)
    roots = [
        op("add", op("sin", X), const(0.1, F64)),
        op(SELECT, test, op("mul", X, X), Y),
        X,
        op("component", X, attr=3),
        op("floor_div", var("n", I32), const(-7, I32), type=I32),
        test,
        const(True, BOOL),
    ]
    assert back(roots) == roots


NAN = struct.unpack("<d", struct.pack("<q", 0x7FF8_0000_0000_BEEF))[0]
ODD = [-0.0, math.inf, -math.inf, math.nan, NAN, 5e-324, 1.7976931348623157e308, 0.1, 1e16, -1e-7]


@pytest.mark.parametrize("type_", [F16, F32, F64])
def test_odd_constants_keep_their_bits(type_):
    constants = [const(v, type_) for v in (*ODD, 0.0)]
    assert len(set(constants)) == len(ODD) + 1
    assert back([Term("neg", (c,), None, type_) for c in constants]) == [
        Term("neg", (c,), None, type_) for c in constants
    ]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=12))
def test_any_float_keeps_its_bits(values):
    roots = [op("neg", const(v, F64)) for v in values]
    assert back(roots) == roots


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_in_the_notation_of_the_engine_are_exact(value):
    text = number(value)
    assert float(text) == value and "." in text and "+" not in text
    assert is_odd(value) == (value == 0 and math.copysign(1, value) < 0)


def test_numbers_of_two_types_stay_apart():
    roots = [Term("neg", (const(1.0, t),), None, t) for t in (F16, F32, F64)]
    roots.append(Term("neg", (const(1, I32),), None, I32))
    assert back(roots) == roots


def test_unions_merge_classes_and_rules_are_counted():
    with Graph([op("f", X), op("g", Y)]) as graph:
        f, g = (graph.symbols.of((name, None, (F64,), F64)) for name in "fg")
        same = f"((= a ({f} x)) (= b ({g} y)))"
        graph.send(["(ruleset r)", f'(rule {same} ((union a b)) :ruleset r :name "u")'])
        assert graph.size() == 2
        first = graph.run("r")
        assert first.changed and first.matches == {"u": 1}
        assert not graph.run("r").changed
        classes = graph.read()
    assert classes.loaded[op("f", X)] == classes.loaded[op("g", Y)]
    assert classes.count == 3


def test_what_every_term_of_a_class_needs_is_not_lost_to_subsumption():
    """Two directed rules may each remove what the other one leads to."""
    with Graph([op("f", X)]) as graph:
        f = graph.symbols.of(("f", None, (F64,), F64))
        action = f"((subsume ({f} x)))"
        graph.send(["(ruleset r)", f'(rule ((= a ({f} x))) {action} :ruleset r :name "s")'])
        graph.run("r")
        classes = graph.read()
    assert [n.head[0] for n in classes.nodes] == ["var", "f"]


def test_constants_of_classes():
    with Graph([op("neg", const(2.0, F64)), X]) as graph:
        classes = graph.read()
    assert [const_value(c) for c in classes.constants().values()] == [2.0]


def test_nodes_are_ordered_by_what_they_are():
    """The same terms, loaded in another order, give the same nodes within each class."""
    roots = [op("add", op("sin", X), op("cos", Y)), op("mul", Y, const(-0.0, F64))]
    with Graph(roots) as a, Graph(roots[::-1]) as b:
        first, second = a.read(), b.read()
    for classes in (first, second):
        assert [n.owner for n in classes.nodes] == sorted(n.owner for n in classes.nodes)
        order = list(classes.loaded.values())
        assert order == sorted(order)
    assert sorted(map(repr, first.loaded)) == sorted(map(repr, second.loaded))


def test_a_command_that_the_engine_refuses_is_an_error_of_ours():
    with Graph([X]) as graph, pytest.raises(ExtractError, match="please report it"):
        graph.send(["(nonsense)"])


def test_a_cyclic_choice_is_an_error():
    with Graph([op("neg", X)]) as graph:
        classes = graph.read()
    (node,) = (n for n in classes.nodes if n.args)
    loop = type(node)(node.head, (node.owner,), node.owner)
    with pytest.raises(ExtractError, match="cycle"):
        build({node.owner: loop}, node.owner, {})


def test_a_deep_program_comes_back():
    term = X
    for i in range(30_000):
        term = op("sin" if i % 2 else "exp", term)
    assert back([term])[0] is term
    assert len(toposort([term])) == 30_001


def test_matches_are_summed_over_types():
    matches = {"a.rules:1:1 r#float32": 2, "a.rules:1:1 r#float64": 3, "b#int32": 0}
    assert by_rule(matches) == {"a.rules:1:1 r": 5}
