"""Types: names, components, shapes."""

import doctest
import pickle
from itertools import product

import pytest

from egad.terms import types
from egad.terms.types import (
    Mat,
    Scalar,
    Tup,
    Vec,
    is_differentiable,
    leaf_paths,
    leaf_types,
    parse_type,
    shape_of,
    type_name,
)

F32, F64, F16, I32, BOOL = Scalar.F32, Scalar.F64, Scalar.F16, Scalar.I32, Scalar.BOOL
WORDS = [
    f"{kind}{shape}"
    for kind in ("float", "double", "half", "int", "bool")
    for shape in ("", *"234", *("x".join(p) for p in product("234", repeat=2)))
]


@pytest.mark.parametrize("word", WORDS)
def test_names_are_read_and_written_back(word):
    assert type_name(parse_type(word, F32)) == word


def test_float_is_the_precision_asked_for():
    assert parse_type("float", F64) is F64
    assert parse_type("float2x3", F16) == Mat(F16, 2, 3)
    assert parse_type("double", F32) is F64 and parse_type("half4", F64) == Vec(F16, 4)


@pytest.mark.parametrize("word", ["", "float1", "float5", "float2x5", "float23", "floats", "flt"])
def test_what_is_no_type(word):
    assert parse_type(word, F32) is None


PAIR = Tup((Vec(F32, 2), I32), ("p", "n"))


@pytest.mark.parametrize(
    ("type_", "paths", "shape"),
    [
        (F32, [""], ()),
        (Vec(F32, 3), [".x", ".y", ".z"], (3,)),
        (Mat(F64, 2, 3), [f"[{i}][{j}]" for i in range(2) for j in range(3)], (2, 3)),
        (PAIR, [".p.x", ".p.y", ".n"], (3,)),
        (Tup((F32, Tup((BOOL,)))), ["[0]", "[1][0]"], (2,)),
    ],
)
def test_components(type_, paths, shape):
    assert list(leaf_paths(type_)) == paths
    assert len(leaf_types(type_)) == len(paths)
    assert shape_of(type_) == shape


def test_component_types_and_derivatives():
    assert leaf_types(PAIR) == (F32, F32, I32)
    assert is_differentiable(PAIR) and is_differentiable(Scalar.REAL)
    assert not is_differentiable(Vec(I32, 2)) and not is_differentiable(BOOL)
    assert not is_differentiable(Tup(()))


def test_types_are_values():
    assert Vec(F32, 2) == Vec(F32, 2) != Vec(F64, 2)
    assert pickle.loads(pickle.dumps(PAIR)) == PAIR
    assert pickle.loads(pickle.dumps(F32)) is F32
    assert str(PAIR) == "tuple[float2, int]"


def test_doctests():
    result = doctest.testmod(types)
    assert result.attempted and not result.failed
