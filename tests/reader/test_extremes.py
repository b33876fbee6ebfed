"""Programs at the ends of what fits: bounds near 2^31, and choices deep inside each other."""

import linecache

import pytest

from egad import derive, max_iters

MOST = 2**31 - 1


def by_twos(x: float, n: int) -> float:
    i = 0
    max_iters(20)
    while i < n:
        x += 1.0
        i += 2
        if i > 6:
            break
    return x


def up_to(x: float, n: int) -> float:
    i = 0
    max_iters(20)
    while i <= n:
        x += 1.0
        i += 1
        if i > 6:
            break
    return x


def up_to_the_most(x: float, n: int) -> float:
    i = -5
    max_iters(20)
    while i <= 2147483647:
        x += 1.0
        i += 1
        if i > n:
            break
    return x


def from_below(x: float, n: int) -> float:
    max_iters(20)
    for i in range(-1, n):
        x += 1.0
        if i > 6:
            break
    return x


def over_twos(x: float, n: int) -> float:
    max_iters(20)
    for i in range(0, n, 2):
        x += 1.0
        if i > 6:
            break
    return x


def not_met(x: float, n: int) -> float:
    i = 3
    while True:
        x += 0.75
        i += 1
        if i == n:
            break
        if x > 5.0:
            break
    return x + 0.1 * i


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f", [by_twos, up_to, up_to_the_most, from_below, over_twos, not_met], ids=lambda f: f.__name__
)
def test_a_bound_that_stands_for_none(f):
    """`n = 2^31 - 1` says that something else ends the loop; a target behind is never met."""
    primal = derive(f, "primal", dtype="float64")
    for n in (MOST, MOST - 1, 5, 2, 0, -2):
        if f is up_to_the_most and n > 5:
            continue
        want = f(0.25, n)
        assert primal.reference(0.25, n) == pytest.approx(want)
        assert primal(0.25, n) == pytest.approx(want)


@pytest.mark.parametrize("size", [2, 10])
def test_exchanges_under_many_conditions(size):
    """30 conditional swaps, one after the other: each is looked at once, not in each way."""
    swaps = "\n".join(f"    if i > {k}:\n        s[0], s[1] = s[1], s[0]" for k in range(30))
    text = (
        "def f(x: float, i: int, j: int) -> float:\n"
        f"    s = [x, 2.0 * x, *({size - 2} * [x])]\n    s[j] = 3.0 * x\n{swaps}\n"
        "    return s[j] * x\n"
    )
    name = f"<swaps of {size}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    primal = derive(scope["f"], "primal", optimize="fast")
    for i in (-1, 4, 12, 40):
        assert primal.reference(2.0, i, 1) == scope["f"](2.0, i, 1)
