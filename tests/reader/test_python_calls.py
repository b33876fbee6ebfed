"""Marks, custom derivatives and derivatives asked for inside a function."""

import functools
import math

import numpy as np
import pytest

import egad
from egad import (
    Const,
    DifferentialPair,
    Pair,
    bwd_diff,
    custom_bwd,
    custom_bwd_of,
    custom_fwd,
    custom_fwd_of,
    detach,
    diff_pair,
    differentiable,
    extensible,
    float2,
    float3,
    floor,
    fwd_diff,
    no_diff,
    non_differentiable,
    primal_substitute_of,
    sin,
    treat_as_differentiable,
)
from egad.reader import read
from egad.rules import load
from egad.terms.errors import RuleError, TraceError
from egad.terms.program import Differentiable, Request
from egad.terms.types import Scalar, Vec

RULES = load()


def program(f, real=Scalar.F64, **options):
    return read(f, real=real, rules=RULES, **options)


def calls(p):
    return [t.attr for t in p.terms() if t.op == "call"]


def derivative(f, mode, *args, **options):
    found = egad.derive(f, mode, dtype="float64", **options).reference(*args)
    return found


# --- marks are only remembered -------------------------------------------------------------


def square_fwd(x: Pair) -> Pair:
    return diff_pair(x.p * x.p, 7 * x.d)  # wrong on purpose


@custom_fwd(square_fwd)
def square(x: float) -> float:
    return x * x


def scale_bwd(x, n, dout):
    return 11.0 * dout * n, None  # wrong on purpose


@custom_bwd(scale_bwd)
def scale(x: float, n: int) -> float:
    return x * n


@treat_as_differentiable
def frozen(x: float) -> float:
    return x * 3


@non_differentiable
def opaque(x: float) -> float:
    return x * 3


@extensible
@differentiable
def original(x: float) -> float:
    return x


@primal_substitute_of(original)
def better(x: float) -> float:
    return x * x * x


def test_marked_functions_stay_functions():
    assert square(3.0) == 9.0
    assert scale(3.0, 2) == 6.0
    assert frozen(1.0) == opaque(1.0) == 3.0
    assert original(2.0) == 2.0
    assert diff_pair(2.0, 1.0) == DifferentialPair(2.0, 1.0) == (2.0, 1.0)
    assert diff_pair(2.0).d == 0
    assert detach(2.0) == no_diff(2.0) == 2.0
    assert list(egad.force_unroll(range(2))) == [0, 1]
    with pytest.raises(egad.TraceError, match="is no decorator: doubled cannot be marked"):

        @egad.max_iters(3)
        def doubled(x: float) -> float:
            return 2 * x

    with pytest.raises(TraceError, match=r"egad.derive\(square, mode='fwd'\)"):
        fwd_diff(square)(diff_pair(1.0, 1.0))


def test_unmarked_functions_are_inlined():
    assert calls(program(lambda x: better(x) + 1)) == []


def test_the_layout_of_rules():
    (call,) = calls(program(square))
    assert call.name == "square"
    assert [s.name for s in call.fwd.params] == ["x", "d_x"]
    assert [s.name for s in call.fwd.results] == ["out0", "out1"]
    (call,) = calls(program(lambda x, n: scale(x, int(n))))
    assert [s.name for s in call.bwd.params] == ["x", "n", "out_bar"]
    assert [s.diff for s in call.body.params] == [True, False]
    assert len(call.bwd.results) == 1
    assert [c.differentiable for f in (frozen, opaque) for c in calls(program(f))] == [
        Differentiable.ZERO,
        Differentiable.NO,
    ]
    assert calls(program(original))[0].substitute is not None


def test_rules_are_used():
    assert derivative(square, "fwd", diff_pair(3.0, 1.0)) == (9.0, 7.0)
    assert derivative(lambda x: square(x) * 2, "fwd", diff_pair(3.0, 1.0)) == (18.0, 14.0)
    assert derivative(lambda x: scale(x, 2), "bwd", 3.0, 1.0) == (22.0,)
    assert derivative(lambda x: frozen(x) + x, "bwd", 3.0, 1.0) == (1.0,)
    assert derivative(lambda x: original(x), "bwd", 2.0, 1.0) == (12.0,)
    assert derivative(lambda x: x * no_diff(opaque(x)), "bwd", 2.0, 1.0) == (6.0,)
    assert derivative(lambda x: x * no_diff(floor(x)) + detach(x), "bwd", 2.5, 1.0) == (2.0,)


