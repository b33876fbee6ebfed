"""Roots and logarithms of matrices, `scipy.linalg.sqrtm` and `logm`, written for the reader.

    X X = A    dX X + X dX = dA    M = A^-1 X X:    X <- X (1 + M^-1) / 2    M <- (2 + M + M^-1) / 4
    log A = 2**k log(A**(2**-k))    log(1 + Y) = integral of Y (1 + t Y)^-1 over t from 0 to 1

No derivative passes through Newton's steps; the rule is over the root alone, so there are those of
every order, also where eigenvalues are equal. The integral is taken by four nodes of Gauss and
Legendre. What has no real root gives NaN. Source: N. Higham, Functions of Matrices, 2008, chapters
6 and 11.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Any

import numpy as np

from ...marks import custom_bwd, custom_fwd, detach, diff_pair, max_iters
from .eliminating import check_square

_STEPS = 40  # at most; eigenvalues that are 1e16 apart take 8
_CLOSE, _NEAR = 1e-8, 1e-2  # what a step leaves of the first is lost
_LARGEST = 0.0625  # a norm of Y, of whose integral the nodes leave out 2**-54
_ROOTS = 64
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


def _change(x, change):
    """Of the root x, by a change of the matrix: dX with x dX + dX x = `change`."""
    n = len(x)
    one = np.eye(n)
    both = np.kron(x, one) + np.kron(one, x.T)
    return np.reshape(np.linalg.solve(both, np.reshape(change, n * n)), (n, n))


def _root_fwd(a):
    x = _root(a.p)
    return diff_pair(x, _change(x, a.d))


def _root_bwd(a, root_bar):
    return _change(_root(a).T, root_bar)


@custom_fwd(_root_fwd)
@custom_bwd(_root_bwd)
def _root(a):
    """With all of it scaled by its determinant, so that no step is far."""
    x = m = a
    one, left, before = np.eye(len(x)), True, 1.0
    apart: Any = before
    max_iters(_STEPS)
    while left:
        apart = np.linalg.norm(m - one)
        left = apart > _CLOSE and (apart > _NEAR or apart < 0.25 * before)  # else nothing gains
        before = apart
        scale: Any = abs(np.linalg.det(m)) ** (-1.0 / len(x))
        inverse = np.linalg.inv(m) / scale
        x = 0.5 * scale**0.5 * (x + x @ inverse)
        m = 0.5 * one + 0.25 * (scale * m + inverse)
    x = x + _change(x, a - x @ x)  # steps lose as many digits as eigenvalues are apart
    return x * (1.0 if apart < _NEAR else np.nan)


def sqrtm(A):
    """The root whose eigenvalues have positive real parts."""
    check_square(A)
    return _root(np.array(A) * 1.0)


def logm(A):
    """By roots until it is near 1."""
    check_square(A)
    x, roots = np.array(A) * 1.0, 0
    one = np.eye(len(x))
    max_iters(_ROOTS)
    while detach(np.linalg.norm(x - one)) > _LARGEST:
        x = _root(x)
        roots += 1
    y = x - one
    found = sum(
        0.5 * weight * np.linalg.inv(one + 0.5 * (1.0 + node) * y)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True)
    )
    return 2.0**roots * (y @ found)
