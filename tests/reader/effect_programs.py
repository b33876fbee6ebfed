"""Functions with rules of their own that return nothing: they change what they are given.

Python runs these programs, too. All rules are right, so differences show what derivatives are.
"""

from typing import Protocol

from egad import (
    Array,
    InOut,
    Out,
    Pair,
    copy,
    custom_bwd,
    custom_fwd,
    diff_pair,
    float2,
    primal_substitute_of,
    struct,
)


@struct
class Sum:
    total: float
    weight: float

    def add_fwd(self, x, w):
        self.d.total = self.d.total + x.d * w.p + x.p * w.d
        self.p.total = self.p.total + x.p * w.p
        self.d.weight = self.d.weight + w.d
        self.p.weight = self.p.weight + w.p

    def add_bwd(self, x, w, d):
        return d, w * d.total, x * d.total + d.weight

    @custom_fwd(add_fwd)
    @custom_bwd(add_bwd)
    def add(self, x: float, w: float) -> None:
        self.total += x * w
        self.weight += w

    def taken_fwd(self):
        return diff_pair(self.p.total, self.d.total), diff_pair(
            Sum(0.0, self.p.weight), Sum(0.0, self.d.weight)
        )

    def taken_bwd(self, d, end):
        return Sum(d, end.weight)

    @custom_fwd(taken_fwd)
    @custom_bwd(taken_bwd)
    def taken(self) -> float:
        old = self.total
        self.total = 0.0
        return old


def method_that_adds(a, b):
    s = Sum(0.0, 1.0)
    s.add(a, b * b)
    s.add(b, 2.0)
    return s.total / s.weight


def method_that_changes_and_returns(a, b):
    s = Sum(a, b)
    s.add(a, b)
    return s.taken() * a + s.total + s.weight * s.taken()


def in_loops_and_branches(a, b):
    s = Sum(a, 0.0)
    for i in range(5):
        if s.total < 3.0 * i:
            s.add(a + i, b)
        s.weight *= 1.5
    return s.total, s.weight


def through_an_index(a, b):
    sums = [Sum(a, 1.0), Sum(b, 2.0), Sum(0.5, 3.0)]
    for i in range(6):
        sums[(2 * i) % 3].add(b, a * i)
    return sums[0].total + 2.0 * sums[1].total, sums[2].total * sums[0].weight


def through_a_reference(a, b):
    s, t = Sum(a, 1.0), Sum(b, 2.0)
    greater = s if a > b else t
    greater.add(a, b)
    return s.total + 10.0 * t.total, s.weight * t.weight


def _scaled_fwd(values, k):
    for i in range(3):
        values.d[i] = values.d[i] * k.p + values.p[i] * k.d
        values.p[i] = values.p[i] * k.p


def _scaled_bwd(values, k, d):
    dk = 0.0
    for i in range(3):
        dk += values[i] * d[i]
    return [d[0] * k, d[1] * k, d[2] * k], dk


@custom_fwd(_scaled_fwd)
@custom_bwd(_scaled_bwd)
def _scaled(values: Array[float, 3], k: float) -> None:
    for i in range(3):
        values[i] *= k


def a_list_is_changed(a, b):
    v = [a, b, a * b]
    _scaled(v, a)
    _scaled(v, b)
    return v[0] + v[1] * v[2]


def _parted_fwd(x, parts):
    parts.p[0], parts.d[0] = x.p * x.p, 2.0 * x.p * x.d
    parts.p[1], parts.d[1] = 3.0 * x.p, 3.0 * x.d


def _parted_short_fwd(x):
    return diff_pair([x.p * x.p, 3.0 * x.p], [2.0 * x.p * x.d, 3.0 * x.d])


def _parted_bwd(x, d):
    return 2.0 * x * d[0] + 3.0 * d[1]


@custom_fwd(_parted_fwd)
@custom_bwd(_parted_bwd)
def _parted(x: float, parts: Out[Array[float, 2]]) -> None:
    parts[0] = x * x
    parts[1] = 3.0 * x


@custom_fwd(_parted_short_fwd)
@custom_bwd(_parted_bwd)
def _parted_too(x: float, parts: Out[Array[float, 2]]) -> None:
    parts[0] = x * x
    parts[1] = 3.0 * x


