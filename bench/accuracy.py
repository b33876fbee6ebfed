"""Takes a workload and one input, gives its derivatives to many digits, independent of egad.

Central differences of the workload's function in mpmath: with 50 digits and steps of 1e-15 they
are right to more than 15 digits, second derivatives too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from .workloads import Array, Workload

DIGITS = 50
STEP = "1e-15"

Evaluate = Callable[[Sequence[Any]], list[Any]]


def largest_error(workload: Workload, inputs: Array, outputs: Array) -> float:
    """The largest error over all rows, relative to the largest derivative of the same row."""
    return error_against(reference(workload, inputs), outputs)


def reference(workload: Workload, inputs: Array) -> Array:
    """The derivatives at every row, rounded to float64."""
    return np.stack([derivatives(workload, row) for row in inputs])


def error_against(expected: Array, outputs: Array) -> float:
    """As `largest_error`, with the derivatives given."""
    errors = []
    for right, got in zip(expected, outputs, strict=True):
        scale = max(float(np.max(np.abs(right))), 1e-300)
        errors.append(float(np.max(np.abs(got.astype(np.float64) - right))) / scale)
    return max(errors) if np.all(np.isfinite(errors)) else float("inf")


def derivatives(workload: Workload, row: Array) -> Array:
    """All results of a workload at one input, in their order, rounded to float64."""
    import mpmath

    with mpmath.workdps(DIGITS):
        values = [mpmath.mpf(float(v)) for v in row]
        p, rest = values[: workload.n_p], values[workload.n_p :]
        constants, cotangents = rest[: workload.n_c], rest[workload.n_c :]
        step, m = mpmath.mpf(STEP), _mathematics()

        def outputs(at: Sequence[Any]) -> list[Any]:
            found = workload.function(m, list(at), constants)
            if not cotangents:
                return found
            return [sum(c * f for c, f in zip(cotangents, found, strict=True))]

        rows = _jacobian(outputs, p, step)
        found = [entry for line in rows for entry in line]
        if workload.kind == "gradhess":
            found += _upper_hessian(lambda at: outputs(at)[0], p, step)
        return np.array([float(v) for v in found])


def _moved(p: Sequence[Any], *moves: tuple[int, Any]) -> list[Any]:
    at = list(p)
    for index, by in moves:
        at[index] += by
    return at


def _jacobian(outputs: Evaluate, p: Sequence[Any], step: Any) -> list[list[Any]]:
    """d out_k / d p_j as rows over j."""
    columns = []
    for j in range(len(p)):
        above, below = outputs(_moved(p, (j, step))), outputs(_moved(p, (j, -step)))
        columns.append([(a - b) / (2 * step) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def _upper_hessian(f: Callable[[Sequence[Any]], Any], p: Sequence[Any], step: Any) -> list[Any]:
    """d^2 f / d p_i d p_j for i <= j; for i = j the four points fall on p - 2h, p, p + 2h."""
    entries = []
    for i in range(len(p)):
        for j in range(i, len(p)):
            total = 0
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                total += a * b * f(_moved(p, (i, a * step), (j, b * step)))
            entries.append(total / (4 * step * step))
    return entries


def _mathematics() -> SimpleNamespace:
    """The functions that workloads use, in mpmath."""
    import mpmath

    names = ("sin", "cos", "tanh", "exp", "log", "sqrt", "atan2")
    return SimpleNamespace(min=min, max=max, **{name: getattr(mpmath, name) for name in names})
