"""Factors on both sides of the line that patterns have put there: right in every mode."""

import math

import pytest
from far import right_to_second_order
from gaps import wanted

from egad import derive, diff_pair
from egad.rewrite.substitutes.limits.shortened import in_lowest_terms
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.program import Program, Slot
from egad.terms.term import var
from egad.terms.types import Scalar
from egad.terms.value import scalar

REAL = Scalar.F64


def fallen(k: float, t: float, g: float) -> float:
    """How far something falls through air."""
    return math.log(math.cosh(math.sqrt(g * k) * t)) / k


def ramp(k: float, x: float) -> float:
    return math.log(math.cosh(k * math.sqrt(x))) / (3.0 * x)


POINTS = [(0.0, 1.0, 2.0), (1e-7, 1.0, 2.0), (0.3, 1.0, 2.0)]


@pytest.mark.parametrize("optimize", ["fast", "default"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_forward_and_backward_agree(dtype, optimize):
    """Forward, and fast, NaN at 0 and 0 instead of -1/3 at 1e-7 in single precision."""
    forward, backward = (
        derive(fallen, mode, dtype=dtype, optimize=optimize) for mode in ("fwd", "bwd")
    )
    for point in POINTS:
        _, *slopes = wanted(fallen, point)
        near = pytest.approx(slopes, rel=1e-5 if dtype == "float32" else 1e-11)
        pairs = [diff_pair(x, 1.0) for x in point]
        found = [
            forward(
                *(p if i == k else x for k, (x, p) in enumerate(zip(point, pairs, strict=True)))
            ).d
            for i in range(3)
        ]
        assert found == near
        assert [*backward(*point, 1.0)] == near


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_second_derivatives(dtype):
    limit = 1e-4 if dtype == "float32" else 1e-9
    right_to_second_order(fallen, POINTS, dtype, limit=limit, least=1e-10)
    right_to_second_order(
        ramp, [(0.7, 0.0), (0.7, 1e-6), (0.7, 2.0)], dtype, limit=limit, least=1e-7
    )


def _of(op, *args):
    return apply(load(), op, [scalar(a) for a in args], REAL).term


def test_what_was_written_so_stays():
    x, y, z = (var(name, REAL) for name in "xyz")
    free = tuple(Slot(name, REAL) for name in "xyz")
    written = Program("f", free, (Slot("r", REAL),), ((x,),))

    def shortened(term, before=written):
        program = Program("f", free, (Slot("r", REAL),), ((term,),))
        return in_lowest_terms(program, before, load()).flat[0]

    twice = _of("div", _of("mul", x, y), _of("mul", x, z))
    assert shortened(twice) is _of("div", y, z)
    assert shortened(_of("mul", x, _of("div", y, x))) is y
    assert shortened(_of("div", y, z)) is _of("div", y, z)
    root = _of("sqrt", x)
    assert shortened(_of("div", root, x)) is _of("div", root, x)  # x is not negative
    before = Program("f", free, (Slot("r", REAL),), ((twice,),))
    assert shortened(_of("neg", twice), before) is _of("neg", twice)
