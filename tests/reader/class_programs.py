"""Programs over struct classes: their zeros, their bases, their bound methods. Python runs them.

Every public function takes two real numbers and gives numbers.
"""

from abc import ABC, abstractmethod

from egad import Array, InOut, copy, float2, float3, struct


@struct
class Cell:
    t: float2
    v: float


@struct
class Row:
    cells: Array[Cell, 2]
    grid: Array[Array[float, 2], 2]


@struct
class Table:
    row: Row
    rows: Array[Row, 2]


@struct
class Valued(ABC):
    @abstractmethod
    def value(self, x: float) -> float: ...


@struct
class Linear(Valued):
    def value(self, x: float) -> float:
        return 2.0 * x + 1.0


@struct
class Base:
    k: float

    def value(self, x: float) -> float:
        return x


@struct
class Derived(Base):
    scale: float

    def value(self, x: float) -> float:
        return self.k * x * self.scale


@struct
class Holder:
    held: Base


FILLED = Table()


def zeros_at_any_depth(a, b):
    t, u = Table(), Table()
    i = int(a > 0.5)
    t.row.cells[i].v = a * 3.0
    t.rows[1].cells[0].t.x = b
    t.rows[0].grid[1][i] = a * b
    u.row.cells[0].v = 7.0
    cells = t.row.cells
    return cells[0].v + 2.0 * cells[1].v, t.rows[1].cells[0].t.x, t.rows[0].grid[1][1], cells[1].t.y


def lists_in_a_struct_of_the_module(a, b):
    own = copy(FILLED)
    own.row.cells[int(b > 1.0)].v = a * b
    return own.row.cells[0].v + own.row.cells[1].v * a, FILLED.row.cells[0].v


def abstract_base(a, b):
    o: Valued = Linear()
    return o.value(a) * b


def _made(x: float) -> Base:
    return Derived(x, 2.0)


def _used(o: Base, x: float) -> float:
    return o.value(x)


def base_class(a, b):
    o: Base = Derived(a, b)
    held = Holder(Derived(b, a))
    for _ in range(2):
        o = Derived(o.value(b), 0.5)
    return o.value(a), _made(a).value(b), _used(Derived(a, a), b), held.held.value(a * a)


def numbers_are_no_structs(a, b):
    o = Derived(a, b)
    return a if isinstance(b, Base) else 2.0 * a, b if isinstance(o, Base) else a


@struct
class Placed:
    at: float3


def _raised(v: InOut[float3], k: float) -> None:
    v.y = v.x * v.x * k


def _twice(v: InOut[float3], k: float) -> float:
    _raised(v, k)
    if k > 1.0:
        v.x = v.y * k
        return v.x
    for _ in range(3):
        v.z = v.z + k * v.x
    return v.z


def vectors_of_the_caller(a, b):
    v = float3(a, b, 1.0)
    w = v
    r = b
    if a > 0.5:
        r = _twice(v, b)
    u = copy(v)
    for _ in range(2):
        _raised(u, a)
        u.x = 0.5 * u.y
    return u.x, u.y, v.z, w.y * r


def vectors_in_objects(a, b):
    p, xs = Placed(float3(a, b, 2.0)), [float3(a), float3(b)]
    q = p.at
    _raised(p.at, b)
    _raised(xs[1], a)
    return p.at.y, q.y * xs[1].y, xs[0].y


class _Base:
    k = 2.0

    def __init__(self, x):
        self.x = x

    @property
    def more(self):
        return self.x + 1

    def scaled(self):
        return self.x * self.k

    @classmethod
    def made(cls, x):
        return cls(x * cls.k)


class _Derived(_Base):
    k = 5.0

    @property
    def more(self):
        return super().more * 2

    def scaled(self):
        return super().scaled() + self.more

    @classmethod
    def made(cls, x):
        return super().made(x + 1)


def super_in_properties_and_methods_of_classes(a, b):
    one = _Derived(a)
    return one.more * b + one.scaled() + _Derived.made(b).x + _Base(b).more


class _Doubled:
    def __init__(self, x):
        self._x = x

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = 2.0 * value


def fields_by_their_names(a, b):
    cell, doubled = Cell(float2(a, b), b), _Doubled(a)
    for name, by in (("t", 2.0), ("v", a)):
        setattr(cell, name, getattr(cell, name) * by)
    for value in (b, a):
        setattr(doubled, "x", value + doubled.x)  # noqa: B010
    return cell.t.x * cell.t.y + cell.v * doubled.x
