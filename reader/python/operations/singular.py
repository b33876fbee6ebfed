"""Singular values and vectors of `numpy.linalg`, and condition numbers.

Of two rows and columns the values are sums and differences of lengths, which keep their digits;
others are found by rotations (turning.py), and their slopes are said by the vectors, so there are
derivatives of every order. Source: J. Townsend, Differentiating the singular value decomposition,
2016, with what is symmetric apart from what is not: only that has no slope at equal values.
Takes nothing; gives a function of Python for each name, which is read like one of the user.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...marks import custom_bwd, custom_fwd, diff_pair
from ...structs import register
from .eliminating import check_matrix
from .reflecting import reflected
from .spectra import between
from .turning import singular

#: As NumPy's.
SVDResult = namedtuple("SVDResult", ["U", "S", "Vh"])
register(SVDResult, {})


def _inverse_sum(x, y):
    return 1.0 / (x + y)


def _inverse_distance(x, y):
    return 1.0 / (y - x)


def _halves(values, left, right):
    """Half of what is symmetric over differences, and of what is not over sums."""
    return (
        0.5 * between(values, _inverse_distance) * left,
        0.5 * between(values, _inverse_sum) * right,
    )


def _outside(columns, a, values):
    """The part of `a` at right angles to the columns, over the values: none of square ones."""
    if len(columns) == len(values):
        return np.zeros(np.shape(columns))
    return (a - columns @ (columns.T @ a)) / values


def _decomposed_fwd(a):
    left, values, right = decomposed(a.p)
    turned = left.T @ a.d @ right
    apart, near = _halves(values, turned + turned.T, turned - turned.T)
    left_change = left @ (apart + near) + _outside(left, a.d @ right, values)
    return (
        diff_pair(left, left_change),
        diff_pair(values, np.diag(turned)),
        diff_pair(right, right @ (apart - near)),
    )


def _decomposed_bwd(a, left_bar, values_bar, right_bar):
    left, values, right = decomposed(a)
    x, y = left.T @ left_bar, right.T @ right_bar
    apart, near = _halves(values, x - x.T + y - y.T, x - x.T - y + y.T)
    inside = left @ (np.diag(values_bar) + apart + near)
    return (inside + _outside(left, left_bar, values)) @ right.T


@custom_fwd(_decomposed_fwd)
@custom_bwd(_decomposed_bwd)
def decomposed(a):
    """Of at least as many rows as columns: U, the singular values, V."""
    most = np.max(np.abs(a))
    scale = 1.0 / most if most > 0.0 else 1.0  # so that no square overflows
    values, columns, turns = singular([[x * scale for x in column] for column in a.T])
    whole, parts = reflected(columns, len(columns))
    signs = [np.copysign(1.0, part[-1]) for part in parts]
    left = np.array([[x * sign for x in column] for column, sign in zip(whole, signs, strict=True)])
    return left.T, np.array([-value / scale for value in values]), np.array(turns).T


def _svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    check_matrix(a)
    if not compute_uv:
        return _svdvals(a)
    a = np.array(a) * 1.0
    height, width = np.shape(a)
    if full_matrices and height != width:
        what = f"{height} x {width}"
        raise ValueError(f"of a matrix of {what} there are full_matrices=False")
    if height < width:
        left, values, right = decomposed(a.T)
        return SVDResult(right, values, left.T)
    left, values, right = decomposed(a)
    return SVDResult(left, values, right.T)


def _svdvals(x, /):
    check_matrix(x)
    if np.shape(x) == (1, 1):
        return np.array([1.0 * abs(x[0][0])])
    if np.shape(x) != (2, 2):
        return _svd(x, full_matrices=False).S
    turned = np.hypot(x[0][0] + x[1][1], x[1][0] - x[0][1])
    mirrored = np.hypot(x[0][0] - x[1][1], x[1][0] + x[0][1])
    return np.array([0.5 * (turned + mirrored), 0.5 * abs(turned - mirrored)])


def _cond(x, p=None):
    if p is not None and p != 2:
        raise ValueError(f"of condition numbers there is that of singular values, not p={p}")
    values = _svdvals(x)
    return values[0] / values[-1]


#: By the name in `numpy.linalg`.
SINGULAR: Mapping[str, Callable[..., Any]] = {"svdvals": _svdvals, "svd": _svd, "cond": _cond}
