"""Logarithms of multiples of what overflows, and of what is left where functions saturate."""

import math

import pytest
from far import right_to_second_order
from gaps import no_digits_are_lost

from egad.rewrite.substitutes.logarithms.multiples import of_multiples
from egad.rules import load
from egad.terms.apply import apply
from egad.terms.program import Program, Slot
from egad.terms.term import const, var
from egad.terms.types import Scalar
from egad.terms.value import scalar

LIMIT = {"float32": 5e-6, "float64": 1e-12}
REAL = Scalar.F64


def entropy(x: float) -> float:
    """Of an oscillator; its second derivative was -0.25 at 800."""
    return x / 2.0 / math.tanh(x / 2.0) - math.log(2.0 * math.sinh(x / 2.0))


def sine(x: float) -> float:
    return math.log(3.0 * math.sinh(x))


def cosine(x: float, a: float) -> float:
    return math.log(a / math.cosh(x) ** 2)


def partition(x: float, a: float) -> float:
    return math.log(a * (1.0 + math.exp(x)))


def step(x: float) -> float:
    return math.log(2.0 * (math.exp(x) - 1.0))


def root(x: float) -> float:
    return math.log(math.sqrt(math.cosh(x)))


def mean(x: float) -> float:
    return math.log((math.exp(x) - 1.0) / x)


def share(x: float) -> float:
    return math.log(x / (math.exp(x) - 1.0))


def squashed(x: float) -> float:
    return math.log(1.0 - math.tanh(x) ** 2)


def lower(x: float) -> float:
    return math.log(1.0 - math.tanh(x))


def upper(x: float) -> float:
    return math.log(1.0 + math.tanh(x))


PROGRAMS = [
    (sine, [(0.3,), (2.0,), (60.0,), (800.0,)]),
    (cosine, [(0.3, 1.2), (60.0, 1.2), (-800.0, 1.2), (800.0, 0.1)]),
    (partition, [(0.3, 1.3), (-3.0, 1.3), (100.0, 1.3), (800.0, 1.3)]),
    (step, [(0.3,), (2.0,), (100.0,), (800.0,)]),
    (root, [(0.3,), (-2.0,), (100.0,), (800.0,)]),
    (mean, [(0.0,), (1e-3,), (-1.01,), (0.99,), (3.0,), (-40.0,), (800.0,), (-800.0,)]),
    (share, [(0.0,), (1e-3,), (-1.01,), (0.99,), (3.0,), (-40.0,), (800.0,), (-800.0,)]),
    (squashed, [(1e-3,), (0.3,), (-2.0,), (50.0,), (120.0,)]),
    (lower, [(1e-6,), (0.3,), (-2.0,), (50.0,), (120.0,)]),
    (upper, [(1e-6,), (0.3,), (2.0,), (-50.0,), (-120.0,)]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("f", "points"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_logarithms_do_not_overflow(f, points, dtype):
    """Slopes of a nearly straight line are what it deviates by: 1e-30 is nothing beside 1."""
    right_to_second_order(f, points, dtype, limit=20 * LIMIT[dtype], least=LIMIT[dtype] / 10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [squashed, lower, upper])
def test_small_logarithms_have_their_digits(f, dtype):
    points = [(1e-5,), (-1e-3,), (0.1,), (-0.4,)]
    no_digits_are_lost(f, points, dtype, LIMIT[dtype], 0.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_entropy_of_an_oscillator_ends(dtype):
    points = [(0.7,), (3.0,), (20.0,), (90.0,), (800.0,)]
    right_to_second_order(entropy, points, dtype, limit=1e-4, least=40 * LIMIT[dtype])


def event(x: float) -> float:
    """The logarithm of a chance by the complementary log-log link."""
    return math.log(1.0 - math.exp(-math.exp(x)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_chances_of_rare_events(dtype):
    """In single precision the second derivative was -0.017 at -50, where it is -1e-22."""
    points = [(x,) for x in (-50.0, -12.0, -1.0, -0.01, 0.01, 1.0, 2.0, 3.5)]
    right_to_second_order(event, points, dtype, limit=40 * LIMIT[dtype])
    right_to_second_order(event, [(9.5,), (100.0,)], dtype, limit=0.0)


# ----------------------------------------------------------------------------- where it is not done


def _log(inside):
    x, a = scalar(var("x", REAL)), scalar(var("a", REAL))
    rules = load()
    made = [apply(rules, op, [x], REAL) for op in ("sinh", "cosh")]
    top = apply(rules, "log", [inside(rules, made, a)], REAL).term
    program = Program("f", (Slot("x", REAL), Slot("a", REAL)), (Slot("y", REAL),), ((top,),))
    primal = [rule for rule in rules.rewrites if rule.primal]
    return of_multiples(program, primal, lambda _: False, rules).flat[0]


def test_signs_have_to_be_known():
    """log(a*sinh(x)) has a value where both are negative."""
    assert _log(lambda rules, h, a: apply(rules, "mul", [a, h[0]], REAL)).op == "log"
    assert _log(lambda rules, h, a: apply(rules, "mul", [a, h[1]], REAL)).op == "add"
    three = scalar(const(3.0, REAL))
    assert _log(lambda rules, h, a: apply(rules, "mul", [three, h[0]], REAL)).op == "add"


def test_quotients_of_both_have_forms_of_their_own():
    """log(sinh(x)) - log(cosh(x)) has no digits far out, where log(tanh(x)) is small."""
    assert _log(lambda rules, h, a: apply(rules, "div", [h[0], h[1]], REAL)).op == "log"
