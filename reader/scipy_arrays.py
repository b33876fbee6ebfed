"""Functions of SciPy over arrays, written for the reader, which reads them: `scipy.linalg` in the
words of `numpy.linalg`, distances of `scipy.spatial`, integrals of samples.

Takes nothing; gives a function of Python for each name.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np


def _norm(a, ord=None, axis=None, keepdims=False):
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


def _cholesky(a, lower=False):
    """The factor below the diagonal, or, as SciPy has it unless asked, above."""
    factor = np.linalg.cholesky(a)
    return factor if lower else np.transpose(factor)


def _solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    if trans not in (0, "N"):
        raise ValueError("trans is 0 here: pass a.T")
    a = np.tril(a) if lower else np.triu(a)
    if unit_diagonal:
        a = a - np.diag(np.diag(a)) + np.eye(len(a))
    return np.linalg.solve(a, b)


def _eigh(a, b=None, *, lower=True, eigvals_only=False):
    if b is not None:
        raise ValueError("there is one matrix here: of two, pass L^-1 a L^-T with b = L L^T")
    uplo: Any = "L" if lower else "U"
    return np.linalg.eigvalsh(a, uplo) if eigvals_only else tuple(np.linalg.eigh(a, uplo))


def _svd(a, full_matrices=True, compute_uv=True):
    found = np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def _svdvals(a):
    return np.linalg.svd(a, full_matrices=False, compute_uv=False)


def _qr(a, *, mode="full"):
    """Its modes are named otherwise; `r` has all rows."""
    if mode == "economic":
        return tuple(np.linalg.qr(a))
    whole = tuple(np.linalg.qr(a, "complete"))
    return whole if mode == "full" else (whole[1],)


def _block_diag(*arrays):
    blocks = [np.atleast_2d(a) for a in arrays]
    whole = np.zeros((sum(len(b) for b in blocks), sum(len(b[0]) for b in blocks)))
    row, column = 0, 0
    for block in blocks:
        whole[row : row + len(block), column : column + len(block[0])] = block
        row, column = row + len(block), column + len(block[0])
    return whole


def _difference(u, v):
    return np.asarray(u) - np.asarray(v)


def _minkowski(u, v, p=2):
    if p == 1:
        return np.sum(np.abs(_difference(u, v)))
    if p == 2:
        return np.linalg.norm(_difference(u, v))
    return np.sum(np.abs(_difference(u, v)) ** p) ** (1.0 / p)


def _cosine(u, v):
    u, v = np.asarray(u), np.asarray(v)
    return 1.0 - np.dot(u, v) / np.sqrt(np.dot(u, u) * np.dot(v, v))


def _correlation(u, v):
    u, v = np.asarray(u), np.asarray(v)
    return _cosine(u - np.mean(u), v - np.mean(v))


def _steps(y, x, dx):
    """The samples, and how far each is from the one before."""
    y = np.asarray(y)
    return y, [dx for _ in y[1:]] if x is None else [b - a for a, b in pairwise(x)]


def _trapezoid(y, x=None, dx=1.0):
    y, steps = _steps(y, x, dx)
    return sum(h * (a + b) for h, a, b in zip(steps, y, y[1:], strict=False)) / 2.0


def _cumulative_trapezoid(y, x=None, dx=1.0, initial=None):
    y, steps = _steps(y, x, dx)
    parts = [h * (a + b) / 2.0 for h, a, b in zip(steps, y, y[1:], strict=False)]
    return np.cumsum(parts if initial is None else [initial, *parts])


def _simpson(y, x=None, dx=1.0):
    """By parabolas through every three samples, which need not have the same distance."""
    y, steps = _steps(y, x, dx)
    if len(y) % 2 == 0:
        raise ValueError("an odd number of samples is needed")
    total = 0.0
    for h, k, a, b, c in zip(steps[::2], steps[1::2], y[::2], y[1::2], y[2::2], strict=False):
        sides = (2.0 - k / h) * a + (2.0 - h / k) * c
        total += (h + k) / 6.0 * (sides + (h + k) * (h + k) / (h * k) * b)
    return total


#: By module and name.
ARRAYS: Mapping[str, Callable[..., Any]] = {
    "linalg.norm": _norm,
    "linalg.det": lambda a: np.linalg.det(a),
    "linalg.inv": lambda a: np.linalg.inv(a),
    "linalg.pinv": lambda a: np.linalg.pinv(a),
    "linalg.solve": lambda a, b: np.linalg.solve(a, b),
    "linalg.cholesky": _cholesky,
    "linalg.solve_triangular": _solve_triangular,
    "linalg.eigh": _eigh,
    "linalg.eigvalsh": lambda a, *, lower=True: np.linalg.eigvalsh(a, "L" if lower else "U"),
    "linalg.svd": _svd,
    "linalg.svdvals": _svdvals,
    "linalg.qr": _qr,
    "linalg.block_diag": _block_diag,
    "spatial.distance.euclidean": lambda u, v: np.linalg.norm(_difference(u, v)),
    "spatial.distance.sqeuclidean": lambda u, v: np.sum(_difference(u, v) ** 2),
    "spatial.distance.cityblock": lambda u, v: np.sum(np.abs(_difference(u, v))),
    "spatial.distance.chebyshev": lambda u, v: np.max(np.abs(_difference(u, v))),
    "spatial.distance.minkowski": _minkowski,
    "spatial.distance.cosine": _cosine,
    "spatial.distance.correlation": _correlation,
    "integrate.trapezoid": _trapezoid,
    "integrate.cumulative_trapezoid": _cumulative_trapezoid,
    "integrate.simpson": _simpson,
}
