"""A forward rule has a backward side where it is linear in its tangents, and else is refused."""

import math

import pytest

from egad import (
    custom_fwd_of,
    derive,
    diff_pair,
    dot,
    float2,
    float2x2,
    float3,
    fwd_diff,
    inverse,
    length,
    lerp,
)
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


def norm(v: float3) -> float:
    return length(v)


@custom_fwd_of(norm)
def norm_forward(v):
    size = length(v.p)
    return diff_pair(size, dot(v.p, v.d) / size if size > 0.0 else length(v.d))


def test_a_rule_that_is_linear_but_at_one_point():
    """Where the norm is 0 its rule is no linear one: a cone has no slope there."""
    gradient = derive(lambda v: norm(v), "bwd", types={"v": float3}, dtype="float64")
    found = gradient.reference([1.0, 2.0, 2.0], 3.0).v
    assert found == pytest.approx([1.0, 2.0, 2.0])


def inverse_of(m: float2x2) -> float2x2:
    return inverse(m)


@custom_fwd_of(inverse_of)
def inverse_forward(m):
    found = inverse(m.p)
    return diff_pair(found, -(found @ m.d @ found))


def test_products_of_matrices():
    """The gradient is that of the inverse without a rule."""

    def entry(m: float2x2) -> float:
        return inverse_of(m)[0][1]

    def plain(m: float2x2) -> float:
        return inverse(m)[0][1]

    m = [[1.0, 2.0], [3.0, 5.0]]
    found, want = (derive(f, "bwd", dtype="float64").reference(m, 1.0).m for f in (entry, plain))
    assert [*found.flat] == pytest.approx([*want.flat])
