"""Eigenvalues and eigenvectors of symmetric matrices, as `numpy.linalg` has them.

    A V = V W    P = V^T dA V    dW = diag(P)    (V^T dV)[i, j] = P[i, j] / (w[j] - w[i])
    B = V M V^T    (V^T dB V)[i, j] = (m[j] - m[i]) / (w[j] - w[i]) P[i, j] + dM[i, j]

Of two rows the values are a mean and a length, which keep their digits; others are found by
rotations (turning.py). The rules are as above, so that there are derivatives of every order.
Vectors of equal values have none, but what does not depend on how they are chosen has: quotients
whose numerators are 0 with what is below have a value (rewrite/substitutes/gaps/equals.py). Source:
M. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008.
Takes nothing; gives a function of Python for each name, which is read like one of the user.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from ...marks import custom_bwd, custom_fwd, diff_pair
from ...structs import register
from .eliminating import check_square
from .turning import symmetric

#: As NumPy's.
EighResult = namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
register(EighResult, {})


def of_pairs(values, entry):
    """`entry(i, j)` above the diagonal, for each two values; 0 elsewhere."""
    found = [[0.0] * len(values) for _ in values]
    for i, j in combinations(range(len(values)), 2):
        found[i][j] = entry(i, j)
    return np.array(found)


def over_differences(values, above):
    """`above(i, j) / (w[j] - w[i])` for each two values."""
    return of_pairs(values, lambda i, j: above(i, j) / (values[j] - values[i]))


def chords(numbers, values):
    """What numbers differ by, over what their values differ by."""
    upper = over_differences(values, lambda i, j: numbers[j] - numbers[i])
    return upper + upper.T


def _eigen_fwd(a):
    values, vectors = _eigen(a.p)
    turned = vectors.T @ a.d @ vectors
    upper = over_differences(values, lambda i, j: turned[i][j])
    return diff_pair(values, np.diag(turned)), diff_pair(vectors, vectors @ (upper - upper.T))


def _eigen_bwd(a, values_bar, vectors_bar):
    values, vectors = _eigen(a)
    turned = vectors.T @ vectors_bar
    upper = over_differences(values, lambda i, j: 0.5 * (turned[i][j] - turned[j][i]))
    return _made_up(a, values_bar) + vectors @ (upper + upper.T) @ vectors.T


@custom_fwd(_eigen_fwd)
@custom_bwd(_eigen_bwd)
def _eigen(a):
    values, vectors = symmetric(a)
    return np.array(values), np.array(vectors).T


def _made_up_fwd(a, numbers):
    values, vectors = _eigen(a.p)
    turned = vectors.T @ a.d @ vectors
    inside = chords(numbers.p, values) * turned + np.diag(numbers.d)
    return diff_pair((vectors * numbers.p) @ vectors.T, vectors @ inside @ vectors.T)


def _made_up_bwd(a, numbers, whole_bar):
    values, vectors = _eigen(a)
    turned = vectors.T @ whole_bar @ vectors
    return vectors @ (chords(numbers, values) * turned) @ vectors.T, np.diag(turned)


@custom_fwd(_made_up_fwd)
@custom_bwd(_made_up_bwd)
def _made_up(a, numbers):
    """The matrix with the eigenvectors of `a` and other eigenvalues."""
    vectors = _eigen(a)[1]
    return (vectors * numbers) @ vectors.T


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
