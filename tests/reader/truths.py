"""Functions of two numbers against what Python computes, and its differences."""

import numpy as np
import pytest

from egad import derive


def values_and_slopes_are_those_of(f, truth, points, step=1e-6):
    primal, backward = derive(f, "primal", dtype="float64"), derive(f, dtype="float64")
    for x, y in points:
        slopes = [
            (truth(x + step, y) - truth(x - step, y)) / (2 * step),
            (truth(x, y + step) - truth(x, y - step)) / (2 * step),
        ]
        for way in (primal, primal.reference):
            assert way(x, y) == pytest.approx(truth(x, y), rel=1e-12)
        for way in (backward, backward.reference):
            np.testing.assert_allclose(way(x, y, 1.0), slopes, rtol=1e-7)
