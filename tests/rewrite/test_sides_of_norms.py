"""Second derivatives at the tip of a length: by every side, however long the series is."""

import math
import types

import mpmath
import numpy as np
import pytest

from egad import derive


def by_angle(x: float, y: float) -> float:
    r = math.sqrt(x * x + y * y)
    return math.atan(r) / r


def by_tangent(x: float, y: float) -> float:
    r = math.hypot(x, y)
    return math.tanh(r) / r


def by_asinh(x: float, y: float) -> float:
    r = math.sqrt(x * x + y * y)
    return math.asinh(r) / r


def by_sinh(x: float, y: float) -> float:
    r = math.sqrt(x * x + y * y)
    return r / math.sinh(r)


@pytest.mark.parametrize("optimize", ["fast", "default"])
@pytest.mark.parametrize("f", [by_angle, by_tangent, by_asinh, by_sinh])
def test_all_sides_are_alike_at_the_origin(f, optimize):
    inside = types.FunctionType(f.__code__, {"math": mpmath.mp})
    with mpmath.workdps(200):
        near = mpmath.mpf(10) ** -40, mpmath.mpf(10) ** -41
        orders = (2, 0), (1, 1), (1, 1), (0, 2)
        wanted = [float(mpmath.diff(inside, near, order)) for order in orders]
    for d in (derive(f, "hessian", dtype=t, optimize=optimize) for t in ("float32", "float64")):
        assert np.ravel(d.reference(0.0, 0.0)) == pytest.approx(wanted, rel=1e-6, abs=1e-12)
        assert np.ravel(d(0.0, 0.0)) == pytest.approx(wanted, rel=1e-6, abs=1e-12)
