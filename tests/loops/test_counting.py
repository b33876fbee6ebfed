"""How often loops run, also where their ends are more than 31 bits apart: as often as Python's.

A loop that only counts becomes a closed form, so it can be asked for any number of trips.
"""

from itertools import product

import numpy as np
import pytest

from egad import derive, max_iters
from egad.codegen.host.reference import evaluate
from egad.terms.loop import LOOP
from egad.terms.term import toposort

LEAST, MOST = -(2**31), 2**31 - 1
ENDS = (LEAST, LEAST + 1, -(2**30), -9, -1, 0, 1, 4, 9, 2**30, MOST - 1, MOST)
STEPS = (LEAST, LEAST + 1, -(2**30), -3, -2, -1, 0, 1, 2, 3, 1000, 2**30, MOST)


def any_ends(a: int, b: int) -> int:
    n = 0
    for _ in range(a, b):
        n += 1
    return n


def by_two(a: int, b: int) -> int:
    n = 0
    for _ in range(a, b, 2):
        n += 1
    return n


def down_by_three(a: int, b: int) -> int:
    n = 0
    for _ in range(a, b, -3):
        n += 1
    return n


def by_much(a: int, b: int) -> int:
    n = 0
    for _ in range(a, b, 268435456):
        n += 1
    return n


def down_by_the_most(a: int, b: int) -> int:
    n = 0
    for _ in range(a, b, -2147483648):
        n += 1
    return n


def from_nothing_by_much(a: int, b: int) -> int:
    n = 0
    for _ in range(0, b, 1073741824):
        n += 1
    return n


def from_below_by_much(a: int, b: int) -> int:
    n = 0
    for _ in range(-1000, b, 1000000007):
        n += 1
    return n


def to_below_by_much(a: int, b: int) -> int:
    n = 0
    for _ in range(a, -1, 1073741824):
        n += 1
    return n


def while_less(a: int, b: int) -> int:
    n = 0
    while a < b:
        a += 5
        n += 1
    return n


def while_at_most(a: int, b: int) -> int:
    n = 0
    while a <= b:
        a += 1
        n += 1
    return n


def while_more(a: int, b: int) -> int:
    n = 0
    while a >= b:
        a -= 2
        n += 1
    return n


def towards_each_other(a: int, b: int) -> int:
    n = 0
    while a < b:
        a += 1
        b -= 1
        n += 1
    return n


def from_above(a: int, b: int) -> int:
    n = 0
    for _ in range(5, b):
        n += 1
    return n


def to_below(a: int, b: int) -> int:
    n = 0
    for _ in range(a, -5):
        n += 1
    return n


def down_to_above(a: int, b: int) -> int:
    n = 0
    for _ in range(b, 9, -1):
        n += 1
    return n


def while_from_above(a: int, b: int) -> int:
    n, k = 0, 7
    while k < b:
        k += 1
        n += 1
    return n


def while_at_most_from_nothing(a: int, b: int) -> int:
    n = 0
    while n <= b:
        n += 1
    return n


def while_from_below(a: int, b: int) -> int:
    n, k = 0, -7
    while k < b:
        k += 1
        n += 1
    return n


def while_down_to_below(a: int, b: int) -> int:
    n = 0
    while a >= -7:
        a -= 1
        n += 1
    return n


RANGES = {
    while_at_most_from_nothing: lambda a, b: range(b + 1),
    while_from_below: lambda a, b: range(-7, b),
    while_down_to_below: lambda a, b: range(a, -8, -1),
    from_above: lambda a, b: range(5, b),
    to_below: lambda a, b: range(a, -5),
    down_to_above: lambda a, b: range(b, 9, -1),
    while_from_above: lambda a, b: range(7, b),
    any_ends: range,
    by_two: lambda a, b: range(a, b, 2),
    down_by_three: lambda a, b: range(a, b, -3),
    by_much: lambda a, b: range(a, b, 2**28),
    down_by_the_most: lambda a, b: range(a, b, LEAST),
    from_nothing_by_much: lambda a, b: range(0, b, 2**30),
    from_below_by_much: lambda a, b: range(-1000, b, 1000000007),
    to_below_by_much: lambda a, b: range(a, -1, 2**30),
    while_less: lambda a, b: range(a, b, 5),
    while_at_most: lambda a, b: range(a, b + 1),
    while_more: lambda a, b: range(a, b - 1, -2),
    towards_each_other: lambda a, b: range(a, b, 2),
}


