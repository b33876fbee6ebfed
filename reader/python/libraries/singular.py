"""Singular values and vectors of `numpy.linalg`, and condition numbers.

    A = U S V^T    P = U^T dA V    dS = diag(P)
    U^T dU = F + G    V^T dV = F - G
    F[i, j] = (P + P^T)[i, j] / 2 / (s[j] - s[i])    G[i, j] = (P - P^T)[i, j] / 2 / (s[j] + s[i])
    B = U M V^T    U^T dB V = dM + F M - M F + G M + M G

Of two rows and columns the values are sums and differences of lengths, which keep their digits;
others are found by rotations (turning.py). The rules are as above, so that there are derivatives of
every order; where values are equal, of what does not depend on how vectors are chosen (spectra.py).
Source: J. Townsend, Differentiating the singular value decomposition, 2016, with what is symmetric
apart from what is not.
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
from .spectra import chords, of_pairs, over_differences
from .turning import singular

#: As NumPy's.
SVDResult = namedtuple("SVDResult", ["U", "S", "Vh"])
register(SVDResult, {})


def _over_sums(values, above):
    """`above(i, j) / (s[i] + s[j])` for each two values."""
    return of_pairs(values, lambda i, j: above(i, j) / (values[i] + values[j]))


def _outside(columns, a, factors):
    """Multiples of the part of `a` at right angles to the columns: none of square ones."""
    if len(columns) == len(factors):
        return np.zeros(np.shape(columns))
    return (a - columns @ (columns.T @ a)) * factors


def _decomposed_fwd(a):
    left, values, right = decomposed(a.p)
    turned = left.T @ a.d @ right
    apart = over_differences(values, lambda i, j: 0.5 * (turned[i][j] + turned[j][i]))
    near = _over_sums(values, lambda i, j: 0.5 * (turned[i][j] - turned[j][i]))
    apart, near = apart - apart.T, near - near.T
    return (
        diff_pair(left, left @ (apart + near) + _outside(left, a.d @ right, 1.0 / values)),
        diff_pair(values, np.diag(turned)),
        diff_pair(right, right @ (apart - near)),
    )


def _decomposed_bwd(a, left_bar, values_bar, right_bar):
    left, values, right = decomposed(a)
    x, y = left.T @ left_bar, right.T @ right_bar
    apart = over_differences(values, lambda i, j: 0.5 * (x[i][j] - x[j][i] + y[i][j] - y[j][i]))
    near = _over_sums(values, lambda i, j: 0.5 * (x[i][j] - x[j][i] - y[i][j] + y[j][i]))
    inside = left @ (apart + apart.T + near - near.T)
    outside = _outside(left, left_bar, 1.0 / values)
    return _made_up(a, values_bar) + (inside + outside) @ right.T


def _inside(turned, numbers, values):
    """Off the diagonal, how a matrix changes that has the numbers for singular values."""
    sums = _over_sums(values, lambda i, j: numbers[i] + numbers[j])
    symmetric, skew = 0.5 * (turned + turned.T), 0.5 * (turned - turned.T)
    return chords(numbers, values) * symmetric + (sums + sums.T) * skew


def _made_up_fwd(a, numbers):
    left, values, right = decomposed(a.p)
    turned = left.T @ a.d @ right
    inside = left @ (_inside(turned, numbers.p, values) + np.diag(numbers.d))
    outside = _outside(left, a.d @ right, numbers.p / values)
    return diff_pair((left * numbers.p) @ right.T, (inside + outside) @ right.T)


def _made_up_bwd(a, numbers, whole_bar):
    left, values, right = decomposed(a)
    turned = left.T @ whole_bar @ right
    inside = left @ _inside(turned, numbers, values)
    outside = _outside(left, whole_bar @ right, numbers / values)
    return (inside + outside) @ right.T, np.diag(turned)


@custom_fwd(_made_up_fwd)
@custom_bwd(_made_up_bwd)
def _made_up(a, numbers):
    """The matrix with the singular vectors of `a` and other singular values."""
    left, _, right = decomposed(a)
    return (left * numbers) @ right.T


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


def _matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    if tol is None and rtol is None:
        what = "which singular values are 0 but for rounding depends on the precision"
        raise ValueError(f"{what}: say from where on they count, tol=… or rtol=…")
    values = _svdvals(A)
    return np.sum(values > (values[0] * rtol if tol is None else tol))


#: By the name in `numpy.linalg`.
SINGULAR: Mapping[str, Callable[..., Any]] = {
    "svdvals": _svdvals,
    "svd": _svd,
    "cond": _cond,
    "matrix_rank": _matrix_rank,
}
