"""Loops whose bound follows from a counter: values as Python's, slopes as differences'."""

import bounds
import numpy as np
import pytest
from test_loops import differences, flat, kernel, plain

from egad import derive
from egad.rewrite.loops import unrolling

CASES = [(f, point) for f, points in bounds.POINTS.items() for point in points]


@pytest.mark.parametrize(("f", "point"), CASES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_without_max_iters(f, point, monkeypatch):
    monkeypatch.setattr(unrolling, "TRIPS", 0 if point is bounds.POINTS[f][0] else unrolling.TRIPS)
    primal = derive(f, "primal", dtype="float64")
    for value in (primal.reference(*point), kernel(primal, point)):
        np.testing.assert_allclose(flat(value), plain(f, point), rtol=1e-12, atol=1e-12)
    back = derive(f, "bwd", dtype="float64", check=True)
    for value in (back.reference(*point, 1.0), back(*point, 1.0)):
        np.testing.assert_allclose(flat(value), differences(f, point), rtol=2e-7, atol=2e-7)
