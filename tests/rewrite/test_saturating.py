"""Shares of growth where an exponential overflows, half turns, and losses that end.

Each is compared with 300 digits beside the point, in values and slopes.
"""

import math

import pytest
from gaps import no_digits_are_lost, second_derivatives_are_numbers, values_and_slopes_are_right

from egad import derive
from egad.rewrite.substitutes.exponentials.saturating import without_saturation
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.program import Program, Slot
from egad.terms.term import const, toposort, var
from egad.terms.types import Scalar
from egad.terms.value import scalar

REAL = Scalar.F64


def growth(t: float, r: float, n: float) -> float:
    return n * math.exp(r * t) / (1.0 + n * (math.exp(r * t) - 1.0))


def verhulst(t: float, r: float, n: float, k: float) -> float:
    return k * n * math.exp(r * t) / (k + n * (math.exp(r * t) - 1.0))


def occupied(u: float, z: float) -> float:
    """A site that binds by an energy u, at an activity z."""
    return z * math.exp(u) / (1.0 + z * math.exp(u))


def selection(s: float, p: float, q: float) -> float:
    """The share of a gene after a while, of which one form has the advantage s."""
    return p * math.exp(s) / (p * math.exp(s) + q)


GROWING = [
    (growth, [(1.0, 1.0, 0.1), (0.0, 1.0, 0.2), (2.0, -3.0, 0.3), (0.5, 0.0, 0.3)]),
    (growth, [(1.0, 800.0, 0.1), (1.0, -800.0, 0.1), (1e5, 1.0, 0.01), (1e5, -1.0, 0.01)]),
    (verhulst, [(1.0, 1.0, 0.1, 2.0), (800.0, 1.0, 0.1, 2.0), (800.0, -1.0, 0.1, 2.0)]),
    (occupied, [(0.0, 0.5), (800.0, 0.5), (-800.0, 0.5), (20.0, 1e-8), (-20.0, 1e8)]),
    (selection, [(0.0, 0.5, 0.5), (800.0, 0.1, 0.9), (-800.0, 0.1, 0.9), (3.0, 0.0, 1.0)]),
]


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), GROWING, ids=lambda f: getattr(f, "__name__", ""))
def test_shares_of_growth_do_not_overflow(f, points, dtype):
    values_and_slopes_are_right(f, points, dtype)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [growth, occupied, selection])
def test_they_have_second_derivatives(f):
    of = f.__code__.co_argcount
    second_derivatives_are_numbers(f, [(x, 0.3, 0.2)[:of] for x in (900.0, -900.0, 0.0, 1e4)])


def test_neither_needs_a_second_exponential():
    text = derive(growth, "value_and_grad").source
    assert text.count("exp(") == 1


def _program(above, below):
    free = (Slot("a", REAL), Slot("n", REAL))
    return Program("f", free, (Slot("y", REAL),), ((_of("div", above, below),),))


def _of(op, *args):
    return apply(load(), op, [scalar(a) for a in args], REAL).term


def test_what_has_no_weight_that_varies_stays():
    """Sigmoids, Bernoulli's function and steps have patterns of rule files."""
    a, n = var("a", REAL), var("n", REAL)
    e, one, two = _of("exp", a), const(1.0, REAL), const(2.0, REAL)
    for above, below in (
        (e, _of("add", one, e)),
        (e, _of("add", two, e)),
        (_of("mul", a, e), _of("sub", e, one)),
        (_of("sub", e, one), _of("add", n, e)),
        (n, _of("add", n, e)),
        (_of("mul", e, e), _of("add", n, e)),
        (e, _of("add", n, _of("div", one, e))),
        (e, _of("add", n, _of("exp", n))),
    ):
        program = _program(above, below)
        assert without_saturation(program, load()).flat == program.flat
    changed = without_saturation(_program(e, _of("add", n, e)), load())
    assert any(t.op == "max" for t in toposort(changed.flat))


def test_a_long_sum_is_not_looked_at():
    n = var("n", REAL)
    e = long = _of("exp", var("a", REAL))
    for i in range(40):
        long = _of("add", long, _of("mul", n, const(float(i + 2), REAL)))
    program = _program(e, long)
    assert without_saturation(program, load()).flat == program.flat


def inverted(t: float) -> float:
    """What the inverse of a motion's Jacobian is made of."""
    return 1.0 / (t * t) - (1.0 + math.cos(t)) / (2.0 * t * math.sin(t))


def cotangent(t: float) -> float:
    return (math.cos(t) + 1.0) / math.sin(t)


def hyperbolic(t: float) -> float:
    return (1.0 + math.cosh(t)) / math.sinh(t)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_half_turns(dtype):
    """Beside pi both sides are nearly 0, and a quotient of what is left of them was wrong."""
    points = [(x,) for x in (0.3, 2.0, 3.1, 3.14159, 3.1415926535, math.pi, 3.15, 5.0)]
    values_and_slopes_are_right(inverted, [*points, (0.0,), (1e-3,)], dtype)
    values_and_slopes_are_right(cotangent, points, dtype)


def test_hyperbolic_cotangents_do_not_overflow():
    values_and_slopes_are_right(hyperbolic, [(0.5,), (20.0,), (-20.0,), (800.0,)], "float64")


def tukey(x: float, c: float) -> float:
    """Tukey's loss before it ends."""
    return c * c / 6.0 * (1.0 - (1.0 - (x / c) ** 2) ** 3)


def volume(q: float) -> float:
    return (1.0 + q) ** 3 - 1.0


def profile(q: float) -> float:
    return 1.0 - (1.0 - q) ** 2


@pytest.mark.numbers
@pytest.mark.parametrize(("dtype", "limit"), [("float32", 2e-6), ("float64", 1e-14)])
def test_powers_less_than_1_keep_digits(dtype, limit):
    small = [(1e-12,), (1e-5,), (-1e-3,), (0.3,)]
    no_digits_are_lost(volume, small, dtype, limit, 1e-300)
    no_digits_are_lost(profile, small, dtype, limit, 1e-300)
    d = derive(tukey, "value_and_grad", dtype=dtype)
    for x, c in ((1.0, 1e4), (1.0, 1e10), (1e-3, 1.0), (0.5, 1.0)):
        q = (x / c) ** 2
        want = x * x / 2.0 * (1.0 - q + q * q / 3.0)
        for value, (slope, _) in (d(x, c), d.reference(x, c)):
            assert value == pytest.approx(want, rel=limit)
            assert slope == pytest.approx(x * (1.0 - q) ** 2, rel=limit)
