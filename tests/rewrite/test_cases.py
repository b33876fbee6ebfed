"""Guarded values: what is equal by what conditions are, which is 0 or 1; and nothing else."""

import random

import numpy as np
import pytest
from mpmath import mp

import egad
from egad.rewrite.egraph import numbers
from egad.rewrite.egraph.cost import term_cost
from egad.rewrite.reuse.cases import by_cases
from egad.rewrite.reuse.known import Known
from egad.rules import load
from egad.terms.term import SELECT, Term, const, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64
X, Y, Z = LEAVES = [var(name, REAL) for name in "xyz"]
ZERO, ONE = const(0.0, REAL), const(1.0, REAL)


def op(name, *args, kind=REAL):
    return Term(name, args, None, kind)


def mul(a, b):
    return op("mul", a, b)


def at_0(value):
    return op("eq", value, ZERO, kind=Scalar.BOOL)


def guarded(value):
    """0 where a value is 0, else its reciprocal."""
    return op(SELECT, at_0(value), ZERO, op("rcp", value))


def found(*flat):
    return list(by_cases(Known(flat, lambda term: term_cost(RULES, term))))


D = op("hypot", X, Y)
G, H = guarded(D), guarded(Z)
SINE, COSINE = mul(X, G), mul(Y, G)


@pytest.mark.parametrize(
    ("there", "value", "equal"),
    [
        (mul(Y, H), mul(mul(Z, H), mul(H, Y)), mul(Y, H)),
        (mul(COSINE, COSINE), mul(G, op("sub", ONE, mul(SINE, SINE))), None),
        (mul(mul(SINE, COSINE), G), mul(G, mul(mul(SINE, COSINE), mul(mul(D, G), G))), None),
    ],
)
def test_a_guard_around_a_guard_is_one(there, value, equal):
    pairs = [new for old, new in found(there, value) if old is value]
    assert pairs and (equal is None or equal in pairs)


def test_what_is_so_in_one_case_only_is_not_said():
    """Where z is 0, z*h is not 1, nor y*z*h what y is; two guards are not one of them."""
    for there, value in (
        (Y, mul(Y, mul(Z, H))),
        (mul(X, X), mul(mul(X, mul(Z, H)), X)),
        (mul(X, H), mul(mul(X, H), mul(D, G))),
        (mul(X, H), mul(X, op("rcp", Z))),
    ):
        assert there not in [new for old, new in found(there, value) if old is value]
    assert found(mul(X, Y), op("sub", mul(X, Z), Y)) == []  # no guards


def test_conditions_of_choices_between_numbers_stay_unknown():
    either = op(SELECT, at_0(Z), X, Y)
    one, other = mul(either, H), mul(Y, H)
    assert other not in [new for old, new in found(other, one) if old is one]


@pytest.mark.parametrize("count", range(2, 16))
def test_what_many_guards_have_to_let_through_is_not_0(count):
    """It is 0 in all cases but one: points by chance meet that seldom."""
    value = X
    for k in range(count):
        arms = (ZERO, value) if k % 2 else (value, ZERO)
        value = op(SELECT, op("lt", var(f"v{k}", REAL), ONE, kind=Scalar.BOOL), *arms)
    product = mul(X, G)
    for k in range(count):
        product = mul(product, op(SELECT, at_0(var(f"v{k}", REAL)), ZERO, Z))
    pairs = found(mul(Y, H), op("add", mul(Y, H), value), product, op("sub", product, value))
    assert ZERO not in [new for _, new in pairs]
    assert pairs == []


def _random_program(rng):
    guards = [guarded(X), guarded(Y), guarded(op("sub", X, Y)), op(SELECT, at_0(X), Z, ZERO)]
    terms = [*LEAVES, *guards, ONE]
    for _ in range(24):
        name = rng.choice(("add", "sub", "mul", "mul", "mul"))
        terms.append(op(name, *rng.choices(terms[-12:] if len(terms) > 12 else terms, k=2)))
    return terms[-6:]


def test_what_is_found_holds_in_every_case():
    """At points on the axes and on the diagonal, too, in numbers of 53 bits."""
    points = [(0.7, -1.3, 2.1), (0, -1.3, 2.1), (0.7, 0, 2.1), (1.5, 1.5, 2.1), (0, 0, 2.1)]
    columns = [np.array(column, np.float64) for column in zip(*points, strict=True)]
    table = dict(zip(LEAVES, columns, strict=True))
    count = 0
    for seed in range(80):
        pairs = found(*_random_program(random.Random(seed)))
        count += len(pairs)
        for old, new in pairs:
            assert old not in toposort(new.args)
            with np.errstate(all="ignore"):
                values = numbers.values(RULES, [old, new], table)
            one, two = values[old], values[new]
            np.testing.assert_allclose(two, one, rtol=1e-9, atol=1e-9 * np.max(np.abs(one)))
    assert count > 20


def smile(b: float, k: float, s: float, tilt: float) -> float:
    """Total variance of an option by its moneyness (SVI)."""
    return b * (tilt * k + egad.sqrt(k * k + s * s))


def torus(x: float, y: float, z: float) -> float:
    """The distance to a ring."""
    q = egad.sqrt(x * x + z * z) - 0.7
    return egad.sqrt(q * q + y * y) - 0.2


def by_mp(f):
    """The function in 50 digits."""
    return {
        smile: lambda b, k, s, tilt: b * (tilt * k + mp.sqrt(k * k + s * s)),
        torus: lambda x, y, z: mp.sqrt((mp.sqrt(x * x + z * z) - 0.7) ** 2 + y * y) - 0.2,
    }[f]


@pytest.mark.parametrize(("f", "most"), [(smile, 41.5), (torus, 72)])
def test_second_derivatives_of_lengths(f, most):
    derived = egad.derive(f, "hessian", dtype="float64")
    assert derived.report.cost_after <= most
    n = len(derived.program.params)
    for at in [(0.3, 0.4, -0.6, 0.7), (1.2, -0.5, 0.8, -0.2), (-2.0, 0.1, 0.3, 1.1)]:
        at = at[:n]
        ways = np.array(derived(*at)), np.array(derived.reference(*at))
        with mp.workdps(50):
            for i in range(n):
                for j in range(n):
                    orders = tuple(int(i == k) + int(j == k) for k in range(n))
                    wanted = float(mp.diff(by_mp(f), at, orders))
                    for got in ways:
                        assert got[i][j] == pytest.approx(wanted, rel=1e-12, abs=1e-13)
    assert np.all(np.isfinite(np.array(derived(*[0.0] * n))))
