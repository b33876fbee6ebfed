"""Matrices as columns at right angles times a triangle, by reflections (Householder's method).

Written for the reader, which reads it. Source: G. Golub and C. Van Loan, Matrix
Computations, 2013, section 5.2; the signs are those of LAPACK.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ...marks import force_unroll
from ...structs import register
from .eliminating import check_matrix

#: As NumPy's.
QRResult = namedtuple("QRResult", ["Q", "R"])
register(QRResult, {})


def _direction(x):
    """v and 2/(v . v), so that x - 2*v*(v . x)/(v . v) has one entry, the first; and this entry."""
    import numpy as np

    size = np.linalg.norm(x)
    end = -np.copysign(size, x[0])
    scale = 1.0 / (size * (size + abs(x[0]))) if size > 0.0 else 0.0
    return [x[0] - end, *x[1:]], scale, end


def _reflect(x, v, scale):
    along = scale * sum(a * b for a, b in zip(x, v, strict=True))
    return [a - along * b for a, b in zip(x, v, strict=True)]


def reflected(columns, count):
    """`count` columns at right angles, and the columns of the triangle: numbers down to its
    diagonal.
    """
    columns = [[1.0 * x for x in column] for column in columns]
    height, steps = len(columns[0]), []
    for k in force_unroll(range(min(len(columns), height - 1))):
        x = columns[k][k:]
        v, scale, end = _direction(x)
        # LAPACK leaves a column with one entry only as it is: that is the other sign of this row.
        alone = scale > 0.0 and all(part == 0.0 for part in x[1:])
        sign = -1.0 if alone else 1.0
        steps.append((k, v, scale, sign))
        columns[k][k] = sign * end
        for j in force_unroll(range(k + 1, len(columns))):
            first, *rest = _reflect(columns[j][k:], v, scale)
            columns[j][k:] = [sign * first, *rest]
    whole = [[1.0 * (i == j) for i in range(height)] for j in range(count)]
    for k, v, scale, sign in force_unroll(steps[::-1]):
        for j in force_unroll(range(k, count)):
            first, *rest = whole[j][k:]
            whole[j][k:] = _reflect([sign * first, *rest], v, scale)
    return whole, [column[: k + 1] for k, column in enumerate(columns)]


def _qr(a, mode="reduced"):
    import numpy as np

    check_matrix(a)
    height, width = len(a), len(a[0])
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"mode is 'reduced', 'complete' or 'r' here, not {mode!r}")
    count = height if mode == "complete" else min(height, width)
    columns, parts = reflected([[row[k] for row in a] for k in range(width)], count)
    filled = [[*part, *([0.0] * height)][:count] for part in parts]
    triangle = np.array(filled).T
    return triangle if mode == "r" else QRResult(np.array(columns).T, triangle)


#: By the name in `numpy.linalg`.
REFLECTED: Mapping[str, Callable[..., Any]] = {"qr": _qr}
