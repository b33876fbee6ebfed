"""Cotangents of unions: those of another struct than the result's are an error, not a 0."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pytest

from egad import DeviceError, bwd_diff, derive, diff_pair, fwd_diff


class Shape(Protocol):
    def sdf(self, p: float) -> float: ...


@dataclass
class Ball:
    r: float

    def sdf(self, p: float) -> float:
        return abs(p) - self.r


@dataclass
class Slab:
    at: float
    half: float

    def sdf(self, p: float) -> float:
        return abs(p - self.at) - self.half


def grown(s: Shape, k: float) -> Shape:
    if k > 0:
        return Ball(k * s.sdf(1.0))
    return Slab(k, s.sdf(2.0))


def beside(s: Shape, k: float) -> tuple[float, Shape]:
    return k * k, s if k > 1 else Ball(k)


KINDS = {Shape: [Ball, Slab]}
ONE = Ball(1.0)


@pytest.fixture(scope="module")
def bwd():
    return derive(grown, implementations=KINDS, dtype="float64")


def test_the_struct_of_the_result_is_taken(bwd):
    for way in (bwd, bwd.reference):
        assert way(ONE, 2.0, ONE).s == Ball(-2.0)
        assert way(ONE, -2.0, Slab(1.0, 0.5)).k == 1.0
        batch = way([ONE, Slab(1.0, 0.5)], [2.0, -1.0], [ONE, Slab(1.0, 0.0)])
        np.testing.assert_array_equal(batch.k, [0.0, 1.0])


@pytest.mark.parametrize(
    "call",
    [
        (ONE, 2.0, Slab(1.0, 1.0)),
        (ONE, -2.0, ONE),
        ([ONE, Slab(1.0, 0.5)], [2.0, -1.0], [ONE, ONE]),
        ([ONE, Slab(1.0, 0.5)], [2.0, -1.0], ONE),
    ],
    ids=["slab of a ball", "ball of a slab", "one of a batch", "one for a batch"],
)
def test_another_struct_is_an_error(bwd, call):
    for way in (bwd, bwd.reference):
        with pytest.raises(DeviceError, match=r"'out_bar'.*another struct than the result"):
            way(*call)


def test_zeros_of_another_struct_say_nothing_wrong(bwd):
    assert bwd(ONE, 2.0, Slab(0.0, 0.0)).k == 0.0


def test_unions_beside_other_results():
    both = derive(beside, implementations=KINDS, dtype="float64")
    assert both(ONE, 0.5, 1.0, ONE).k == 2.0
    name = both.program.params[-1].name
    with pytest.raises(DeviceError, match=f"{name!r}.*another struct than the result"):
        both(ONE, 0.5, 1.0, Slab(1.0, 1.0))
    assert both([], [], [], []).s == []


@dataclass
class Point:
    x: float


@dataclass
class Pair:
    y: float
    z: float


@dataclass
class Holder:
    part: Point | Pair
    weight: float


def made(k: float) -> Point | Pair:
    return Point(k * k) if k > 0 else Pair(k, 2.0 * k)


def held(k: float) -> Holder:
    return Holder(made(k), k)


def test_tangents_are_of_the_struct_that_is_there():
    ahead, whole = (derive(f, "fwd", dtype="float64") for f in (made, held))
    for way in (ahead, ahead.reference):
        assert way(diff_pair(3.0, 1.0)).d == Point(6.0)
        assert way(diff_pair(-3.0, 1.0)).d == Pair(1.0, 2.0)
        assert way(diff_pair([3.0, -3.0], 1.0)).d == [Point(6.0), Pair(1.0, 2.0)]
    assert whole(diff_pair(-3.0, 1.0)).d == Holder(Pair(1.0, 2.0), 1.0)


def tangent_inside(k: float) -> float:
    d = fwd_diff(made)(diff_pair(k, 1.0)).d
    return d.x if isinstance(d, Point) else d.z


def used(s: Point | Pair, k: float) -> float:
    return s.x * s.x * k if isinstance(s, Point) else s.y * s.z**2 * k


def cotangent_inside(k: float) -> float:
    g = bwd_diff(used)(Point(k) if k > 0 else Pair(k, 3.0 * k), k, 1.0)[0]
    return g.x if isinstance(g, Point) else g.z


def test_derivatives_inside_of_functions_are_of_the_struct_that_is_there():
    tangent, cotangent = (
        derive(f, "primal", dtype="float64") for f in (tangent_inside, cotangent_inside)
    )
    assert [tangent(k) for k in (3.0, -3.0)] == [6.0, 2.0]
    assert [cotangent(k) for k in (2.0, -2.0)] == [8.0, 2.0 * -2.0 * -6.0 * -2.0]


def test_batches_of_unions_that_come_out_are_lists():
    primal = derive(made, "primal", dtype="float64")
    assert primal([3.0, -3.0]) == [Point(9.0), Pair(-3.0, -6.0)]
    assert primal(np.array([[3.0], [-3.0]])) == [[Point(9.0)], [Pair(-3.0, -6.0)]]
    assert derive(held, "primal", dtype="float64")(np.array([-3.0])) == [
        Holder(Pair(-3.0, -6.0), -3.0)
    ]
