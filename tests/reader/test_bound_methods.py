"""Derivatives of bound methods, and structs without fields as parameters."""

from typing import Protocol

import pytest

import egad
from egad import bwd_diff, derive, diff_pair, fwd_diff, no_diff, struct
from egad.terms.errors import EgadError


@struct
class Square:
    k: float

    def at(self, x: float) -> float:
        return self.k * x * x

    def kept(self, x: float, w: no_diff[float]) -> float:
        return self.k * x * w


@struct
class Cube:
    k: float

    def at(self, x: float) -> float:
        return self.k * x * x * x


def of_one(x: float, k: float) -> float:
    s = Square(k * x)  # holds the variable x of this function, which is not the method's
    return bwd_diff(s.at)(x, 1.0)[0]


def of_one_forward(x: float, k: float) -> float:
    s = Square(k * x)
    return fwd_diff(s.at)(diff_pair(x, 1.0)).d


def of_either(x: float, k: float) -> float:
    s = Square(k) if x > 0.0 else Cube(k)
    return bwd_diff(s.at)(x, 1.0)[0]


def of_either_forward(x: float, k: float) -> float:
    s = Square(k) if x > 0.0 else Cube(k)
    return fwd_diff(s.at)(diff_pair(x, 1.0)).d


def nested(x: float, k: float) -> float:
    s = Square(k * x)
    (pair,) = bwd_diff(fwd_diff(s.at))(diff_pair(x, 1.0), diff_pair(0.0, 1.0))
    return pair.p


def stopped(x: float, k: float) -> float:
    d, nothing = bwd_diff(Square(k).kept)(x, 2.0, 1.0)
    return d if nothing is None else 0.0


def by_hand(x, k):
    slope = 2 * k * x if x > 0 else 3 * k * x * x
    return {
        of_one: 2 * k * x * x,
        of_one_forward: 2 * k * x * x,
        of_either: slope,
        of_either_forward: slope,
        nested: 2 * k * x,
        stopped: 2 * k,
    }


@pytest.mark.numbers
@pytest.mark.parametrize("f", list(by_hand(1.0, 1.0)), ids=lambda f: f.__name__)
def test_a_bound_method_takes_no_object(f):
    primal, bwd = derive(f, "primal", dtype="float64"), derive(f, dtype="float64")
    h = 1e-6
    for x, k in ((2.0, 5.0), (-1.5, 0.7)):
        assert primal.reference(x, k) == pytest.approx(by_hand(x, k)[f], rel=1e-12)
        ends = [(by_hand(x + d, k)[f], by_hand(x, k + d)[f]) for d in (h, -h)]
        slopes = [(a - b) / (2 * h) for a, b in zip(*ends, strict=True)]
        assert bwd.reference(x, k, 1.0) == pytest.approx(slopes, rel=1e-6)


class Valued(Protocol):
    def value(self, x: float) -> float: ...


@struct
class Line:
    def value(self, x: float) -> float:
        return 2.0 * x + 1.0


@struct
class Parabola:
    def value(self, x: float) -> float:
        return x * x


def plain(o: Line, x: float) -> tuple[Line, float]:
    return o, o.value(x) * x


def any_of(o: no_diff[Valued], x: float) -> float:
    return o.value(x) * x


def test_a_struct_without_fields_can_be_passed_and_returned():
    assert derive(plain, "primal").reference(Line(), 2.0) == (Line(), 10.0)
    bwd = derive(plain)
    assert bwd.reference(Line(), 2.0, 1.0).x == 9.0
    assert "Line" not in bwd.source.split("*/")[1]
    if any(info.usable for info in egad.devices()):
        assert bwd(Line(), [2.0, 3.0], 1.0).x.tolist() == [9.0, 13.0]
    with pytest.raises(EgadError, match="expected a struct"):
        bwd.reference(3.0, 2.0, 1.0)


def test_implementations_stand_for_a_protocol_that_is_no_diff():
    bwd = derive(any_of, implementations={Valued: [Line, Parabola]})
    assert bwd.reference(Line(), 2.0, 1.0).x == 9.0
    assert bwd.reference(Parabola(), 2.0, 1.0).x == 12.0
