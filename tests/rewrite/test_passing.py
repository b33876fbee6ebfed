"""Bodies that only pass on what loops compute are not searched; their text has no copies."""

import re

import numpy as np
import pytest

from egad import derive, sin
from egad.rewrite.pipeline.passing import passes_on
from egad.rules import load
from egad.terms.loop import Open, State, bound, close, final
from egad.terms.program import Program, Slot
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

INT, REAL = Scalar.I32, Scalar.F32
N, X = var("n", INT), var("x", REAL)
RULES = load()


def loop(first, trips, factor=2.0):
    """A loop of a thousand trips at most, each with a sine."""
    x, k = bound("x", REAL), bound("k", INT)
    sine = Term("sin", (Term("mul", (x, const(factor, REAL)), None, REAL),), None, REAL)
    state = State("x", x, first, sine)
    return close(Open(k, trips, const(True, Scalar.BOOL), (state,), 1000))


def passes(*roots):
    slots = (Slot("n", INT), Slot("x", REAL))
    results = tuple([Slot(f"r{i}", t.type) for i, t in enumerate(roots)])
    program = Program("f", slots, results, tuple([(t,) for t in roots]))
    return passes_on(program, RULES, 0.005)


def test_what_counts_and_passes_on():
    less = Term("sub", (N, const(1, INT)), None, INT)
    inner = loop(X, less)
    assert passes(final(inner, 0))
    assert passes(final(loop(final(inner, 0), N, 3.0), 0), less)


def test_what_rules_might_change():
    """A number, a result that might not be needed, two loops that might be one, and no loop."""
    less = Term("sub", (N, const(1, INT)), None, INT)
    inner = loop(X, N)
    result, ran = final(inner, 0), Term("proj", (inner,), 0, INT)
    assert not passes(Term("mul", (result, X), None, REAL))
    assert not passes(Term("mul", (ran, const(0, INT)), None, INT))
    assert not passes(result, final(loop(X, less), 0))
    assert not passes(less, X)
    many = N
    for k in range(200):
        many = Term("add", (Term("mul", (many, many), None, INT), const(k, INT)), None, INT)
    assert passes(result)
    short = close(
        Open(
            bound("k", INT),
            N,
            const(True, Scalar.BOOL),
            (State("x", (v := bound("x", REAL)), X, Term("sin", (v,), None, REAL)),),
            4,
        )
    )
    assert not passes(final(short, 0), many)


def long(x: float, y: float) -> float:
    s = x
    for i in range(3000):
        s = s + 0.001 * sin(s * y) + 0.001 * i
    return s


def test_segments_are_not_searched():
    """Their bodies are what they were; that of a trip, which is in two of them, is done once."""
    derived = derive(long, "bwd", dtype="float64")
    account = derived.account
    bodies = [b for b in account.bodies if b.plain.name == "loop"]
    passed = [b for b in bodies if any(t.op == "loop" for t in b.plain.terms())]
    assert len(passed) == 2 and len(bodies) == 4
    assert all(b.plain.flat == b.best.flat for b in passed)
    assert account.coverage == 1.0
    assert "in a loop: ;" not in derived.explain()


def nested(x: float, y: float) -> float:
    for i in range(40):
        for j in range(30):
            x = x + 0.01 * sin(x * y + i - j)
    return x


def kept_outside(x: float, y: float) -> float:
    """The value before the inner loop is read after it."""
    for i in range(7):
        before = x
        for j in range(6):
            x = x + 0.01 * sin(x * y + i - j)
        x = 0.5 * x + 0.25 * before
    return x


def exchanged(x: float, y: float) -> float:
    for i in range(7):
        for j in range(6):
            x, y = y + 0.01 * sin(x * i - j), x
        x, y = y, x
    return x - 2.0 * y


def left(x: float, y: float) -> float:
    for i in range(9):
        if x > 2.0:
            break
        for j in range(5):
            x = x + 0.1 * sin(x * y + i - j) + 0.05
    return x


def in_a_branch(x: float, y: float) -> float:
    for i in range(9):
        if sin(x * i) > 0.1:
            for j in range(5):
                x = x + 0.1 * sin(x * y + i - j)
    return x * y


@pytest.mark.parametrize("f", [nested, kept_outside, exchanged, left, in_a_branch])
def test_loops_in_loops_go_on_with_one_variable(f):
    x, y = np.linspace(-1.0, 2.5, 9), np.linspace(0.5, -1.5, 9)
    want = [f(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    primal, backward = (derive(f, mode, dtype="float64") for mode in ("primal", "bwd"))
    np.testing.assert_allclose(primal(x, y), want, rtol=1e-12)
    np.testing.assert_allclose(primal.reference(x, y), want, rtol=1e-12)
    h = 1e-6
    slope = [(f(a + h, b) - f(a - h, b)) / (2 * h) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(backward(x, y, 1.0).x, slope, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(backward.reference(x, y, 1.0).x, slope, rtol=1e-6, atol=1e-7)
    one = f is nested
    assert (len(re.findall(r"(?m)^ +double x", primal.source)) == 1) == one
