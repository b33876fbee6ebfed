"""Functions over structs and lists that egad must refuse, with one error each."""

import functools
from enum import Enum
from typing import Literal, NamedTuple, Protocol

import numpy as np

from egad import (
    Array,
    InOut,
    copy,
    custom_bwd,
    detach,
    float2,
    fwd_diff,
    no_diff,
    no_diff_this,
    struct,
    treat_as_differentiable,
)
from egad import diff_pair as pair


@struct
class Item:
    kept: no_diff[float]
    x: float

    @property
    def double(self) -> float:
        return 2.0 * self.x


@struct(frozen=True)
class Fixed:
    x: float


@struct
class Point:
    x: float
    y: float


@struct
class Segment:
    a: Point
    b: Point


class Valued(Protocol):
    def value(self, x: float) -> float: ...


class Declared(Protocol):
    @treat_as_differentiable
    def value(self, x: float) -> float: ...


@struct
class Implementation:
    k: float

    def value(self, x: float) -> float:
        return self.k * x


class Plain:
    v: float


@struct
class Endless:
    x: float
    next: "Endless"


@struct
class Unresolved:
    x: "Nowhere"  # noqa: F821


SHARED = Item(0.0, 1.0)
TABLE = [1.0, 2.0]


def _move(a: InOut[Item], b: InOut[Item]) -> None:
    a.x = b.x


def _replace(a: InOut[Item], x: float) -> None:
    a = Item(0.0, x)  # noqa: F841


def _set_number(y: InOut[float], x: float) -> None:
    y = x  # noqa: F841


def _set_field(n: Item) -> float:
    n.x = 2.0 * n.x
    return n.x


def _rule(n, d):
    return (Item(0.0, d),)


@custom_bwd(_rule)
def _ruled(n: Item) -> float:
    n.x = 2.0 * n.x
    return n.x


def derivative_into_no_diff_field(x: float) -> float:
    o = Item()
    o.kept = x * x
    return o.kept


def derivative_into_no_diff_field_of_constructor(x: float) -> float:
    return Item(x, x).x


def plain_class(x: float) -> float:
    o = Plain()
    o.v = x * x
    return o.v


def unknown_field_read(n: Item) -> float:
    return n.xx


def unknown_field_written(n: Item) -> float:
    n.y = 1.0
    return n.x


def property_without_setter(n: Item) -> float:
    n.double = 3.0
    return n.x


def frozen_struct(f: Fixed) -> float:
    f.x = 2.0
    return f.x


def field_of_wrong_type(x: float) -> float:
    return Item(0.0, float2(x, x)).x


def too_many_fields(x: float) -> float:
    return Item(0.0, x, x).x


def field_twice(x: float) -> float:
    return Item(0.0, x, x=x).x


def changed_global_struct(x: float) -> float:
    SHARED.x = x
    return SHARED.x


def changed_global_list(x: float) -> float:
    TABLE[0] = x
    return TABLE[0]


def list_growth(x: float) -> float:
    xs = [x]
    if x > 1.0:
        xs.append(2.0 * x)
    return xs[-1]


def list_growth_in_place(x: float, n: int) -> float:
    xs = [x]
    xs *= n
    return xs[1]


def index_out_of_range(x: float) -> float:
    return [x, 2.0 * x][2]


def index_too_negative(a: Array[float, 3]) -> float:
    a[-4] = 1.0
    return a[0]


def list_of_wrong_length(a: Array[float, 3]) -> float:
    b: Array[float, 4] = copy(a)
    return b[0]


def two_names_for_one_object(x: float) -> float:
    n = Item(0.0, x)
    _move(n, n)
    return n.x


def reassigned_inout(x: float) -> float:
    n = Item(0.0, 1.0)
    _replace(n, x)
    return n.x


def number_as_inout(x: float) -> float:
    y = 1.0
    _set_number(y, x)
    return y


def changed_in_derivative(x: float) -> float:
    n = Item(0.0, x)
    return fwd_diff(_set_field)(pair(n, n)).d


def changed_by_function_with_rule(x: float) -> float:
    n = Item(0.0, x)
    return _ruled(n)


def changed_from_inside_a_derivative(x: float) -> float:
    n = Item(0.0, x)

    def poke(y: float) -> float:
        n.x = y
        return y

    return fwd_diff(poke)(pair(x, 1.0)).d


def changes_and_returns_nothing(n: no_diff[Item], x: float) -> None:
    n.x = detach(x)