def trips(found):
    """Its length: Python has no length for what has more items than an index can say."""
    if found.step > 0:
        return max(0, -(-(found.stop - found.start) // found.step))
    return max(0, -(-(found.start - found.stop) // -found.step))


def loops(program):
    return [term for term in toposort(program.flat) if term.op == LOOP]


@pytest.mark.parametrize("f", RANGES, ids=lambda f: f.__name__)
def test_any_ends(f):
    count = derive(f, "primal")
    assert not loops(count.derivative)  # a loop that runs would not come to its end
    ends = np.array(list(product(ENDS, ENDS)), np.int32).T
    want = [min(trips(RANGES[f](a, b)), MOST) for a, b in product(ENDS, ENDS)]
    for found in (count.reference(*ends), count(*ends)):
        np.testing.assert_array_equal(found, want)


def until_it_is_there(b: int) -> int:
    n = 0
    while True:
        n += 1
        if n >= b:
            break
    return n


def until_it_is_left(b: int) -> int:
    n = 7
    while True:
        n -= 1
        if n < b:
            break
    return 7 - n


@pytest.mark.parametrize(
    ("f", "span"),
    [
        (until_it_is_there, lambda b: range(max(b, 1))),
        (until_it_is_left, lambda b: range(max(8 - b, 1))),
    ],
    ids=lambda f: f.__name__,
)
def test_trips_up_to_a_break(f, span):
    """A loop that is left by a break runs as often as that lets it: what it is given as trips."""
    count = derive(f, "primal")
    (loop,) = loops(count.derivative)
    found = evaluate(
        count.derivative.with_flat([loop.args[0]]), count.rules, {"b": np.array(ENDS, np.int32)}
    )
    np.testing.assert_array_equal(found[0], [min(trips(span(b)), MOST) for b in ENDS])
    few = np.arange(-9, 10, dtype=np.int32)
    np.testing.assert_array_equal(count(few), [len(span(b)) for b in few.tolist()])


def few_from_above(x: float, n: int) -> float:
    max_iters(3)
    for _ in range(5, n):
        x = x * 2.0
    return x


def few_up_to(x: float, n: int) -> float:
    k = 5
    max_iters(3)
    while k <= n:
        x = x * 2.0
        k += 1
    return x


def few_by_three(x: float, n: int) -> float:
    max_iters(3)
    for _ in range(5, n, 3):
        x = x * 2.0
    return x


def few_to_below(x: float, n: int) -> float:
    k = n
    max_iters(3)
    while k <= -5:
        x = x * 2.0
        k += 2
    return x


@pytest.mark.parametrize(
    ("f", "span"),
    [
        (few_from_above, lambda n: range(5, n)),
        (few_up_to, lambda n: range(5, n + 1)),
        (few_by_three, lambda n: range(5, n, 3)),
        (few_to_below, lambda n: range(n, -4, 2)),
    ],
    ids=lambda f: f.__name__,
)
def test_constant_ends_and_others_far_beyond(f, span):
    """Where the other end is on the other side of all that it may be, there is no trip."""
    ends = [*ENDS, *range(LEAST, LEAST + 12), *range(MOST - 12, MOST), *range(-9, 12)]
    found = derive(f, "primal")(np.ones(len(ends)), np.array(ends, np.int32))
    np.testing.assert_array_equal(found, [2.0 ** min(trips(span(n)), 3) for n in ends])


def any_step(a: int, b: int, step: int) -> int:
    n = 0
    for _ in range(a, b, step):
        n += 1
    return n


def while_step(a: int, b: int, step: int) -> int:
    n = 0
    while a < b:
        a += step
        n += 1
    return n


def test_any_step():
    cases = list(product(ENDS, ENDS, STEPS))
    columns = np.array(cases, np.int32).T
    count, upwards = derive(any_step, "primal"), derive(while_step, "primal")
    want = [min(trips(range(*case)), MOST) if case[2] else 0 for case in cases]
    for found in (count.reference(*columns), count(*columns)):
        np.testing.assert_array_equal(found, want)
    rises = columns[2] > 0
    for found in (upwards.reference(*columns), upwards(*columns)):
        np.testing.assert_array_equal(found[rises], np.array(want)[rises])
        assert (found[~rises & (columns[0] >= columns[1])] == 0).all()


def with_a_bound(x: float, a: int, b: int) -> float:
    max_iters(40)
    for i in range(a, b, 3):
        x = 0.5 * x + 0.001 * (i % 7)
    return x


def from_a_constant(x: float, a: int, b: int) -> float:
    max_iters(40)
    for i in range(-5, b, 1000):
        x = 0.5 * x + 0.001 * (i % 7)
    return x


@pytest.mark.parametrize("f", [with_a_bound, from_a_constant], ids=lambda f: f.__name__)
def test_saturated_at_the_bound(f):
    """Also trip by trip: the kernel stops at the bound, whatever the ends are."""
    pairs = list(product(ENDS, ENDS))
    ends = np.array(pairs, np.int32).T
    want, slopes = [], []
    for a, b in pairs:
        x, slope = 0.75, 1.0
        for i in (range(a, b, 3) if f is with_a_bound else range(-5, b, 1000))[:40]:
            x, slope = 0.5 * x + 0.001 * (i % 7), 0.5 * slope
        want.append(x)
        slopes.append(slope)
    primal, back = derive(f, "primal", dtype="float64"), derive(f, "bwd", dtype="float64")
    xs = np.full(len(pairs), 0.75)
    np.testing.assert_allclose(primal(xs, *ends), want, rtol=1e-13)
    np.testing.assert_allclose(back(xs, *ends, 1.0).x, slopes, rtol=1e-13)
