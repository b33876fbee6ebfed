"""Constructors of structs take, leave out and compute what those of `dataclasses` do."""

import dataclasses
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import NamedTuple

import pytest

from egad import Out, derive, struct
from egad.codegen.host.reference import evaluate
from egad.reader import read
from egad.reader.structs import zero
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.types import Scalar

RULES = load()
REPLACES = (ValueError, TypeError)  # what `replace` raises until Python 3.12, and since


def check(f, x=1.5, y=-0.75):
    """The function read and run with NumPy, against itself."""
    program = read(f, real=Scalar.F64, rules=RULES)
    found = [v.item() for v in evaluate(program, RULES, {"x": x, "y": y})]
    wanted = f(x, y)
    assert found == list(wanted if isinstance(wanted, tuple) else (wanted,))


def refused(f, python=TypeError):
    """The error of a function that Python refuses too."""
    with pytest.raises(python):
        f(1.5, -0.75)
    with pytest.raises(TraceError) as caught:
        read(f, real=Scalar.F64, rules=RULES)
    assert caught.value.at is not None and caught.value.at.text
    return str(caught.value)


@dataclass
class Square:
    side: float
    area: float = field(init=False, default=0.25)
    scale: float = 1.0


@dataclass
class Computed:
    side: float
    area: float = field(init=False)
    seen: list[float] = field(init=False, default_factory=lambda: [1.0, 2.0])
    scale: float = 2.0

    def __post_init__(self):
        self.area = self.side * self.side * self.scale


@dataclass(slots=True)
class Slotted:
    side: float
    area: float = field(init=False, default=0.5)


class BiggerSquare(Square):
    area = 4.0


@struct
class Zeroed:
    side: float
    area: float = field(init=False)
    scale: float

    def __post_init__(self):
        self.area = self.side + 1.0


def fields_that_no_argument_gives(x: float, y: float):
    s, t = Square(x, x * y), Square(x, scale=y)
    s.area += y
    c, d, z = Computed(x, y), Computed(scale=x, side=y), Zeroed(x, y)
    c.seen[0] = y
    other = Slotted(x)
    other.side = y
    return (
        *(s.side, s.area, s.scale, t.area, t.scale, z.area, z.scale),
        *(c.area, d.area, c.seen[0] + c.seen[1], d.seen[0], other.area, other.side),
        *(BiggerSquare(x).area, BiggerSquare(x, y).scale),
    )


def test_fields_without_an_argument():
    check(fields_that_no_argument_gives)


def area_by_name(x: float, y: float):
    return Square(x, area=y).area


def three_values(x: float, y: float):
    return Square(x, y, y).area


def test_fields_without_an_argument_are_no_arguments():
    said = refused(area_by_name)
    assert "Square(…) does not take 'area': it is field(init=False)" in said
    assert "it takes side, scale; assign to .area afterwards" in said
    said = refused(three_values)
    assert "Square(side, scale) takes 2 values, not 3" in said
    assert "area: field(init=False), which no argument gives" in said


@dataclass
class Mixed:
    a: float
    b: float = field(kw_only=True)
    c: float = 3.0


@dataclass
class After:
    a: float
    _: KW_ONLY
    b: float = 2.0
    c: float = 3.0


@dataclass(kw_only=True)
class Named:
    a: float
    b: float = 2.0


@dataclass
class OfNamed(Named):
    c: float
    d: float = 1.0


@struct
class ZeroAfter:
    a: float
    _: KW_ONLY
    b: float


def by_name_only(x: float, y: float):
    m, n = Mixed(x, y, b=2.0), Mixed(x, b=y)
    o, p = After(x, c=y), Named(b=x, a=y)
    q, r = OfNamed(x, y, a=7.0), OfNamed(x, a=y)
    z = ZeroAfter(x, b=y)
    return (
        *(m.a, m.b, m.c, n.b, n.c, o.a, o.b, o.c, p.a, p.b),
        *(q.a, q.b, q.c, q.d, r.a, r.c, r.d, z.a, z.b, ZeroAfter(y).b),
    )


def test_fields_by_name_only():
    check(by_name_only)


def too_many(x: float, y: float):
    return After(x, y).b


def none_positional(x: float, y: float):
    return Named(x).b


def not_given(x: float, y: float):
    return Mixed(x, y).b


