"""Functions with rules of their own: which rule runs, with what, and what it may return."""

import re

import numpy as np
import pytest

from egad import (
    Array,
    DeriveError,
    InOut,
    Out,
    Pair,
    TraceError,
    bwd_diff,
    custom_bwd,
    custom_bwd_of,
    custom_fwd,
    derive,
    detach,
    diff_pair,
    float3,
    fwd_diff,
    max_iters,
    no_diff,
    no_diff_this,
    non_differentiable,
    struct,
    treat_as_differentiable,
)

pytestmark = pytest.mark.numbers

table = [0.5, 1.5, 2.5]
found = [0.0, 0.0, 0.0]


def texel_fwd(k: int) -> Pair:
    return diff_pair(table[k], 1.0)


def texel_bwd(k: int, d):
    found[k] += d


@custom_fwd(texel_fwd)
@custom_bwd(texel_bwd)
def texel(k: int) -> float:
    return table[k]


def lit(k: int, x: float) -> float:
    return texel(k) * texel(k) * x


def lit_along(n: int) -> float:
    product = 1.0
    for i in range(n):
        product *= texel(i)
    return product


def lit_until(n: int, x: float) -> float:
    max_iters(5)
    while n > 0:
        n -= 1
        x *= texel(n)
    return x


def test_a_forward_rule_makes_tangents_also_where_nothing_varies():
    """d(texel^2 x) = 2 texel x + texel^2 dx; without x there is a derivative, too."""
    for run in (derive(lit, "fwd", dtype="float64"), derive(lit, "fwd", dtype="float64").reference):
        pair = run(1, diff_pair(2.0, 1.0))
        assert pair == diff_pair(4.5, 2 * 1.5 * 2.0 + 1.5 * 1.5)
        assert run(1, diff_pair(2.0, 0.0)).d == 6.0
    along = derive(lit_along, "fwd", dtype="float64")
    want = 0.5 * 1.5 * 2.5 * (1 / 0.5 + 1 / 1.5 + 1 / 2.5)
    assert along(3).d == pytest.approx(want)
    assert along.reference(3).d == pytest.approx(want)


def asked_inside(x: float) -> float:
    return x * fwd_diff(lit_along)(2).d


def test_it_is_so_inside_a_function():
    assert derive(asked_inside, "primal").reference(3.0) == pytest.approx(3.0 * 2.0)


def test_without_a_rule_nothing_can_be_differentiated():
    with pytest.raises(DeriveError, match="has no differentiable parameter"):
        derive(lambda k: 2 * int(k), "fwd", wrt=[])


@pytest.mark.parametrize("way", ["kernel", "reference", "checked"])
def test_rules_that_add_in_a_loop_that_is_checked(way):
    derived = derive(lit_until, "bwd", dtype="float64", check=way == "checked")
    call = derived.reference if way == "reference" else derived
    found[:] = [0.0, 0.0, 0.0]
    assert call(3, 2.0, 1.0).x == pytest.approx(0.5 * 1.5 * 2.5)
    np.testing.assert_allclose(found, 2.0 * 0.5 * 1.5 * 2.5 / np.array(table))


def cube(x: float) -> float:
    return x * x * x


def nested_until(x: float) -> float:
    total = 0.0
    max_iters(9)
    while x < 5.0:
        x += 1.0
        total += bwd_diff(cube)(x, 1.0)[0] + fwd_diff(cube)(diff_pair(x, 1.0)).d
    return total


def test_derivatives_inside_a_loop_that_is_checked():
    want = sum(2 * 3 * x * x for x in (3.5, 4.5, 5.5))
    for run in (derive(nested_until, "primal"), derive(nested_until, "primal", check=True)):
        assert run(2.5) == pytest.approx(want)
        assert run.reference(2.5) == pytest.approx(want)
    slope = sum(12 * x for x in (3.5, 4.5, 5.5))
    assert derive(nested_until, "bwd").reference(2.5, 1.0).x == pytest.approx(slope)


def one_bwd(x, d):
    return [7.0 * d]


@non_differentiable
def square(x: float) -> float:
    return x * x


def test_a_rule_makes_a_function_differentiable_that_was_not():
    """And its cotangents may come in a list."""
    with pytest.raises(DeriveError, match="'square' is not differentiable"):
        derive(lambda x: square(x), "bwd")
    custom_bwd_of(square)(one_bwd)
    assert derive(lambda x: square(x), "bwd").reference(2.0, 1.0).x == 7.0


def own_fwd(x: Pair) -> Pair:
    return diff_pair(x.p, 5.0 * x.d)


def own_bwd(x, d):
    return 6.0 * d


@pytest.mark.parametrize(
    ("rule", "forwards", "backwards"),
    [(custom_fwd(own_fwd), 5.0, 5.0), (custom_bwd(own_bwd), 0.0, 6.0)],
    ids=["forward", "backward"],
)
def test_a_rule_counts_more_than_a_derivative_of_zero(rule, forwards, backwards):
    """A forward rule is transposed; with a backward rule alone it is zero forwards."""

    @treat_as_differentiable
    @rule
    def seen(x: float) -> float:
        return x

    def f(x: float) -> float:
        return seen(x) + x

    assert derive(f, "fwd").reference(diff_pair(2.0, 1.0)).d == forwards + 1.0
    assert derive(f, "bwd").reference(2.0, 1.0).x == backwards + 1.0


