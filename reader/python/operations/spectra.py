"""Eigenvalues and eigenvectors of symmetric matrices, as `numpy.linalg` has them.

    A V = V W    P = V^T dA V    dW = diag(P)    (V^T dV)[i, j] = P[i, j] / (w[j] - w[i])

Of two rows the values are a mean and a length, which keep their digits; others are found by
rotations (turning.py). The rules are as above, so that there are derivatives of every order; of
vectors of equal values there are none. Source: M. Giles, Collected matrix derivative results for
forward and reverse mode algorithmic differentiation, 2008.
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
from .eliminating import check_square
from .turning import symmetric

#: As NumPy's.
EighResult = namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
register(EighResult, {})


def between(numbers, weight):
    """`weight(x, y)` of each two numbers; of one with itself 0."""
    return np.array(
        [
            [0.0 if i == j else weight(x, y) for j, y in enumerate(numbers)]
            for i, x in enumerate(numbers)
        ]
    )


def inverse_distances(numbers):
    """1 / (y - x) for each two numbers, 0 for one with itself."""
    return between(numbers, lambda x, y: 1.0 / (y - x))


def _eigen_fwd(a):
    values, vectors = _eigen(a.p)
    turned = vectors.T @ a.d @ vectors
    change = vectors @ (inverse_distances(values) * turned)
    return diff_pair(values, np.diag(turned)), diff_pair(vectors, change)


def _eigen_bwd(a, values_bar, vectors_bar):
    values, vectors = _eigen(a)
    apart = inverse_distances(values) * (vectors.T @ vectors_bar)
    return vectors @ (np.diag(values_bar) + apart) @ vectors.T


@custom_fwd(_eigen_fwd)
@custom_bwd(_eigen_bwd)
def _eigen(a):
    values, vectors = symmetric(a)
    return np.array(values), np.array(vectors).T


def _mirrored(a, UPLO):
    """The symmetric matrix of what is below the diagonal, or above."""
    a = np.array(a) * 1.0
    lower = np.tril(a) if UPLO in "Ll" else np.triu(a).T
    return lower + np.tril(lower, -1).T


def _eigh(a, UPLO="L"):
    check_square(a)
    values, vectors = _eigen(_mirrored(a, UPLO))
    return EighResult(values, vectors)


def _eigvalsh(a, UPLO="L"):
    check_square(a)
    if len(a) == 1:
        return np.array([1.0 * a[0][0]])
    if len(a) > 2:
        return _eigh(a, UPLO).eigenvalues
    beside = a[1][0] if UPLO in "Ll" else a[0][1]
    mean = 0.5 * (a[0][0] + a[1][1])
    away = np.hypot(0.5 * (a[0][0] - a[1][1]), beside)
    return np.array([mean - away, mean + away])


#: By the name in `numpy.linalg`.
SPECTRA: Mapping[str, Callable[..., Any]] = {"eigh": _eigh, "eigvalsh": _eigvalsh}
