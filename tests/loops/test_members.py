"""Loops in functions that change their arguments, and members that stop derivatives."""

import numpy as np
import pytest

from egad import InOut, Out, derive, detach, no_diff, struct
from egad.terms.errors import TraceError


@struct
class Box:
    v: float


@struct
class Still:
    v: no_diff[float]


def number(n: int, x: float, y: Out[float]) -> None:
    for k in range(3):
        if k > n:
            return
        y = x * x * k
    y = x  # noqa: F841  # it is the result


def boxes(n: int, x: float, b: InOut[Box]) -> None:
    for k in range(3):
        for j in range(2):
            if k + j > n:
                return
            b.v += x * x * k
    b.v = b.v * x


def called(x: float, n: int) -> float:
    b = Box(x)
    boxes(n, x, b)
    return b.v


@pytest.mark.parametrize("n", [0, 1, 5])
def test_return_that_gives_nothing(n):
    d = derive(number, "bwd", dtype="float64")
    want = {0: 0.0, 1: 6.0, 5: 1.0}[n]
    for way in (d, d.reference):
        assert way(n, 3.0, 1.0).x == pytest.approx(want)

    def plain(x, start):
        b = Box(start)
        boxes(n, x, b)
        return b.v

    h = 1e-6
    d = derive(boxes, "bwd", dtype="float64")
    e = derive(called, "bwd", dtype="float64")
    for way, whole in ((d, e), (d.reference, e.reference)):
        found = way(n, 1.5, Box(0.5), Box(1.0))
        by_x = (plain(1.5 + h, 0.5) - plain(1.5 - h, 0.5)) / (2 * h)
        by_b = (plain(1.5, 0.5 + h) - plain(1.5, 0.5 - h)) / (2 * h)
        np.testing.assert_allclose([found.x, found.b.v], [by_x, by_b], rtol=1e-8)
        along = (called(1.5 + h, n) - called(1.5 - h, n)) / (2 * h)
        np.testing.assert_allclose(whole(1.5, n, 1.0).x, along, rtol=1e-8)


def passed_on(v: Still, x: float) -> float:
    w = Still(0.0)
    t, s = detach(x), x
    for _ in range(2):
        w.v = v.v
        v.v = v.v + 1.0
        t = t + 1.0
        s = s * x
    u = Still(t)
    return x * w.v + s + u.v * x


def test_values_without_derivative_stay_so():
    d = derive(passed_on, "bwd", dtype="float64")
    for way in (d, d.reference):
        found = way(Still(1.0), 5.0, 1.0)
        assert found.v.v == 0.0
        assert found.x == pytest.approx(2.0 + 3 * 25.0 + 7.0)


def lost_at_once(v: Still, x: float) -> float:
    t = 1.0
    for _ in range(2):
        v.v = t
        t = t * x
    return x * v.v


def lost_later(v: Still, x: float) -> float:
    t, u, w = 1.0, 1.0, 1.0
    for _ in range(3):
        v.v = t
        t = u
        for _ in range(2):
            u = w
            w = x
    return x * v.v


def lost_after(v: Still, x: float) -> float:
    t = 1.0
    for _ in range(3):
        t = t * x
    v.v = t
    return x * v.v


@pytest.mark.parametrize("f", [lost_at_once, lost_later, lost_after])
def test_derivatives_are_not_lost(f):
    with pytest.raises(TraceError, match="carries a derivative, but field 'v' of Still is no_diff"):
        derive(f, "bwd")
