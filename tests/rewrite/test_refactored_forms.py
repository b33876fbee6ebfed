"""Gradients of a function with factors outside of its sums: the same numbers, fewer operators."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from random_programs import RULES

import egad
from egad import rewrite
from egad.rewrite.pipeline import forms, stages
from egad.rewrite.pipeline.forms import is_as_good, refactored_form
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

F = Scalar.F64
NAMES = "xyzabcds"
OPTIONS = rewrite.Options()


def stretched(
    x: float, y: float, z: float, a: float, b: float, c: float, d: float, s: float
) -> float:
    """A vector is stretched before it is turned, as in a splat's covariance."""
    u, v, w = s * x, s * y, s * z
    first, second = a * u + b * v + c * w, b * u + c * v + d * w
    return first * first + a * second * second


def lit(x: float, y: float, z: float, a: float, b: float, c: float, d: float, s: float) -> float:
    """Three colours of one light, each guarded, in a sum with the light outside."""
    first, second, third = s * egad.max(x, a), s * egad.max(y, b), s * egad.max(z, c)
    total = d * first + x * second + y * third
    return total * total + egad.exp(-d * d)


def exact(function, point):
    """The gradient by differences in 60 digits."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        args = [mpmath.mpf(float(x)) for x in point]

        def moved(i, by):
            return function(*[x + by * (i == k) for k, x in enumerate(args)])

        return [float((moved(i, step) - moved(i, -step)) / (2 * step)) for i in range(len(args))]


def lit_exactly(x, y, z, a, b, c, d, s):
    total = d * s * max(x, a) + x * s * max(y, b) + y * s * max(z, c)
    return total * total + mpmath.exp(-d * d)


@pytest.mark.parametrize(
    ("function", "same", "gained"), [(stretched, stretched, 2.0), (lit, lit_exactly, 0.0)]
)
@pytest.mark.parametrize("mode", ["value_and_grad", "jacobian", "bwd"])
def test_gradients_are_no_dearer_and_right(function, same, gained, mode, monkeypatch):
    """Beside differences in 60 digits, in every mode that is one sweep back."""
    derived = egad.derive(function, mode, dtype="float64", cache=False)
    assert derived.report.refactored
    assert "  form        factors of whole sums outside of them" in derived.explain()
    for seed in range(5):
        point = np.random.default_rng(seed).uniform(-2, 2, len(NAMES))
        found = derived(*point, *([1.0] if mode == "bwd" else []))
        gradient = found[1] if mode == "value_and_grad" else found
        np.testing.assert_allclose(np.ravel(gradient), exact(same, point), rtol=1e-11, atol=1e-13)
    monkeypatch.setattr(stages, "refactored_form", lambda *_: None)
    written = egad.derive(function, mode, dtype="float64", cache=False)
    assert not written.report.refactored
    assert derived.report.cost_after <= written.report.cost_after - gained


def test_statements_are_explained_in_that_form():
    """Rules are told for the derivative that was taken, and every step is checked."""
    derived = egad.derive(stretched, "value_and_grad", cache=False)
    text = derived.explain(rules=True)
    assert "mul" in text and "wrong" not in text


@pytest.mark.parametrize("how", [{"math": "strict"}, {"optimize": "fast"}])
def test_bits_and_little_effort_leave_it_as_it_was_written(how):
    """In strict mode a product may not move; and the least effort is the least time."""
    assert not egad.derive(stretched, "value_and_grad", cache=False, **how).report.refactored


def test_other_orders_see_through_brackets():
    """A Jacobian of several results, a Hessian and a forward sweep are of what was written."""

    def two(a: float, b: float, c: float, x: float, s: float) -> tuple[float, float]:
        return stretched(a, b, c, x, a, b, c, s), stretched(a, c, b, x, c, b, a, s)

    for mode in ("jacobian", "fwd", "hessian"):
        function = stretched if mode == "hessian" else two
        assert not egad.derive(function, mode, optimize="default", cache=False).report.refactored


def program(root: Term) -> Program:
    params = tuple(Slot(name, F) for name in NAMES)
    return Program("f", params, (Slot("r", F),), ((root,),))


def test_a_form_that_loses_a_number_or_digits_is_out():
    """Whatever it would save: NaN, 0 * inf, a difference of large numbers, other numbers."""
    x, y = var("x", F), var("y", F)

    def op(name, *args):
        return Term(name, args, None, F)

    plain = program(op("sub", x, y))
    large = op("sub", op("add", x, const(1e6, F)), op("add", y, const(1e6, F)))
    infinite = op("sub", op("div", op("mul", x, y), y), y)
    wrong = op("sub", op("mul", x, const(1.0001, F)), y)
    for root in (const(math.nan, F), large, infinite, wrong):
        assert not is_as_good(plain, program(root), RULES, F, OPTIONS)
    assert is_as_good(plain, program(op("neg", op("sub", y, x))), RULES, F, OPTIONS)


def test_what_is_not_as_good_is_not_taken(monkeypatch):
    """Then the derivative is that of the function as it was written, to the last byte."""
    monkeypatch.setattr(stages, "is_as_good", lambda *_: False)
    one = egad.derive(stretched, "value_and_grad", cache=False)
    monkeypatch.setattr(stages, "refactored_form", lambda *_: None)
    assert one.source == egad.derive(stretched, "value_and_grad", cache=False).source


def test_large_functions_and_loops_are_left(monkeypatch):
    """What is gained is not worth the time, or not seen."""
    x, s = var("x", F), var("s", F)

    def op(name, *args):
        return Term(name, args, None, F)

    rows = [op("mul", op("mul", s, var(n, F)), x) for n in "abc"]
    form = program(op("add", op("add", rows[0], rows[1]), rows[2]))
    found = refactored_form(form, RULES, OPTIONS)
    assert found is not None and len(found.terms()) < len(form.terms())
    monkeypatch.setattr(forms, "_LARGE", len(form.terms()) - 1)
    assert refactored_form(form, RULES, OPTIONS) is None
    monkeypatch.undo()
    without = replace(OPTIONS, without=(rewrite.Phase.SCALES,))
    assert refactored_form(form, RULES, without) is None


def test_a_derivative_of_the_users_own_is_kept():
    """A straight-through estimator has the slope that its author gave it, not that of its value."""

    @egad.custom_bwd_of(stepped)
    def stepped_bwd(x, y_bar):
        return y_bar

    def light(x: float, a: float, b: float, c: float, s: float) -> float:
        q = stepped(x)
        first = a * (s * q) + b * (s * a) + c * (s * b)
        return first * first

    derived = egad.derive(light, "value_and_grad", dtype="float64", cache=False)
    x, a, b, c, s = 1.3, 0.7, -0.4, 1.9, 0.6
    first = s * (a * 1.0 + b * a + c * b)
    assert derived(x, a, b, c, s)[1][0] == pytest.approx(2 * first * s * a, rel=1e-12)


def stepped(x: float) -> float:
    return egad.floor(x)
