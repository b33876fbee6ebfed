"""`np.add.at` and its like: at one place, at rows, at places of several axes."""

import numpy as np
import pytest

from egad import derive
from egad.terms.errors import TraceError

pytestmark = pytest.mark.numbers


def at_one_row(x: np.ndarray, i: int):
    a = np.zeros((3, 2))
    np.add.at(a, 1, x[:2])
    np.add.at(a, i, x[2])
    np.add.at(a, (i, 0), x[3])
    return a


def at_rows(x: np.ndarray, i: int):
    a = np.ones((3, 2))
    np.add.at(a, [0, 1, 1], x.reshape(3, 2))
    np.multiply.at(a, np.array([i, i]), x[:2])
    return a


def at_places_of_two_axes(x: np.ndarray, i: int):
    a = np.zeros((3, 3))
    np.add.at(a, np.ix_([0, 2], [1, 2]), x[:4].reshape(2, 2))
    np.add.at(a, ([0, 0, i], [1, 1, 2]), x[0])
    np.subtract.at(a, (np.array([1, 1]), 1), x[4:])
    return a


def at_numbers(x: np.ndarray, i: int):
    a = np.ones(4)
    np.add.at(a, np.array([0, 1, 1]), x[:3])
    np.multiply.at(a, [3, 3], x[3])
    np.subtract.at(a, np.array([[0, 1], [2, 0]]), x[:4].reshape(2, 2))
    np.maximum.at(a, [i, 0], 0.5)
    return a


@pytest.mark.parametrize("f", [at_one_row, at_rows, at_places_of_two_axes, at_numbers])
def test_it_is_what_numpy_does(f):
    x = np.linspace(0.5, 3.0, 6) ** 2
    for way in (
        derive(f, "primal", dtype="float64"),
        derive(f, "primal", dtype="float64").reference,
    ):
        np.testing.assert_allclose(way(x, 2), f(x, 2), rtol=1e-14)


def at_a_slice(x: np.ndarray):
    a = np.zeros((3, 2))
    np.add.at(a, np.s_[1:, 0], x[0])
    return a


def at_a_mask(x: np.ndarray):
    a = np.zeros(3)
    np.add.at(a, np.array([True, False, True]), x[0])
    return a


@pytest.mark.parametrize("f", [at_a_slice, at_a_mask])
def test_what_is_no_place_is_an_error(f):
    with pytest.raises(TraceError) as caught:
        derive(f, "primal", types={"x": "Array[float, 3]"})
    assert "ufunc.at() takes integers here, or arrays of them" in caught.value.message
    assert caught.value.at.text.strip().startswith("np.add.at(")
