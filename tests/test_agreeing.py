"""Cotangents of unions: those of another struct than the result's are an error, not a 0."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pytest

from egad import DeviceError, EgadError, bwd_diff, derive, diff_pair, fwd_diff


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


def of_points(k: float) -> float:
    return bwd_diff(made)(k, Point(1.0))[0]


def of_what_is_there(k: float) -> float:
    bar = Point(1.0) if isinstance(made(k), Point) else Pair(1.0, 1.0)
    return bwd_diff(made)(k, bar)[0]


def of_nothing(k: float) -> float:
    return bwd_diff(made)(k, Pair(0.0, 0.0))[0]


def of_holders(k: float) -> float:
    return bwd_diff(held)(k, Holder(Pair(1.0, 0.0), 1.0))[0]


def along_points(k: float) -> float:
    return fwd_diff(used)(diff_pair(made(k), Point(1.0)), diff_pair(k, 0.0)).d


@pytest.mark.parametrize(
    ("f", "there", "elsewhere"),
    [
        (of_points, 6.0, np.nan),
        (of_what_is_there, 6.0, 3.0),
        (of_nothing, 0.0, 0.0),
        (of_holders, np.nan, 2.0),
        (along_points, 2 * 9.0 * 3.0, np.nan),
    ],
    ids=lambda f: getattr(f, "__name__", None),
)
def test_inside_a_kernel_another_struct_is_no_number(f, there, elsewhere):
    """A kernel cannot stop; 0 would say that nothing depends on it."""
    derived = derive(f, "primal", dtype="float64")
    for way in (derived, derived.reference):
        np.testing.assert_array_equal(way([3.0, -3.0]), [there, elsewhere])


def test_what_was_asked_costs_nothing():
    assert "nan" not in derive(of_what_is_there, "primal", dtype="float64").source.lower()


def test_another_struct_that_is_known_to_be_one_is_an_error_in_the_source():
    def f(k: float) -> float:
        return fwd_diff(used)(diff_pair(Point(k) if k > 9 else Point(1.0), Pair(k, k)), k).d

    with pytest.raises(EgadError, match=r"another struct|must be a Point") as error:
        derive(f)
    assert "test_agreeing.py" in str(error.value)
