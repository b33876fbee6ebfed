"""Series of rule files, cut where their type ends."""

import math

import mpmath
import numpy as np
import pytest

import egad
from egad import derive
from egad.rewrite.derivation.series import shortened
from egad.rewrite.egraph.numbers import values
from egad.rewrite.pipeline.optimize import plain_program
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar


def exprel(x: float) -> float:
    return (math.exp(x) - 1.0) / x


def sinc(x: float) -> float:
    return math.sin(x) / x


def slant(x: float) -> float:
    return math.atan(x) / x


def turned(x: float) -> float:
    return (1.0 - sinc(x)) / (x * x)


FUNCTIONS = [exprel, sinc, slant, turned]


def guarded(real, order, tail=lambda t: t, x=None, y=None):
    """sum of x^k/2^k up to an order where abs(x) < 0.125, another function elsewhere."""
    x = var("x", real) if x is None else x
    total = const(1.0, real)
    for _ in range(order):
        half = Term("div", (tail(total), const(2.0, real)), None, real)
        total = Term("add", (const(1.0, real), Term("mul", (x, half), None, real)), None, real)
    size = Term("abs", (var("x", real),), None, real)
    near = Term("lt", (size, const(0.125, real)), None, Scalar.BOOL)
    arm = total if y is None else Term("mul", (y, total), None, real)
    chosen = Term("select", (near, arm, Term("exp", (x,), None, real)), None, real)
    params = tuple(Slot(n, real) for n in ("x", "y"))
    return Program("f", params, (Slot("out", real),), ((chosen,),))


def additions(program):
    return sum(t.op == "add" for t in toposort(program.flat))


@pytest.mark.parametrize(("real", "left"), [(Scalar.F16, 3), (Scalar.F32, 6), (Scalar.F64, 14)])
def test_a_series_ends_where_its_type_does(real, left):
    """A summand is a sixteenth of the one before it: 4 bits each."""
    assert additions(shortened(guarded(real, 20))) == left
    y = var("y", real)
    assert additions(shortened(guarded(real, 20, y=y))) == left
    assert shortened(guarded(real, left)).flat == guarded(real, left).flat


@pytest.mark.parametrize(("real", "left"), [(Scalar.F32, 6), (Scalar.F64, 14)])
def test_what_is_no_less_than_0_is_small_below_a_bound(real, left):
    """A sum of squares is; of another number only what is far below 0 is known."""

    def below(x):
        by_size = guarded(real, 20, x=x)
        ((chosen,),) = by_size.roots
        near = Term("lt", (x, const(0.125, real)), None, Scalar.BOOL)
        return by_size.with_flat([Term("select", (near, *chosen.args[1:]), None, real)])

    x, y = var("x", real), var("y", real)
    squares = [Term("mul", (v, v), None, real) for v in (x, y)]
    program = below(Term("add", tuple(squares), None, real))
    assert additions(shortened(program)) == left + 1
    assert shortened(below(x)).flat == below(x).flat


def test_what_nothing_is_known_of_stays():
    y = var("y", Scalar.F32)
    for program in (
        guarded(Scalar.F32, 20, x=y),
        guarded(Scalar.F32, 20, lambda total: Term("exp", (total,), None, Scalar.F32)),
        guarded(Scalar.F32, 20, lambda total: Term("add", (total, y), None, Scalar.F32)),
    ):
        assert shortened(program).flat == program.flat


def test_the_other_arm_stays():
    program = guarded(Scalar.F32, 20)
    (chosen,), (cut,) = program.flat, shortened(program).flat
    assert cut.args[0] is chosen.args[0] and cut.args[2] is chosen.args[2]
    assert cut.args[1] is not chosen.args[1]


def test_a_sum_that_can_vanish_stays_though_another_one_has_room_for_less():
    """x + x^2*series keeps its digits as a result, though 1 + that needs fewer of them."""
    whole = guarded(Scalar.F32, 20)
    (chosen,) = whole.flat
    near, series, far = chosen.args
    x = var("x", Scalar.F32)
    square = Term("mul", (x, x), None, Scalar.F32)
    small = Term("add", (x, Term("mul", (square, series), None, Scalar.F32)), None, Scalar.F32)
    more = Term("add", (const(1.0, Scalar.F32), small), None, Scalar.F32)
    arms = [Term("select", (near, arm, far), None, Scalar.F32) for arm in (small, more)]
    results = (Slot("small", Scalar.F32), Slot("more", Scalar.F32))
    both = Program("f", whole.params, results, tuple((arm,) for arm in arms))
    assert shortened(both).flat == both.flat
    alone = Program("f", whole.params, results[1:], ((arms[1],),))
    assert additions(shortened(alone)) < additions(alone)


