"""Values: components, literals, casts, and the type in which terms meet."""

import pytest

from egad.terms.term import CAST, Term, const, const_value, var
from egad.terms.types import Mat, Scalar, Tup, Vec
from egad.terms.value import Value, cast, convert, literal, pack, promote, retype, scalar, stack

F16, F32, F64, I32, BOOL = Scalar.F16, Scalar.F32, Scalar.F64, Scalar.I32, Scalar.BOOL
LOOSE = Scalar.LOOSE
X, N, B, D = var("x", F32), var("n", I32), var("b", BOOL), var("d", F64)
M = Value(Mat(F32, 2, 3), tuple(var(f"m{i}", F32) for i in range(6)))
V = Value(Vec(F32, 3), tuple(var(f"v{i}", F32) for i in range(3)))


def test_items_rows_and_columns():
    assert [t.attr for t in V.item(1).leaves] == ["v1"] and len(V) == 3
    assert M.item(1) == Value(Vec(F32, 3), M.leaves[3:]) and len(M) == 2
    assert M.column(2) == Value(Vec(F32, 2), (M.leaves[2], M.leaves[5]))
    both = pack([scalar(N), M, V])
    assert both.type == Tup((I32, M.type, V.type)) and both.items() == [scalar(N), M, V]
    assert len(scalar(X)) == 0
    with pytest.raises(TypeError, match="no items"):
        scalar(X).item(0)
    with pytest.raises(ValueError):
        V.term  # noqa: B018


def test_stacking():
    assert stack([scalar(X), scalar(N)]) == Value(Vec(F32, 2), (X, cast(N, F32)))
    assert stack([V, V]).type == Mat(F32, 2, 3)
    assert stack([V, V]).item(1) == V
    assert stack([scalar(X)]) is None and stack([V, scalar(X)]) is None
    assert stack([scalar(X)] * 5) is None and stack([M, M]) is None


def test_literals():
    assert literal(True, F32).term is const(True, BOOL)
    assert literal(7, F32).term is const(7, I32)
    assert literal(-(2**31), F32).term.type is I32
    assert literal(2**32, F32).term is const(2**32, LOOSE)
    assert literal(0.1, F64).term is const(0.1, F64)


@pytest.mark.parametrize(
    ("terms", "meet"),
    [
        ((X, D), F64),
        ((N, X), F32),
        ((N, B), I32),
        ((B, B), BOOL),
        ((var("h", F16), X), F32),
        ((const(2.0, F64), X), F64),  # asked for: double(2.0) * x
        ((const(2.0, F32), D), F64),  # constants adapt
        ((const(2.0, F32), var("h", F16)), F16),
        ((const(2.0, F32), N), F32),
        ((const(2, I32), B), I32),
    ],
)
def test_where_terms_meet(terms, meet):
    assert promote(terms, F32) is promote(terms[::-1], F32) is meet


def test_casts():
    assert cast(X, F32) is X
    assert cast(N, F32) is Term(CAST, (N,), None, F32)
    assert cast(const(3, I32), F64) is const(3.0, F64)
    assert const_value(cast(const(-2.7, F32), I32)) == -2
    assert cast(const(True, BOOL), I32) is const(1, I32)
    for outside in (1e20, float("inf"), float("nan")):
        assert cast(const(outside, F64), I32).op == CAST


def test_conversion_keeps_the_shape():
    wide = convert(V, Vec(F64, 3))
    assert wide.type == Vec(F64, 3) and all(t.op == CAST for t in wide.leaves)
    assert convert(V, V.type) is V
    assert convert(V, Vec(F32, 2)) is None and convert(scalar(X), V.type) is None
    assert convert(M, Mat(F32, 3, 2)) is None
    assert convert(pack([scalar(N), V]), Tup((F32, Vec(F64, 3)))).leaves[0].type is F32
    assert convert(pack([V]), Tup((F32,))) is None


def test_retype():
    nested = Tup((V.type, I32), ("v", "n"))
    assert retype(nested, F64) == Tup((Vec(F64, 3), F64), ("v", "n"))
    assert retype(M.type, BOOL) == Mat(BOOL, 2, 3)
