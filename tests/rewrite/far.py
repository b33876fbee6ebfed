"""Values, slopes and second derivatives, each relative to itself, against 300 digits."""

import types

import mpmath
import numpy as np
import pytest
from gaps import wanted

from egad import derive


def second(f, point, side=1):
    """The upper triangle of second derivatives with many digits, beside the point."""
    inside = types.FunctionType(f.__code__, {"math": mpmath.mp})
    axes = range(len(point))
    with mpmath.workdps(300):
        near = [mpmath.mpf(x) + side * mpmath.mpf(10) ** -40 * (i + 1) for i, x in enumerate(point)]
        pairs = [(i, j) for i in axes for j in axes if i <= j]
        orders = [tuple((k == i) + (k == j) for k in axes) for i, j in pairs]
        return [float(mpmath.diff(inside, tuple(near), order)) for order in orders]


def right_to_second_order(f, points, dtype, *, limit, least=0.0, side=1):
    """Value, gradient and Hessian, each number within `limit` of itself."""
    first, hessian = derive(f, "value_and_grad", dtype=dtype), derive(f, "hessian", dtype=dtype)
    for point in points:
        given = [float(np.dtype(dtype).type(x)) for x in point]
        want = pytest.approx(wanted(f, given, side), rel=limit, abs=least)
        for value, slopes in (first(*given), first.reference(*given)):
            assert [value, *slopes] == want
        want = pytest.approx(second(f, given, side), rel=limit, abs=least)
        for rows in (hessian(*given), hessian.reference(*given)):
            assert [row[j] for i, row in enumerate(rows) for j in range(i, len(rows))] == want