@non_differentiable
def rounded(x: float) -> float:
    return x * x + x


def stopped(x: float) -> float:
    return no_diff(rounded(x)) + x * detach(rounded(x))


def test_what_is_stopped_needs_no_rule():
    assert derive(stopped, "fwd").reference(diff_pair(2.0, 1.0)).d == 6.0
    assert derive(stopped, "bwd").reference(2.0, 1.0).x == 6.0


def parted_bwd(x, d):
    return d[0] + 2 * d[1]


def parted_all_bwd(x, parts, d):
    return d[0] + 2 * d[1], None


@custom_bwd(parted_bwd)
def parted(x: float, parts: Out[Array[float, 2]]) -> None:
    parts[0] = x
    parts[1] = x * x


@custom_bwd(parted_all_bwd)
def parted_all(x: float, parts: Out[Array[float, 2]]) -> None:
    parts[0] = x
    parts[1] = x * x


@pytest.mark.parametrize("function", [parted, parted_all])
def test_of_an_out_parameter_a_rule_gets_the_cotangent(function):
    """Its value at the start means nothing; a rule may take it, and need not."""

    def used(x: float) -> float:
        parts = [0.0, 0.0]
        function(x, parts)
        return 3 * parts[0] + parts[1]

    assert derive(used, "bwd").reference(2.0, 1.0).x == 5.0


@struct
class Lens:
    focus: float

    def bent_fwd(self, v):
        return diff_pair(v.p * v.p, v.p * v.d * 2.0 + self.focus)

    @custom_fwd(bent_fwd)
    @no_diff_this
    def bent(self, v: float) -> float:
        return v * v


def through(lens: Lens, v: float) -> float:
    return lens.bent(v)


def test_a_method_that_stops_at_self_has_rules_that_get_a_plain_self():
    pair = derive(through, "fwd").reference(diff_pair(Lens(1.0), Lens(5.0)), diff_pair(3.0, 1.0))
    assert pair == diff_pair(9.0, 7.0)


def loaded(lens: no_diff[Lens], v: no_diff[float]) -> float:
    return lens.focus * v


def test_a_function_without_derivatives_has_no_gradients():
    def f(x: float) -> float:
        return x if bwd_diff(loaded)(Lens(2.0), 3.0, 1.0) == (None, None) else 0.0

    assert derive(f, "primal").reference(2.0) == 2.0


@non_differentiable
@struct
class Settings:
    gain: float
    steps: int


def tuned(settings: Settings, x: float) -> float:
    return settings.gain * x * settings.steps


def test_a_struct_that_is_not_differentiable_stops_derivatives():
    gradient = derive(tuned, "bwd").reference(Settings(2.0, 3), 1.0, 1.0)
    assert gradient.x == 6.0
    assert gradient.settings == Settings(0.0, 0)

    def lost(x: float) -> float:
        return Settings(x, 1).gain * x

    with pytest.raises(TraceError, match="field 'gain' of Settings is no_diff"):
        derive(lost, "bwd")
    assert derive(lambda x: Settings(detach(x), 1).gain * x).reference(3.0, 1.0).x == 3.0


@struct
class Ray:
    origin: no_diff[float3]
    along: float3


def met(origin: float3, target: float3) -> float:
    ray = Ray(origin, target - origin)
    return ray.origin.x * ray.along.x + ray.along.y


def test_only_derivatives_that_are_asked_for_can_be_lost():
    origin, target = float3(1.0, 2.0, 3.0), float3(4.0, 6.0, 8.0)
    assert derive(met, "primal").reference(origin, target) == 3.0 + 4.0
    gradient = derive(met, "bwd", wrt=["target"]).reference(origin, target, 1.0)
    np.testing.assert_array_equal(gradient.target, [1.0, 1.0, 0.0])
    with pytest.raises(TraceError, match="field 'origin' of Ray is no_diff"):
        derive(met, "bwd")


def test_the_error_says_what_a_rule_has_to_return():
    def wrong(x, y, d):
        return d

    @custom_bwd(wrong)
    def f(x: float, y: float) -> float:
        return x * y

    with pytest.raises(TraceError, match=re.escape("f has 2 parameters (x, y)")):
        derive(lambda x: f(x, x))


def doubled_bwd(values, d):
    return ([3.0 * d[0]],)


@custom_bwd(doubled_bwd)
def doubled(values: InOut[Array[float, 1]]) -> None:
    values[0] = 2 * values[0]


def test_of_an_inout_parameter_a_rule_gets_value_and_cotangent():
    def f(x: float) -> float:
        values = [x]
        doubled(values)
        return values[0]

    assert derive(f).reference(2.0, 1.0).x == 3.0
    assert derive(f, "primal").reference(2.0) == 4.0
