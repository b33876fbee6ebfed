"""Short loops are written out where that is cheaper: what is left of them, and when not."""

import numpy as np
import pytest

from egad import Array, cos, derive, diff_pair, force_unroll, max_iters, sin, struct
from egad.rewrite.loops import unrolling


def product(a: Array[Array[float, 3], 3], v: Array[float, 3]) -> float:
    out = [0.0, 0.0, 0.0]
    for i in range(3):
        for j in range(3):
            out[i] += a[i][j] * v[j]
    return out[0] * out[1] + out[2]


def triangle(x: float) -> float:
    total = 0.0
    for i in range(4):
        for j in range(i):
            total += sin(x * i) * (j + 1)
    return total


def stops(x: float) -> float:
    total = x
    for i in range(4):
        if i == 2:
            break
        total = total * total + i
    return total


def kept(x: float) -> float:
    t = x
    for i in range(3):
        if i == 1:
            continue
        t = t * t + i
    return t


@struct
class Ball:
    at: float
    speed: float


def bounced(x: float) -> float:
    balls = [Ball(x, 1.0), Ball(0.5, x), Ball(x * x, 0.25)]
    for ball in balls:
        for k in range(2):
            ball.speed *= 0.5 + k
            ball.at += ball.speed * sin(ball.at)
    return balls[0].at * balls[1].at + balls[2].speed


SHORT = {
    product: (np.arange(9.0).reshape(3, 3) / 7 - 0.5, np.array([0.3, -0.7, 1.1])),
    triangle: (0.7,),
    stops: (0.7,),
    kept: (0.7,),
    bounced: (0.7,),
}


@pytest.mark.parametrize("f", list(SHORT), ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["primal", "bwd", "fwd", "hessian"])
def test_nothing_is_left_of_a_short_loop(f, mode, monkeypatch):
    """No loop, no memory; the numbers are those of the loop, and it costs no more."""
    point = SHORT[f]
    args = {"bwd": (*point, 1.0), "fwd": [diff_pair(p, p) for p in point]}.get(mode, point)
    straight = derive(f, mode, dtype="float64")
    assert "for (" not in straight.source
    assert "[" not in straight.source.partition("static")[2].partition("__kernel")[0].replace(
        "out[", ""
    )
    monkeypatch.setattr(unrolling, "TRIPS", 0)
    looped = derive(f, mode, dtype="float64")
    assert "for (" in looped.source
    assert straight.report.cost_after <= looped.report.cost_after
    for a, b in zip(leaves(straight(*args)), leaves(looped(*args)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def leaves(value):
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def once(x: float) -> float:
    total = 0.0
    while True:
        if x == 0.0:
            break
        total += x
        if x > 1.0:
            return total * x
        total *= x
        break
    return 3 * total


def left_at_half(x: float) -> float:
    for i in range(4):
        if x > 0.5:
            break
        x = x + 0.25 * i
    return x * x


def divided(x: float, n: int) -> float:
    i = 0
    max_iters(4)
    while n % (3 - i) == 0:  # asked once more after the last trip, it would divide by 0
        x = x * 0.5 + i
        i += 1
    return x


def test_a_condition_is_asked_only_until_it_fails():
    ns = np.array([1, 2, 3, 7, 9])
    primal = derive(divided, "primal", dtype="float64")
    wanted = [divided(0.75, n) for n in ns.tolist()]
    np.testing.assert_allclose(primal(0.75, ns), wanted, rtol=1e-12)


@pytest.mark.parametrize("f", [once, left_at_half])
def test_a_loop_that_is_left_is_a_choice(f, monkeypatch):
    """One trip at most needs no bound from the user, and no loop; nor do a few."""
    points = np.array([-0.5, 0.0, 0.125, 0.3, 0.75, 2.0])
    wanted = [f(x) for x in points.tolist()]
    h = 1e-7
    slopes = [(f(x + h) - f(x - h)) / (2 * h) for x in points.tolist() if x]
    for trips in (unrolling.TRIPS, 0):
        monkeypatch.setattr(unrolling, "TRIPS", trips)
        primal, back = (derive(f, m, dtype="float64") for m in ("primal", "bwd"))
        assert ("for (" in primal.source) == (trips == 0 or f is left_at_half)
        np.testing.assert_allclose(primal(points), wanted, rtol=1e-12)
        np.testing.assert_allclose(primal.reference(points), wanted, rtol=1e-12)
        np.testing.assert_allclose(back(points[points != 0], 1.0).x, slopes, rtol=1e-6)


def test_a_loop_of_more_trips_stays():
    def longer(x: float) -> float:
        for i in range(unrolling.TRIPS + 1):
            x = x * 0.5 + sin(x * i)
        return x

    def larger(x: float) -> float:
        for _ in range(unrolling.TRIPS):
            for _ in range(100):
                x = x * 0.5 + sin(x)
        return x

    def unknown(x: float, n: int) -> float:
        for _ in range(min(n, 3)):
            x = x * 0.5 + sin(x)
        return x

    def decided(x: float) -> float:
        max_iters(3)
        while x < 2.0:
            x = x * 0.5 + sin(x) + 1.0
        return x

    for f in (longer, larger, unknown, decided):
        assert "for (" in derive(f, "primal").source


def test_a_large_body_stays_a_loop():
    def wide(x: float) -> float:
        for i in range(3):
            a, b, c = sin(x + i), sin(x - i), sin(x * i)
            for _ in range(9):
                a, b, c = sin(a * b), sin(b * c) + i, sin(c * a)
            x = a + b * c
        return x

    assert "for (" in derive(wide, "bwd").source


def test_explain_says_that_nothing_is_kept():
    assert derive(kept, "bwd").report.storage is None


def turned(x: float, y: float, by: float) -> tuple[float, float]:
    for _ in range(1):
        a, b = by * x, by * y
        x, y = x * cos(a) - y * sin(a), x * sin(b) + y * cos(b)
    return x, y


def test_what_is_computed_together_costs_as_much_written_out():
    """sin and cos of an angle are one operator of the device, in a loop and outside of it."""
    for mode in ("primal", "jacobian"):
        d = derive(turned, mode)
        assert "for (" not in d.source
        assert d.source.count("sincos(") == 2


def test_one_trip_is_written_out_however_long_it_is():
    def long(x: float) -> float:
        for i in range(1):
            for k in force_unroll(range(400)):
                x = x * 0.5 + k * i + 1.0
        return x

    assert "for (" not in derive(long, "bwd", optimize="fast").source
