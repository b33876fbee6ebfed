"""Structs are equal where Python says so: by their fields, as tuples, or as one object."""

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from test_constructors import RULES, check

from egad.reader import read
from egad.terms.errors import TraceError
from egad.terms.types import Scalar


@dataclass
class Marked:
    x: float
    note: float = field(compare=False, default=0.0)


@dataclass
class MarkedMore(Marked):
    y: float = 1.0


class Renamed(Marked):
    pass


@dataclass(eq=False)
class Alone:
    x: float


@dataclass(eq=False)
class AloneOfMarked(Marked):
    more: float = 0.0


class Pair(NamedTuple):
    a: float
    b: float


class Other(NamedTuple):
    c: float
    d: float


class Three(NamedTuple):
    p: Pair
    z: float


@dataclass
class Own:
    x: float

    def __eq__(self, other):
        return self.x > other.x


def fields_that_are_not_compared(x: float, y: float):
    a, b = Marked(x, y), Marked(x, 2.0)
    c, d = MarkedMore(x, y, y), MarkedMore(x, x, y)
    e, f = AloneOfMarked(x, y, 1.0), AloneOfMarked(x, x, 2.0)
    return (
        *(float(a == b), float(a != b), float(Marked(y) == a), float(c == d)),
        *(float(c == MarkedMore(x, y)), float(a == c), float(e == f)),
        *(float(Renamed(x, y) == Renamed(x)), float(Renamed(x) == Marked(x))),
        *(float(a in [c, b]), float(a in (Marked(y), c))),
    )


def one_object(x: float, y: float):
    a, b = Alone(x), Alone(x)
    c = a if x > 0.0 else b
    listed = [a, b]
    k = int(x > 1.0)
    return (
        *(float(a == b), float(a == a), float(a != b), float(a != a), float(c == a)),
        *(float(c == b), float(c != b), float(a in listed), float(Alone(x) in listed)),
        *(float(listed[k] == b), float(listed == [a, b]), float(listed == [a, Alone(x)])),
    )


def tuples_with_names(x: float, y: float):
    p, q = Pair(x, y), Other(x, y)
    r = p if x > 0.0 else Pair(y, x)
    return (
        *(float(p == q), float(p == (x, y)), float((x, y) == p), float(p != (y, x))),
        *(float(p == [x, y]), float(p == (x, y, 0.0)), float(Three(p, x) == ((x, y), x))),
        *(float(Three(p, x) == Three(Pair(x, x), x)), float(r == (x, y)), float(r != q)),
        *(float(p < q), float(p <= q), float(p > (y, 0.0)), float(Pair(x, 9.0) >= p)),
        float(p in [q]),
    )


def own_methods(x: float, y: float):
    a, b = Own(x), Own(y)
    return float(a == b), float(a != b), float(b == a), float(b != a)


def of_two_classes(x: float, y: float):
    c = Marked(x) if x > 0.0 else MarkedMore(x)
    o = Own(0.0) if y > 0.0 else Marked(x)
    return (
        *(float(c == Marked(x)), float(c != Marked(x)), float(MarkedMore(x) == c)),
        float(o == Marked(x)),
    )


@dataclass(order=True)
class Ordered:
    x: float
    note: float = field(compare=False, default=0.0)
    y: float = 1.0


def in_order(x: float, y: float):
    a, b, c = Ordered(x, y), Ordered(y, x), Ordered(x, x, y)
    return float(a < b), float(a >= b), float(a <= c), float(a > c), float(max(x, y) > y)


PROGRAMS = [
    in_order,
    fields_that_are_not_compared,
    one_object,
    tuples_with_names,
    own_methods,
    of_two_classes,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", [(1.5, -0.75), (-1.0, 2.0), (0.5, 0.5)])
def test_equality_is_that_of_python(f, point):
    check(f, *point)


FIRST, SECOND = Alone(1.0), Alone(1.0)


def of_the_module(x: float, y: float):
    return x if FIRST == FIRST else y


def made_in_a_loop(x: float, y: float):
    a = Alone(x)
    b = a
    for k in range(100):
        if y > k:
            b = Alone(x * k)
    return x if a == b else y


def one_in_a_loop(x: float, y: float):
    a = Alone(x)
    b = a
    for k in range(100):
        if y > k:
            b = Alone(x * k)
    return x if a is b else y


@pytest.mark.parametrize("f", [of_the_module, made_in_a_loop, one_in_a_loop])
def test_an_identity_that_is_not_known_is_refused(f):
    with pytest.raises(TraceError, match="whether these are one object is not known"):
        read(f, real=Scalar.F64, rules=RULES)