def log_fwd(x):
    return diff_pair(careful_log(x.p), x.d / x.p)


@custom_fwd(log_fwd)
def careful_log(x: float) -> float:
    return math.log(x)


def test_a_rule_may_call_its_function():
    assert derivative(careful_log, "fwd", diff_pair(2.0, 1.0)) == (math.log(2.0), 0.5)


def test_rules_with_several_results_and_vectors():
    def rule(v: Pair, k):
        return diff_pair(v.p * k, v.d * 5.0), 1, v

    @custom_fwd(rule)
    def three(v: float2, k: no_diff[float]):
        return v * k, 1, v

    def f(x: float):
        a, n, b = three(float2(x, 2 * x), 3.0)
        return a.x + b.y * n

    assert derivative(f, "fwd", diff_pair(1.0, 1.0)) == (5.0, 7.0)


def test_known_arguments_stay_known():
    def power_bwd(x, n, d):
        return (d * n * x ** (n - 1), None)

    @custom_bwd(power_bwd)
    def power(x, n: int):
        return x**n

    p = program(lambda x: power(x, 3) + power(x, 2))
    assert [len(c.body.params) for c in calls(p)] == [1, 1]
    assert {t.op for c in calls(p) for t in c.body.terms()} == {"var", "mul"}


def test_rules_of_builtins_and_operators():
    with egad.rules():

        @custom_bwd_of(math.erf)
        def erf_bwd(x, d):
            return 100.0 * d

        @custom_fwd_of(np.cbrt)
        def cbrt_fwd(x):
            return diff_pair(x.p, 50.0 * x.d)

        @custom_fwd_of(sin)
        def sin_fwd(x):
            return diff_pair(sin(x.p), 10.0 * x.d)

        assert derivative(lambda x: math.erf(x), "bwd", 0.5, 1.0) == (100.0,)
        assert derivative(lambda x: np.cbrt(x), "fwd", diff_pair(8.0, 1.0)) == (8.0, 50.0)
        assert derivative(lambda x: sin(x), "fwd", diff_pair(0.0, 1.0)) == (0.0, 10.0)
        assert derivative(lambda x: math.sin(x), "fwd", diff_pair(0.0, 1.0)) == (0.0, 1.0)


def test_only_functions_are_marked():
    with pytest.raises(RuleError, match="3 is not a function"):
        custom_fwd(square_fwd)(3)
    with pytest.raises(RuleError, match="custom_bwd needs a function, not 'rule'"):
        custom_bwd("rule")


# --- derivatives inside a function ---------------------------------------------------------


def cube(x: float) -> float:
    return x * x * x


def both(a: float, v: float3, n: int):
    return v * a * n, n, a * a


def test_the_layout_of_requests():
    def f(a: float, v: float3, n: int):
        r, m, s = fwd_diff(both)(diff_pair(a, 1.0), v, n)
        g = bwd_diff(both)(a, Const(v), n, v, 2.0)
        assert_static(g[1] is None and g[2] is None)
        return r.p + r.d, m, s.d, g[0]

    p = program(f)
    forward, backward = (c.body for c in calls(p))
    assert isinstance(forward, Request)
    assert (forward.mode, forward.active) == ("fwd", (True, False, False))
    assert (backward.mode, backward.active) == ("bwd", (True, False, False))
    sizes = [len(t.args) for t in p.terms() if t.op == "call"]
    assert sizes == [5 + 1, 5 + 3 + 1]
    assert p.results[0].type == Vec(Scalar.F64, 3)
    a, v, n = 2.0, [1.0, 2.0, 3.0], 2
    found = derivative(f, "primal", a, np.array(v), n)
    assert [np.asarray(x).tolist() for x in found][-2:] == [4.0, 2 * 14.0 + 8.0]


def assert_static(known):
    if not known:
        return 1 / 0
    return 0


