"""Rules of functions over one of several structs: derivatives are of the struct that is there."""

import math
import re

import numpy as np
import pytest

from egad import TraceError, custom_bwd, custom_fwd, derive, diff_pair, struct

pytestmark = pytest.mark.numbers


@struct
class Ball:
    r: float


@struct
class Box:
    w: float
    h: float


def plain(s: Ball | Box) -> float:
    return s.r * s.r if isinstance(s, Ball) else s.w * s.h


def of_results(x: float, g: Ball | Box):
    return 2.0 * g.r if isinstance(g, Ball) else 3.0 * g.w + 5.0 * g.h


@custom_bwd(of_results)
def made(x: float) -> Ball | Box:
    if x > 0:
        return Ball(2.0 * x)
    return Box(3.0 * x, 5.0 * x)


@custom_fwd(lambda p: diff_pair(p.p, p.d))
def passed_forward(s: Ball | Box) -> Ball | Box:
    return s


def _back(s: Ball | Box, g: Ball | Box):
    if isinstance(s, Ball):
        return Ball(g.r) if isinstance(g, Ball) else None
    return Box(g.w, g.h) if isinstance(g, Box) else None


@custom_bwd(_back)
def passed_back(s: Ball | Box) -> Ball | Box:
    return s


@pytest.mark.parametrize("x", [1.5, -1.5])
def test_a_rule_gets_the_cotangent_of_the_struct_that_its_result_is(x):
    def f(x: float) -> float:
        return plain(made(x))

    bwd, step = derive(f, dtype="float64"), 1e-6
    slope = (f(x + step) - f(x - step)) / (2 * step)
    for way in (bwd, bwd.reference):
        np.testing.assert_allclose(way(x, 1.0).x, slope, rtol=1e-8)


@pytest.mark.parametrize(
    ("s", "d", "slope"),
    [(Ball(3.0), Ball(0.5), 3.0), (Box(2.0, 3.0), Box(0.5, 0.25), 2.0)],
)
def test_a_rule_gets_the_tangent_of_the_struct_that_its_argument_is(s, d, slope):
    fwd = derive(lambda s: plain(passed_forward(s)), "fwd", types={"s": Ball | Box})
    for way in (fwd, fwd.reference):
        assert tuple(way(diff_pair(s, d))) == (plain(s), slope)


@pytest.mark.parametrize(
    ("s", "gradient"), [(Ball(3.0), Ball(6.0)), (Box(2.0, 3.0), Box(3.0, 2.0))]
)
def test_none_stands_for_zero_of_the_struct_that_is_there(s, gradient):
    bwd = derive(lambda s: plain(passed_back(s)), types={"s": Ball | Box})
    for way in (bwd, bwd.reference):
        assert way(s, 1.0).s == gradient


def test_none_on_a_condition_is_zero():
    @custom_bwd(lambda s, g: Ball(g) if g > 2.0 else None)
    def radius(s: Ball) -> float:
        return s.r

    bwd = derive(lambda s: radius(s), types={"s": Ball})
    assert [bwd(Ball(1.0), g).s.r for g in (1.0, 3.0)] == [0.0, 3.0]


def test_a_cotangent_of_another_struct_than_the_argument_is_nothing_known():
    @custom_bwd(lambda s, g: Ball(g) if g > 0 else Box(g, g))
    def size(s: Ball | Box) -> float:
        return plain(s)

    bwd = derive(lambda s: size(s), types={"s": Ball | Box})
    for way in (bwd, bwd.reference):
        assert way(Ball(1.0), 2.0).s == Ball(2.0)
        assert way(Box(1.0, 2.0), -2.0).s == Box(-2.0, -2.0)
        wrong = way(Box(1.0, 2.0), 2.0).s
        assert math.isnan(wrong.w) and math.isnan(wrong.h)


def _always_a_ball(s: Ball | Box, g: float):
    return Ball(g)


def _exchanged(s: Ball | Box, g: float):
    return Box(g, g) if isinstance(s, Ball) else Ball(g)


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (_always_a_ball, "_always_a_ball returns is a Ball where the argument is a Box"),
        (_exchanged, "_exchanged returns is a Box where the argument is a Ball"),
    ],
)
def test_a_rule_that_gives_a_struct_only_cotangents_of_others_is_an_error(rule, what):
    @custom_bwd(rule)
    def size(s: Ball | Box) -> float:
        return plain(s)

    with pytest.raises(TraceError, match=re.escape(f"the cotangent of 's' that {what}")) as caught:
        derive(lambda s: size(s), types={"s": Ball | Box})
    assert "isinstance says which one it is" in caught.value.hint
    assert caught.value.at.text.startswith(f"def {rule.__name__}(")


def test_a_forward_rule_whose_tangent_is_of_another_struct_is_an_error():
    def rule(p):
        return diff_pair(p.p, Ball(1.0))

    @custom_fwd(rule)
    def same(s: Ball | Box) -> Ball | Box:
        return s

    message = "the tangent of the pair that rule returns is a Ball where its value is a Box"
    with pytest.raises(TraceError, match=message):
        derive(lambda s: plain(same(s)), "fwd", types={"s": Ball | Box})
