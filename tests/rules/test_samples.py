"""The points at which rules are tried: what is among them."""

import itertools

import numpy as np
import pytest

from egad.rules.checker.samples import patterns, points
from egad.rules.checker.thresholds import thresholds
from egad.terms.rule import Parameter
from egad.terms.term import Term, const, var

INT, BOOL = Parameter("n", "int"), Parameter("c", "bool")
X, Y, Z, W = (Parameter(name) for name in "xyzw")


def kinds(dtype):
    """The numbers that make trouble in floats."""
    info = np.finfo(dtype)
    zero = dtype(0)
    return {
        "zero": lambda v: (v == zero) & ~np.signbit(v),
        "minus zero": lambda v: (v == zero) & np.signbit(v),
        "nan": np.isnan,
        "infinity": np.isposinf,
        "minus infinity": np.isneginf,
        "subnormal": lambda v: (v != 0) & (np.abs(v) < info.tiny),
        "largest": lambda v: np.abs(v) == info.max,
        "ordinary": lambda v: v == dtype(0.1),
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("params", [[X, Y], [X, Y, Z], [X, Y, Z, W], [BOOL, X, Y], [BOOL, X, Y, Z]])
def test_every_two_odd_numbers_meet_in_every_two_places(params, dtype):
    env = patterns(params, "demo", dtype)
    reals = [p.name for p in params if p.kind == "real"]
    for a, b in itertools.combinations(reals, 2):
        for (one, first), (two, second) in itertools.product(kinds(dtype).items(), repeat=2):
            assert (first(env[a]) & second(env[b])).any(), (a, one, b, two)
        for c in (n for n in env if n == "c"):
            for truth, first in itertools.product((True, False), kinds(dtype).values()):
                assert ((env[c] == truth) & first(env[a])).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_three_odd_numbers_meet(dtype):
    env = patterns([X, Y, Z], "demo", dtype)
    odd = {k: v for k, v in kinds(dtype).items() if k not in ("largest", "ordinary")}
    for picked in itertools.product(odd.values(), repeat=3):
        assert np.logical_and.reduce([f(env[n]) for f, n in zip(picked, "xyz", strict=True)]).any()


def test_whole_numbers_meet_in_pairs():
    env = patterns([INT, Parameter("m", "int"), Parameter("k", "int")], "demo", np.float32)
    for a, b in itertools.combinations(env.values(), 2):
        assert {(0, -(2**31)), (2**31 - 1, -1)} <= set(zip(a.tolist(), b.tolist(), strict=True))
    assert all(v.dtype == np.int32 for v in env.values())


def test_whole_numbers_are_of_all_magnitudes_and_between_the_numbers_compared_with():
    params = [INT, Parameter("m", "int"), Parameter("k", "int")]
    for chosen in (params[:1], params):
        for column in patterns(chosen, "demo", np.float32).values():
            bits = {int(v).bit_length() for v in column.tolist()}
            assert bits == set(range(33))
    env = patterns(params, "demo", np.float32, near=[29.0])
    inside = [((v > 29) & (v < 59)) for v in env.values()]
    assert np.logical_and.reduce(inside).sum() > 25


def test_both_sides_of_a_threshold_are_tried():
    x = var("x")
    test = Term("lt", (Term("abs", (x,)), const(0.3)))
    assert thresholds(Term("select", (test, x, const(7.0)))) == [0.3]
    tried = [p["x"] for p in points([X], "demo", 0, thresholds(test))]
    assert {0.3, -0.3} <= set(tried)
    assert any(0.299 < v < 0.3 for v in tried) and any(0.3 < v < 0.301 for v in tried)


def test_large_meets_tiny():
    tried = {(p["x"], p["y"]) for p in points([X, Y], "demo", 0)}
    assert {(1e3, 1e-3), (-1e-3, 1e3)} <= tried
