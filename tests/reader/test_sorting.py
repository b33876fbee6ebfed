"""`np.sort` and `np.median`: a network of exchanges, and what it costs beside neighbours."""

import itertools

import numpy as np
import pytest

import egad
from egad.reader.python.arrays.sorting import exchanges


@pytest.mark.parametrize("count", range(1, 13))
def test_exchanges_sort_zeros_and_ones_and_so_everything(count):
    """A network sorts all numbers if it sorts these (Knuth 3, 5.3.4, theorem Z)."""
    rows = np.array([*itertools.product((0, 1), repeat=count)], dtype=int).reshape(-1, count)
    lanes = rows.copy()
    for i, j in exchanges(count):
        lanes[:, i], lanes[:, j] = np.minimum(*lanes[:, [i, j]].T), np.maximum(*lanes[:, [i, j]].T)
    np.testing.assert_array_equal(lanes, np.sort(rows, axis=1))


def test_they_are_few():
    assert [len([*exchanges(n)]) for n in (3, 4, 5, 6, 7, 8, 16)] == [3, 5, 9, 12, 16, 19, 63]


Nine = egad.Array[float, 9]


def in_order(x: Nine):
    return np.sort(x)


def one_after_the_other(x: Nine):
    return np.sort(x, kind="stable")


def middle(x: Nine):
    return np.median(x)


@pytest.mark.numbers
@pytest.mark.parametrize("f", [in_order, one_after_the_other])
def test_slopes_are_those_of_the_places(f):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(50, 9))
    gradient = egad.derive(f, dtype="float64").reference(x, np.arange(1.0, 10.0)).x
    want = np.argsort(np.argsort(x, axis=1), axis=1) + 1.0
    np.testing.assert_array_equal(gradient, want)


@pytest.mark.numbers
@pytest.mark.parametrize(
    ("f", "weights"),
    [(in_order, 2.0 ** np.arange(9)), (one_after_the_other, 2.0 ** np.arange(9)), (middle, 1.0)],
)
def test_where_numbers_are_equal(f, weights):
    """Values are NumPy's, and the slopes of equal numbers are theirs in some order."""
    x = np.random.default_rng(3).integers(0, 4, size=(50, 9)).astype(float)
    value = egad.derive(f, "primal", dtype="float64").reference(x)
    np.testing.assert_array_equal(value, [f(row) for row in x])
    gradient = egad.derive(f, dtype="float64").reference(x, weights).x
    sorted_slopes = np.where(np.arange(9) == 4, 1.0, 0.0) if f is middle else weights
    for row, slopes in zip(x, gradient, strict=True):
        for number in np.unique(row):
            assert slopes[row == number].sum() == sorted_slopes[np.sort(row) == number].sum()


def test_equal_numbers_that_are_sorted_one_after_the_other_keep_their_places():
    gradient = egad.derive(one_after_the_other, dtype="float64").reference(
        [2.0, 1.0, 2.0, 1.0, 1.0, 0.0, 2.0, 2.0, 0.0], np.arange(9.0)
    )
    np.testing.assert_array_equal(gradient.x, [5, 2, 6, 3, 4, 0, 7, 8, 1])
