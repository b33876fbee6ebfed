"""Polar factors of a matrix, `scipy.linalg.polar`, written for the reader, which reads it.

    A = R S    R^T dR = W    S W + W S = R^T dA - dA^T R

R comes from singular vectors, but its slopes are over R and S alone: so it has slopes of every
order where singular values are equal, which vectors have not. Source: N. Higham, Functions of
Matrices, 2008, chapter 8.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from itertools import combinations

import numpy as np

from ...marks import custom_bwd, custom_fwd, diff_pair
from .eliminating import check_matrix
from .singular import decomposed


def _skew(stretch, right):
    """W with S W + W S = `right`, all but S skew."""
    n = len(stretch)
    pairs = list(combinations(range(n), 2))
    found = [[0.0] * n for _ in range(n)]
    if n > 1:
        # (S W + W S)[i, j] is the sum of S[i, k] W[k, j] + W[i, k] S[k, j] over k.
        rows = [[0.0] * len(pairs) for _ in pairs]
        for row, (i, j) in enumerate(pairs):
            for column, (k, m) in enumerate(pairs):
                for one, other, sign in ((k, m, 1.0), (m, k, -1.0)):  # W[m, k] is -W[k, m]
                    if other == j:
                        rows[row][column] = rows[row][column] + sign * stretch[i][one]
                    if one == i:
                        rows[row][column] = rows[row][column] + sign * stretch[other][j]
        parts = np.linalg.solve(np.array(rows), np.array([right[i][j] for i, j in pairs]))
        for part, (i, j) in zip(parts, pairs, strict=True):
            found[i][j], found[j][i] = part, -part
    return np.array(found)


def _change(a, change):
    """Of R, by a change of the matrix: a linear map that is its own transpose."""
    turn = _turn(a)
    stretch, turned = turn.T @ a, turn.T @ change
    inside = turn @ _skew(stretch, turned - turned.T)
    if len(a) == len(a[0]):
        return inside
    return inside + (change - turn @ turned) @ np.linalg.inv(stretch)


def _turn_fwd(a):
    return diff_pair(_turn(a.p), _change(a.p, a.d))


@custom_fwd(_turn_fwd)
@custom_bwd(_change)
def _turn(a):
    """The matrix nearest to `a` with columns at right angles, of at least as many rows."""
    left, _, right = decomposed(a)
    return left @ right.T


def polar(a, side="right"):
    """A rotation, or a mirrored one, and a symmetric stretch."""
    check_matrix(a)
    a = np.array(a) * 1.0
    turn = _turn(a) if len(a) >= len(a[0]) else _turn(a.T).T
    return turn, (turn.T @ a if side == "right" else a @ turn.T)
