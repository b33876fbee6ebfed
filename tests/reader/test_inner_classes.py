"""Classes and types that are defined inside of the derived function.

The functions run in 50 digits too: values and slopes are compared with those.
"""

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, NewType, Optional, Protocol

import mpmath
import numpy as np
import pytest

from egad import Array, TraceError, derive, diff_pair, no_diff, struct
from egad.reader.python.statements.alike import alike


def closing(x: float, y: float) -> float:
    @dataclass
    class Line:
        a: float

        def at(self, k: float) -> float:
            return self.a * y + k * z

    z = x * x
    line = Line(x)
    before = line.at(y)
    z = 3.0
    return before + line.at(x)


def of_itself(x: float, y: float) -> float:
    @dataclass
    class Number:
        re: float
        im: float = 0.0

        def __mul__(self, o: "Number") -> "Number":
            return Number(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

        @staticmethod
        def two() -> "Number":
            return Number(2.0)

        @classmethod
        def of(cls, t: float) -> "Number":
            return cls(t, t * t)

        @property
        def square(self) -> float:
            return self.re**2 + self.im**2

    c = Number(x, y) * Number.two() * Number.of(y)
    return c.square * c.re


def total(a: float, k: float) -> float:
    class Sum:
        def __init__(self) -> None:
            self.t = 0.0

        def add(self, v: float) -> "Sum":
            self.t += v * k
            return self

    return Sum().add(a).add(a * a).t


def one_for_each_call(x: float, y: float) -> float:
    return total(x, y) + total(y, x) * total(x, 2.0)


def in_a_loop(x: float, y: float) -> float:
    t = 0.0
    for i in range(4):

        @struct
        class Pair:
            v: float
            w: float

        pair = Pair(x * i, y)
        t += pair.v * pair.w
    return t * pair.w


def in_a_loop_of_the_kernel(x: float, y: float) -> float:
    t = 0.0
    for i in range(int(x * 3) % 7):

        class Pair(NamedTuple):
            v: float
            w: float = 2.0

        t += Pair(x * i).v * Pair(x * i).w * y
    return t


def inheriting(x: float, y: float) -> float:
    class First:
        def __init__(self, k: float, m: float) -> None:
            self.k, self.m = k, m

        def value(self) -> float:
            return self.k * self.m + x

    class Second(First):
        def value(self) -> float:
            return -super().value()

    return First(x, y).value() * Second(y, x).value()


def of_shapes(x: float, y: float) -> float:
    class Shape(Protocol):
        def area(self) -> float: ...

    class Based(ABC):
        @abstractmethod
        def area(self) -> float: ...

        def twice(self) -> float:
            return 2 * self.area() * y

    @dataclass
    class Square(Based):
        r: float

        def area(self) -> float:
            return self.r * self.r

    @dataclass
    class Both:
        r: float
        inner: Square

        def area(self) -> float:
            return self.r * self.inner.area()

    def area_of(s: Shape) -> float:
        return s.area()

    return area_of(Square(x)) + area_of(Both(y, Square(x))) + Square(y).twice()


def members(x: float, y: float) -> float:
    class Kind(enum.Enum):
        ONE = 1
        TWO = 2

    def weight(k: Kind) -> float:
        match k:
            case Kind.ONE:
                return x
            case Kind.TWO:
                return y

    return weight(Kind.ONE) * weight(Kind.TWO) + Kind.TWO.value * x


def from_a_function_that_is_over(x: float, y: float) -> float:
    def line(k: float) -> Any:
        class Line:
            def __init__(self, v: float) -> None:
                self.v = v

            def __call__(self, t: float) -> float:
                return self.v * t + k

        return Line(k * k)

    a, b = line(x), line(y)
    return a(y) * b(x)


def counting(x: float, y: float) -> float:
    n = 0.0

    class Count:
        def hit(self, v: float) -> None:
            nonlocal n
            n += v

    c = Count()
    c.hit(x)
    c.hit(y * n)
    return n


def private_and_defaults(x: float, y: float) -> float:
    size = 3

    @dataclass
    class Row:
        a: float
        xs: list = field(default_factory=lambda: [1.0] * 3)
        n: int = size

        def __sum(self) -> float:
            return self.xs[0] + self.xs[1] * self.n

        def sum(self) -> float:
            return self.__sum() * y

    row = Row(x)
    row.xs[1] = y
    return row.sum() * row.a


def one_of_two(x: float, y: float) -> float:
    if x > 1:

        @dataclass
        class Point:
            a: float

        return Point(y).a * x

    class Point:
        def __init__(self, a: float) -> None:
            self.a = a * 2

    return Point(y).a * x


def types_with_names(x: float, y: float) -> float:
    Maybe = float | None
    Row = list[float]
    Function = Callable[[float], float]
    Three = Array[float, 3]
    Perhaps = Optional[Three]  # noqa: UP045  # an Array has no | with None in Python
    Names = dict[str, float]
    Metres = NewType("Metres", float)

    def sum_of(v: Row, f: Function, k: Maybe = None, a: Perhaps = None) -> Metres:
        return Metres(f(v[0]) * v[1] + (1 if k is None else k) + (0 if a is None else a[2]))

    three: Three = [x, y, x]
    names: Names = {"a": x}
    return sum_of([x, y], lambda t: t * y) + sum_of(three, lambda t: t, y, three) * names["a"]


PROGRAMS = [
    closing,
    of_itself,
    one_for_each_call,
    in_a_loop,
    in_a_loop_of_the_kernel,
    inheriting,
    of_shapes,
    members,
    from_a_function_that_is_over,
    counting,
    private_and_defaults,
    one_of_two,
    types_with_names,
]


@pytest.mark.numbers
@pytest.mark.parametrize(("dtype", "rel"), [("float64", 1e-12), ("float32", 2e-5)])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_slopes(f, dtype, rel):
    primal, back, ahead = (derive(f, mode, dtype=dtype) for mode in ("primal", "bwd", "fwd"))
    for x, y in ((1.25, 2.5), (0.75, -1.5)):
        with mpmath.workdps(50):
            a, b, h = mpmath.mpf(x), mpmath.mpf(y), mpmath.mpf(10) ** -20
            value = float(f(a, b))
            slopes = [
                float((f(a + h, b) - f(a - h, b)) / (2 * h)),
                float((f(a, b + h) - f(a, b - h)) / (2 * h)),
            ]
        for way in (primal, primal.reference):
            assert float(way(x, y)) == pytest.approx(value, rel=rel)
        for way in (back, back.reference):
            assert list(way(x, y, 1.0)) == pytest.approx(slopes, rel=rel, abs=rel)
        pair = ahead(diff_pair(x, 0.5), diff_pair(y, 2.0))
        assert float(pair.d) == pytest.approx(0.5 * slopes[0] + 2 * slopes[1], rel=rel, abs=rel)


def test_what_is_returned_and_the_text_are_the_same_each_time():
    def f(x: float, y: float):
        @dataclass
        class Point:
            a: float
            b: float

        return Point(x * y, x), 1.0

    first, second = derive(f, "primal"), derive(f, "primal")
    assert first.source == second.source
    point, one = first(2.0, 3.0)
    assert (point.a, point.b, one) == (6.0, 2.0, 1.0)
    assert type(point) is type(second(2.0, 3.0)[0])
    assert list(derive(f)(2.0, 3.0, point, 0.0)) == [20.0, 12.0]


_GAIN_OF_CLASS = [2.0]


def test_a_class_is_made_of_what_there_is_now():
    """Lists, dictionaries and arrays, too, which have no hash; all may change before the next."""
    array, table = np.array([1.0, 2.0]), {"a": 1.0}

    def f(x: float) -> float:
        class Gains:
            total = float(array.sum()) * len(_GAIN_OF_CLASS)
            gain = _GAIN_OF_CLASS[-1] * table["a"]

            def __init__(self, value):
                self.value = value

            def applied(self):
                return self.total * self.gain * self.value

        return Gains(x).applied()

    assert derive(f, dtype="float64")(3.0, 1.0) == (6.0,)
    array[0], table["a"] = 5.0, 10.0
    assert derive(f, dtype="float64")(3.0, 1.0) == (140.0,)
    _GAIN_OF_CLASS.append(-1.0)
    try:
        assert derive(f, dtype="float64")(3.0, 1.0) == (-140.0,)
    finally:
        _GAIN_OF_CLASS.pop()
    assert derive(f, dtype="float64")(3.0, 1.0) == (140.0,)


def test_what_is_the_same_class():
    def made(kind):
        def plain():
            class Kind:
                a = np.array([1.0, kind])

                def f(self, b=1.0):
                    return b

            return Kind

        def fields():
            @dataclass
            class Kind:
                a: float
                b: float = float(kind)

            return Kind

        def marked():
            @struct
            class Kind:
                a: Array[float, 2]
                b: no_diff[float]
                c: Array[float, kind]

            return Kind

        def row():
            class Kind(NamedTuple):
                a: float
                b: float = float(kind)

            return Kind

        def member():
            class Kind(Enum):
                A = 1
                B = kind + 2

            return Kind

        return [plain(), fields(), marked(), row(), member()]

    for one, other, third in zip(made(1), made(1), made(2), strict=True):
        assert one is not other
        assert alike(one, other)
        assert not alike(one, third)


def test_what_a_class_is_made_of_is_known_while_reading():
    def f(x: float) -> float:
        @dataclass
        class Point:
            a: float = x

        return Point().a

    with pytest.raises(TraceError, match="'x' is not known while reading, when the class Point"):
        derive(f)


def test_a_class_that_python_refuses():
    def f(x: float) -> float:
        @dataclass
        class Point:
            a: float = 1.0
            b: float

        return Point(1.0, x).b

    with pytest.raises(
        TraceError, match="the class Point fails in Python: TypeError: non-def"
    ) as e:
        derive(f)
    assert e.value.at.text.strip() == "class Point:"


_GAIN = 2.5


def test_a_global_that_is_only_read():
    def f(x: float) -> float:
        global _GAIN
        return _GAIN * x * x

    assert derive(f, dtype="float64")(3.0, 1.0) == (15.0,)

    def g(x: float) -> float:
        _GAIN = x

        def inner() -> float:
            global _GAIN
            return _GAIN * x

        return inner()

    with pytest.raises(TraceError, match="global is not in the language"):
        derive(g)


def test_a_type_is_no_value():
    def f(x: float) -> float:
        Row = list[float]
        return x * Row

    with pytest.raises(TraceError, match="cannot compute with"):
        derive(f)
