"""Singular values and vectors of `numpy.linalg`, and condition numbers.

    A = U S V^T    P = U^T dA V    dS = diag(P)
    U^T dU = F + G    V^T dV = F - G
    F[i, j] = (P + P^T)[i, j] / 2 / (s[j] - s[i])    G[i, j] = (P - P^T)[i, j] / 2 / (s[j] + s[i])

Of two rows and columns the values are sums and differences of lengths, which keep their digits;
others are found by rotations (turning.py). The rules are as above, so that there are derivatives of
every order; vectors of equal values have none. Source: J. Townsend, Differentiating the singular
value decomposition, 2016, with what is symmetric apart from what is not.
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
from .spectra import between, inverse_distances
from .turning import singular

#: As NumPy's.
SVDResult = namedtuple("SVDResult", ["U", "S", "Vh"])
register(SVDResult, {})


def _halves(values, symmetric, skew):
    """F and G, of twice what is symmetric, and of twice what is not."""
    sums = between(values, lambda x, y: 1.0 / (x + y))
    return 0.5 * inverse_distances(values) * symmetric, 0.5 * sums * skew


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
        what = f"{height} x {width} with full_matrices=True has vectors of no singular value"
        raise ValueError(f"{what}: write full_matrices=False")
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
