"""Functions with rules of their own: custom derivatives, substitutes, functions without."""

import math

import pytest

import egad
from egad import (
    custom_bwd,
    custom_bwd_of,
    custom_fwd,
    custom_fwd_of,
    derive,
    detach,
    diff_pair,
    no_diff,
    non_differentiable,
    primal_substitute_of,
    treat_as_differentiable,
)
from egad.rewrite import derive as derive_program
from egad.rewrite.derivation.calls import resolve
from egad.rules import load, loads
from egad.terms.errors import DeriveError
from egad.terms.program import Call, Differentiable, Program, Request, Slot
from egad.terms.term import CALL, PROJ, Term, const, toposort, var
from egad.terms.types import Scalar

F = Scalar.F64
RULES = load()


def gradient(f, *args):
    return tuple(derive(f, "bwd", dtype="float64").reference(*args, 1.0))


def tangent(f, x):
    return derive(f, "fwd", dtype="float64").reference(diff_pair(x, 1.0))


# The rules lie on purpose, so that it shows which one was used.
def tenfold(x):
    return diff_pair(x.p * x.p, 10 * x.d)


def hundredfold(x, y_bar):
    return (100 * y_bar,)


@custom_fwd(tenfold)
def square_fwd(x: float) -> float:
    return x * x


@custom_bwd(hundredfold)
def square_bwd(x: float) -> float:
    return x * x


@custom_fwd(tenfold)
@custom_bwd(hundredfold)
def square_both(x: float) -> float:
    return x * x


def square_of(x: float) -> float:
    return x * x


@custom_fwd_of(square_of)
def square_of_fwd(x):
    return diff_pair(x.p * x.p, 10 * x.d)


@custom_bwd_of(square_of)
def square_of_bwd(x, y_bar):
    return (100 * y_bar,)


def use_fwd(x: float) -> float:
    return 2 * square_fwd(3 * x)


def use_bwd(x: float) -> float:
    return 2 * square_bwd(3 * x)


def use_both(x: float) -> float:
    return 2 * square_both(3 * x)


def use_of(x: float) -> float:
    return 2 * square_of(3 * x)


def test_a_forward_rule_serves_both_modes():
    assert tangent(use_fwd, 0.5) == (4.5, 60)
    assert gradient(use_fwd, 0.5) == (60,)


def test_a_backward_rule_serves_backward_mode_only():
    assert gradient(use_bwd, 0.5) == (600,)
    with pytest.raises(DeriveError, match=r"(?s)'square_bwd' has only a backward rule.*mode='bwd'"):
        derive(use_bwd, "fwd")


@pytest.mark.numbers
@pytest.mark.parametrize("f", [use_both, use_of])
def test_each_mode_takes_its_own_rule(f):
    assert tangent(f, 0.5) == (4.5, 60)
    assert gradient(f, 0.5) == (600,)


def test_the_value_is_that_of_the_function():
    assert derive(use_bwd, "primal", dtype="float64").reference(0.5) == 4.5
    assert derive(use_bwd, "value_and_grad", dtype="float64").reference(0.5) == (4.5, (600,))


def test_the_rule_is_differentiated_in_second_order():
    def cubic_bwd(x, y_bar):
        return (x * x * x * y_bar,)  # so that the second derivative is 3 x²

    @custom_bwd(cubic_bwd)
    def g(x: float) -> float:
        return math.sin(x)

    def f(x: float) -> float:
        return g(x)

    assert derive(f, "hessian", dtype="float64").reference(2.0).x.x == 12


def test_a_rule_without_derivative_in_the_arm_not_taken_does_not_leak():
    def f(x: float) -> float:
        return square_both(math.sqrt(x)) if x > 0 else 2 * x

    assert gradient(f, 0.0) == (2,)
    assert gradient(f, 4.0) == (25,)


def test_several_arguments_and_results():
    def rule(x, y, u_bar, v_bar):
        return 2 * u_bar, 3 * v_bar

    @custom_bwd(rule)
    def g(x: float, y: float):
        return x * y, x + y

    def f(x: float, y: float) -> float:
        u, v = g(x, y)
        return 10 * u + 100 * v

    assert gradient(f, 1.0, 2.0) == (20, 300)


def test_only_one_of_the_results_is_used():
    def rule(x, u_bar, v_bar):
        return (u_bar + 1000 * v_bar,)

    @custom_bwd(rule)
    def g(x: float):
        return x * x, -x

    def f(x: float) -> float:
        return 7 * g(x)[0]

    assert gradient(f, 1.0) == (7,)


