"""Functions that are cheaper together: growth over its rate, its slope, and the exponential."""

import math

import mpmath
import numpy as np
import pytest

from egad import derive, exp, expm1_over, exprel
from egad.codegen.host.reference import evaluate
from egad.rewrite.derivation.define import define
from egad.rules import load, loads
from egad.terms.term import Term, toposort, var
from egad.terms.types import Scalar

X = var("x", Scalar.F64)


def curve(level: float, slope: float, hump: float, x: float) -> float:
    """A yield by Nelson and Siegel, of a maturity in units of its decay."""
    e = math.exp(-x)
    mean = (1.0 - e) / x
    return level + slope * mean + hump * (mean - e)


def grown(c: float, x: float) -> float:
    return (math.exp(c * x) - 1.0) / x


def discount(a: float, s: float, r: float, t: float) -> float:
    """A bond by Vasicek, whose rate goes nowhere in the mean."""
    b = (1.0 - math.exp(-a * t)) / a
    return math.exp(s * b * b - b * r)


NEAR = [1e-9, 1e-3, 0.1, 0.2499, 0.2501, 0.3, 0.6, 2.0, 30.0]
CASES = [
    *[(curve, (0.3, 0.7, -0.4, x)) for x in NEAR],
    *[(curve, (0.3, 0.7, -0.4, -x)) for x in NEAR],
    *[(grown, (0.7, x / 0.7)) for x in NEAR],
    *[(grown, (-1.3, x / 1.3)) for x in NEAR],
    *[(discount, (x / 0.9, 0.2, 0.05, 0.9)) for x in NEAR],
]


def wanted(f, point, orders):
    inside = type(f)(f.__code__, {"math": mpmath.mp})
    with mpmath.workdps(60):
        return float(mpmath.diff(inside, tuple(map(mpmath.mpf, point)), tuple(orders)))


@pytest.mark.parametrize(("f", "point"), CASES)
@pytest.mark.parametrize(("dtype", "rel"), [("float64", 2e-14), ("float32", 1e-5)])
def test_slopes_on_both_sides_of_where_series_end(f, point, dtype, rel):
    point = tuple(float(np.dtype(dtype).type(x)) for x in point)
    want = [wanted(f, point, axis) for axis in np.eye(len(point), dtype=int)]
    found = np.array(derive(f, "bwd", dtype=dtype)(*point, 1.0), float)
    assert found == pytest.approx(np.array(want), rel=rel, abs=rel * max(map(abs, want)))


@pytest.mark.parametrize(("f", "point"), CASES)
def test_second_slopes(f, point):
    axes = np.eye(len(point), dtype=int)
    want = np.array([[wanted(f, point, a + b) for a in axes] for b in axes])
    found = np.array(derive(f, "hessian", dtype="float64")(*point), float)
    assert found == pytest.approx(want, rel=1e-12, abs=1e-12 * np.abs(want).max())


@pytest.mark.parametrize("f", [curve, grown, discount])
@pytest.mark.parametrize("mode", ["bwd", "hessian"])
def test_one_exponential_serves_all(f, mode):
    wide = derive(f, mode).report.counts_after
    assert "expm1" not in wide
    assert wide["exp"] == (2 if f is discount else 1)


def test_alone_each_has_the_form_that_is_cheaper_alone():
    """A rate alone: expm1(x) gives exp(x), too."""

    def mean(x: float) -> float:
        return (math.exp(x) - 1.0) / x

    found = derive(mean, "bwd").report.counts_after
    assert found.get("expm1") == 1
    assert "exp" not in found


RULES = """
def plain(x) -> y:
    \"\"\"A function with a form beside two others.\"\"\"
    y = sqrt(x * x)


@primal(beside="exp sin")
def plain(x) -> y:
    y = abs(x)
"""


@pytest.mark.parametrize(
    ("others", "derived", "op"),
    [
        ((), True, "sqrt"),
        (("exp",), True, "sqrt"),
        (("exp", "sin"), True, "abs"),
        (("exp", "sin"), False, "sqrt"),
    ],
)
def test_a_form_beside_others_needs_all_of_them(others, derived, op):
    rules = loads(RULES, "demo.rules", base=load())

    def of(name, *args):
        return Term(name, args, None, Scalar.F64)

    there = [of(name, X) for name in others]
    elsewhere = [of("cos", of("exp", of("neg", X)))]  # of another argument
    found = define(rules, [of("plain", X), *there, *elsewhere], Scalar.F64, derived=derived)
    assert {"sqrt", "abs"} & {t.op for t in toposort(found)} == {op}


def together(c: float, x: float) -> float:
    """In egad's words: patterns come to them, and change bits."""
    return exprel(x) * exp(x) + expm1_over(c, x)


def alone(c: float, x: float) -> float:
    return c * exprel(x) + expm1_over(0.5, x)


@pytest.mark.parametrize("f", [together, alone])
@pytest.mark.parametrize("mode", ["bwd", "jacobian", "hessian"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_reference_has_the_same_forms_bit_for_bit(f, mode, dtype):
    """In strict mode nothing but definitions is put in: by two evaluators that share no code."""
    d = derive(f, mode, math="strict", dtype=dtype)
    rng = np.random.default_rng(3)
    names = [path for slot in d.program.params for path in slot.paths()]
    inputs = {name: rng.uniform(-1.0, 1.0, 64).astype(dtype) for name in names}
    plain = evaluate(d.derivative, load(), inputs, derived=True)
    for one, other in zip(plain, evaluate(d.program, load(), inputs), strict=True):
        assert np.array_equal(one, other, equal_nan=True)
