"""Places that are known while reading, and windows: values as Python's own run gives them."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from egad import derive

pytestmark = pytest.mark.numbers

FREE = np.array([[1, 0], [0, 1]])


def places_of_what_is_known(x: np.ndarray):
    k = np.nonzero(np.array([0, 1, 0, 1]))[0]
    free = np.flatnonzero(np.array([True, False, True, True]))
    rows, columns = np.nonzero(FREE)
    where = np.argwhere(FREE)
    return x[k].sum() + x[free].prod() + x[where[1, 0]] + x.reshape(3, 2)[rows, columns].sum()


def different_numbers(x: np.ndarray):
    kinds, counts = np.unique([3, 1, 3], return_counts=True)
    even = np.where(np.arange(6) % 2 == 0)[0]
    some = np.compress([True, False, True], np.arange(3))
    return kinds @ x[:2] + counts @ x[:2] + x[even].prod() + x[some].sum() + len(FREE.nonzero()[0])


def nothing_is_found(x: np.ndarray):
    return x.sum() + len(np.flatnonzero(np.zeros(3)))


def windows(x: np.ndarray):
    rows = sliding_window_view(x, 3)
    blocks = np.lib.stride_tricks.sliding_window_view(x.reshape(2, 3), (2, 2))
    smooth = (rows * np.hanning(5)[1:-1]).sum(axis=-1)
    return smooth.max() + blocks[0, 1].sum() + sliding_window_view(x.reshape(2, 3), 2, axis=1).sum()


def windows_show_what_changes(x: np.ndarray):
    x = x.copy()
    rows = sliding_window_view(x, 2)
    x[1] = x[0] * 3.0
    return rows[0, 1] + rows[1, 0]


@pytest.mark.parametrize(
    "f",
    [
        places_of_what_is_known,
        different_numbers,
        nothing_is_found,
        windows,
        windows_show_what_changes,
    ],
)
def test_it_is_what_numpy_gives(f):
    primal, backward = derive(f, "primal", dtype="float64"), derive(f, dtype="float64")
    x = np.linspace(-0.7, 2.1, 6) ** 3
    assert primal(x) == primal.reference(x) == pytest.approx(f(x), rel=1e-13)
    steps = 1e-6 * np.eye(6)
    slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(backward(x, 1.0).x, slopes, rtol=1e-7, atol=1e-8)
