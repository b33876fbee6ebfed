"""Members of enumerations in fields, lists and tuples are what they are in Python.

`test_structs.py` compares values with Python and derivatives with differences.
"""

import math
from dataclasses import dataclass, replace
from enum import Enum, Flag, IntEnum, IntFlag, auto
from typing import NamedTuple


class _Kind(Enum):
    A = auto()
    B = auto()
    C = auto()


class _Count(IntEnum):
    NONE = 0
    ONE = 1


class _Paint(Flag):
    RED = auto()
    BLUE = auto()


class _Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.642, 3.39)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self):
        return self.mass / self.radius**2

    def weight(self, mass):
        return mass * self.gravity


class _Shape(Enum):
    BALL = "ball"
    BOX = "box"


@dataclass
class _Material:
    kind: _Kind
    gloss: float = 0.5


@dataclass
class _Many:
    kinds: list[_Kind]
    named: dict[str, _Kind]
    pair: tuple[_Kind, float]
    maybe: _Kind | None = None


class _Pair(NamedTuple):
    kind: _Kind
    value: float


@dataclass
class _Counted:
    count: _Count
    more: int = 3


@dataclass
class _Painted:
    paint: _Paint = _Paint.RED | _Paint.BLUE
    value: float = 1.0


@dataclass
class _Thing:
    shape: _Shape
    size: float


def members_in_fields(a, b):
    m = _Material(_Kind.B, a)
    n = _Material(kind=_Kind.A)
    by_equal = a if m.kind == _Kind.B else 100.0
    by_identity = b if n.kind is _Kind.A else 100.0
    return by_equal * {_Kind.A: 1.0, _Kind.B: 5.0}[m.kind] + by_identity * m.gloss + n.gloss


def members_in_fields_are_matched(a, b):
    total = 0.0
    for m in (_Material(_Kind.A, a), _Material(_Kind.B, b), _Material(_Kind.C, a * b)):
        match m:
            case _Material(kind=_Kind.A, gloss=g):
                total += g
            case _Material(_Kind.B, g):
                total += g * g
        match m.kind:
            case _Kind.C if m.gloss > 0:
                total += 3 * m.gloss
            case _Kind.A:
                total -= b
    return total


def members_in_lists_dictionaries_and_tuples(a, b):
    m = _Many([_Kind.A, _Kind.C], {"a": _Kind.B}, (_Kind.C, b))
    total = 0.0
    for kind in m.kinds:
        if kind == _Kind.A:
            total += a
        elif kind is _Kind.C:
            total += a * b
    if m.named["a"] == _Kind.B:
        total += 3 * a
    if m.pair[0] is _Kind.C and m.maybe is None:
        total *= m.pair[1]
    return total


def members_of_named_tuples(a, b):
    first = _Pair(_Kind.B, a)
    total = 0.0
    for pair in (first, first._replace(kind=_Kind.A, value=b)):
        match pair:
            case _Pair(_Kind.A, value):
                total += value
            case _Pair(kind=_Kind.B, value=value):
                total += value * value
    return total


def a_field_changes_its_member(a, b):
    m = _Material(_Kind.A, abs(a))
    i = 0
    while m.gloss < 3.0 and i < 50:
        if m.kind is _Kind.A:
            m.gloss += 0.3 * abs(b)
            m.kind = _Kind.B
        elif m.kind == _Kind.B:
            m.gloss = 1.1 * m.gloss + 0.05
            m.kind = _Kind.A
        i += 1
    return m.gloss + (a if m.kind == _Kind.A else b)


def a_member_of_a_field_by_a_condition(a, b):
    m = _Material(_Kind.A if a > 0 else _Kind.C, b)
    match m.kind:
        case _Kind.A:
            return 2 * m.gloss * a
        case _Kind.B:
            return 3 * m.gloss
        case _Kind.C:
            return 4 * m.gloss
    return 0.0


def members_that_are_numbers(a, b):
    m = _Counted(_Count.ONE)
    total = a * m.count + m.more
    if m.count == 1 and m.count == _Count.ONE:
        total *= b
    return total + [a, a * b][m.count] + m.count.value


def flags_in_fields(a, b):
    m = _Painted(value=a)
    total = 0.0
    if m.paint & _Paint.RED:
        total += m.value
    if _Paint.BLUE in m.paint:
        total += m.value * b
    m.paint = _Paint.BLUE
    return total * 2 if m.paint == _Paint.BLUE else total


def what_a_member_in_a_field_says_of_itself(a, b):
    ms = [_Material(kind, a * (i + 1)) for i, kind in enumerate(_Kind)]
    return ms[2].kind.value * b + len(ms[0].kind.name) * max(ms, key=lambda m: m.gloss).gloss


def members_in_lists_for_parameters(a, b):
    def weight(kind: _Kind, x: float) -> float:
        return x if kind is _Kind.A else x * x

    def weights(kinds: list[_Kind], x: float) -> float:
        return sum(weight(kind, x) for kind in kinds)

    def signed(pair: tuple[_Kind, float]) -> float:
        kind, x = pair
        return x if kind == _Kind.B else -x

    kinds: list[_Kind] = [_Kind.A, _Kind.B]
    return weights(kinds, a) + signed((_Kind.B, b)) + signed((kinds[0], a * b))


def members_are_compared_with_their_structs(a, b):
    m = _Material(_Kind.B, a)
    n = replace(m, gloss=b)
    o = replace(n, kind=_Kind.A)
    total = sum(q.gloss * (1 if q.kind is _Kind.A else 10) for q in (m, n, o))
    return total + (5.0 * a if m == _Material(_Kind.B, a) else 0.0)


def a_machine_of_states_in_a_field(a, b):
    m = _Material(_Kind.A)
    total = 0.0
    for i in range(8):
        value = math.sin(a * i) * b
        if m.kind == _Kind.A and value > 0.2:
            m.kind = _Kind.B
        elif m.kind == _Kind.B and value < 0:
            m.kind = _Kind.C
        elif m.kind is _Kind.C:
            m.kind = _Kind.A
        total += value * (1.0 if m.kind is _Kind.A else 2.0 if m.kind == _Kind.B else 3.0)
    return total


def members_that_are_texts(a, b):
    total = 0.0
    for thing in (_Thing(_Shape.BALL, a), _Thing(_Shape.BOX, b)):
        if thing.shape is _Shape.BALL:
            total += thing.size**2
        elif thing.shape == _Shape.BOX:
            total += thing.size
    return total


def members_with_fields_of_their_own(a, b):
    found = a if _Planet((0.642, 3.39)) is _Planet.MARS else 100.0
    return sum(planet.weight(b) for planet in _Planet) + _Planet.EARTH.mass * found


class _Rights(IntFlag):
    READ = 4
    WRITE = 2


def flags_of_the_kernel(a, b):
    paint = _Paint.RED if a > 0 else _Paint.BLUE
    rights = _Rights.READ if a > b else _Rights.WRITE | _Rights.READ
    both = paint | _Paint.BLUE
    total = a if _Paint.RED in both else b
    total += 10 * a if ~paint == _Paint.BLUE else 20 * b
    total += (~paint).value + (paint ^ _Paint.RED).value * b + (~rights).value * a
    return total + (rights | _Rights.WRITE) + (5 if rights & _Rights.WRITE else 6) * b
