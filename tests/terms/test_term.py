"""Terms: interned, immutable, and never walked by recursion."""

import copy
import gc
import math
import pickle
import struct
import threading
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from egad.terms.term import (
    Term,
    const,
    const_value,
    fold,
    from_table,
    is_const,
    rebuild,
    substitute,
    to_table,
    toposort,
    var,
)
from egad.terms.types import Scalar

F, F32, I32, BOOL = Scalar.F64, Scalar.F32, Scalar.I32, Scalar.BOOL
X, Y = var("x", F), var("y", F)


def op(name, *args):
    return Term(name, args, None, F)


def bits(value):
    return struct.pack("<d", value)


def test_equal_terms_are_one_object():
    assert op("add", X, Y) is op("add", X, Y)
    assert op("add", X, Y) is not op("add", Y, X)
    assert var("x", F) is not var("x", F32)
    assert Term("f", (X,), 1, F) is not Term("f", (X,), 2, F)


def test_terms_cannot_be_changed():
    with pytest.raises(AttributeError, match="immutable"):
        X.op = "y"
    with pytest.raises(AttributeError):
        X.other = 1


def test_terms_that_nobody_holds_are_forgotten():
    term = op("f", op("held by its user only", X))
    inner, outer = weakref.ref(term.args[0]), weakref.ref(term)
    del term
    gc.collect()
    assert inner() is None and outer() is None


def test_threads_make_the_same_terms():
    found = []

    def work():
        term = X
        for i in range(2000):
            term = op("add", term, const(float(i), F))
        found.append(term)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(map(id, found))) == 1


@given(st.floats())
def test_constants_keep_their_bits(value):
    assert bits(const_value(const(value, F))) == bits(value)


def test_constants_that_only_look_equal():
    assert const(0.0, F) is not const(-0.0, F)
    assert const(math.nan, F) is const(math.nan, F)
    payload = struct.unpack("<d", struct.pack("<q", 0x7FF8_0000_0000_0001))[0]
    assert const(payload, F) is not const(math.nan, F)
    assert const(1, I32) is not const(True, BOOL)
    assert const_value(const(7, BOOL)) is True and const_value(const(2.9, I32)) == 2


def test_is_const():
    assert is_const(const(1.0, F)) and not is_const(X)
    assert is_const(const(0.0, F), 0.0) and not is_const(const(-0.0, F), 0.0)
    assert is_const(const(1, I32), 1.0) and not is_const(X, 1.0)


def test_toposort_puts_arguments_first_and_each_term_once():
    shared = op("sin", X)
    root = op("add", op("mul", shared, Y), shared)
    assert toposort([root, shared]) == [X, shared, Y, root.args[0], root]
    assert toposort([]) == []


def test_fold_counts_paths():
    root = X
    for _ in range(60):
        root = op("add", root, root)
    counts = fold([root], lambda t, args: sum(args) if args else 1)
    assert counts[root] == 2**60


def test_rebuild_and_substitute():
    root = op("add", op("sin", X), X)
    assert rebuild(root, root.args) is root
    assert substitute([root, X], {X: Y}) == [op("add", op("sin", Y), Y), Y]
    assert substitute([root], {op("sin", X): Y}) == [op("add", Y, X)]
    assert substitute([op("add", X, Y)], {X: Y, Y: X}) == [op("add", Y, X)]  # at once


@st.composite
def graphs(draw):
    terms = [X, Y, const(draw(st.floats()), F), const(3, I32)]
    for _ in range(draw(st.integers(0, 12))):
        args = draw(st.lists(st.sampled_from(terms), max_size=3))
        attr = draw(st.none() | st.integers(0, 3))
        terms.append(Term(draw(st.sampled_from("fgh")), tuple(args), attr, F))
    return terms


@given(graphs())
def test_tables_and_pickles_give_the_same_terms(terms):
    assert from_table(to_table(terms)) == terms
    assert all(a is b for a, b in zip(pickle.loads(pickle.dumps(terms)), terms, strict=True))
    assert copy.deepcopy(terms[-1]) is terms[-1]


def test_depth_is_no_limit():
    term = X
    for _ in range(100_000):
        term = op("sin", term)
    assert len(toposort([term])) == 100_001
    assert pickle.loads(pickle.dumps(term)) is term
    assert repr(term) == "sin(sin)"
    (moved,) = substitute([term], {X: Y})
    assert moved is not term
    del term, moved  # and letting go of them does not recurse either
    gc.collect()


def test_repr_is_short():
    assert repr(X) == "x" and repr(const(-0.0, F)) == "-0.0"
    assert repr(op("add", X, op("mul", X, Y))) == "add(x, mul)"
