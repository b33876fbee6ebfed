"""Ranges of integers: no value lies outside of them, however it is computed."""

import random

import numpy as np
import pytest

from egad import rules
from egad.rewrite.egraph.numbers import values
from egad.rewrite.loops.growth import grown
from egad.rewrite.undo.ranges import ALL, Ranges
from egad.terms.loop import Open, State, bound, close
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar

INT, BOOL = Scalar.I32, Scalar.BOOL
EDGES = [-(2**31), -(2**31) + 1, -65536, -3, -1, 0, 1, 2, 7, 65535, 2**31 - 2, 2**31 - 1]
BINARY = ("add", "sub", "mul", "min", "max", "bit_and", "fmod", "shr")


def op(name, *args):
    return Term(name, args, None, BOOL if name in ("lt", "eq") else INT)


def drawn(rng, depth, leaves):
    """A random term over integers."""
    if depth == 0 or rng.randrange(6) == 0:
        return rng.choice([*leaves, const(rng.choice([*EDGES, 3, 8, 100]), INT)])
    parts = [drawn(rng, depth - 1, leaves) for _ in range(3)]
    roll = rng.randrange(10)
    if roll == 0:
        return op("neg", parts[0])
    if roll == 1:
        return op("clamp", parts[0], op("min", *parts[1:]), op("max", *parts[1:]))
    if roll == 2:
        condition = op(rng.choice(("lt", "eq")), *parts[:2])
        return Term("select", (condition, *parts[1:]), None, INT)
    if roll == 3:
        return op("sign", parts[0])
    name = rng.choice(BINARY)
    right = const(rng.randrange(32), INT) if name == "shr" else parts[1]
    return op(name, parts[0], right)


@pytest.mark.parametrize("seed", range(200))
def test_no_value_is_outside_of_its_range(seed):
    rng = random.Random(seed)
    a, b = var("a", INT), var("b", INT)
    limits = sorted(rng.sample(EDGES, 2)), sorted(rng.sample(EDGES, 2))
    term = drawn(rng, 4, [a, b])
    low, high = Ranges({a: tuple(limits[0]), b: tuple(limits[1])}).of(term)
    given = [[n for n in EDGES if least <= n <= most] for least, most in limits]
    x, y = (g.ravel().astype(np.int32) for g in np.meshgrid(*given))
    found = np.broadcast_to(values(rules.load(), [term], {a: x, b: y})[term], x.shape)
    assert low <= found.min() and found.max() <= high


def test_comparisons_hold_for_all_values_or_are_not_known():
    n = var("n", INT)
    ranges = Ranges({n: (0, 9)})
    held = [("ge", 0), ("gt", -1), ("le", 9), ("lt", 10), ("ne", -1), ("ne", 10)]
    assert all(ranges.holds(op(name, n, const(k, INT))) for name, k in held)
    open_ = [("ge", 1), ("gt", 0), ("le", 8), ("lt", 9), ("ne", 0), ("ne", 9), ("eq", 3)]
    assert not any(ranges.holds(op(name, n, const(k, INT))) for name, k in open_)


V, M, K = bound("v", INT), var("m", INT), bound("k", INT)
UP = op("add", V, const(3, INT))
COUNTERS = {
    "up": (UP, (5, 32)),
    "down": (op("sub", V, const(2, INT)), (-13, 5)),
    "reset": (Term("select", (op("eq", UP, M), const(0, INT), UP), None, INT), (0, 32)),
    "by the trip": (op("add", V, op("min", K, const(4, INT))), (5, 41)),
    "up to": (op("min", UP, const(9, INT)), (5, 9)),
    "of few bits": (op("bit_and", op("mul", V, V), const(63, INT)), (0, 63)),
    "by anything": (op("add", V, M), None),
    "doubled": (op("add", V, V), None),
    "may wrap": (op("sub", op("add", V, const(2**31 - 1, INT)), const(2**31 - 1, INT)), None),
}


@pytest.mark.parametrize("name", COUNTERS)
def test_how_far_counters_get(name):
    """Ten trips from 5 on."""
    step, want = COUNTERS[name]
    state = State("v", V, const(5, INT), step)
    term = close(Open(K, const(10, INT), const(True, BOOL), (state,), 10))
    found = grown(term, Ranges())
    (own,) = term.attr.state
    assert found.get(own) == want
    low, high = found.get(own, ALL)
    for m in EDGES:
        v = np.int32(5)
        for k in range(10):
            assert low <= v <= high
            v = np.int32(values(rules.load(), [step], {V: v, M: np.int32(m), K: np.int32(k)})[step])
