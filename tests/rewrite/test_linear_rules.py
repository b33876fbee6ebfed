"""A forward rule has a backward side where it is linear in its tangents, and else is refused."""

import math

import pytest

from egad import custom_fwd_of, derive, diff_pair, dot, float2, fwd_diff, length, lerp
from egad.terms.errors import DeriveError


def wave(x):
    return math.sin(x) * x


def mixed(a, b):
    return a * b + a * 2.0


def in_a_loop(p, x):
    total = 0.0
    for k in range(100):
        total += p.d * k * x.p
    return total


def beside_a_loop(p, x):
    total = 0.0
    for k in range(100):
        total += p.p * k * x.p
    return total * p.d


def more_than_a_loop(p, x):
    total = 0.0
    for k in range(100):
        total += p.p * k * x.p
    return total + p.d


LINEAR = {
    "usual": lambda p, x: p.d * x.p + x.d * p.p,
    "twice": lambda p, x: p.d + p.d,
    "of one": lambda p, x: 2 * p.d - p.d * x.p,
    "quotient": lambda p, x: -(p.d - x.d) / x.p,
    "arms": lambda p, x: p.d * x.p if x.p > 0.5 else p.d * 3.0 - x.d,
    "an arm of zero": lambda p, x: 0.0 if x.p > 0.5 else x.d / p.p,
    "vectors": lambda p, x: dot(float2(p.d, x.d), float2(x.p, p.p)),
    "norm of values": lambda p, x: length(float2(x.p, p.p)) * p.d,
    "mixture": lambda p, x: lerp(p.d, x.d, x.p),
    "helper": lambda p, x: mixed(p.d, x.p),
    "derivative": lambda p, x: fwd_diff(wave)(p).d * x.p,
    "sum": lambda p, x: sum([p.d * k for k in range(4)]),
    "nothing": lambda p, x: 0.0,
    "times zero": lambda p, x: 0.0 * p.d,
    "hidden zero": lambda p, x: p.d * x.p + (p.p - p.p),
    "without a tangent": lambda p, x: 0.0 if p.d == 0.0 else p.d * x.p,
    "by halves": lambda p, x: max(p.d, 0.0) + min(p.d, 0.0),
    "by sign": lambda p, x: abs(p.d) * (1.0 if p.d >= 0.0 else -1.0) * math.log(x.p),
    "square over itself": lambda p, x: (p.d * p.d) / p.d * x.p,
    "difference of values": lambda p, x: (wave(p.p + 1e-6 * p.d) - wave(p.p)) / 1e-6,
    "loop": in_a_loop,
    "beside a loop": beside_a_loop,
}

NOT_LINEAR = {
    "product": lambda p, x: p.d * x.d,
    "and one": lambda p, x: p.d * x.p + 1.0,
    "and a value": lambda p, x: p.d * x.p + p.p,
    "one": lambda p, x: 1.0,
    "value": lambda p, x: p.p * x.p,
    "larger": lambda p, x: max(p.d, x.d),
    "size": lambda p, x: abs(p.d),
    "square": lambda p, x: p.d**2,
    "choice": lambda p, x: p.d if p.d > x.d else x.d * 2.0,
    "divided by": lambda p, x: p.p / p.d,
    "norm": lambda p, x: math.sqrt(p.d * p.d + x.d * x.d),
    "function": lambda p, x: math.sin(p.d),
    "steps": lambda p, x: math.floor(p.d),
    "and a loop": more_than_a_loop,
}


def ruled(tangent):
    """A function with a forward rule."""

    def times(p: float, x: float) -> float:
        return p * x

    @custom_fwd_of(times)
    def rule(p, x):
        return diff_pair(p.p * x.p, tangent(p, x))

    def f(p: float, x: float) -> float:
        return times(p, x) * 3.0

    return f


@pytest.mark.parametrize("name", LINEAR)
def test_linear_rules_are_transposed(name):
    f = ruled(LINEAR[name])
    backward, forward = (derive(f, mode, dtype="float64") for mode in ("bwd", "fwd"))
    for p, x in [(1.25, 0.75), (-2.0, 0.25), (0.5, 3.0)]:
        seeds = [(1.0, 0.0), (0.0, 1.0)]
        slopes = [forward.reference(diff_pair(p, a), diff_pair(x, b)).d for a, b in seeds]
        slopes = [0.0 if math.isnan(s) else s for s in slopes]  # 0 / 0 of a tangent that is 0
        assert [*backward.reference(p, x, 1.0)] == pytest.approx(slopes, rel=1e-3)


@pytest.mark.parametrize("name", NOT_LINEAR)
@pytest.mark.parametrize("mode", ["bwd", "value_and_grad"])
def test_others_are_refused(name, mode):
    f = ruled(NOT_LINEAR[name])
    with pytest.raises(DeriveError, match="rule, the forward rule of times, is not linear"):
        derive(f, mode)
    derive(f, "fwd")
