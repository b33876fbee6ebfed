"""Functions at and beside points where they are 0/0 as written, against 300 digits."""

import types

import mpmath
import numpy as np
import pytest

from egad import derive


def wanted(f, point, side=1):
    """Value and slopes with many digits, beside the point, above it or below (-1)."""
    inside = types.FunctionType(f.__code__, {"math": mpmath.mp})
    with mpmath.workdps(300):
        steps = [side * mpmath.mpf(10) ** -40 * (i + 1) for i in range(len(point))]
        near = tuple(mpmath.mpf(x) + step for x, step in zip(point, steps, strict=True))
        axes = [tuple(int(i == k) for k in range(len(point))) for i in range(len(point))]
        found = [inside(*near), *(mpmath.diff(inside, near, axis) for axis in axes)]
    return np.array([float(x) for x in found])


def values_and_slopes_are_right(f, points, dtype, *, scaled=False, side=1):
    """Within the digits of a type of each number; `scaled`, of the largest of a point."""
    d = derive(f, "value_and_grad", dtype=dtype)
    limit = 1e-4 if dtype == "float32" else 1e-10
    for point in points:
        want = wanted(f, [float(np.dtype(dtype).type(x)) for x in point], side)
        size = limit * max(1.0, *map(abs, want)) if scaled else limit
        for value, gradient in (d.reference(*point), d(*point)):
            assert [value, *gradient] == pytest.approx(want, rel=limit, abs=size)


def no_digits_are_lost(f, points, dtype, limit, least):
    """Each number is right relative to itself, in both modes and on the device."""
    backward, forward = (derive(f, mode, dtype=dtype) for mode in ("value_and_grad", "jacobian"))
    for point in points:
        given = [float(np.dtype(dtype).type(x)) for x in point]
        want = pytest.approx(wanted(f, given), rel=limit, abs=least)
        for value, slopes in (backward(*given), backward.reference(*given)):
            assert [value, *slopes] == want
            assert [value, *forward(*given)] == want


def second_derivatives_are_numbers(f, points):
    d = derive(f, "hessian", dtype="float64")
    for point in points:
        assert np.isfinite(np.array(d(*point), float)).all()
