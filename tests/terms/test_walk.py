"""Walks that do not recurse."""

import pytest

from egad.terms.loop import bound
from egad.terms.term import CONSTANT, FREE, Term, const, replaced, toposort, var
from egad.terms.types import Memory, Scalar
from egad.terms.walk import Cyclic, postorder


def test_what_is_below_comes_first_and_once():
    below = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": [], "e": ["a"]}
    assert postorder(["e", "c"], below.__getitem__) == ["d", "b", "c", "a", "e"]


def test_a_circle_is_named():
    below = {"a": ["b"], "b": ["c"], "c": ["b"]}
    with pytest.raises(Cyclic) as caught:
        postorder(["a"], below.__getitem__)
    assert caught.value.args == ("b",)


def test_deep_graphs():
    assert postorder([100_000], lambda n: [n - 1] if n else []) == list(range(100_001))


def test_scopes():
    x, outer, inner = var("x"), bound("s", Scalar.REAL), bound("t", Scalar.REAL)
    one = const(1.0)
    assert (one.scope, Term("sin", (one,)).scope, x.scope) == (CONSTANT, CONSTANT, FREE)
    assert Term("add", (one, x)).scope == FREE
    assert Term("add", (outer, x)).scope == outer.scope < inner.scope
    assert Term("add", (outer, inner)).scope == inner.scope
    # What a loop or a memory gives is no constant, whatever it is made of.
    assert Term("proj", (one,), 0).scope == FREE
    assert (
        Term(
            "store", (Term("memory", (), None, Memory(Scalar.F32, 2)),), None, Memory(Scalar.F32, 2)
        ).scope
        == FREE
    )


def test_a_walk_stops_at_older_scopes():
    x, outer, inner = var("x"), bound("s", Scalar.REAL), bound("t", Scalar.REAL)
    old = Term("sin", (Term("add", (outer, x)),))
    new = Term("mul", (old, inner))
    assert toposort([new], inner.scope) == [inner, new]
    done = replaced([new], {inner: x})
    assert set(done) == {inner, new}
    assert done[new] is Term("mul", (old, x))
