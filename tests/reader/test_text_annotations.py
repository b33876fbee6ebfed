"""Annotations that are texts, as `from __future__ import annotations` makes them."""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar, NamedTuple

import pytest
from test_constructors import check

from egad import Array, derive, struct


class Point(NamedTuple):
    x: float
    y: float = 2.0


class Line(NamedTuple):
    a: Point
    b: Point

    def area(self) -> float:
        return self.a.x * self.b.y - self.a.y * self.b.x


@dataclass
class Shape:
    points: Array[Point, 2]
    k: InitVar[float]
    _: KW_ONLY
    area: float = field(init=False)
    scale: float = 2.0
    count: ClassVar[int] = 7

    def __post_init__(self, k: float) -> None:
        self.area = Line(self.points[0], self.points[1]).area() * self.scale * k


@struct
class Started:
    line: Line
    _: KW_ONLY
    k: InitVar[float] = 1.0
    x: float

    def __post_init__(self, k: float) -> None:
        self.x += k


def made(x: float, y: float):
    line = Line(Point(x), Point(y, x))
    shape = Shape([line.a, line.b], y, scale=x)
    return line.area(), shape.area, shape.count, Started(line, x=y).x, Started(k=y).x


def of_line(line: Line, k: float) -> Point:
    return Point(line.area() * k, k)


def test_texts_are_annotations():
    check(made)


def test_named_tuples_with_texts_at_the_edges():
    line = Line(Point(1.5, 0.5), Point(2.0, 3.0))
    assert derive(of_line, "primal", dtype="float64")(line, 2.0) == of_line(line, 2.0)
    found = derive(of_line, dtype="float64")(line, 2.0, Point(1.0, 0.0))
    assert found.line.a.x == 6.0 and found.line.b.x == -1.0 and found.k == 3.5


def mean_and_ends(t: tuple[float, ...], k: float = 1.0) -> tuple[float, ...]:
    first, *rest = t
    return first * k + sum(rest) / len(t), t[-1]


def swapped(t: tuple) -> tuple:
    return t[1], t[0]


def of_tuples(t: tuple[float, ...], y: float) -> float:
    a, b = mean_and_ends((t[0], y, *t), k=y)
    c, d = swapped((a, b))
    return c * d + sum(t)


@pytest.mark.numbers
@pytest.mark.parametrize("t", [(2.0, 3.0), (0.5, 1.5, 4.0)])
def test_tuples_of_any_length(t):
    assert derive(of_tuples, "primal", dtype="float64")(t, 1.5) == of_tuples(t, 1.5)
    (slope,) = derive(of_tuples, wrt="y", dtype="float64")(t, 1.5, 1.0)
    step = 1e-6
    wanted = (of_tuples(t, 1.5 + step) - of_tuples(t, 1.5 - step)) / (2 * step)
    assert slope == pytest.approx(wanted, rel=1e-8)
