"""Fingerprints that know square roots: their squares, and nothing that their signs would decide."""

import math
import random

import numpy as np
import pytest

from egad import derive
from egad.rewrite.egraph import numbers
from egad.rewrite.fingerprints import PRIME, SMALL, Fingerprints
from egad.rewrite.regroup.equal import same_function
from egad.rewrite.reuse import Digits, reused
from egad.rewrite.reuse.rooted import rooted
from egad.rules import load
from egad.terms.term import Term, const, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64
X, Y, Z = LEAVES = [var(name, REAL) for name in "xyz"]
ONE, TWO = const(1.0, REAL), const(2.0, REAL)


def op(name, *args):
    return Term(name, args, None, REAL)


def mul(a, b):
    return op("mul", a, b)


def add(a, b):
    return op("add", a, b)


def root(a):
    return op("sqrt", a)


def square(a):
    return mul(a, a)


SUM = add(square(X), add(square(Y), ONE))
NEST = add(root(SUM), square(Z))

EQUAL = {
    "square": (square(root(SUM)), SUM),
    "reciprocal": (square(op("rsqrt", SUM)), op("rcp", SUM)),
    "hypotenuse": (square(op("hypot", X, Y)), add(square(X), square(Y))),
    "nested": (square(square(root(NEST))), square(NEST)),
    "inside": (square(op("sub", square(root(NEST)), square(Z))), SUM),
    "of_a_root": (root(square(root(X))), root(X)),
    "conjugate": (
        mul(op("sub", root(SUM), Z), add(root(SUM), Z)),
        op("sub", SUM, square(Z)),
    ),
    "two": (square(mul(root(SUM), op("hypot", Y, Z))), mul(SUM, add(square(Y), square(Z)))),
}

# The first is the second, or its negative: which one, signs of values decide.
SIGNED = {
    "square": (root(square(X)), X),
    "factor": (root(mul(square(X), add(Y, ONE))), mul(X, root(add(Y, ONE)))),
    "product": (mul(root(X), root(Y)), root(mul(X, Y))),
    "quotient": (op("div", root(X), root(Y)), root(op("div", X, Y))),
    "sum": (root(add(add(square(X), mul(TWO, mul(X, Y))), square(Y))), add(X, Y)),
    "three": (mul(root(mul(X, Y)), root(mul(Y, Z))), mul(Y, root(mul(X, Z)))),
}


@pytest.mark.parametrize("prime", [PRIME, SMALL])
@pytest.mark.parametrize("one, other", EQUAL.values(), ids=EQUAL)
def test_squares_of_roots_are_what_is_below_them(one, other, prime):
    found = rooted(toposort([one, other]), prime)
    assert found[one] == found[other]
    assert same_function(one, other)


@pytest.mark.parametrize("prime", [PRIME, SMALL])
@pytest.mark.parametrize("one, other", SIGNED.values(), ids=SIGNED)
def test_what_signs_decide_is_not_known(one, other, prime):
    found = rooted(toposort([one, other]), prime)
    assert found[one] not in (found[other], prime - found[other])


def test_roots_of_opposites_have_no_value_together():
    below = op("sub", X, Y)
    flat = [square(root(below)), below, square(root(op("neg", below)))]
    found = rooted(toposort(flat), PRIME)
    assert found[flat[0]] == found[below] and found[flat[2]] not in (0, found[flat[0]])


def test_programs_without_roots_have_the_same_fingerprints():
    terms = toposort([mul(SUM, op("exp", X))])
    assert rooted(terms, PRIME) == Fingerprints(terms, PRIME)


def _random_program(rng):
    terms = [*LEAVES, ONE]
    for _ in range(24):
        name = rng.choice(("add", "sub", "mul", "mul", "sqrt", "hypot"))
        args = rng.choices(terms[-12:], k=1 if name == "sqrt" else 2)
        terms.append(op(name, *([add(square(args[0]), ONE)] if name == "sqrt" else args)))
    return terms[-6:]


def test_what_is_found_in_random_programs_has_their_numbers():
    rng = np.random.default_rng(0)
    at = {x: rng.uniform(-2, 2, 50) for x in LEAVES}
    pairs = 0
    for seed in range(80):
        flat = _random_program(random.Random(seed))
        digits = Digits(RULES, numbers.points(flat, special=True))
        found = reused(flat, RULES, digits)
        for old, new in (*found.others, *found.own):
            found_at = numbers.values(RULES, [old, new], at)
            assert np.allclose(found_at[old], found_at[new], rtol=1e-9, atol=1e-9)
            pairs += 1
    assert pairs > 20


def angle(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Between two bonds, by its tangent."""
    a, b = math.sqrt(ax * ax + ay * ay + az * az), math.sqrt(bx * bx + by * by + bz * bz)
    cosine = (ax * bx + ay * by + az * bz) / a / b
    return math.atan2(math.sqrt(1.0 - cosine * cosine), cosine)


def test_the_slope_of_an_angle_divides_by_what_is_there():
    d = derive(angle, dtype="float64")
    assert d.report.cost_after <= 91
    a, b = np.array([0.3, -0.7, 0.2]), np.array([0.5, 0.4, -0.9])
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    toward = b / np.linalg.norm(b) - cosine * a / np.linalg.norm(a)
    want = -toward / np.linalg.norm(a) / np.sqrt(1 - cosine**2)
    assert list(d(*a, *b, 1.0))[:3] == pytest.approx(want, rel=1e-12)
