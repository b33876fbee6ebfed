"""Programs over structs and lists that Python runs too: egad must give the same numbers.

Every public function takes two real numbers and gives numbers.
"""

import copy as standard_copy
import dataclasses
from typing import Generic, Protocol, TypeVar

from egad import Array, copy, exp, float2x2, float3, no_diff, select, sin, struct

T = TypeVar("T")


@struct
class Pt:
    x: float
    y: float

    def norm2(self) -> float:
        return self.x * self.x + self.y * self.y

    def scale(self, k: float) -> None:
        self.x *= k
        self.y *= k

    @staticmethod
    def unit(t: float) -> "Pt":
        return Pt(t, 1.0)

    @classmethod
    def diagonal(cls, t: float) -> "Pt":
        return cls(t, t)

    @property
    def area(self) -> float:
        return self.x * self.y

    @area.setter
    def area(self, value: float) -> None:
        self.x = value / self.y

    def __add__(self, other):
        return Pt(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Pt(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Pt(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return Pt(-self.x, -self.y)

    def __getitem__(self, i: int):
        return self.x if i == 0 else self.y

    def __setitem__(self, i: int, value):
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __call__(self, t):
        return self.x * t + self.y


@struct
class Body:
    pos: Pt
    vel: Pt
    mass: float = 2.0
    v: float3 = float3(1.0, 2.0, 3.0)
    kind: int = 3
    live: bool = True

    def step(self, dt: float) -> None:
        self.pos.x += dt * self.vel.x
        self.pos.y += dt * self.vel.y


@struct
class Grid:
    cells: Array[float, 4]
    rows: Array[Array[Pt, 2], 2]


@struct
class Box(Generic[T]):
    value: T


class Shape(Protocol):
    def sdf(self, p: float) -> float: ...


@struct
class Ball:
    r: float

    def sdf(self, p: float) -> float:
        return p * p - self.r * self.r

    def grow(self, k: float) -> None:
        self.r = self.r + k


@struct
class Wall:
    at: float
    slope: float

    def sdf(self, p: float) -> float:
        return sin(p - self.at) * self.slope

    def grow(self, k: float) -> None:
        self.slope = self.slope * k


@struct
class Fancy(Pt):
    z: float = 1.5

    def norm2(self) -> float:
        return super().norm2() + self.z


@struct
class Made:
    total: float
    half: float

    def __init__(self, a: float, b: float):
        self.total = a + b
        self.half = self.total / 2


@struct
class Checked:
    a: float
    doubled: float = 0.0

    def __post_init__(self):
        self.doubled = 2 * self.a


def zeros(a, b):
    p = Pt()
    return p.x + a, p.y + b


def positional_and_keywords(a, b):
    return Pt(a, y=b).x - Pt(y=a, x=b).y


def aliases(a, b):
    p = Pt(a, b)
    q = p
    q.x = 5.0 * b
    return p.x, q.x, p.y


def copies(a, b):
    p = Pt(a, b)
    q = copy(p)
    q.x = 5.0 * b
    return p.x, q.x


def shallow_copy_shares_what_is_inside(a, b):
    one = Body(Pt(a, b), Pt(b, a))
    two = standard_copy.copy(one)
    three = standard_copy.deepcopy(one)
    two.pos.x = 7.0 * a
    two.mass = b
    three.pos.y = 9.0
    return one.pos.x, one.mass, one.pos.y, three.pos.x


def nested_alias(a, b):
    body = Body(Pt(a, b), Pt())
    p = body.pos
    p.x = p.x * 3.0
    body.pos = Pt(b, b)
    p.y = 100.0
    return body.pos.x, body.pos.y, p.x


def callee_changes_argument(a, b):
    def shift(p: Pt, by: float):
        p.x = p.x + by
        p = Pt(0.0, 0.0)
        p.x = 50.0

    p = Pt(a, b)
    shift(p, b)
    shift(p, a)
    return p.x, p.y


def methods(a, b):
    p = Pt(a, b)
    p.scale(b)
    q = Pt.unit(a) + Pt.diagonal(b) * 2.0 - 3.0 * p
    r = -q
    r[1] += 1.0
    r[0] = r[0] * r[1]
    return p.norm2(), q(a), r[0], r.area


def property_setter(a, b):
    p = Pt(a, b * b + 1.0)
    p.area = a * 3.0
    return p.x, p.area


def changes_in_branches(a, b):
    p = Pt(a, b)
    q = p
    if a > 0.0:
        p.x = b
        if b > 0.0:
            q.y = a * b
    else:
        q.x = -b
        p = Pt(1.0, 2.0)
        p.x = a
    p.y = p.y + 1.0
    return p.x, p.y, q.x, q.y


def early_return_in_callee(a, b):
    def settle(p: Pt, k: float) -> float:
        if k > 0.0:
            p.x = 1.0 + k
            return 2.0
        p.y = p.y * k
        if p.y > 0.5:
            p.x = 9.0
            return p.x
        p.x = p.x - k
        return 3.0 * p.x

    p = Pt(a, b)
    r = settle(p, a)
    s = settle(p, b)
    return r, s, p.x, p.y


def conditional_reference(a, b):
    p, q = Pt(a, 1.0), Pt(b, 2.0)
    r = p if a > b else q
    r.x = 10.0 * a
    r.y += b
    if b > 0.0:
        r = q
    r.y += 5.0
    return p.x, p.y, q.x, q.y, r.x


def conditional_call(a, b):
    p, q = Pt(a, 1.0), Pt(b, 2.0)
    (p if a > b else q).scale(3.0)
    p.scale(2.0) if b > 0.0 else q.scale(a)
    return p.x, p.y, q.x, q.y


def vector_members(a, b):
    body = Body()
    body.v.x = a
    body.v[1] = b
    body.v.yz = body.v.xy
    body.kind += 4
    return body.v.x, body.v.y, body.v.z, body.mass * body.kind


def mutating_method_of_member(a, b):
    body = Body(Pt(a, b), Pt(b, 1.0))
    body.step(0.5)
    other = body
    other.step(a)
    return body.pos.x, body.pos.y


def list_aliases(a, b):
    xs = [a, b, 1.0]
    ys = xs
    ys[0] = 3.0 * b
    zs = copy(xs)
    zs[1] = 0.0
    return xs[0] + xs[-1], xs[1], zs[1], len(xs)


def list_of_lists(a, b):
    rows = [[a, b], [1.0, 2.0]]
    row = rows[1]
    row[0] = a * b
    rows[0][1] += 1.0
    rows[0] = row
    row[1] = 7.0
    return rows[0][0], rows[0][1], rows[1][1]


def list_of_structs(a, b):
    o = [[Pt(), Pt()]]
    i = int(a > 0.0)
    o[0][0].x = a
    o[0][i].x = a * a
    o[0][i].y = b
    o[0][1 - i].scale(2.0)
    return o[0][0].x, o[0][0].y, o[0][1].x, o[0][1].y, o[0][i].norm2()


def dynamic_index(a, b):
    xs = [a, b, a * b, 2.0]
    i = int(abs(a)) % 4
    xs[i] = xs[i] * 3.0
    xs[(i + 1) % 4] += b
    v = float3(a, b, 1.0)
    v[i % 3] = v[(i + 1) % 3] * 2.0
    return xs[0], xs[1], xs[2], xs[3], v.x, v.y, v.z


def grid(a, b):
    g = Grid()
    g.cells[2] = a
    g.cells[-1] = b
    g.rows[1][0].y = a * b
    other = Grid([a, b, a, b], g.rows)
    other.rows[1][0].x = 4.0
    return sum(g.cells), g.rows[1][0].y, g.rows[1][0].x, other.cells[3]


def array_constructor(a, b):
    xs = Array[float, 3]()
    xs[0] = a
    ys = Array[float, 2]([b, a])
    xs[1:] = ys
    return xs[0], xs[1], xs[2], min(ys), max(xs)


def unpacking(a, b):
    x, y = [a, b]
    first, *rest = [a, b, a * b]
    return x - y, first, rest[1]


def generic(a, b):
    def twice(box: Box[T]) -> T:
        return box.value + box.value

    p = twice(Box(Pt(a, b)))
    return twice(Box(a)), p.x, p.y, twice(Box(float3(a, b, 1.0))).z


def static_dispatch(a, b):
    def both(s: Shape, p: float) -> float:
        return s.sdf(p) + s.sdf(2.0 * p)

    return both(Ball(a), b), both(Wall(a, 2.0), b)


def dynamic_dispatch(a, b):
    s = Ball(a) if a > 0.0 else Wall(b, 2.0)
    if b > a:
        s = Wall(a, 3.0)
    before = s.sdf(b)
    s.grow(a)
    return before, s.sdf(b)


def inheritance(a, b):
    f = Fancy(a, b)
    f.scale(2.0)
    return f.norm2(), f.z, Fancy(a, b, a).norm2()


def own_init(a, b):
    m = Made(a, b)
    m.total = m.total + m.half
    return m.total, m.half, Checked(a).doubled


def replaced(a, b):
    p = Pt(a, b)
    q = dataclasses.replace(p, y=a * b)
    q.x = 3.0
    return p.x, p.y, q.x, q.y


def equality(a, b):
    p = Pt(a, b)
    return select(p == Pt(a, b), 1.0, 2.0), 1.0 if p == Pt(b, a) else 5.0, 1.0 if p is p else 0.0


def tuples_of_structs(a, b):
    def pair(p: Pt) -> tuple[Pt, float]:
        p.x += 1.0
        return p, p.x * 2.0

    p = Pt(a, b)
    q, d = pair(p)
    q.y = d
    return p.x, p.y


def stopped(a, b):
    p = Pt(a, b)
    q = no_diff(copy(p))
    q.x = q.x * a
    return q.x + exp(p.y)


def swap_fields(a, b):
    p = Pt(a, b)
    p.x, p.y = p.y, p.x
    p.x = p.x * 2.0
    return p.x, p.y


def isinstance_of(a, b):
    s = Ball(a) if a > b else Wall(b, a)
    return s.r if isinstance(s, Ball) else s.slope


def closure_changes_struct(a, b):
    p = Pt(a, b)

    def bump():
        p.x = p.x * 2.0

    bump()
    bump()
    return p.x


def loop_changes_fields(a, b):
    p = Pt(a, b)
    q = p
    for i in range(3):
        p.x = p.x * b + float(i)
        q.y += 1.0
    return p.x, q.y


def loop_assigns_structs(a, b):
    p = Pt(a, b)
    for _ in range(4):
        p = p * 0.5 + Pt(1.0, a)
    return p.x, p.y


def loop_over_a_list(a, b):
    total = 0.0
    bodies = [Pt(a, b), Pt(b, 1.0), Pt(1.0, a)]
    for body in bodies:
        body.x += total
        total += body.norm2()
    return total, bodies[2].x


def loop_writes_an_array(a, b):
    xs = [0.0] * 5
    for i in range(5):
        xs[i] = a * float(i) + b
    for i in range(1, 5):
        xs[i] += xs[i - 1] * 0.5
    return xs[4], sum(xs)


def loop_with_break_and_struct(a, b):
    p = Pt(a, b)
    for i in range(6):
        if p.x > 4.0:
            break
        p.x += 1.0 + b * b
        if i == 2:
            continue
        p.y = p.y * 0.5 + p.x
    return p.x, p.y


def while_with_methods(a, b):
    body = Body(Pt(a, 0.0), Pt(1.0, b))
    n = 0
    while n < 4:
        body.step(0.25)
        body.vel.scale(0.9)
        n += 1
    return body.pos.x, body.pos.y, body.vel.y


def return_inside_loop(a, b):
    def search(p: Pt) -> float:
        for i in range(5):
            p.x += 0.5
            if p.x > 2.0:
                return p.x * float(i)
        return -1.0

    p = Pt(a, b)
    r = search(p)
    return r, p.x


def unrolled(a, b):
    from egad import force_unroll

    rows = [[a, b], [b, a]]
    for i in force_unroll(range(2)):
        if rows[i][0] > 1.0:
            break
        rows[i][1] = rows[i][0] * 2.0
    return rows[0][1], rows[1][1]


def vector_aliases(a, b):
    v = float3(a, b, 1.0)
    w = v
    u = copy(v)
    w.x = 5.0 * a
    if a > 0.0:
        v.y = a
    vs = [v, u, v]
    vs[2].z = b
    body = Body(v=w)
    body.v.x += 1.0
    t = (v, 2.0)
    t[0].y += 3.0
    return v.x, v.y, v.z, w.x, w.y, u.x, vs[0].z, body.v.x, vs[0].x, t[0].y


def matrix_elements(a, b):
    m = float2x2(a, b, 1.0, 2.0)
    n = m
    n[0][1] = 3.0 * a
    k = 1 if a > 0.0 else 0
    n[k][0] = b * b
    row = copy(m[1])
    row.x = 100.0
    return m[0][0], m[0][1], m[1][0], row.x


def dynamic_index_from_the_end(a, b):
    xs = [a, b, a * b]
    i = int(abs(b)) % 3
    xs[-1 - i] *= 2.0
    long = [a * k for k in range(9)]
    long[-1 - i] = b
    v = float3(a, b, 1.0)
    v[-3 + i] = 5.0 * a
    return xs[-1], xs[0], xs[-i], long[8 - i], long[-9 + i], v.x, v.y, v.z


def setter_of_one_or_another(a, b):
    p, q = Pt(a, 1.5), Pt(b, 2.0)
    r = p if a > b else q
    r.area = r.area + a * b
    return p.x, q.x, r.area


def return_from_a_loop_without_a_value(a, b):
    p = Pt(a, b)

    def add():
        for i in range(4):
            if p.x > 1.0:
                return
            p.x += 0.4 * float(i)
        p.y += 1.0

    add()
    return p.x, p.y


def return_from_a_loop_with_a_value(a, b):
    p = Pt(a, b)

    def add(limit):
        for i in range(4):
            if p.x > limit:
                return p.x
            p.x += 0.4 * float(i)
        p.y += 1.0
        return 0.5

    c = add(1.0)
    d = add(9.0)
    return p.x * c, p.y * d
