"""What a loop of an inlined function returns is the object itself, not a copy of it."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from test_constructors import RULES, check

from egad import Array, derive, float2, struct
from egad.reader import read
from egad.terms.errors import TraceError
from egad.terms.types import Scalar


@struct
class P:
    x: float
    y: float


@struct
class Q:
    p: P
    k: float


@dataclass
class Box:
    ps: list[P]
    n: float = 0.0
    last: P = field(default_factory=lambda: P(0.0, 0.0))


def first_above(p, q, v):
    for k in range(9):
        if p.x * k > v:
            return p
        if q.x * k > 2.0 * v:
            return q
    return q


def one_of_two(x: float, y: float):
    a, b = P(x, 1.0), P(y, 2.0)
    first_above(a, b, 2.0).y *= 5.0
    found = first_above(b, a, 1.0)
    found.x += 7.0
    a.y += 1.0
    return a.x, a.y, b.x, b.y, found.x, found.y


def always_one(p, v):
    for _ in range(20):
        p.x -= v
        if p.x < 3.0:
            return p
    return p


def the_only_one(x: float, y: float):
    a = P(x, y)
    found = always_one(a, 0.5)
    found.y += 4.0
    return a.x, a.y, found.x, found.y


def nearest(ps, x):
    for i in range(len(ps)):
        if ps[i].x > x:
            return ps[i], i
    return ps[0], -1


def of_a_list(x: float, y: float):
    ps = [P(0.25 * k, y) for k in range(7)]
    found, i = nearest(ps, x)
    found.y = 10.0 * x
    ps[0].y += 1.0
    return found.x, found.y, float(i), ps[0].y, ps[4].y, ps[6].y, ps[2].y


def of_a_long_list(x: float, y: float):
    ps = [P(0.0625 * k, y) for k in range(40)]
    found, i = nearest(ps, x)
    found.y = 10.0 * x
    ps[0].y += 1.0
    return found.x, found.y, float(i), sum(p.y for p in ps), ps[9].y


def maybe(ps, x):
    for i in range(len(ps)):
        if ps[i].x > x:
            return ps[i]
    return None


def or_none(x: float, y: float):
    ps = [P(0.25 * k, y) for k in range(5)]
    found = maybe(ps, x)
    if found is not None:
        found.y = 3.0
    return sum(p.y for p in ps), (found.x if found is not None else y)


def rows(a, b, v):
    for k in range(5):
        if a[0] * k > v:
            return a
    return b


def of_lists(x: float, y: float):
    a, b = [x, y], [y, x]
    c, d = np.array([x, y, 1.0]), np.array([y, x, 2.0])
    rows(a, b, 1.0)[1] = 5.0
    rows(c, d, 2.0)[1:] *= 3.0
    return a[1], b[1], c[1], c[2], d[1], d[2]


def tail(a, v):
    for k in range(5):
        if a[0] * k > v:
            return a[1:]
    return a[:2]


def of_slices(x: float, y: float):
    a = np.array([x, y, 1.0])
    found = tail(a, 2.0)
    found[0] = 7.0
    a[1] += 1.0
    return a[0], a[1], a[2], found[0], found[1]


def in_two_loops(ps, v):
    for i in range(3):
        for k in range(len(ps)):
            if ps[k].x * i > v:
                return ps[k]
    return ps[-1]


def of_nested_loops(x: float, y: float):
    ps = [P(x, 0.0), P(y, 1.0), P(x * y, 2.0)]
    total = 0.0
    for k in range(4):
        found = in_two_loops(ps, 0.5 * k)
        found.y += x + k
        total += found.x * found.y
    return total, ps[0].y, ps[1].y, ps[2].y


def made(x, v):
    for k in range(6):
        p = P(x * k, v)
        if p.x > v:
            return p
    return P(v, x)


def of_new_ones(x: float, y: float):
    p, q = made(x, 1.0), made(y, 1.0)
    p.x += 1.0
    q.y += p.x
    return p.x, p.y, q.x, q.y


def held(p, v):
    for k in range(6):
        if p.x * k > v:
            return Q(p, v + k)
    return Q(p, v)


def only_read(x: float, y: float):
    p = P(x, y)
    q = held(p, 2.0)
    return q.p.x * q.k, p.x


def vectors(p, v):
    for k in range(6):
        if p[0].x * k > v:
            return p[0].x, p[1]
    return v, p[0]


def of_vectors_beside(x: float, y: float):
    p = [P(x, y), P(y, x)]
    a, found = vectors(p, 1.0)
    found.x = float2(a, y).x
    return p[0].x, p[1].x, a


def moved_and_made(p, q, v):
    cur = p
    for k in range(4):
        if q.y > v:
            cur = P(p.x, v)  # noqa: F841  # it stays p in other trips
        if p.x * k > v:
            return q
        p.x += 0.5 * k
    return p


def beside_what_is_not_carried(x: float, y: float):
    a, b = P(x, 1.0), P(y, 2.0)
    moved_and_made(b, a, y).y += 1.0
    return a.x, a.y, b.x, b.y


PROGRAMS = [
    one_of_two,
    the_only_one,
    of_a_list,
    of_a_long_list,
    or_none,
    of_lists,
    of_slices,
    of_nested_loops,
    of_new_ones,
    only_read,
    of_vectors_beside,
    beside_what_is_not_carried,
]
SMOOTH = [(1.37, -0.71), (-1.03, 2.08), (0.57, 0.63)]  # away from where another is returned
POINTS = [(1.5, -0.75), (-1.0, 2.0), (0.5, 0.625), (3.0, 2.5)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", POINTS)
def test_what_is_returned_is_the_object(f, point):
    check(f, *point)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [one_of_two, of_a_list, of_a_long_list, of_lists, of_nested_loops])
def test_gradients_reach_the_object(f):
    bwd = derive(f, dtype="float64")
    for x, y in SMOOTH:
        count = len(f(x, y))
        bars = [s.diff for s in bwd.primal.results]
        found = bwd.reference(x, y, *[0.5 + k for k in range(count) if bars[k]])
        h = 1e-6
        for name, dx, dy in (("x", h, 0.0), ("y", 0.0, h)):
            ends = [f(x + s * dx, y + s * dy) for s in (1, -1)]
            slope = sum(
                (0.5 + k) * (a - b) / (2 * h) for k, (a, b) in enumerate(zip(*ends, strict=True))
            )
            assert getattr(found, name) == pytest.approx(slope, rel=1e-6, abs=1e-6)


def written_through_a_new_one(x: float, y: float):
    p = P(x, y)
    q = held(p, 2.0)
    q.p.y = 7.0
    return p.y


def written_beside_a_new_one(x: float, y: float):
    p = P(x, y)
    q = held(p, 2.0)
    p.y = 7.0
    return q.p.y


def new_or_old(p, v):
    for k in range(6):
        if p.x * k > v:
            return p
        if p.x + k > v:
            return P(v, v)
    return p


def written_to_an_old_or_new_one(x: float, y: float):
    p = P(x, y)
    q = new_or_old(p, 2.0)
    q.y = 7.0
    return p.y


def kept(box, v):
    for k in range(6):
        box.last = P(v, v * k)
        if box.last.y > 3.0:
            return box.last
    return box.last


def written_to_what_a_field_keeps(x: float, y: float):
    box = Box([P(x, y)])
    kept(box, x).y = 7.0
    return box.last.y


@pytest.mark.parametrize(
    "f",
    [
        written_through_a_new_one,
        written_beside_a_new_one,
        written_to_an_old_or_new_one,
        written_to_what_a_field_keeps,
    ],
    ids=lambda f: f.__name__,
)
def test_what_may_be_one_object_is_not_read_after_a_change(f):
    with pytest.raises(TraceError, match="may be one object in some trips") as caught:
        read(f, real=Scalar.F64, rules=RULES)
    assert "'what is returned'" in str(caught.value)


def at(ps: Array[P, 3], v: float) -> P:
    for i in range(3):
        if ps[i].x > v:
            return ps[i]
    return ps[0]


def test_a_loop_of_the_derived_function_itself():
    ps = [P(1.0, 2.0), P(3.0, 4.0), P(5.0, 6.0)]
    assert derive(at, "primal")(ps, 2.0) == P(3.0, 4.0)
    found = derive(at)(ps, 2.0, P(1.0, 10.0))
    assert found.ps == [P(0.0, 0.0), P(1.0, 10.0), P(0.0, 0.0)]
