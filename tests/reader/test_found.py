"""Functions that return something, or None, from inside a loop."""

import pytest

from egad import EgadError, InOut, derive, float2

pytestmark = pytest.mark.numbers


def find(xs: list, t):
    for i in range(8):
        if xs[i] > t:
            return xs[i]
    return None


def find_at(xs: list, t):
    i = 0
    while i < 8:
        if xs[i] < -5.0:
            return None
        if xs[i] > t:
            return xs[i], i
        i += 1
    return None


def find_after(xs: list, t):
    if t < 0.0:
        return None
    for i in range(8):
        if xs[i] > t:
            return xs[i]
    return 1.0


def nothing(xs: list, t):
    for i in range(8):
        if xs[i] > t:
            return None
    return 3.0


def find_in_two(xs: list, t):
    for i in range(4):
        for j in range(2):
            if xs[i + j] > t:
                return xs[i + j] if j > 0 else None
    return None


def vector(xs: list, t):
    for i in range(8):
        if xs[i] > t:
            return None if xs[i] > 2.0 * t else float2(xs[i], t)
    return None


def counted(xs: list, t, n: InOut[float2]):
    for i in range(8):
        n.x += 1.0
        if xs[i] > t:
            return xs[i]
    return None


def counted_both(xs: list, t, n: InOut[float2]):
    for i in range(8):
        n.x += 1.0
        if xs[i] > t:
            return xs[i] if i < 5 else None
    return None


def _list(x):
    return [x * k for k in range(8)]


def uses_find(x: float, t: float):
    hit = find(_list(x), t)
    if hit is not None:
        return hit * 2.0
    return -1.0


def uses_find_at(x: float, t: float):
    hit = find_at(_list(x), t)
    if hit is None:
        return 7.0
    a, b = hit
    return a + 100.0 * b


def uses_find_after(x: float, t: float):
    hit = find_after(_list(x), t)
    return -3.0 if hit is None else hit * x


def uses_nothing(x: float, t: float):
    hit = nothing(_list(x), t)
    return 0.0 if hit is None else hit + x


def uses_find_in_two(x: float, t: float):
    hit = find_in_two(_list(x), t)
    return 0.5 if hit is None else hit + x


def uses_vector(x: float, t: float):
    hit = vector(_list(x), t)
    return 0.5 if hit is None else hit.x * x + hit.y


def uses_counted(x: float, t: float):
    n = float2(0.0)
    hit = counted(_list(x), t, n)
    again = counted_both(_list(x), t, n)
    return n.x + (0.5 if hit is None else hit) + (70.0 if again is None else again)


@pytest.mark.parametrize(
    "f",
    [
        uses_find,
        uses_find_at,
        uses_find_after,
        uses_nothing,
        uses_find_in_two,
        uses_vector,
        uses_counted,
    ],
    ids=lambda f: f.__name__,
)
def test_as_in_python(f):
    d = derive(f, "primal", dtype="float64")
    for x in (1.5, 0.5, -2.0):
        for t in (-7.0, -1.0, 0.75, 2.0, 2.9, 5.0, 50.0):
            assert d.reference(x, t) == pytest.approx(f(x, t), rel=1e-14)


def without_an_end(xs: list, t):
    for i in range(8):
        if xs[i] > t:
            return xs[i]


def falls_off(x: float, t: float):
    hit = without_an_end(_list(x), t)
    return -1.0 if hit is None else hit


def two_kinds(xs: list, t):
    for i in range(8):
        if xs[i] > t:
            return xs[i], i
    return 0.0


def gives_two_kinds(x: float, t: float):
    return two_kinds(_list(x), t)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (falls_off, "without_an_end does not return on every path"),
        (gives_two_kinds, "this returns the number 0.0, another return.*gives a tuple of 2"),
    ],
)
def test_refused(f, words):
    with pytest.raises(EgadError, match=words):
        derive(f, "primal", dtype="float64")
