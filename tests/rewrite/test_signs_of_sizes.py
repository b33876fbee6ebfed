"""Sizes that are given the sign of their number: smooth where that is 0, however it is written."""

import math

import numpy as np
import pytest
from gaps import wanted

from egad import derive

pytestmark = pytest.mark.numbers


def symlog(x: float, c: float) -> float:
    return c * np.sign(x) * np.log1p(np.abs(x))


def copied(x: float, c: float) -> float:
    return c * math.copysign(math.log(1.0 + abs(x)), x)


def chosen(x: float, c: float) -> float:
    s = 1.0 if x >= 0.0 else -1.0
    return c * s * math.log(1.0 + abs(x))


def in_arms(x: float, c: float) -> float:
    return c * math.log(1.0 + abs(x)) if x >= 0.0 else -c * math.log(1.0 + abs(x))


def returned(x: float, c: float) -> float:
    if x < 0.0:
        return -c * math.log(1.0 + max(-x, 0.0))
    return c * math.log(1.0 + max(x, 0.0))


def above(x: float, c: float) -> float:
    return c * math.log(1.0 + x)


def companded(x: float, m: float) -> float:
    return math.copysign(math.log(1.0 + m * abs(x)) / math.log(1.0 + m), x)


def above_companded(x: float, m: float) -> float:
    return math.log(1.0 + m * x) / math.log(1.0 + m)


def between(x: float, y: float) -> float:
    return np.sign(x - y) * (np.exp(np.abs(x - y)) - 1.0)


def above_between(x: float, y: float) -> float:
    return math.exp(x - y) - 1.0


ODD = [(f, above) for f in (symlog, copied, chosen, in_arms)]
ODD += [(companded, above_companded), (between, above_between)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["value_and_grad", "jacobian"])
@pytest.mark.parametrize(("f", "half"), ODD, ids=[f.__name__ for f, _ in ODD])
def test_slopes_at_0_are_those_of_both_sides(f, half, mode, dtype):
    x, other = (0.75, 0.75) if f is between else (0.0, 3.0)
    want = wanted(half, (x, other))
    derived = derive(f, mode, dtype=dtype)
    for _, slopes in (derived(x, other), derived.reference(x, other)) if mode[0] == "v" else ():
        assert list(slopes) == pytest.approx(want[1:], rel=1e-6)
    if mode == "jacobian":
        assert list(derived(x, other)) == pytest.approx(want[1:], rel=1e-6)


@pytest.mark.parametrize("f", [symlog, copied, chosen, in_arms, returned])
def test_far_from_0_nothing_changes(f):
    derived = derive(f, "value_and_grad", dtype="float64")
    for x in (0.5, 20.0):
        value, *slopes = wanted(above, (x, 3.0))
        assert derived(x, 3.0)[0] == pytest.approx(value, rel=1e-14)
        assert list(derived(x, 3.0)[1]) == pytest.approx(slopes, rel=1e-14)
        assert derived(-x, 3.0)[0] == pytest.approx(-value, rel=1e-14)
        assert list(derived(-x, 3.0)[1]) == pytest.approx([slopes[0], -slopes[1]], rel=1e-14)


def test_a_limit_has_the_side_of_the_comparison_beside_it():
    slopes = derive(returned, "jacobian", dtype="float64")(0.0, 3.0)
    assert list(slopes) == pytest.approx(wanted(above, (0.0, 3.0))[1:], abs=1e-15)


def test_a_sign_that_does_not_belong_to_a_size_keeps_its_slopes():
    derived = derive(lambda x, y: np.sign(x) * y + abs(x), "jacobian", dtype="float64")
    assert list(derived(0.0, 2.0)) == [0.0, 0.0]
    assert list(derived(-1.0, 2.0)) == [-1.0, -1.0]