def mark_on_a_declaration(d: Declared, x: float) -> float:
    return d.value(x)


def not_an_implementation(x: float) -> float:
    def use(d: Valued) -> float:
        return d.value(x)

    return use(Item(0.0, x))


def no_operator(n: Item) -> float:
    return (n + n).x


def different_shapes_of_list(x: float) -> float:
    xs = [x, x] if x > 0.0 else [x]
    return xs[0]


def struct_as_number(n: Item) -> float:
    return 2.0 * n


def endless(n: Endless) -> float:
    return n.x


def unresolved(n: Unresolved) -> float:
    return n.x


def condition_in_comprehension(x: float) -> float:
    return sorted(v for v in [x, 2.0 * x] if v > 1.0)[0]


def open_length(xs: list[float]) -> float:
    return xs[0]


def vector_of_the_caller(x: float) -> float:
    def clear(v: float2) -> float:
        v.x = 0.0
        return v.y

    w = float2(x, 2.0 * x)
    return clear(w) + w.x


def loop_over_a_shared_vector(x: float) -> float:
    v = float2(x, 1.0)
    w = v
    for _ in range(3):
        v.x += 1.0
    return w.x


def loop_that_may_not_run(a: float, b: float):
    cur = Point(a, b)
    prev = cur
    s = 0.0
    n = 1 if a > 1.0 else 0
    for _i in range(n):
        nxt = Point(cur.x * 0.9 + b, cur.y * a)
        prev = cur
        cur = nxt
    cur.x = 5.0 * a
    return s + prev.x


def loop_over_a_repeated_vector(a: float, b: float):
    xs = [float2(a, b)] * 12
    n = 1 if a > 1.0 else 0
    for i in range(n):
        xs[i + 1] = float2(b, b)
    xs[0].x = 5.0 * a
    return xs[3].x + xs[1].x


def loop_over_a_repeated_struct(a: float, b: float):
    xs = [Point(a, b)] * 4
    n = 1 if a > 1.0 else 0
    for i in range(n):
        xs[i + 1] = Point(b, b)
    xs[0].x = 5.0 * a
    return xs[3].x + xs[1].x


def loop_that_may_leave_the_first(a: float, b: float):
    origin = Point(a, b)
    best = origin
    for i in range(5):
        c = Point(b + i * 0.3, a)
        if c.x > best.x:
            best = c
    best.x += 1.0
    return best.x * origin.x


def loop_makes_two_fields_one(a: float, b: float):
    p = Point(a, b)
    s = Segment(p, p)
    for _i in range(3):
        q = Point(s.a.x * 0.5, b)
        s = Segment(q, q)
    s.a.x = 3.0 * a
    return s.b.x + s.a.x


def loop_after_which_two_names_are_one_vector(x: float, n: int) -> float:
    now, last, total = float2(x, 0.0), float2(0.0), 0.0
    for _ in range(n):
        now.x += 1.0
        total += last.x
        last = now
    return total