def an_out_parameter_is_written(a, b):
    p, q = [a, a], [b, b]
    _parted(a, p)
    _parted_too(p[0] + b, q)
    return p[0] * q[1], q[0] + p[1]


def _turned_bwd(v, k, d):
    return float2(d.x * k, d.y), v.x * d.x


def _turned_fwd(v: InOut[Pair[float2]], k):
    v = diff_pair(float2(v.p.x * k.p, v.p.y), float2(v.d.x * k.p + v.p.x * k.d, v.d.y))


@custom_fwd(_turned_fwd)
@custom_bwd(_turned_bwd)
def _turned(v: InOut[float2], k: float) -> None:
    v.x = v.x * k


def a_vector_is_changed(a, b):
    v = float2(a, b)
    _turned(v, b)
    _turned(v, v.x)
    return v.x + 3.0 * v.y


def _plainly(s: Sum, x: float) -> None:
    s.total = s.total * x * x


@primal_substitute_of(_plainly)
def _by_another_way(s: Sum, x: float) -> None:
    for _ in range(2):
        s.total *= x


def a_substitute_that_changes(a, b):
    s = Sum(a, b)
    _plainly(s, a + b)
    return s.total


@struct
class Two:
    one: Sum
    two: Sum


def _put_fwd(p, x):
    p.p.one, p.d.one = Sum(x.p, 1.0), Sum(x.d, 0.0)


def _put_bwd(p, x, d):
    return Two(Sum(0.0, 0.0), d.two), d.one.total


@custom_fwd(_put_fwd)
@custom_bwd(_put_bwd)
def _put(p: Two, x: float) -> None:
    p.one = Sum(x, 1.0)


def an_object_is_replaced(a, b):
    """What stood there before is not what was put there."""
    before = Sum(a, b)
    p = Two(before, Sum(b, 2.0))
    _put(p, a * b)
    p.one.weight += a
    return before.total + 10.0 * before.weight + p.one.total * p.one.weight


def _shared_bwd(p, d):
    return Two(Sum(0.0, 0.0), Sum(d.one.total + d.two.total, d.one.weight + d.two.weight))


def _shared_fwd(p):
    p.p.one, p.d.one = p.p.two, p.d.two


@custom_fwd(_shared_fwd)
@custom_bwd(_shared_bwd)
def _shared(p: Two) -> None:
    p.one = p.two


def two_fields_are_one_object(a, b):
    """They may be read, as long as nothing changes one of them."""
    p = Two(Sum(1.0, 2.0), Sum(a, b))
    _shared(p)
    return p.one.total * p.two.weight + p.one.weight


class Grows(Protocol):
    def grow(self, k: float) -> None: ...


@struct
class Ball:
    r: float

    def grow_fwd(self, k):
        self.d.r = self.d.r + 2.0 * k.p * k.d
        self.p.r = self.p.r + k.p * k.p

    def grow_bwd(self, k, d):
        return d, 2.0 * k * d.r

    @custom_fwd(grow_fwd)
    @custom_bwd(grow_bwd)
    def grow(self, k: float) -> None:
        self.r += k * k


@struct
class Box:
    r: float
    h: float

    def grow(self, k: float) -> None:
        self.r *= k
        self.h -= k


def _grown(s: Grows, k: float) -> None:
    s.grow(k)
    s.grow(k + 1.0)


def one_of_two_has_a_rule(a, b):
    ball, box = Ball(a), Box(a, b)
    shape = ball if a > b else box
    _grown(shape, b)
    return ball.r + 10.0 * box.r + 100.0 * box.h


def _early_fwd(s, x):
    if x.p > 0.0:
        s.d.total = s.d.total + x.d
        s.p.total = s.p.total + x.p


def _early_bwd(s, x, d):
    return d, d.total if x > 0.0 else 0.0


@custom_fwd(_early_fwd)
@custom_bwd(_early_bwd)
def _early(s: Sum, x: float) -> None:
    if x <= 0.0:
        return
    s.total += x


def a_branch_that_changes_nothing(a, b):
    s = Sum(b, 1.0)
    _early(s, a)
    kept = copy(s)
    _early(s, -a)
    return s.total * kept.total
