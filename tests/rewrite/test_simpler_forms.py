"""Derivatives of a function that was made cheap first: the same numbers, also where a choice is."""

import math
from dataclasses import replace
from functools import lru_cache
from itertools import product

import mpmath
import numpy as np
import pytest
from precise import MEANING as PRECISE
from random_programs import RULES

import egad
from egad import rewrite
from egad.rewrite.derivation.define import define
from egad.rewrite.derivation.derive import Derivation
from egad.rewrite.derivation.smooth import Smooth
from egad.rewrite.egraph.cost import program_cost
from egad.rewrite.egraph.numbers import values
from egad.rewrite.pipeline import simpler, stages
from egad.rewrite.pipeline.report import Form
from egad.rewrite.pipeline.simpler import simpler_form
from egad.terms.program import Program, Slot
from egad.terms.rule import MATH_TAGS
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

F = Scalar.F64
OPTIONS = rewrite.Options()
MEANING = {
    **PRECISE,
    "exp10": lambda x: mpmath.mpf(10) ** x,
    "log2": lambda x: mpmath.log(x, 2),
}
EVERY = frozenset(RULES.operators)


def furuta(
    al: float, dth: float, dal: float, u: float, mp: float, lr: float, lp: float, jr: float
) -> tuple[float, float]:
    """The accelerations of a pendulum on an arm that turns."""
    s, c = egad.sin(al), egad.cos(al)
    jp = mp * lp * lp / 3
    m11, m12, m22 = jr + mp * lr * lr + jp * s * s, 0.5 * mp * lp * lr * c, jp
    f1 = u - 2 * jp * s * c * dth * dal + 0.5 * mp * lp * lr * s * dal * dal
    f2 = jp * s * c * dth * dth + 0.5 * mp * lp * 9.81 * s
    det = m11 * m22 - m12 * m12
    return (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det


def furuta_exactly(al, dth, dal, u, mp, lr, lp, jr):
    s, c = mpmath.sin(al), mpmath.cos(al)
    jp = mp * lp * lp / 3
    m11, m12 = jr + mp * lr * lr + jp * s * s, mp * lp * lr * c / 2
    f1 = u - 2 * jp * s * c * dth * dal + mp * lp * lr * s * dal * dal / 2
    f2 = jp * s * c * dth * dth + mp * lp * mpmath.mpf(9.81) * s / 2
    det = m11 * jp - m12 * m12
    return (jp * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det


@lru_cache
def derived_furuta(dtype):
    """The Jacobian, whose search takes ten seconds, once for all tests that look at it."""
    return egad.derive(furuta, "jacobian", dtype=dtype, cache=False)


def exact(function, point):
    """The Jacobian by differences in 60 digits."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        at = [mpmath.mpf(float(x)) for x in point]

        def moved(i, by):
            return function(*[x + by * (i == k) for k, x in enumerate(at)])

        pairs = [(moved(i, step), moved(i, -step)) for i in range(len(at))]
        columns = [[float((a - b) / (2 * step)) for a, b in zip(*p, strict=True)] for p in pairs]
        return np.array(columns).T


def test_a_program_that_gains_is_right_in_every_entry(monkeypatch):
    """The kernel and the reference beside differences in 60 digits; as it was written, dearer."""
    derived = derived_furuta("float64")
    assert derived.report.form is Form.SIMPLER
    assert f"  form        {Form.SIMPLER.value}" in derived.explain()
    assert derived.report.total > 0 and not derived.report.refactored
    for seed in range(5):
        point = np.random.default_rng(seed).uniform(0.5, 2, 8)
        for found in (derived(*point), derived.reference(*point)):
            np.testing.assert_allclose(np.array(found), exact(furuta_exactly, point), rtol=1e-10)
    monkeypatch.setattr(stages, "simpler_form", lambda *_: None)
    written = egad.derive(furuta, "jacobian", dtype="float64", cache=False)
    assert written.report.form is Form.WRITTEN
    assert derived.report.cost_after < 0.9 * written.report.cost_after


def test_statements_are_explained_in_that_form():
    """Rules are told for the derivative that was taken, and every step is checked."""
    derived = derived_furuta("float64")
    assert derived.report.form is Form.SIMPLER
    text = derived.explain(rules=True)
    assert "mul" in text and "wrong" not in text


def test_what_is_not_as_good_is_not_taken(monkeypatch):
    """Then the derivative is that of the function as it was written, to the last byte."""
    monkeypatch.setattr(stages, "is_as_good", lambda *_: False)
    one = egad.derive(furuta, "jacobian", cache=False)
    monkeypatch.setattr(stages, "simpler_form", lambda *_: None)
    assert one.source == egad.derive(furuta, "jacobian", cache=False).source


@pytest.mark.parametrize("how", [{"math": "strict"}, {"optimize": "fast"}])
def test_bits_and_little_effort_leave_it_as_it_was_written(how):
    assert egad.derive(furuta, "jacobian", cache=False, **how).report.form is Form.WRITTEN


def test_smooth_operators_have_no_tie_and_no_end_with_a_vertical_slope():
    """What they are is read from rules; roots, powers and whatever has a choice are none."""
    found = Smooth.of(RULES, EVERY)
    assert {"add", "mul", "div", "exp", "log", "sin", "tanh", "rsqrt"} <= found.operators
    kinked = {"abs", "min", "max", "clamp", "min_max", "sign", "floor", "round", "fmod", "step"}
    ends = {"sqrt", "cbrt", "asin", "acos", "acosh", "hypot", "atan2", "pow", "select", "copysign"}
    assert not found.operators & (kinked | ends)
    named = {t.op for r in found.rules.rewrites for t in toposort([r.lhs, r.rhs]) if t.args}
    assert named <= found.operators
    few = Smooth.of(RULES, frozenset({"add", "mul"}))
    assert few.operators == {"add", "mul"}


@pytest.mark.parametrize("name", sorted(Smooth.of(RULES, EVERY).operators))
def test_smooth_operators_have_the_slopes_that_they_state(name):
    """By differences in 50 digits, also at the ends of where they are numbers."""
    operator = RULES.operator(name)
    args = [var(p, F) for p in operator.names]
    form = program(Term(name, tuple(args), None, F), operator.names)
    slopes = rewrite.derive(form, "jacobian", RULES, F)
    assert len(slopes.flat) == len(args)
    compute = MEANING.get(name) or getattr(mpmath, name)
    for point in product((-1.0, -0.5, 0.0, 0.5, 1.0, 2.0), repeat=len(args)):
        with mpmath.workdps(50):
            try:
                value = compute(*map(mpmath.mpf, point))
                inside = isinstance(value, mpmath.mpf) and mpmath.isfinite(value)
            except (ZeroDivisionError, ValueError):
                inside = False
            if not inside:
                continue
            step = mpmath.mpf(10) ** -18
            wanted = []
            for i in range(len(args)):
                up, down = (
                    compute(*[mpmath.mpf(x) + by * (i == k) for k, x in enumerate(point)])
                    for by in (step, -step)
                )
                wanted.append(float((up - down) / (2 * step)))
        numbers = at_point(slopes, dict(zip(args, point, strict=True)))
        np.testing.assert_allclose(numbers, wanted, rtol=1e-10, atol=1e-14)


def program(root: Term, names) -> Program:
    params = tuple(Slot(name, F) for name in names)
    return Program("f", params, (Slot("r", F),), ((root,),))


def at_point(one: Program, point):
    flat = define(RULES, rewrite.without_requests(one, RULES).flat, F, derived=True)
    found = values(RULES, flat, {v: np.array([x]) for v, x in point.items()})
    return [float(np.ravel(found[t])[0]) for t in flat]


def positive(x: float, a: float, b: float) -> float:
    return np.where(x > 0, x, 0.0) * (a * x + b * x)


def rooted(x: float, a: float, b: float) -> float:
    return egad.sqrt(x * x) * a + egad.sqrt(x * x) * b + egad.abs(x) * a + egad.abs(x) * b


def larger(x: float, a: float, b: float) -> float:
    return egad.max(x * a, a * x) + egad.max(a * b + a * x, a * (b + x)) * (x * a + x * b)


def limited(x: float, a: float, b: float) -> float:
    return a * egad.clamp(x, 0.0, 1.0) + b * egad.clamp(x, 0.0, 1.0) + egad.min(x, 0.0) * a


def stepped(x: float, a: float, b: float) -> float:
    return egad.sign(x) * (a * x + b * x) + egad.floor(x) * a + egad.floor(x) * b


def detached(x: float, a: float, b: float) -> float:
    return egad.detach(x) * a + egad.detach(x) * b + x * a + x * b


def in_arms(x: float, a: float, b: float) -> float:
    return (a * x + b * x if x >= 0 else a * x * x + b * x * x) + egad.hypot(x, x) * a


def chosen(x: float, a: float, b: float) -> float:
    p, q = x * a, x * x * a
    greatest = q if p < q else p
    return greatest * a + greatest * b


@pytest.mark.parametrize(
    "function", [chosen, positive, rooted, larger, limited, stepped, detached, in_arms]
)
@pytest.mark.parametrize("mode", ["jacobian", "hessian"])
def test_at_ties_the_derivative_is_what_it_was(function, mode, monkeypatch):
    """Where two functions of the same numbers have other slopes, exactly there."""
    monkeypatch.setattr(simpler, "_SAVED", {rewrite.Effort.DEFAULT: -1.0})
    form = egad.derive(function, "primal", dtype="float64", cache=False).primal
    form = rewrite.substitute_primals(form, RULES, MATH_TAGS["safe"], {})
    derivation = Derivation.of(form, mode, RULES, F)
    other = simpler_form(derivation.program, RULES, F, OPTIONS)
    assert other is not None and program_cost(RULES, other.flat) < program_cost(RULES, form.flat)
    order = derivation.orders()[0]
    one, two = derivation.built(order), replace(derivation, program=other).built(order)
    names = form.leaves()
    for point in product((0.0, 1.0, -1.0), (2.0, 0.5), (0.5, -3.0)):
        at = dict(zip(names, point, strict=True))
        np.testing.assert_allclose(at_point(two, at), at_point(one, at), rtol=1e-13, atol=1e-14)


def test_choices_are_kept_and_what_they_are_given_is_not(monkeypatch):
    """max(a*x + a*y, 0) may be max(a*(x + y), 0); of the maximum nothing is said."""
    monkeypatch.setattr(simpler, "_SAVED", {rewrite.Effort.DEFAULT: -1.0})
    x, y, a = (var(name, F) for name in "xya")

    def op(name, *args):
        return Term(name, args, None, F)

    inner = op("add", op("mul", a, x), op("mul", a, y))
    root = op("max", op("max", inner, const(0.0, F)), op("max", inner, const(0.0, F)))
    other = simpler_form(program(root, "xya"), RULES, F, OPTIONS)
    assert [t.op for t in other.terms()].count("max") == 2
    assert program_cost(RULES, other.flat) == program_cost(RULES, [root]) - 1


def test_large_functions_are_left(monkeypatch):
    x, a, b = (var(name, F) for name in "xab")
    root = Term("add", (Term("mul", (a, x), None, F), Term("mul", (b, x), None, F)), None, F)
    form = program(root, "xab")
    assert simpler_form(form, RULES, F, OPTIONS) is not None
    monkeypatch.setattr(simpler, "_LARGE", len(form.terms()) - 1)
    assert simpler_form(form, RULES, F, OPTIONS) is None


def test_a_slope_of_somebody_else_is_no_slope_of_the_value(tmp_path):
    """Where a rule file says that sin has the slope 1, nothing that is known of sin is used."""
    file = tmp_path / "straight.rules"
    file.write_text('@derivative(unchecked="straight through")\ndef sin(x) -> y:\n    dy_dx = 1\n')

    def double(x: float, a: float, b: float) -> float:
        return egad.sin(x) * egad.cos(x) * a + egad.sin(x) * egad.cos(x) * b

    derived = egad.derive(double, "jacobian", dtype="float64", rules=[str(file)], cache=False)
    assert "sin" not in Smooth.of(derived.rules, EVERY).operators
    x, a, b = 0.7, 1.5, -0.4
    wanted = (math.cos(x) - math.sin(x) ** 2) * (a + b)
    assert derived(x, a, b).x == pytest.approx(wanted, rel=1e-12)
