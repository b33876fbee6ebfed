"""Reciprocals of roots of what has a reciprocal, of unknown sign."""

import math

import numpy as np
import pytest
from mpmath import mp

import egad
from egad.rewrite.reuse.reciprocals import by_reciprocals
from egad.rules import load
from egad.terms.term import Term, toposort, var
from egad.terms.types import Scalar

RULES, REAL = load(), Scalar.F64
X, Y = (var(name, REAL) for name in "xy")


def op(name, *args):
    return Term(name, args, None, REAL)


def test_what_is_never_below_0_is_left_to_rules():
    square = op("mul", X, X)
    for inside, found in ((X, 1), (op("sub", square, Y), 1), (square, 0), (op("exp", X), 0)):
        flat = [op("rsqrt", inside), op("div", Y, inside)]
        assert len(list(by_reciprocals(toposort(flat), RULES))) == found


def correlated(x: float, y: float, r: float) -> float:
    q = 1 - r * r
    return math.exp(-0.5 * (x * x - 2 * r * x * y + y * y) / q) / math.sqrt(q)


def conditional(x: float, y: float, r: float) -> float:
    q = 1 - r * r
    e = (y - r * x) / math.sqrt(q)
    return x * e * (1 + (y - r * x) * (y - r * x) / q)


@pytest.mark.parametrize("f", [correlated, conditional])
def test_one_division_and_one_root(f):
    derived = egad.derive(f, "jacobian", dtype="float64")
    left = [t.op for t in toposort(derived.program.flat)]
    assert sum(left.count(name) for name in ("rcp", "div")) == 1
    assert left.count("sqrt") == 1 and "rsqrt" not in left
    exact = type(f)(f.__code__, {"math": mp})
    with mp.workdps(50):
        for at in [(0.3, 0.4, 0.5), (-1.0, 0.7, -0.9), (0.1, 2.0, 0.0)]:
            order = [tuple(int(i == k) for k in range(3)) for i in range(3)]
            wanted = [float(mp.diff(exact, at, n)) for n in order]
            for found in (derived(*at), derived.reference(*at)):
                assert tuple(found) == pytest.approx(wanted, rel=1e-13)
    assert all(np.isnan(derived(0.3, 0.4, 2.0)))
