"""Angles of quotients of a sum and a part of it: digits of the other part are kept."""

import math

import numpy as np
import pytest
from far import right_to_second_order
from gaps import wanted

from egad import derive
from egad.rewrite.substitutes.exponentials.parts import beside_one
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.program import Program, Slot
from egad.terms.term import const, var
from egad.terms.types import Scalar
from egad.terms.value import scalar

LIMIT = {"float32": 2e-5, "float64": 1e-13}
REAL = Scalar.F64


def level(h: float, r: float) -> float:
    """Half the angle of what is wet in a lying tank; at 1e-4 a slope had one digit."""
    return math.acos((r - h) / r)


def dip(h: float, r: float) -> float:
    """How far below a level line the horizon is, from ten metres above a sea."""
    return math.acos(r / (r + h))


def catenary(z: float, a: float) -> float:
    return math.acosh((z + a) / a)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (level, [(1e-4, 2.0), (1e-7, 2.0), (1.0, 2.0), (3.0, 2.0)]),
        (dip, [(10.0, 6371000.0), (1e-4, 2.0), (1.0, 2.0)]),
        (catenary, [(1.0, 2.0), (50.0, 2.0)]),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_values_and_derivatives(f, points, dtype):
    right_to_second_order(f, points, dtype, limit=LIMIT[dtype])


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slopes_have_digits_that_values_have_not(dtype):
    z, a = (float(np.dtype(dtype).type(x)) for x in (1e-6, 2.0))
    _, *slopes = wanted(catenary, (z, a))
    found = derive(catenary, "bwd", dtype=dtype)(z, a, 1.0)
    assert [*found] == pytest.approx(slopes, rel=LIMIT[dtype])


def _of(op, *args):
    return apply(load(), op, [scalar(a) for a in args], REAL).term


def test_which_quotients():
    r, h, k = (var(name, REAL) for name in "rhk")
    free = tuple(Slot(name, REAL) for name in "rhk")

    def without(term):
        program = Program("f", free, (Slot("y", REAL),), ((term,),))
        return beside_one(program, load()).flat[0]

    one = const(1.0, REAL)
    both = _of("sub", _of("add", r, k), h)
    rest = _of("div", _of("sub", k, h), r)
    assert without(_of("acos", _of("div", both, r))) is _of("acos", _of("add", one, rest))
    for stays in (
        _of("acos", _of("div", h, r)),
        _of("acos", _of("div", _of("sub", h, r), r)),  # -1 and another quotient
        _of("asin", _of("div", both, r)),
        _of("acos", _of("div", _of("sub", one, h), one)),
    ):
        assert without(stays) is stays


def test_what_is_no_part_costs_what_it_did():
    def angle(x: float, r: float) -> float:
        return math.acos(x / r)

    assert "acos" in derive(angle, "primal").source
