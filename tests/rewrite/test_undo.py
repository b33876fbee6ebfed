"""Updates that are undone instead of stored: by rules alone, and exactly."""

import numpy as np
import pytest

import egad
from egad import derive, rules, sin
from egad.rewrite.undo import may_be_undone, undone
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

INT, REAL, BOOL = Scalar.I32, Scalar.F32, Scalar.BOOL
N, A, N_END = var("n", INT), var("a", INT), var("n_end", INT)
X, Y, X_END = var("x", REAL), var("y", REAL), var("x_end", REAL)
UP, UP_END, C = var("up", BOOL), var("up_end", BOOL), var("c", BOOL)
ONE = const(1, INT)


def op(name, *args):
    return Term(name, args, None, args[-1].type)


def select(then, other):
    return op("select", C, then, other)


@pytest.mark.parametrize(
    ("update", "variable", "end", "before"),
    [
        (op("add", N, A), N, N_END, op("sub", N_END, A)),
        (op("add", A, N), N, N_END, op("sub", N_END, A)),
        (op("sub", N, A), N, N_END, op("add", N_END, A)),
        (op("sub", A, N), N, N_END, op("sub", A, N_END)),
        (op("bit_xor", A, N), N, N_END, op("bit_xor", N_END, A)),
        (op("neg", X), X, X_END, op("neg", X_END)),
        (X, X, X_END, X_END),
        (Term("logical_not", (UP,), None, BOOL), UP, UP_END, op("logical_not", UP_END)),
        (
            op("select", C, op("add", N, ONE), N),
            N,
            N_END,
            op("select", C, op("sub", N_END, ONE), N_END),
        ),
        (op("add", X, Y), X, X_END, None),  # a sum of reals is rounded
        (op("mul", N, const(5, INT)), N, N_END, op("mul", N_END, const(-858993459, INT))),
        (op("mul", const(-1, INT), N), N, N_END, op("mul", N_END, const(-1, INT))),
        (op("mul", N, const(6, INT)), N, N_END, None),  # its lowest bit says nothing of n
        (op("mul", N, A), N, N_END, None),
        (op("add", N, N), N, N_END, None),
        (select(A, N), N, N_END, None),  # in one arm it is lost
        (op("select", op("lt", N, A), op("add", N, ONE), N), N, N_END, None),
        (A, N, N_END, None),
    ],
    ids=str,
)
def test_what_an_update_was(update, variable, end, before):
    shipped = rules.load()
    assert undone(shipped, update, variable, end) is before
    if before is not None:
        assert may_be_undone(shipped, update)


def test_two_conditions_in_a_row_stay_small():
    """Each choice is undone once, however many there are."""
    shipped, value, flags = rules.load(), N, [var(f"c{i}", BOOL) for i in range(40)]
    for flag in flags:
        value = op("select", flag, op("add", value, ONE), value)
    found, size, stack = undone(shipped, value, N, N_END), 0, set()
    waiting = [found]
    while waiting:
        term = waiting.pop()
        if term not in stack:
            stack.add(term)
            size += 1
            waiting.extend(term.args)
    assert size <= 4 * len(flags) + 2


def fibonacci(x: float) -> float:
    a, b, s = 1, 2, x
    for _ in range(12):
        s = s * 0.5 + sin(s + b) * (a % 5) * 0.125
        a, b = b, a + b
    return s


def counted(x: float) -> float:
    s, n = x, 3
    for k in range(9):
        if k % 3 == 1:
            n -= 1
        elif k > 5:
            n = 10 - n
        s = s + 0.125 * sin(s * n)
    return s


def alternating(x: float, y: float) -> float:
    a, b, s, up, sign = x, y, 0.0, True, 1.0
    for k in range(7):
        s = s + sin(a * k) * sign * (2.0 if up else y)
        a, b = b, a
        up, sign = not up, -sign
    return s


def noise(x: float, seed: int) -> float:
    s, state = x, seed
    for k in range(9):
        state = (state ^ 1234567) + 164053 - k
        s = s + 0.125 * sin(s * (state & 255) / 64.0)
    return s


def congruential(x: float, seed: int) -> float:
    s, state = x, seed
    for _ in range(9):
        state = 1664525 * state + 1013904223
        s = s + 0.125 * sin(s * (state & 255) / 64.0)
    return s


def left_early(x: float) -> float:
    s, n, step = x, 0, 1
    egad.max_iters(30)
    while s < 3.0:
        s = s + 0.25 + 0.125 * sin(s * n)
        n, step = n + step, 1 - step
    return s


@pytest.mark.parametrize(
    ("f", "args", "states"),
    [
        (fibonacci, (0.4,), 1),
        (counted, (0.4,), 1),
        (alternating, (0.4, 0.7), 0),
        (noise, (0.4, 99), 1),
        (congruential, (0.4, 99), 1),
        (left_early, (0.4,), 1),
    ],
)
def test_only_what_is_rounded_is_kept(f, args, states):
    """One real number per trip at most; the numbers are those of differences."""
    backward = derive(f, "bwd", dtype="float64")
    assert len(backward.report.storage) == states
    assert all(s.type.elem is Scalar.F64 for s in backward.report.storage)
    given = np.linspace(0.2, 1.5, 7)
    rest, h = args[1:], 1e-6
    slope = [(f(x + h, *rest) - f(x - h, *rest)) / (2 * h) for x in given.tolist()]
    found = backward(given, *rest, 1.0).x
    np.testing.assert_allclose(found, slope, rtol=2e-7, atol=2e-7)
    np.testing.assert_allclose(backward.reference(given, *rest, 1.0).x, found, rtol=1e-12)
    second = derive(f, "hvp", dtype="float64")
    more = [
        (backward(x + h, *rest, 1.0).x - backward(x - h, *rest, 1.0).x) / (2 * h) for x in given
    ]
    wrt_x = {2: (1.0, 0.0)}.get(len(args), (1.0,)) if f is alternating else (1.0,)
    np.testing.assert_allclose(second(given, *rest, *wrt_x)[0], more, rtol=1e-5, atol=1e-5)
