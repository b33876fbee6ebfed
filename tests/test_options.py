"""What `derive` and the words of egad are given by mistake: errors that say what to write."""

import re

import numpy as np
import pytest

import egad
from egad import Array, DeriveError, RuleError, TraceError, derive


def f(a: float, x: float) -> float:
    return a * x * x


@pytest.mark.parametrize(
    ("option", "near", "hint"),
    [
        ("wrtt", "did you mean 'wrt'?", "its options are wrt, rules, math"),
        ("argnums", "did you mean 'wrt'?", "its options are"),
        ("precision", "did you mean 'dtype'?", "its options are"),
        ("max_iters", "", "a statement in the function, before the loop"),
        ("order", "", "derive(derive(f))"),
    ],
)
def test_options_that_there_are_not(option, near, hint):
    with pytest.raises(DeriveError) as caught:
        derive(f, **{option: 3})
    assert f"derive has no option {option!r}" in str(caught.value)
    assert near in caught.value.message and hint in caught.value.hint
    assert caught.value.at.file == __file__


@pytest.mark.parametrize("size", [10**12, 0, -1, 2.5, True])
def test_arrays_have_a_number_of_elements(size):
    message = re.escape(f"an array has 1 to {2**24} elements, not {size!r}")
    with pytest.raises(TraceError, match=message) as caught:
        Array[float, size]
    assert caught.value.at.file == __file__


def test_arrays_are_said_with_type_and_length():
    with pytest.raises(TraceError, match="Array takes a type and a length"):
        Array[float]


@pytest.mark.parametrize("said", ["Array[float, 10**12]", "Array[float, -1]", "Array[float]"])
def test_arrays_in_annotations(said):
    def first(x):
        return x[0]

    first.__annotations__["x"] = said
    with pytest.raises(TraceError, match=r"an array has 1 to|Array takes"):
        derive(first, types={"x": said})


@pytest.mark.parametrize("said", [Array[float, 2, 3], "Array[float, 2, 3]"])
def test_arrays_of_rows(said):
    def total(m):
        assert m.shape == (2, 3)
        return m[1, 2] * m[0, 0]

    found = derive(total, types={"m": said})([[2.0, 0.0, 0.0], [0.0, 0.0, 5.0]], 1.0)
    assert found.m.tolist() == [[5.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    assert Array[float, 2, 3] == Array[Array[float, 3], 2]


@pytest.mark.parametrize("said", [np.ndarray, "np.ndarray", list[float], "list[float]"])
def test_lengths_that_the_argument_decides(said):
    def total(m, k):
        return k * sum(v * v for v in m)

    found = derive(total, types={"m": said}, dtype="float64")
    assert found([3.0, 4.0], 2.0, 1.0).m.tolist() == [12.0, 16.0]
    assert found([1.0, 2.0, 3.0], 2.0, 1.0).k == 14.0


def test_lengths_are_computed():
    def last(x: Array[float, 2**3 // 4 + 1]) -> float:
        return x[2]

    assert derive(last)([1.0, 2.0, 3.0], 1.0).x.tolist() == [0.0, 0.0, 1.0]


def test_words_that_are_no_decorators():
    with pytest.raises(TraceError, match="the function g is no value to be detached") as e:

        @egad.no_diff
        def g(x: float) -> float:
            return x

    assert e.value.at.text.strip() == "@egad.no_diff"

    with pytest.raises(TraceError, match="struct decorates a class, not"):

        @egad.struct
        def h(x: float) -> float:
            return x


def test_what_is_traced():
    with pytest.raises(TraceError, match="traced takes a function, not 3"):
        egad.traced(3)
    with pytest.raises(TraceError, match="params='x' is not a list of names and types"):
        egad.traced(f, params="x")


def test_what_is_explained():
    with pytest.raises(RuleError, match="3 names no rule"):
        egad.explain_rule(3)