def test_derivatives_of_derivatives():
    def second(x: float) -> float:
        r = fwd_diff(fwd_diff(cube))(diff_pair(diff_pair(x, 1.0), diff_pair(1.0, 0.0)))
        return r.d.d

    def gradient(x: float) -> float:
        (g,) = bwd_diff(fwd_diff(cube))(diff_pair(x, 1.0), diff_pair(0.0, 1.0))
        return g.p

    def twice(x: float) -> float:
        (g, h) = bwd_diff(bwd_diff(cube))(x, 1.0, 1.0)
        return g + h

    def by_words(x: float) -> float:
        return fwd_diff(fwd_diff(sin))(diff_pair(diff_pair(x, 1.0), diff_pair(1.0, 0.0))).d.d

    assert derivative(second, "primal", 2.0) == 12.0
    assert derivative(gradient, "primal", 2.0) == 12.0
    assert derivative(twice, "primal", 2.0) == 12.0 + 12.0
    assert derivative(second, "fwd", diff_pair(2.0, 1.0)) == (12.0, 6.0)
    assert derivative(by_words, "primal", 0.5) == pytest.approx(-math.sin(0.5), rel=1e-14)


def test_closures_become_parameters():
    def f(a: float, x: float) -> float:
        b = a * 2

        def g(t):
            return b * t * t

        def h(x):  # the same name as a variable around it
            return a * x

        (gx,) = bwd_diff(g)(x, 1.0)
        return gx + fwd_diff(lambda a: g(a) + h(a))(diff_pair(x, 1.0)).d

    # 2 * (2 a) x + 2 * (2 a) x + a
    assert derivative(f, "primal", 3.0, 5.0) == 4 * 2 * 3.0 * 5.0 + 3.0 - 4 * 3.0 * 5.0 + 60.0
    assert derivative(f, "bwd", 3.0, 5.0, 1.0) == (8 * 5.0 + 1, 8 * 3.0)


def test_derivatives_by_name_and_from_the_module():
    def f(x: float, y: float) -> float:
        r = fwd_diff(product)(b=diff_pair(y, 1.0), a=Const(x))
        return r.d + slope(diff_pair(x, 1.0)).d

    assert derivative(f, "primal", 3.0, 4.0) == 3.0 + 27.0


def product(a: float, b: float) -> float:
    return a * b


slope = fwd_diff(cube)


def test_precision():
    def f(x: float) -> float:
        return fwd_diff(cube)(diff_pair(x, 1)).d

    for real in (Scalar.F16, Scalar.F32, Scalar.F64):
        p = program(f, real)
        assert {t.type for t in p.terms()} == {real}
        assert {t.type for t in calls(p)[0].body.program.terms()} == {real}


class Compiled:
    """What numba.jit and jax.jit give: it wraps a function, and is called without Python."""

    __call__ = len

    def __init__(self, function):
        functools.update_wrapper(self, function)


class Doubled(Compiled):
    """What a decorator gives that computes something else."""

    def __call__(self, *args):
        return 2.0 * self.__wrapped__(*args)


def test_compiled_functions_are_what_they_wrap():
    square = Compiled(lambda x: x * x)

    def f(x: float) -> float:
        return square(x) + 1.0

    assert derivative(f, "primal", 3.0) == 10.0
    assert egad.derive(square)(3.0, 1.0) == (6.0,)
    assert egad.derive(Doubled(lambda x: x * x))(3.0, 1.0) == (12.0,)


def test_what_functions_of_numpy_wrap_is_not_read():
    def f(x: float) -> float:
        return np.partition(x, 0)

    with pytest.raises(
        TraceError, match="partition has no source in Python, and nothing says what it"
    ):
        program(f)


def test_types_of_plain_values_are_known():
    def area(shape):
        if isinstance(shape, (int, float)):
            return shape * shape
        if isinstance(shape, list):
            return shape[0] + shape[1]
        return shape[0] * shape[1]

    def f(a: float, n: int, v: float2) -> float:
        plain = isinstance(n, float) or isinstance(a, int) or isinstance(v, float)
        return -1.0 if plain else area(a) + area(n) + area((a, 5.0)) + area([a, 1.0])

    assert derivative(f, "primal", 3.0, 2, [1.0, 1.0]) == 9.0 + 4.0 + 15.0 + 4.0


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.ones(8)[5] * x,
        lambda x: np.linspace(0, 1, 9)[4] * x,
        lambda x: np.full(5, 2.5)[4] * x,
        lambda x: np.eye(6)[4][4] * x,
        lambda x: np.average([1.0, 2.0]) * x,
        lambda x: np.polyval([1.0, 2.0], 3.0) * x,
    ],
)
def test_functions_of_numpy_with_known_arguments_are_called(f):
    assert float(egad.derive(f, "primal", dtype="float64").reference(2.0)) == f(2.0)
