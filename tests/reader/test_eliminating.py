"""Matrices of any size: elimination, factors and least squares against NumPy's."""

import linear_programs
import numpy as np
import pytest
import stack_programs
from test_python_errors import functions

from egad import Array, derive

PROGRAMS = [*functions(linear_programs), *functions(stack_programs)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    given = {"dtype": "float64", "optimize": "fast"}
    primal, backward = derive(f, "primal", **given), derive(f, **given)
    for x, y in [(0.7, 1.3), (1.9, 0.45)]:
        for way in (primal, primal.reference):
            assert way(x, y) == pytest.approx(f(x, y), rel=1e-9, abs=1e-12)
        slopes = []
        for dx, dy in ((1e-3, 0.0), (0.0, 1e-3)):  # of the eighth order
            weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
            ends = [f(x + k * dx, y + k * dy) - f(x - k * dx, y - k * dy) for k in (1, 2, 3, 4)]
            slopes.append(sum(w * e for w, e in zip(weights, ends, strict=True)) / 1e-3)
        for way in (backward, backward.reference):
            np.testing.assert_allclose(way(x, y, 1.0), slopes, rtol=1e-7, atol=1e-9)


def _squared(a: Array[Array[float, 6], 6], b: Array[float, 6]) -> float:
    x = np.linalg.solve(a, b)
    return x @ x


def test_slopes_of_a_system_are_those_of_the_transposed_one():
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=(20, 6, 6)), draw.normal(size=(20, 6))
    found = derive(_squared, dtype="float64", optimize="fast")(a, b, 1.0)
    x = np.linalg.solve(a, b[..., None])
    right = np.linalg.solve(np.swapaxes(a, 1, 2), 2 * x)
    np.testing.assert_allclose(found.b, right[..., 0], rtol=1e-8)
    np.testing.assert_allclose(found.a, -right * np.swapaxes(x, 1, 2), rtol=1e-8, atol=1e-10)
