"""Quotients and products of hyperbolic functions far out, where both sides overflow."""

import math

import numpy as np
import pytest
from far import right_to_second_order

from egad import derive
from egad.rewrite.substitutes.exponentials.hyperbolics import by_scaled
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.program import Program, Slot
from egad.terms.term import toposort, var
from egad.terms.types import Scalar
from egad.terms.value import scalar

LIMIT = {"float32": 1e-5, "float64": 3e-13}
LEAST = {"float32": 1e-37, "float64": 1e-250}
REAL = Scalar.F64


def cosecant(x: float, a: float) -> float:
    """Its slope was 0 at 60 in single precision, where it is -1.75e-26, and NaN at 90."""
    return a / math.sinh(x)


def squared(x: float) -> float:
    return 1.0 / math.sinh(x) ** 2


def kernel(x: float) -> float:
    return 1.0 / (x * math.sinh(x))


def cotangent(x: float) -> float:
    return math.cosh(x) / math.sinh(x) ** 2


def soliton(x: float) -> float:
    return math.sinh(x) / math.cosh(x) ** 2


def bell(x: float) -> float:
    return 1.0 / (1.0 + math.cosh(x))


def halves(x: float) -> float:
    """A square of a tangent, of which the second derivative was -infinity at 50."""
    return (math.cosh(x) - 1.0) / (math.cosh(x) + 1.0)


def strip(x: float, y: float) -> float:
    return math.sin(y) / (math.cosh(x) + math.cos(y))


def product(x: float) -> float:
    return math.exp(-x) * math.sinh(x)


def mixture(x: float, a: float, b: float) -> float:
    return math.exp(-a * x) * math.cosh(b * x)


def odd_mixture(x: float, s: float) -> float:
    return math.exp(-x * x / s) * math.sinh(3.0 * x)


VANISHING = [
    (cosecant, [(0.4, 1.3), (-3.0, 1.3), (50.0, 1.3), (60.0, 1.3)]),
    (squared, [(0.4,), (-3.0,), (20.0,), (40.0,)]),
    (kernel, [(0.4,), (-3.0,), (50.0,), (60.0,)]),
    (cotangent, [(0.4,), (-3.0,), (50.0,), (60.0,)]),
    (soliton, [(0.4,), (-3.0,), (50.0,), (60.0,)]),
    (bell, [(0.4,), (-3.0,), (50.0,), (60.0,)]),
    (halves, [(0.4,), (-3.0,), (50.0,), (60.0,)]),
    (strip, [(0.4, 0.7), (-3.0, 0.7), (50.0, 0.7), (60.0, 0.7)]),
    (odd_mixture, [(0.4, 1.3), (-3.0, 1.3), (7.0, 1.3)]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), VANISHING, ids=lambda f: getattr(f, "__name__", ""))
def test_nothing_overflows_where_something_is_left(f, points, dtype):
    right_to_second_order(f, points, dtype, limit=20 * LIMIT[dtype], least=LEAST[dtype])


@pytest.mark.numbers
@pytest.mark.parametrize("f", [squared, kernel, cotangent, soliton, bell, halves, strip, cosecant])
def test_where_nothing_is_left_all_is_0(f):
    of = f.__code__.co_argcount
    point = (900.0, 0.7)[:of]
    value, slopes = derive(f, "value_and_grad", dtype="float64")(*point)
    assert [value, *slopes] == [1.0 if f is halves else 0.0] + [0.0] * of
    assert all(x == 0 for row in derive(f, "hessian", dtype="float64")(*point) for x in row)


def ratio(x: float, c: float) -> float:
    return math.sinh(x) / (c + math.cosh(x))


def strip_above(x: float, y: float) -> float:
    return math.sinh(x) / (math.cosh(x) + math.cos(y))


def beam(x: float, y: float) -> float:
    return (math.sinh(x) + math.sin(y)) / (math.cosh(x) - math.cos(y))


def inverse(x: float, c: float) -> float:
    return 1.0 / (c + math.cosh(x)) ** 2


def orientation(x: float) -> float:
    """Langevin's function by both: a gap took it apart, so it was inf/inf far out."""
    return math.cosh(x) / math.sinh(x) - 1.0 / x


SATURATING = [
    (orientation, [(0.01,), (0.3,), (-2.0,), (20.0,), (100.0,), (-800.0,)]),
    (ratio, [(0.0, 0.4), (0.3, 0.4), (-2.0, 0.4), (20.0, 0.4), (100.0, 0.4), (-800.0, 0.4)]),
    (strip_above, [(0.0, 0.4), (0.3, 0.4), (-2.0, 0.4), (100.0, 0.4), (-800.0, 0.4)]),
    (beam, [(0.3, 0.4), (-2.0, 0.4), (100.0, 0.4), (-800.0, 0.4)]),
    (inverse, [(0.3, 0.4), (-2.0, 0.4), (100.0, 0.4), (-800.0, 0.4)]),
    (product, [(0.0,), (0.3,), (-2.0,), (100.0,), (800.0,)]),
    (mixture, [(0.0, 2.0, 1.5), (0.3, 2.0, 1.5), (100.0, 2.0, 1.5), (100.0, 1.5, 1.5)]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), SATURATING, ids=lambda f: getattr(f, "__name__", ""))
def test_nothing_overflows_where_it_ends(f, points, dtype):
    """Slopes at the end are the rounding of the value at most."""
    least = 1e-6 if dtype == "float32" else 1e-14
    right_to_second_order(f, points, dtype, limit=40 * LIMIT[dtype], least=least)


# ----------------------------------------------------------------------------- where it is not done


def _of(op, *args):
    return apply(load(), op, [scalar(a) for a in args], REAL).term


def test_only_quotients_that_do_not_grow():
    x, c = var("x", REAL), var("c", REAL)
    s, h = _of("sinh", x), _of("cosh", x)
    sums = _of("add", c, h)
    free = (Slot("x", REAL), Slot("c", REAL))
    for above, below in (
        (_of("mul", s, h), sums),  # it grows
        (s, h),  # and this has a pattern
        (s, _of("add", c, _of("div", c, h))),
        (c, _of("add", c, _of("exp", x))),
        (s, _of("add", _of("add", h, _of("cosh", c)), _of("exp", _of("mul", x, c)))),
    ):
        program = Program("f", free, (Slot("y", REAL),), ((_of("div", above, below),),))
        changed = by_scaled(program, load())
        many = any(t.op == "exp" for t in toposort([below])) and above is s
        assert (changed.flat == program.flat) != many
    program = Program("f", free, (Slot("y", REAL),), ((_of("div", s, sums),),))
    assert by_scaled(program, load()).flat != program.flat


def chosen(x: float, y: float) -> float:
    """A choice stands for itself, also of a function that is a summand elsewhere."""
    grown = math.sinh(x)
    return 1.0 / ((grown if y > 0.5 else 1.0) + y * grown + math.cosh(x))


@pytest.mark.numbers
@pytest.mark.parametrize("y", [0.25, 0.75])
def test_a_choice_of_what_is_a_summand_elsewhere(y):
    d = derive(chosen, "value_and_grad", dtype="float64")
    value, slopes = d(1.25, y)
    h = 1e-6
    want = [
        (chosen(1.25 + h, y) - chosen(1.25 - h, y)) / (2 * h),
        (chosen(1.25, y + h) - chosen(1.25, y - h)) / (2 * h),
    ]
    assert float(value) == pytest.approx(chosen(1.25, y), rel=1e-14)
    assert np.array(slopes, float) == pytest.approx(np.array(want), rel=1e-8)
