"""Loops that run side by side are one: what they have in common is computed once."""

import numpy as np
import pytest

import egad
from egad import derive, max_iters
from egad.rewrite.loops import joining, unrolling
from egad.rewrite.loops.joining import joined
from egad.terms.loop import LOOP
from egad.terms.term import toposort


def orbit(x: float, v: float, n: int):
    """A body on its way around another one."""
    y, u = 0.0, 1.0
    for _ in range(n):
        r = (x * x + y * y) ** -1.5
        v, u = v - 0.01 * x * r, u - 0.01 * y * r
        x, y = x + 0.01 * v, y + 0.01 * u
    return x, y


def root(a: float, b: float):
    """Newton's method, as often as it needs."""
    x = a + b
    max_iters(40)
    while abs(x * x * x - a * x - b) > 1e-13:
        x = x - (x * x * x - a * x - b) / (3.0 * x * x - a)
    return x


def nested(p: egad.Array[float, 3], q: float, n: int):
    """A loop in a loop, and another loop after it."""
    total = q
    max_iters(8)
    for _ in range(n):
        inner = total
        for k in range(3):
            inner = inner + egad.sin(p[k] * inner) * q
        total = total + 0.1 * inner
    for k in range(3):
        total = total * egad.cos(p[k])
    return total


def apart(a: float, b: float, n: int):
    """Two loops that have nothing in common but their trips."""
    max_iters(9)
    for _ in range(n):
        a = egad.sin(a)
    max_iters(9)
    for _ in range(n):
        b = b * egad.exp(-b)
    return a, b


def at_different_times(a: float, n: int):
    """Two loops of which the second needs the first."""
    max_iters(9)
    for _ in range(n):
        a = egad.sin(a)
    b = a
    max_iters(9)
    for _ in range(n):
        b = b * egad.sin(a) + egad.sin(b)
    return a, b


@pytest.fixture(autouse=True)
def short_loops_stay(monkeypatch):
    monkeypatch.setattr(unrolling, "TRIPS", 0)


def loops(d) -> int:
    """How many loops a derivative has, those inside of others not counted."""
    return sum(t.op == LOOP for t in toposort(d.program.flat))


def differences(f, point, h=1e-6):
    """Central differences of what Python computes: a row per result."""
    columns = []
    for i, value in enumerate(point):
        if isinstance(value, int):
            continue
        for k in range(np.size(value)):
            ends = []
            for step in (h, -h):
                moved = np.array(value, float)
                moved.flat[k] += step
                ends.append(f(*point[:i], moved.tolist(), *point[i + 1 :]))
            columns.append((np.array(ends[0]) - np.array(ends[1])) / (2 * h))
    return np.atleast_2d(np.array(columns).T)


def flat(value) -> np.ndarray:
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([flat(p) if isinstance(p, tuple) else np.ravel(p) for p in parts])


@pytest.mark.parametrize("n", [0, 1, 30])
def test_the_columns_of_a_jacobian_are_one_loop_that_stores_nothing(n):
    d = derive(orbit, "jacobian", dtype="float64")
    assert loops(d) == 1
    assert d.source.count("for (") == 1
    assert "pow" not in d.report.counts_after
    assert d.report.storage == ()
    found = flat(d.reference(1.0, 0.2, n))
    np.testing.assert_allclose(found, differences(orbit, (1.0, 0.2, n)).ravel(), atol=1e-8)
    np.testing.assert_allclose(flat(d(1.0, 0.2, n)), found, rtol=1e-12)


def test_a_jacobian_through_a_loop_that_nothing_bounds_is_made_forward():
    def last(x: float, v: float, n: int):
        return orbit(x, v, n)[0]

    d = derive(last, "jacobian", dtype="float64")
    np.testing.assert_allclose(
        flat(d.reference(1.0, 0.2, 12)), differences(last, (1.0, 0.2, 12)).ravel(), atol=1e-8
    )
    with pytest.raises(egad.DeriveError, match="how many trips there are is not known"):
        derive(last, "bwd")


def test_loops_that_end_under_the_same_condition_are_one():
    d = derive(root, "hessian", dtype="float64")
    assert loops(d) == 2  # there, with what is kept, and back
    gradient = derive(root, "bwd", dtype="float64")
    want = differences(lambda a, b: flat(gradient.reference(a, b, 1.0)), (2.0, 1.5))
    np.testing.assert_allclose(flat(d.reference(2.0, 1.5)), want.ravel(), atol=1e-6)


def test_loops_in_joined_loops_are_joined():
    gradient = derive(nested, "bwd", dtype="float64")
    d = derive(nested, "hessian", dtype="float64")
    assert d.source.count("for (") <= 2 * gradient.source.count("for (")
    point = ((0.4, -0.7, 1.1), 0.6, 5)
    want = differences(lambda p, q, n: flat(gradient.reference(p, q, n, 1.0)), point)
    found = d.reference(*point)
    (pp, pq), (qp, qq) = found
    found = np.block([[pp, np.reshape(pq, (3, 1))], [np.reshape(qp, (1, 3)), qq]])
    np.testing.assert_allclose(found, want, atol=1e-6)


@pytest.mark.numbers
@pytest.mark.parametrize(("f", "count"), [(apart, 2), (at_different_times, 2)])
def test_loops_without_common_work_stay_apart(f, count):
    point = (0.7, 0.3, 5)[-len(f.__annotations__) :]
    d = derive(f, "jacobian", dtype="float64")
    assert loops(d) == count
    np.testing.assert_allclose(flat(d.reference(*point)), differences(f, point).ravel(), atol=1e-8)


def test_joining_joined_loops_changes_nothing():
    d = derive(nested, "hessian", dtype="float64")
    assert joined(d.program.flat) == list(d.program.flat)


def test_a_loop_carries_no_more_than_it_should(monkeypatch):
    one = derive(orbit, "jacobian", dtype="float64")
    monkeypatch.setattr(joining, "WORDS", 7)  # four numbers, and four for each column
    two = derive(orbit, "jacobian", dtype="float64")
    assert (loops(one), loops(two)) == (1, 2)
    np.testing.assert_allclose(
        flat(two.reference(1.0, 0.2, 9)), flat(one.reference(1.0, 0.2, 9)), rtol=1e-12
    )