def test_a_rule_given_to_derive_goes_before_rules_of_modules():
    alias = f"{__name__}.square_fwd"
    mine = f"def mine(x) -> y:\n    aliases = '{alias}'\n    y = x * x\n    dy_dx = 7 * x\n"
    given = loads(mine)

    def f(x: float) -> float:
        return square_fwd(x)

    for function in (f, square_fwd):
        found = derive(function, "fwd", rules=[given], dtype="float64")
        assert found.reference(diff_pair(3.0, 1.0)) == (9, 21)
        assert tangent(function, 3.0) == (9, 10)


# --- substitutes ---------------------------------------------------------------------------


def test_a_substitute_changes_value_and_derivative_of_derived_programs():
    def hard(x: float) -> float:
        return math.floor(x)

    @primal_substitute_of(hard)
    def soft(x: float) -> float:
        return x * x

    def f(x: float) -> float:
        return 3 * hard(x)

    assert derive(f, "primal", dtype="float64").reference(2.5) == 6
    assert tangent(f, 2.5) == (18.75, 15)
    assert derive(f, "value_and_grad", dtype="float64").reference(2.5) == (18.75, (15,))


def test_a_substitute_overrides_the_custom_derivative():
    @custom_bwd(hundredfold)
    def original(x: float) -> float:
        return x

    @primal_substitute_of(original)
    def substitute(x: float) -> float:
        return x * x * x

    def f(x: float) -> float:
        return original(x)

    assert gradient(f, 2.0) == (12,)
    assert tangent(f, 2.0) == (8, 12)


def test_the_custom_derivative_of_the_substitute_counts():
    def original(x: float) -> float:
        return x

    @primal_substitute_of(original)
    @custom_bwd(hundredfold)
    def substitute(x: float) -> float:
        return x * x

    def f(x: float) -> float:
        return original(x)

    assert gradient(f, 2.0) == (100,)


def test_the_report_names_substitutes_and_custom_derivatives():
    def hard(x: float) -> float:
        return math.floor(x)

    @primal_substitute_of(hard)
    def soft(x: float) -> float:
        return x * x

    def f(x: float) -> float:
        return hard(x) + hard(2 * x) + square_fwd(x) + square_bwd(x)

    report = derive(f, "bwd").report
    (name,) = (n for n in report.substitutes if n.endswith(" soft"))
    assert name.startswith(f"{__file__}:") and report.substitutes[name] == 2
    assert any(n.endswith(" tenfold") for n in report.derivative_rules)
    assert any(n.endswith(" hundredfold") for n in report.derivative_rules)


# --- functions without derivative ----------------------------------------------------------


@treat_as_differentiable
def constant_slope(x: float) -> float:
    return x * x


@non_differentiable
def table(x: float) -> float:
    return x * x


def test_treat_as_differentiable_keeps_the_value_and_has_the_derivative_zero():
    def f(x: float) -> float:
        return constant_slope(x) * x

    assert derive(f, "value_and_grad", dtype="float64").reference(3.0) == (27, (9,))
    assert tangent(f, 3.0) == (27, 9)


@pytest.mark.numbers
@pytest.mark.parametrize("mode", ["fwd", "bwd", "hessian", "jacobian"])
def test_non_differentiable_is_an_error_where_a_derivative_has_to_pass(mode):
    def f(x: float) -> float:
        return table(x) * x

    with pytest.raises(DeriveError, match=r"(?s)'table' is not differentiable.*no_diff\(table"):
        derive(f, mode)


def test_non_differentiable_is_allowed_where_none_has_to():
    def stopped(x: float) -> float:
        return no_diff(table(x)) * x

    def elsewhere(x: float, n: float) -> float:
        return table(n) * x

    def inside(x: float) -> float:
        return table(detach(x)) * x

    assert gradient(stopped, 3.0) == gradient(inside, 3.0) == (9,)
    assert tuple(derive(elsewhere, wrt="x", dtype="float64").reference(2.0, 3.0, 1.0)) == (9,)


# --- the pass itself -----------------------------------------------------------------------


def call_of(call, *args):
    return Term(PROJ, (Term(CALL, args, call, F),), 0, F)


def program(root, *names):
    return Program("f", tuple(Slot(n, F) for n in names), (Slot("out", F),), ((root,),))


X = var("x", F)
SQUARE = program(Term("mul", (X, X), None, F), "x")
CUBE = program(Term("mul", (X, Term("mul", (X, X), None, F)), None, F), "x")