def test_fields_by_name_only_take_no_position():
    said = refused(too_many)
    assert "After(a, b=…, c=…) takes 1 values, not 2" in said
    assert "by name only: b=…, c=…" in said
    assert "Named(a=…, b=…) takes 0 values, not 1" in refused(none_positional)
    assert "needs a value for 'b'" in refused(not_given)


@dataclass
class Scaled:
    x: float
    k: InitVar[float]
    length: float = field(init=False)
    more: InitVar[float] = 0.5

    def __post_init__(self, k, more):
        self.length = self.x * k + more


@struct
class StructScaled:
    x: float
    k: InitVar[float] = 3.0

    def __post_init__(self, k):
        self.x = self.x * k


@dataclass
class NamedScale:
    x: float
    _: KW_ONLY
    a: InitVar[float]
    b: InitVar[float]

    def __post_init__(self, a, b):
        self.x += a - 2.0 * b


def for_init_alone(x: float, y: float):
    s, t, u = Scaled(x, y), Scaled(x, k=2.0, more=y), StructScaled(x)
    return s.length, t.length, s.more, u.x, StructScaled(x, y).x, NamedScale(x, b=x, a=y).x


def without_its_scale(x: float, y: float):
    return Scaled(x).length


def test_what_is_for_init_alone():
    check(for_init_alone)
    assert "Scaled(…) needs a value for 'k'" in refused(without_its_scale)


@dataclass(frozen=True)
class Kept:
    a: float
    b: float = 2.0


class Pair(NamedTuple):
    a: float
    b: float = 2.0


@dataclass
class Counted:
    a: float
    b: float = 2.0
    count: float = field(init=False, default=0.0)

    def __init__(self, a, b=7.0):
        self.a, self.b = a + 1.0, b


@dataclass
class CountedTwice(Counted):
    def __init__(self, a, b=9.0):
        super().__init__(a, b * 2.0)


def replaced_is_made_anew(x: float, y: float):
    c = Computed(x, y)
    c.area = 100.0
    c.seen[0] = 50.0
    d = replace(c, side=y)
    e = dataclasses.replace(c)
    k = replace(Kept(x, y), a=3.0)
    s = replace(Scaled(x, y), k=x, x=y)
    p = Pair(x)._replace(b=y)
    n = replace(Counted(x), b=y)
    either = Counted(x) if x > y else CountedTwice(y)
    m = replace(either, b=x)
    return (
        *(d.area, d.side, d.scale, d.seen[0], e.area, e.seen[0], c.area),
        *(k.a, k.b, s.length, s.x, p.a, p.b, n.a, n.b, n.count, m.a, m.b),
    )


def test_replace_calls_the_constructor():
    check(replaced_is_made_anew)
    check(replaced_is_made_anew, -1.0, 2.0)


def replaced_area(x: float, y: float):
    return replace(Square(x), area=y).area


def replaced_without_scale(x: float, y: float):
    return replace(Scaled(x, y), x=y).length


def replaced_unknown(x: float, y: float):
    return replace(Square(x), height=y).area


def test_replace_refuses_what_python_refuses():
    said = refused(replaced_area, REPLACES)
    assert "replace cannot give 'area' of Square: it is field(init=False)" in said
    said = refused(replaced_without_scale, REPLACES)
    assert "replace needs a value for 'k' of Scaled" in said and "write k=…" in said
    assert "Square has no field 'height'" in refused(replaced_unknown)


@dataclass(frozen=True)
class Fixed:
    x: float
    area: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "area", self.x * self.x)


def of_a_frozen_class(x: float, y: float):
    return Fixed(x).area, replace(Fixed(x), x=y).area


def test_a_frozen_class_assigns_while_it_is_made():
    check(of_a_frozen_class)


@dataclass
class Needing:
    k: InitVar[float]
    x: float = 1.0

    def __post_init__(self, k):
        self.x += k


def written(x: float, s: Out[Needing]) -> float:
    s.x += x
    return x


def test_the_zero_of_a_class_whose_constructor_needs_values():
    assert zero(Needing).x == 1.0
    assert derive(written, "primal").reference(2.0).s.x == 2.0


def never_set(x: float, y: float):
    s = Zeroless(x)
    return s.area


@dataclass
class Zeroless:
    side: float
    area: float = field(init=False)


def test_a_field_without_a_value():
    said = refused(never_set, AttributeError)
    assert "Zeroless.area has no value yet" in said
    assert "__init__ or __post_init__ assigns it" in said