def loop_that_makes_a_vector(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        total = total + float2(x, 1.0) * i
    return total.x


@struct
class Vague:
    x: float

    def __bool__(self):
        return self.x

    def __iter__(self):
        return (self.x, self.x)


def truth_that_is_a_number(x: float) -> float:
    return x if Vague(x) else 0.0


def items_that_are_no_iterator(x: float) -> float:
    a, b = Vague(x)
    return a + b


def length_of_a_struct_without_one(x: float) -> float:
    return x * len(Item(1.0, x))


def items_of_a_struct_without_any(x: float) -> float:
    return sum(list(Item(1.0, x)))


def list_of_a_number(x: float) -> float:
    return list(x)[-1]


def iterator_used_twice(x: float2) -> float:
    pairs = zip(x, x, strict=True)
    return sum(a * b for a, b in pairs) + sum(a + b for a, b in pairs)


def filter_by_what_is_not_known(x: float2) -> float:
    return sum(filter(lambda v: v > 0.0, x))


def item_of_a_number(x: float) -> float:
    return 1.0 if x in x else 0.0


def _shifted(v: InOut[float2], k: float) -> None:
    v.x = v.x + k


def _shifted_or_left(v: InOut[float2], k: float) -> float:
    if k > 1.0:
        v.x = k
        return k
    for _ in range(3):
        v.y = v.y + k
    return v.x


def vector_in_a_list_and_a_return(x: float) -> float:
    xs = [float2(x), float2(1.0)]
    _shifted_or_left(xs[0], x)
    return xs[0].x


def vector_of_two_names_in_a_loop_that_returns(x: float, n: int) -> float:
    body = [float2(x), float2(1.0)]
    y = body[0]
    for _ in range(n):
        y.x = y.x + x
        if y.x > 2.0:
            return body[0].x
        y.y = 1.0
    return body[0].y


def one_of_two_vectors_in_a_loop(x: float, n: int) -> float:
    p, q = float2(x), float2(1.0)
    y = p if x > 0.0 else q
    for _ in range(n):
        y.x = y.x + x
    return p.x


def vector_changed_in_a_conditional_expression(x: float) -> float:
    v = float2(x)
    return (_shifted_or_left(v, x) if x > 0.0 else 1.0) + v.x


class Sample(NamedTuple):
    x: float
    w: float


def assigned_field_of_a_named_tuple(x: float) -> float:
    s = Sample(x, 1.0)
    s.w = 2.0
    return s.x


def named_tuple_without_a_value(x: float) -> float:
    return Sample(x).x


def integer_of_which_only_bits_are_known(n: int, x: float) -> float:
    h = (n & 0xFFFFFFFF) * 5
    return x * (h >> 3)


def result_of_which_only_bits_are_known(n: int) -> int:
    return (n & 0xFFFFFFFF) - 7


def truth_of_which_only_bits_are_known(n: int, x: float) -> float:
    return x if 2654435761 * n else 0.0


def seed_that_may_be_negative(seed: int, n: int) -> float:
    for _ in range(n):
        seed ^= (seed << 13) & 0xFFFFFFFF
        seed ^= seed >> 17
    return seed * 2.0**-32


def large_integer_by_one_that_may_be_negative(n: int, k: int) -> int:
    return (n & 0xFFFFFFFF) // k


def unsigned_number_below_zero(x: float) -> float:
    return x * np.uint32(-1)


def value_of_a_loop_without_trips(x: float, n: int) -> float:
    for i in range(n):
        y = x * i
    return y


def counter_of_a_loop_without_trips(x: float, n: int) -> float:
    for i in range(n):  # noqa: B007
        x = x + 1.0
    return x * i


def vector_in_partial(x: float) -> float:
    v = float2(x)
    return functools.partial(lambda a, b: a.x * b, v)(x)


SETTINGS = {"gain": 2.0, "bias": 1.0}


def missing_key(x: float) -> float:
    return x * SETTINGS["gian"]


def key_at_run_time(x: float, n: int) -> float:
    return x * SETTINGS[n]


def choice_of_texts(x: float) -> float:
    kind = "near" if x > 0.0 else "far"
    return x if kind == "near" else 0.0


def arithmetic_with_none(x: float) -> float:
    def scaled(y: float, k: float | None = None) -> float:
        return y * k

    return scaled(x)


@struct
class Drifting:
    v: float2

    def drift(self) -> float2:
        self.v.x += 1.0
        return self.v


def vector_changed_by_what_stands_beside_it(x: float) -> float:
    body = Drifting(float2(x, 1.0))
    w = body.v + body.drift()
    return w.x


@struct
class Holder:
    p: no_diff[Point]

    @no_diff_this
    def moved(self, x: float) -> float:
        self.p = Point(2.0, 3.0)
        return x * self.p.x


def _cleared(p: no_diff[Point], x: float) -> float:
    p.x = 0.0
    return p.y * x


def _shortened(v: no_diff[float2], x: float) -> float:
    v.x = 0.0
    return v.y * x


def no_diff_parameter_changed(x: float) -> float:
    p = Point(x, 1.0)
    return _cleared(p, x) + p.x


def no_diff_vector_changed(x: float) -> float:
    v = float2(x, 1.0)
    return _shortened(v, x) + v.x


def no_diff_field_and_another_name(x: float) -> float:
    p = Point(1.0, 2.0)
    holder = Holder(p)
    p.x = x
    return holder.p.x


def no_diff_this_changed(x: float) -> float:
    holder = Holder(Point(1.0, 2.0))
    return holder.moved(x) + holder.p.x


def functions_carried_by_a_loop(x: float, n: int) -> float:
    f = np.sin
    for _ in range(n):
        x = f(x) + 0.1
        if x > 1.0:
            f = np.cos
    return x


def number_or_none(x: float) -> float:
    best = None
    if x > 0.0:
        best = x
    return 2.0 * best


class Tone(Enum):
    LOW = "low"
    HIGH = "high"


def members_that_are_texts(x: float) -> float:
    tone = Tone.LOW if x < 0.0 else Tone.HIGH
    return x if tone is Tone.LOW else 0.0


def minus_without_a_method(x: float) -> float:
    return (-Point(x, 1.0)).x


def value_that_is_called(x: float) -> float:
    return Item(0.0, x).double()


def vector_that_a_loop_makes_two_names_of(x: float) -> float:
    v, w = float2(x, 1.0), float2(1.0, x)
    for i in range(5):
        v = w
        if x > i:
            break
    v.x = 9.0 * x
    return w.x


def elements_that_a_loop_makes_one(x: float) -> float:
    vs = [float2(x, i) for i in range(3)]
    k = 0
    while k < 3 and x < 2.0:
        vs[1] = vs[0]
        k += 1
    vs[1].x = 2.0 * x
    return vs[0].x


def list_times_a_real(x: float) -> float:
    return ([x] * 0.5)[0]


def index_into_nothing(x: float) -> float:
    rows = [[] for _ in range(2)]
    for i in range(2):
        x += rows[i][i]
    return x


def tuple_that_a_loop_makes_of_a_vector(x: float) -> float:
    v, pair = float2(x, 1.0), (float2(0.0), 1.0)
    for _ in range(5):
        pair = (v, x)
    v.x = 3.0 * x
    return pair[0].x


def vector_that_is_one_from_before_the_loop(x: float, n: int) -> float:
    now, last = float2(x, 0.0), float2(0.0)
    for i in range(n):
        last.x += 1.0
        if i == 2:
            last = now
    return now.x


def tuple_that_may_be_none(x: float) -> float:
    both = (x, 2.0) if x > 1 else None
    a, b = both
    return a * b


def derivative_of_a_derived_object(x: float) -> float:
    from egad import derive

    return derive(tuple_that_may_be_none)(x, 1.0).x


def vectors_in_order(x: float) -> float:
    return sorted([float2(x, 1.0), float2(1.0, x)])[0].x


def vectors_as_keys(x: float) -> float:
    return max([x, 2.0 * x], key=lambda a: float2(a, 1.0))


def vectors_in_tuples(x: float) -> float:
    return min((x, float2(x, 1.0)), (1.0, float2(1.0, x)))[0]


def structs_in_tuples(x: float) -> float:
    return max((x, Point(x, 1.0)), (1.0, Point(1.0, x)))[0]


def a_tuple_and_a_number(x: float) -> float:
    return max((x, 1.0), x)[0]


def a_tuple_and_a_list(x: float) -> float:
    return 1.0 if (x, 1.0) < [x, 2.0] else x


def lengths_of_the_best(x: float) -> float:
    return max((x, 1.0), (1.0,))[0]


def shift_of_a_struct(x: float) -> float:
    return (Point(x, 1.0) << 2).x


def shift_by_a_struct(x: float) -> float:
    return (2 >> Point(x, 1.0)).x


def literal_texts(x: float, way: Literal["up", "down"]) -> float:
    return x if way == "up" else -x


def some_literal_texts(x: float, way: "Literal['up', 1]") -> float:
    return x if way == 1 else -x


def number_for_a_literal_text(x: float) -> float:
    def turned(y: float, way: Literal["up", "down"]) -> float:
        return y if way == "up" else -y

    return turned(x, x)


def not_in_the_list(x: float) -> float:
    return [1, 2].index(3) * x


def vector_in_a_list(x: float) -> float:
    return [float2(x, 1.0)].count(float2(x, 1.0)) * x


def from_a_place_on(x: float) -> float:
    return [x, 1.0].index(1.0, 1) * x


def number_for_a_slice(x: float) -> float:
    xs = [x, 1.0]
    xs[:1] = 2.0
    return xs[0]


def too_many_for_a_slice_with_steps(x: float) -> float:
    xs = [x, 1.0, 2.0]
    xs[::2] = [x, x, x]
    return xs[0]


def list_that_a_loop_turns(a: float, b: float, n: int):
    d, e, z = [a, b], [0.5 * a, b], [[a, 0.4], [0.6, b]]
    if n > 1:
        d = z[0]
    for i in range(n + 1):
        z.reverse()
        if i % 2 == 0:
            z = z[::-1]
            e = d
    e[1] = 5.0
    return z[1][1] * 45.0 + z[0][1]