def never(request, rules):
    raise AssertionError("there is no request")


def test_plain_calls_are_inlined_and_special_ones_stay():
    y = var("y", F)
    plain = program(call_of(Call("g", SQUARE), y), "y")
    assert resolve(plain, RULES, never, derived=True).flat == [Term("mul", (y, y), None, F)]
    for call in (
        Call("g", SQUARE, bwd=SQUARE),
        Call("g", SQUARE, differentiable=Differentiable.NO),
        Call("g", SQUARE, differentiable=Differentiable.ZERO),
    ):
        kept = program(call_of(call, y), "y")
        assert resolve(kept, RULES, never, derived=True).flat == kept.flat
        assert resolve(kept, RULES, never, derived=False).flat == [Term("mul", (y, y), None, F)]


def test_calls_inside_calls_are_inlined_too():
    inner = program(call_of(Call("g", SQUARE), Term("neg", (X,), None, F)), "x")
    outer = program(call_of(Call("h", inner), const(3.0, F)), "x")
    (root,) = resolve(outer, RULES, never, derived=True).flat
    minus = Term("neg", (const(3.0, F),), None, F)
    assert root is Term("mul", (minus, minus), None, F)


def test_a_substitute_takes_the_place_only_in_derived_programs():
    call = Call("g", SQUARE, bwd=SQUARE, substitute=CUBE)
    source = program(call_of(call, X), "x")
    assert resolve(source, RULES, never, derived=True).flat == CUBE.flat
    assert resolve(source, RULES, never, derived=False).flat == SQUARE.flat


def test_a_request_is_derived_once_however_often_it_is_called():
    asked = []

    def answer(request, rules):
        asked.append(request.mode)
        return derive_program(request.program, request.mode, rules, F)

    call = Call("fwd_diff(g)", Request("fwd", SQUARE, (True,)))
    roots = [Term(PROJ, (Term(CALL, (a, a), call, F),), 1, F) for a in (X, const(2.0, F))]
    source = program(Term("add", tuple(roots), None, F), "x")
    (root,) = resolve(source, RULES, answer, derived=False).flat
    assert asked == ["fwd"]
    assert not any(t.op in (CALL, PROJ) for t in toposort([root]))


def test_names_of_the_source_survive_inlining():
    def g(t: float) -> float:
        inner = egad.sin(t)
        return inner * inner

    def f(x: float) -> float:
        outer = g(x + 1)
        return outer * x

    names = {note.name for note in derive(f, "primal").program.notes.values()}
    assert {"inner", "outer"} <= names


def _square_and_root_bwd(x, square_bar, root_bar):
    return 2.0 * x * square_bar + root_bar / (2.0 * x**0.5)


@custom_bwd(_square_and_root_bwd)
def square_and_root(x: float) -> tuple[float, float]:
    return x * x, x**0.5


def test_a_result_that_is_not_used_takes_no_part():
    """Its cotangent is nothing, not a 0 that an infinite slope is multiplied with."""

    def square(x: float) -> float:
        return square_and_root(x)[0]

    for math_mode in ("safe", "strict"):
        made = derive(square, dtype="float64", math=math_mode)
        assert made.reference(0.0, 1.0) == made(0.0, 1.0) == (0.0,)
    assert derive(square, "hessian", dtype="float64")(0.0).x.x == 2.0


def _halves(x, root_bar):
    roots = both_roots(x)
    return [bar / (2.0 * root) for bar, root in zip(root_bar, roots, strict=True)]


def _changes(x):
    roots = both_roots(x.p)
    return diff_pair(roots, [d / (2.0 * root) for d, root in zip(x.d, roots, strict=True)])


@custom_fwd(_changes)
@custom_bwd(_halves)
def both_roots(x: list[float]) -> list[float]:
    return [x[0] ** 0.5, x[1] ** 0.5]


def test_a_rule_of_several_results_that_calls_its_own_function_in_a_loop():
    """The results of such a call may be kept for the sweep back, and the call itself not."""

    def f(x: float, y: float) -> float:
        z = [x, y]
        egad.max_iters(8)
        while z[0] > 1.1:
            z = both_roots(z)
        return z[0] * z[1]

    def by_hand(x, y):  # 4, 2, 1.41, 1.19, 1.09
        return x ** (1 / 16) * y ** (1 / 16)

    found = gradient(f, 4.0, 3.0)
    assert found == pytest.approx([by_hand(4, 3) / 16 / 4, by_hand(4, 3) / 16 / 3], rel=1e-12)
