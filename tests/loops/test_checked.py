"""What is checked when a program runs with NumPy, or with check=True."""

import numpy as np
import pytest

from egad import Array, derive, max_iters
from egad.terms.errors import DeviceError


def halved(x: float) -> float:
    max_iters(5)
    while x > 1.0:
        x = x * 0.5
    return x


def summed(x: float, n: int) -> float:
    s = 0.0
    max_iters(4)
    for i in range(n):
        if s > 10.0:
            break
        s = s + x * i
    return s


def nested(x: float, n: int) -> float:
    s = x
    for _ in range(3):
        if x > 0.0:
            max_iters(2)
            for _j in range(n):
                s = s * 1.5
    return s


def picked(a: Array[float, 3], i: int) -> float:
    return a[i] * a[0]


def keyed(x: float, n: int) -> float:
    return {0: x, 1: 2.0, 4: x * x}[n]


def guarded(a: Array[float, 3], i: int) -> float:
    if i < 3:
        return a[i]
    return a[0]


@pytest.mark.parametrize("mode", ["primal", "bwd"])
def test_a_loop_beyond_its_bound(mode):
    d = derive(halved, mode, dtype="float64")
    bar = (1.0,) if mode == "bwd" else ()
    d.reference(32.0, *bar)  # five trips: 32 -> 1
    with pytest.raises(DeviceError) as caught:
        d.reference(np.array([1.0, 33.0, 70.0]), *bar)
    text = str(caught.value)
    assert "has not ended after the 5 trips that max_iters admits" in text
    assert "element 1 (x=33)" in text
    assert "2 of 3 elements fail" in text
    assert "while x > 1.0:" in text
    d(33.0, *bar)  # the kernel stops at the bound
    with pytest.raises(DeviceError):
        derive(halved, mode, check=True)(33.0, *bar)


def test_a_range_beyond_its_bound():
    d = derive(summed, "bwd", check=True)
    assert d(1.0, 4, 1.0).x == pytest.approx(6.0)
    with pytest.raises(DeviceError, match="4 trips"):
        d(1.0, 5, 1.0)
    assert d(11.0, 9, 1.0).x == pytest.approx(1.0)  # left early


def test_loops_in_branches_that_are_not_taken_do_not_count():
    d = derive(nested, "primal", dtype="float64")
    assert d.reference(-1.0, 7) == -1.0
    assert d.reference(1.0, 2) == pytest.approx(1.5**6)
    with pytest.raises(DeviceError, match="2 trips"):
        d.reference(1.0, 3)


def test_an_index_out_of_range():
    d = derive(picked, "bwd", dtype="float64")
    d.reference([1.0, 2.0, 3.0], 2, 1.0)
    assert d.reference([1.0, 2.0, 3.0], -1, 1.0).a[2] == 1.0  # the last one
    for i in (3, -4):
        with pytest.raises(DeviceError, match="an index is out of range: valid are -3 to 2"):
            d.reference([1.0, 2.0, 3.0], i, 1.0)
    assert derive(guarded, "primal", dtype="float64").reference([1.0, 2.0, 3.0], 7) == 1.0


def test_a_key_that_is_not_there():
    g = derive(keyed, mode="primal", check=True)
    assert g(3.0, 4) == 9.0
    for call in (g, g.reference):
        with pytest.raises(DeviceError, match="no such key: it has 0, 1, 4, at element 0"):
            call(3.0, 2)


def test_known_indices_are_not_checked():
    def all_of(a: Array[float, 4]) -> float:
        s = 0.0
        for i in range(4):
            s = s + a[3 - i] * a[i]
        return s

    assert derive(all_of, "bwd").primal.watch is None


def judged(x: float) -> float:
    if x < 0:
        raise ValueError(f"{x} is negative")
    if x < 1:
        raise ValueError("below 1")
    assert x < 3, "too large"
    total = 0.0
    for i in range(5):
        if x + i > 6:
            raise KeyError
        total += x
    return total


@pytest.mark.parametrize("mode", ["primal", "bwd", "hessian"])
def test_assertions_and_exceptions(mode):
    d = derive(judged, mode, dtype="float64")
    bar = (1.0,) if mode == "bwd" else ()
    for x, says in (
        (-1.0, "this raises ValueError: {x} is negative, at element 0 (x=-1)"),
        (0.5, "this raises ValueError: below 1"),
        (4.0, "this assertion fails: x < 3: too large"),
        (2.5, "this raises KeyError, at"),
    ):
        with pytest.raises((ValueError, AssertionError, KeyError)):
            judged(x)
        with pytest.raises(DeviceError) as caught:
            d.reference(x, *bar)
        assert says in str(caught.value)
    d(-1.0, *bar)  # the kernel goes on
    with pytest.raises(DeviceError, match=r"below 1.*at element 1"):
        derive(judged, mode, check=True)(np.array([1.5, 0.5]), *bar)
    if mode == "bwd":
        assert d(1.5, 1.0) == (5.0,)
