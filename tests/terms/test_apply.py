"""Applying operators: overloads, broadcasting, conversions, powers, branches."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from egad.codegen.host.reference import evaluate
from egad.rules import load, loads
from egad.terms.apply import apply, instantiate, select_values, signature, truth
from egad.terms.errors import Span, TraceError
from egad.terms.operators import power
from egad.terms.program import Program, Slot
from egad.terms.term import SELECT, Term, const, toposort, var
from egad.terms.types import Mat, Scalar, Tup, Vec
from egad.terms.value import Value, cast, literal, pack, scalar

F32, F64, I32, BOOL = Scalar.F32, Scalar.F64, Scalar.I32, Scalar.BOOL
RULES = load()
X, Y = scalar(var("x", F64)), scalar(var("y", F64))
N, B = scalar(var("n", I32)), scalar(var("b", BOOL))


def vector(name, size=3, type_=F64):
    slot = Slot(name, Vec(type_, size))
    return Value(slot.type, tuple(slot.leaves()))


def matrix(name, rows, cols):
    slot = Slot(name, Mat(F64, rows, cols))
    return Value(slot.type, tuple(slot.leaves()))


V, W = vector("v"), vector("w")


def call(name, *args, real=F64):
    return apply(RULES, name, args, real)


def computed(value, **inputs):
    """The value with NumPy; inputs are numbers and arrays by parameter."""
    types = {"v": V.type, "w": W.type, "n": I32, "b": BOOL, "x": F64, "y": F64}
    slots, flat = [], {}
    for name, given_value in inputs.items():
        array = np.asarray(given_value)
        shape = {1: lambda a: Vec(F64, *a.shape), 2: lambda a: Mat(F64, *a.shape)}
        slot = Slot(name, shape[array.ndim](array) if array.ndim else types[name])
        slots.append(slot)
        flat |= dict(zip(slot.paths(), array.ravel().tolist(), strict=True))
    results = tuple(Slot(f"o{i}", t.type) for i, t in enumerate(value.leaves))
    program = Program("f", tuple(slots), results, tuple((t,) for t in value.leaves))
    return [r.item() for r in evaluate(program, RULES, flat)]


def test_a_plain_operator_is_one_term():
    assert call("sin", X).term is Term("sin", X.leaves, None, F64)
    assert call("add", X, Y).term is Term("add", (*X.leaves, *Y.leaves), None, F64)


def test_vectors_component_by_component():
    found = call("sin", V)
    assert found.type == V.type and [t.args[0] for t in found.leaves] == list(V.leaves)
    mixed = call("mul", V, X)
    assert mixed.type == V.type and all(t.args[1] is X.term for t in mixed.leaves)
    m = matrix("m", 2, 2)
    assert call("add", m, m).type == m.type


def test_products_of_matrices_and_vectors():
    a, v = np.arange(1.0, 7).reshape(2, 3), np.array([1.0, -2, 3])
    b = np.arange(6.0).reshape(3, 2)
    m, n = matrix("m", 2, 3), matrix("k", 3, 2)
    np.testing.assert_array_equal(computed(call("matmul", m, V), m=a, v=v), a @ v)
    np.testing.assert_array_equal(computed(call("matmul", m, n), m=a, k=b), (a @ b).ravel())


VECTORS = {
    "dot": lambda a, b: [a @ b],
    "cross": np.cross,
    "distance": lambda a, b: [np.linalg.norm(a - b)],
    "reflect": lambda a, b: a - 2 * (a @ b) * b,
}


@pytest.mark.parametrize("name", VECTORS)
def test_functions_of_vectors(name):
    a, b = np.array([1.0, 2, 3]), np.array([-0.5, 0.25, 2])
    found = computed(call(name, V, W), v=a, w=b)
    np.testing.assert_allclose(found, VECTORS[name](a, b), rtol=1e-15)


def test_a_tuple_of_vectors():
    found = call("sincos", V)
    assert found.type == Tup((V.type, V.type))
    a = np.array([0.5, 1.0, 2.0])
    np.testing.assert_array_equal(computed(found, v=a), [*np.sin(a), *np.cos(a)])


def test_types_meet():
    assert call("add", N, X).term is Term("add", (cast(N.term, F64), X.term), None, F64)
    assert call("add", N, N).type is I32
    assert call("div", N, N).type is F64  # Python's division
    assert call("add", B, B).type is I32
    assert call("lt", N, X).type is BOOL
    assert call("sqrt", N, real=F32).type is F32
    assert call("add", literal(1, F64), X).term.args[0] is const(1.0, F64)


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("sinn", (X,), r"no operator 'sinn'; did you mean 'sin'"),
        ("atan2", (X,), r"atan2\(double\) does not exist; use atan2\(y, x\)"),
        ("cross", (V, vector("u", 2)), r"use cross\("),
        ("add", (V, vector("u", 2)), "the shapes differ"),
        ("add", (pack([X, X]), X), "does not exist"),
        ("dot", (X, X), r"dot\(double, double\) does not exist"),
    ],
)
def test_what_cannot_be_applied(name, args, text):
    at = Span("user.py", 3, 5)
    with pytest.raises(TraceError, match=text) as caught:
        apply(RULES, name, args, F64, at)
    assert caught.value.at is at


def test_signatures():
    assert signature(RULES.operator("atan2")) == "atan2(y, x)"
    assert signature(RULES.operator("cross")) == "cross(a: vec3, b: vec3)"


def test_functions_without_derivative_are_expanded_at_once():
    rules = loads("def twice(x) -> y:\n    y = 2 * x\n", "mine.rules")
    found = apply(rules, "twice", [X], F64).term
    assert found is Term("mul", (const(2.0, F64), X.term), None, F64)
    assert call("softplus", X).term.op == "softplus"


def test_constants_decide_a_select():
    assert call("select", literal(True, F64), X, Y).term is X.term
    assert call("select", B, X, Y).term is Term(SELECT, (B.term, X.term, Y.term), None, F64)
    assert call("select", N, X, N).term.args[0] is truth(N.term)


def test_truth():
    assert truth(B.term) is B.term
    assert truth(const(0.0, F64)) is const(False, BOOL)
    assert truth(X.term).op == "ne"


@pytest.mark.parametrize("n", [*range(-9, 18), 31, 63, 64, -64])
def test_integer_powers_are_multiplications(n):
    found = power(RULES, X, literal(n, F64), F64)
    ops = [t.op for t in toposort([found.term]) if t.args]
    assert set(ops) <= {"mul", "div"}
    assert ops.count("mul") <= 2 * max(abs(n).bit_length() - 1, 0)
    assert computed(found, x=1.25) == pytest.approx([1.25**n], rel=1e-13)


def test_other_powers_are_an_operator():
    for exponent in (Y, literal(0.5, F64), literal(65, F64), N):
        assert power(RULES, X, exponent, F64).term.op == "pow"
    assert power(RULES, X, literal(2.0, F64), F64).term.op == "mul"
    assert power(RULES, N, literal(2, F64), F64).type is I32
    squares = power(RULES, V, literal(2, F64), F64)
    assert squares.type == V.type and {t.op for t in squares.leaves} == {"mul"}


def test_branches_over_values():
    c = B.term
    assert select_values(RULES, c, X, X, F64) is X
    assert select_values(RULES, const(False, BOOL), X, Y, F64) is Y
    found = select_values(RULES, c, pack([X, V]), pack([Y, W]), F64)
    assert [t.op for t in found.leaves] == [SELECT] * 4
    mixed = select_values(RULES, c, pack([X, N]), pack([N, N]), F64)
    assert mixed.type == Tup((F64, I32)) and mixed.leaves[1] is N.term
    for a, b in ((X, V), (X, pack([X])), (B, X), (V, vector("u", 2))):
        assert select_values(RULES, c, a, b, F64) is None


def test_instantiation_builds_shared_parts_once():
    x = var("x")
    e = Term("sin", (x,))
    value = instantiate(RULES, Term("mul", (e, e)), {"x": X}, F64)
    assert value.term is Term("mul", (call("sin", X).term,) * 2, None, F64)


@settings(max_examples=60, deadline=None)
@given(st.integers(-100, 100), st.integers(-100, 100).filter(bool))
def test_integer_operators_are_those_of_python(a, b):
    n, m = literal(a, F64), Value(I32, (var("n", I32),))
    for name, wanted in (("floor_div", a // b), ("floor_mod", a % b), ("sub", a - b)):
        assert computed(call(name, n, m), n=b) == [wanted]


def test_extreme_numbers_go_through():
    assert computed(call("mul", X, literal(math.inf, F64)), x=-1.0) == [-math.inf]
    assert math.copysign(1, computed(call("mul", X, literal(-0.0, F64)), x=1.0)[0]) == -1
