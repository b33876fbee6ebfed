"""Ends of raised cosines and their kin: 0 where pi stands in a sine and a square divides."""

import math

import pytest
from far import right_to_second_order
from gaps import values_and_slopes_are_right

from egad import derive
from egad.rewrite.factors.factored import Product
from egad.rewrite.substitutes.gaps.ends import of_squares
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.term import const, var
from egad.terms.types import Scalar
from egad.terms.value import scalar

REAL = Scalar.F64


def pulse(x: float, b: float) -> float:
    """A raised cosine, without its sine; b is the excess of its band."""
    return math.cos(math.pi * b * x) / (1.0 - (2.0 * b * x) ** 2)


def whole_pulse(x: float, b: float) -> float:
    return (
        math.sin(math.pi * x) / (math.pi * x) * math.cos(math.pi * b * x) / (1 - (2 * b * x) ** 2)
    )


def half_sine(f: float) -> float:
    """The spectrum of half a sine, as of minimum shift keying."""
    return (math.cos(2.0 * math.pi * f) / (1.0 - 16.0 * f * f)) ** 2


def dipole(t: float) -> float:
    """What an antenna of half a wave sends, by the angle from it."""
    return math.cos(0.5 * math.pi * math.cos(t)) / math.sin(t)


def gated(x: float) -> float:
    return math.sin(math.pi * x) / (1.0 - x)


CASES = [
    (pulse, [(0.5, 1.0), (-0.5, 1.0), (0.25, 2.0), (2.0, 0.25), (0.7, 0.9), (0.5, 1.00001)]),
    (whole_pulse, [(0.5, 1.0), (2.0, 0.25), (0.0, 1.0), (0.3, 0.4)]),
    (half_sine, [(0.25,), (-0.25,), (0.25001,), (0.6,)]),
    (dipole, [(0.0,), (1e-5,), (0.3,), (1.0,)]),
    (gated, [(1.0,), (1.00001,), (0.3,)]),
]


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), CASES, ids=lambda f: getattr(f, "__name__", ""))
def test_values_and_slopes(f, points, dtype):
    values_and_slopes_are_right(f, points, dtype, scaled=True)


@pytest.mark.numbers
@pytest.mark.parametrize(("f", "points"), CASES, ids=lambda f: getattr(f, "__name__", ""))
def test_second_derivatives(f, points):
    right_to_second_order(f, points, "float64", limit=1e-8, least=1e-11)


@pytest.mark.parametrize("mode", ["fwd", "bwd"])
@pytest.mark.parametrize("optimize", ["fast", "default"])
def test_nothing_new_is_divided_by(mode, optimize):
    """No band at all is no gap: by 1/b a number would be lost."""
    d = derive(pulse, mode, dtype="float64", optimize=optimize)
    found = d(1.0, 0.0) if mode == "fwd" else d(1.0, 0.0, 1.0)
    assert [*found] == pytest.approx([1.0, 0.0] if mode == "fwd" else [0.0, 0.0], abs=1e-15)


def _of(op, *args):
    return apply(load(), op, [scalar(a) for a in args], REAL).term


def test_which_divisors_have_such_ends():
    x, b, one = var("x", REAL), var("b", REAL), const(1.0, REAL)
    u = _of("mul", const(2.0, REAL), x)

    def ends(term):
        return of_squares(Product.of(term).factors[0])

    at = [given[x][0] for _, given in ends(_of("sub", one, _of("mul", u, u)))]
    assert at == [const(0.5, REAL), const(-0.5, REAL)]
    both = _of("mul", b, u)
    assert len(ends(_of("sub", const(9.0, REAL), _of("mul", both, both)))) == 2
    for none in (
        _of("add", one, _of("mul", u, u)),
        _of("sub", one, u),
        _of("sub", b, _of("mul", u, u)),
    ):
        assert ends(none) == []
