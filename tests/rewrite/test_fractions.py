"""Quotients around sums that hold quotients: one division, where no number is lost by it."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from egad import derive
from egad.rewrite.regroup.fractions import without_inner
from egad.terms.term import Term, const, const_value, toposort, var
from egad.terms.types import Scalar

F = Scalar.F64
A, B, K, X, Y = (var(name, F) for name in "abkxy")
ONE = const(1.0, F)
SQUARE = Term("mul", (K, K), None, F)


def op(name, *args):
    return Term(name, args, None, F)


def divisions(derived):
    counts = derived.report.counts_after
    return counts.get("div", 0) + counts.get("rcp", 0)


def value(term, at):
    """The value of a term in rational numbers."""
    how = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "rcp": lambda a: 1 / a,
        "neg": lambda a: -a,
    }
    done = dict(at)
    for t in toposort([term]):
        if t.op == "const":
            done[t] = Fraction(const_value(t))
        elif t.op != "var":
            done[t] = how[t.op](*[done[a] for a in t.args])
    return done[term]


FORMS = {
    "half of it meets": op("div", X, op("mul", K, op("add", ONE, op("div", A, SQUARE)))),
    "all of it meets": op("div", X, op("mul", SQUARE, op("sub", B, op("div", A, SQUARE)))),
    "above the line": op("div", op("mul", K, op("sub", op("div", A, K), B)), Y),
    "a reciprocal": op("rcp", op("mul", K, op("add", B, op("rcp", op("mul", K, K))))),
    "a sign": op("neg", op("div", X, op("mul", op("add", op("div", A, K), Y), K))),
    "a constant": op("div", X, op("mul", K, op("add", ONE, op("div", A, op("mul", ONE, SQUARE))))),
    "in a product": op(
        "mul", op("div", A, SQUARE), op("div", X, op("add", ONE, op("div", B, SQUARE)))
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_one_division_is_the_same_function(name):
    term = FORMS[name]
    new = dict(without_inner([term]))[term]
    assert sum(t.op in ("div", "rcp") for t in toposort([new])) == 1
    rng = random.Random(name)
    for _ in range(5):
        at = {v: Fraction(rng.randint(1, 99), rng.randint(1, 99)) for v in (A, B, K, X, Y)}
        assert value(new, at) == value(term, at)


def test_what_others_need_is_divided_once():
    inner = op("div", A, SQUARE)
    term = op("div", X, op("mul", K, op("add", ONE, inner)))
    assert list(without_inner([term, inner])) == []


def test_what_would_overflow_alone_stays_inside():
    for below in (B, op("mul", B, K), op("mul", SQUARE, B)):
        term = op("div", X, op("mul", K, op("add", ONE, op("div", A, below))))
        assert list(without_inner([term])) == []
    above = op("mul", op("div", X, Y), op("add", ONE, op("div", A, B)))
    assert list(without_inner([above])) == []


def cauchy(e: float, c: float) -> float:
    return np.log(1.0 + e * e / (c * c))


def scaled(e: float, c: float) -> float:
    return c * np.log(1.0 + e * e / (c * c))


def far(x: float, a: float, b: float) -> float:
    return b / (1.0 + a / (x * x * x * x))


@pytest.mark.parametrize(
    ("f", "exact"),
    [
        (cauchy, lambda e, c: 2 * e / (c * c + e * e)),
        (scaled, lambda e, c: 2 * e * c / (c * c + e * e)),
    ],
)
def test_slopes_of_robust_losses_need_one_division(f, exact):
    derived = derive(f, wrt=["e"], dtype="float64")
    assert divisions(derived) == 1
    for e, c in ((0.3, 2.0), (-5.0, 0.01), (1e-9, 3.0), (1e9, 1e-3), (1e-80, 1e-70), (1e70, 1e60)):
        with mpmath.workdps(50):
            wanted = float(exact(mpmath.mpf(e), mpmath.mpf(c)))
        assert derived.reference(e, c, 1.0).e == pytest.approx(wanted, rel=1e-15)
        assert derived(e, c, 1.0).e == pytest.approx(wanted, rel=1e-15)


def test_a_number_that_has_one_far_out_keeps_it():
    derived = derive(far, "primal")
    assert derived.reference(np.float32(1e10), 2.0, 3.0) == 3.0


def test_exponentials_divide_beside_what_divides_them():
    def bell(x, m, s):
        return np.exp(-(x - m) * (x - m) / (2.0 * s * s)) / s

    def density(m, s, n, t, x, c):
        return -np.log(c * bell(x, m, s) + (1.0 - c) * bell(x, n, t))

    def exact(m, s, n, t):
        one = c * mpmath.exp(-(((x - m) / s) ** 2) / 2) / s
        return -mpmath.log(one + (1 - c) * mpmath.exp(-(((x - n) / t) ** 2) / 2) / t)

    derived = derive(density, mode="jacobian", wrt=["m", "s", "n", "t"], dtype="float64")
    assert divisions(derived) == 3  # by s, by t, by the density
    at, x, c = (0.3, 0.7, -0.2, 1.9), 1.3, 0.4
    orders = np.eye(4, dtype=int)
    slopes = [float(mpmath.diff(exact, at, tuple(map(int, order)))) for order in orders]
    assert np.allclose(slopes, np.ravel(derived(*at, x, c)), rtol=1e-12)
