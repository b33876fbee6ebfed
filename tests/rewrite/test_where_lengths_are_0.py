"""Values of others are not divided by lengths that are 0 where the program has a number."""

import mpmath
import numpy as np
import pytest

import egad


def turned(w: float, x: float, y: float) -> float:
    """The first component of a rotation vector, from a quaternion that need not be a unit one."""
    v = np.sqrt(x * x + y * y)
    return 2 * np.arcsin(v / np.sqrt(w * w + v * v)) / v * x


def exactly(w, x, y):
    v = mpmath.sqrt(x * x + y * y)
    return 2 * mpmath.asin(v / mpmath.sqrt(w * w + v * v)) / v * x


@pytest.mark.parametrize(("dtype", "rel"), [("float32", 1e-5), ("float64", 1e-14)])
@pytest.mark.parametrize("optimize", ["fast", "default", "best"])
def test_slopes_at_rest_and_beside(dtype, rel, optimize):
    """At rest x is 0, and so are the slopes by all but x: the limit of 2/w."""
    derived = egad.derive(turned, "bwd", dtype=dtype, optimize=optimize)
    for run in (derived, derived.reference):
        assert tuple(run(2.0, 0.0, 0.0, 1.0)) == (0.0, 1.0, 0.0)
    point = [float(np.dtype(dtype).type(a)) for a in (0.9, 1e-3, 0.25)]
    with mpmath.workdps(50):
        slopes = [float(mpmath.diff(exactly, point, n)) for n in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    for run in (derived, derived.reference):
        np.testing.assert_allclose(run(*point, 1.0), slopes, rtol=rel)
