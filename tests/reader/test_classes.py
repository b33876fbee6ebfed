"""Classes mean what Python makes of them: private names, `super()`, subclasses without a mark."""

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from test_constructors import RULES, check

from egad import derive, struct
from egad.reader import read
from egad.terms.errors import TraceError
from egad.terms.types import Scalar

__scale = 3.0  # a private name of no class


@dataclass
class Hidden:
    x: float
    __h: float = 2.0

    def __square(self):
        return self.x * self.x

    def value(self, k):
        __own = self.__square() * k

        def __inner(__z):
            return __z + __own

        return __inner(self.__h)

    def set(self, __v):
        self.__h = __v
        (lambda __w: self.__add(__w))(1.0)

    def __add(self, v):
        self.__h += v

    def dunder(self):
        return self.__class__(self.x, 1.0).__h

    @staticmethod
    def of(other):
        return other.__h

    def matched(self):
        match (self.x, self.__h):
            case (_, __second):
                return __second


class __Odd(Hidden):
    def __square(self):
        return 100.0

    def twice(self):
        return self.__square() + self.x


@struct
class HiddenStruct:
    __x: float
    y: float

    def set(self, v):
        self.__x = v
        return self.__x + self.y


def private_names(x: float, y: float):
    a, b = Hidden(x), Hidden(x, y)
    before = a.value(y)
    b.set(x * y)
    o = __Odd(y, x)
    h = HiddenStruct()
    return (
        *(before, b.value(x), a.dunder(), b.dunder(), Hidden.of(b), b.matched()),
        *(o.value(x), o.twice(), a._Hidden__h, __scale, h.set(y), h._HiddenStruct__x),
    )


def test_private_names():
    check(private_names)


def private_from_outside(x: float, y: float):
    return Hidden(x).__h


def test_private_names_are_not_there_outside():
    with pytest.raises(AttributeError):
        private_from_outside(1.0, 2.0)
    with pytest.raises(TraceError, match="a Hidden has no field '__h'"):
        read(private_from_outside, real=Scalar.F64, rules=RULES)


def method_with_private_names(h: Hidden, k: float):
    return h.value(k)


def test_private_fields_of_an_argument():
    h = Hidden(1.5, 0.25)
    assert derive(method_with_private_names, "primal", dtype="float64")(h, 2.0) == h.value(2.0)
    found = derive(method_with_private_names, dtype="float64")(h, 2.0, 1.0)
    assert found.h == Hidden(6.0, 1.0) and found.k == 2.25


# --- super() --------------------------------------------------------------------------------


@dataclass
class Base:
    x: float
    seen: float = field(init=False, default=0.0)

    def __post_init__(self):
        self.seen += 1.0
        self.x = self.x * 2.0

    def __add__(self, other):
        return self.x + other

    def __call__(self, k):
        return self.x * k


@dataclass
class Middle(Base):
    y: float = 5.0

    def __post_init__(self):
        super().__post_init__()
        self.y += self.x

    def __add__(self, other):
        return 10.0 * super().__add__(other)


@dataclass
class Last(Middle):
    z: float = 1.0

    def __post_init__(self):
        self.x += 0.5
        Middle.__post_init__(self)
        self.z = self.__call__(2.0)


@dataclass
class OwnInit(Base):
    w: float = 0.0

    def __init__(self, w, **more):
        if w > 0.0:
            super().__init__(w)
        else:
            Base.__init__(self, x=w * w)
        self.w = w - self.x


class Plain(Base):
    factor = 4.0

    def scaled(self):
        return self.x * self.factor

    def __add__(self, other):
        return super().__add__(other) - self.factor


class PlainInit(Plain):
    factor = 0.5

    def __init__(self, a, b):
        super().__init__(a * b)

    @classmethod
    def of(cls, v):
        return cls(v, v)

    @property
    def half(self):
        return self.x * self.factor


def what_is_above(x: float, y: float):
    m, n, p = Middle(x), Last(y), OwnInit(x)
    return (
        *(m.x, m.y, m.seen, m + y, n.x, n.y, n.z, n.seen, n + x),
        *(p.x, p.w, p.seen),
    )


def test_super_in_structs():
    check(what_is_above)
    check(what_is_above, -1.5, 0.5)


def plain_subclasses(x: float, y: float):
    a, b = Plain(x), PlainInit(x, y)
    c = PlainInit.of(y)
    d = a if x > y else b
    d.x += 1.0
    return (
        *(a.scaled(), a + y, a.seen, b.scaled(), b + x, c.half, c.x, d.scaled(), a.x, b.x),
        *(float(isinstance(a, Base)), float(isinstance(a, PlainInit))),
    )


def test_a_subclass_without_a_decorator():
    check(plain_subclasses)
    check(plain_subclasses, -1.5, 0.5)


def of_plain(p: Plain, x: float) -> Plain:
    p.x = p.scaled() * x
    return p


def of_base(p: Base, x: float) -> float:
    return (p + x) * p.x


def test_a_subclass_without_a_decorator_at_the_edges():
    made = Plain(1.5)
    found = derive(of_plain, "primal", dtype="float64")(made, 2.0)
    assert type(found) is Plain and found.x == 24.0
    assert derive(of_plain, dtype="float64")(made, 2.0, Plain(0.5)).p.x == 8.0
    closed = {Base: [Base, Plain]}
    either = derive(of_base, "primal", dtype="float64", implementations=closed)
    both = [Base(1.5), Plain(0.5)]
    assert list(either(both, 2.0)) == [of_base(b, 2.0) for b in both]


class Point(NamedTuple):
    a: float
    b: float

    def norm(self):
        return self.a * self.a + self.b * self.b


def of_point(x: float, y: float):
    p = Point(x, y)
    return p.norm(), p._replace(a=y).norm()


def test_methods_of_named_tuples():
    check(of_point)


class _Rated:
    rate: float = 3.0

    def paid(self, x: float) -> float:
        return x * self.rate

    @staticmethod
    def squared(x: float) -> float:
        return x * x


def test_a_method_of_a_class_that_is_no_struct():
    with pytest.raises(TraceError) as caught:
        derive(_Rated.paid, "primal")
    assert "'self' is a _Rated, which is no struct" in str(caught.value)
    assert "decorate _Rated with @egad.struct" in str(caught.value)
    assert derive(_Rated().paid)(2.0, 1.0) == (3.0,)
    assert derive(_Rated.squared)(2.0, 1.0) == (4.0,)
