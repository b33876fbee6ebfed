"""Cotangents of unions: those of another struct than the result's are an error, not a 0."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pytest

from egad import DeviceError, derive


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
