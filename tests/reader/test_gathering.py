"""Places that only the kernel knows, and what NumPy makes of them: values and slopes."""

import gather_programs
import numpy as np
import picked_programs
import pytest
from test_python_errors import functions

from egad import derive
from egad.terms.errors import DeviceError

PROGRAMS = [*functions(gather_programs), *functions(picked_programs)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    given = {"dtype": "float64", "optimize": "fast"}
    primal, slopes = derive(f, "primal", **given), derive(f, "jacobian", **given)
    for x, y in [(0.72, 1.31), (1.9, 0.45)]:
        for way in (primal, primal.reference):
            np.testing.assert_allclose(way(x, y), f(x, y), rtol=1e-12)
        h = 1e-6
        along_x = (f(x + h, y) - f(x - h, y)) / (2 * h)
        along_y = (f(x, y + h) - f(x, y - h)) / (2 * h)
        for way in (slopes, slopes.reference):
            found = way(x, y)
            np.testing.assert_allclose(found.a, along_x, rtol=1e-7, atol=1e-8)
            np.testing.assert_allclose(found.b, along_y, rtol=1e-7, atol=1e-8)


def test_places_out_of_range():
    def looked_up(x: float) -> float:
        return np.sum(np.arange(4.0)[np.array([int(x), 0])]) * x

    found = derive(looked_up, "primal")
    assert found(3.5) == found.reference(3.5) == 10.5
    with pytest.raises(DeviceError, match="an index is out of range: valid are -4 to 3"):
        found.reference(4.5)


def test_an_extreme_of_nothing():
    def most(x: float, y: float) -> float:
        v = np.array([x, y])
        return v[v > 0].max()

    found = derive(most, "primal")
    assert found(3.5, -1.0) == found.reference(3.5, -1.0) == 3.5
    with pytest.raises(DeviceError, match=r"max\(\) of no elements, at element 1"):
        found.reference(np.array([1.0, -1.0]), -1.0)