def test_what_is_used_elsewhere_stays_for_both():
    program = guarded(Scalar.F32, 20)
    (chosen,) = program.flat
    results = (Slot("out", Scalar.F32), Slot("series", Scalar.F32))
    both = Program("f", program.params, results, ((chosen,), (chosen.args[1],)))
    assert shortened(both).flat == both.flat


@pytest.mark.numbers
@pytest.mark.parametrize(
    ("f", "mode"),
    [*[(f, "bwd") for f in FUNCTIONS], *[(f, "hessian") for f in FUNCTIONS[1:]]],
    ids=lambda v: v if isinstance(v, str) else v.__name__,
)
def test_what_is_cut_is_less_than_a_rounding(f, mode):
    d = derive(f, mode)
    plain = plain_program(d.derivative, d.rules, Scalar.F32, derived=True, strict=True)
    short = shortened(plain)
    assert len(short.terms()) < len(plain.terms())
    near = np.linspace(-0.6, 0.6, 1001)
    at = {leaf: near if leaf.attr == "x" else 1.0 for leaf in plain.leaves()}
    right, found = (values(d.rules, p.flat, at)[p.flat[-1]] for p in (plain, short))
    np.testing.assert_allclose(found, right, rtol=2.0**-24)
    assert np.any(found != right)


def test_deep_quotients_end_no_recursion():
    def halved(total):
        for _ in range(5_000):
            total = Term("div", (total, const(2.0, Scalar.F32)), None, Scalar.F32)
        return total

    program = guarded(Scalar.F32, 3, halved)
    assert len(shortened(program).terms()) <= len(program.terms())


def test_strict_programs_keep_theirs():
    def f(x: float) -> float:
        return 1.0 + x * (0.5 + x * (0.2 + x * 1e-9)) if abs(x) < 0.125 else x

    safe, strict = (derive(f, "primal", math=math).report for math in ("safe", "strict"))
    assert safe.counts_after["add"] == 2 < strict.counts_after["add"] == 3


# Functions of 80 digits, and places beside those where the series ends.
EXACT = {
    "exprel2": (lambda x: (mpmath.exp(x) - 1 - x) / x**2, ()),
    "exprel3": (lambda x: (mpmath.exp(x) - 1 - x - x * x / 2) / x**3, ()),
    "log1p_defect": (lambda x: (x - mpmath.log1p(x)) / x**2, (-0.9,)),
    "langevin": (lambda x: mpmath.coth(x) - 1 / x, ()),
    "langevin_over": (lambda x: (x * mpmath.coth(x) - 1) / x**2, (0.74, -0.76)),
    "cotangent_defect": (lambda x: (1 - x * mpmath.cot(x)) / x**2, (2.0,)),
    "rexprel": (lambda x: x / mpmath.expm1(x), (-37.0, -20.0, 20.0, 37.0, -1e6)),
}
BESIDE = (-0.7, -0.51, -0.49, -0.126, -0.12, -0.06, -1e-3, 1e-9, 1e-3, 0.07, 0.12, 0.13, 0.49, 0.6)


@pytest.mark.numbers
@pytest.mark.parametrize(("dtype", "within"), [("float64", 1e-14), ("float32", 5e-5)])
@pytest.mark.parametrize("name", EXACT)
def test_slopes_by_the_series_of_the_value(name, dtype, within):
    exact, further = EXACT[name]
    function = getattr(egad, name)
    slope = derive(lambda x: function(x), "value_and_grad", dtype=dtype)
    x = np.array([*BESIDE, *further], dtype)
    with np.errstate(all="ignore"):
        found = slope.reference(x)[1].x
    for at, got in zip(x, found, strict=True):
        with mpmath.workdps(80):
            want = mpmath.diff(exact, mpmath.mpf(float(at)), h=mpmath.mpf(10) ** -30)
        assert float(got) == pytest.approx(float(want), rel=within), at
