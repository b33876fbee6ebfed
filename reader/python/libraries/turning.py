"""Matrices made diagonal by plane rotations (Jacobi's method), written for the reader.

Sweep after sweep, each pair of rows or columns is turned until what is between them is lost beside
them; the vectors that come out are at right angles to all digits. No derivative passes through the
sweeps: spectra.py and singular.py say what it is. Source: G. Golub and C. Van Loan, Matrix
Computations, 2013, sections 8.5 and 8.6.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from itertools import combinations

from ...marks import force_unroll, max_iters

_LOST = 1e-17  # beside 1, in either precision
_SMALL = 1e-8  # what a sweep leaves of it is lost
_SWEEPS = 24


def _angle(beside, half, lost):
    """Cosine, sine and tangent of the turn, of at most 45 degrees, that makes `beside` 0; `half` is
    half of how far the two squares are apart.
    """
    import numpy as np

    tan = 0.0 if lost else beside / (half + np.copysign(np.hypot(half, beside), half))
    cos = 1.0 / np.sqrt(1.0 + tan * tan)
    return cos, tan * cos, tan


def _turn(x, y, cos, sin):
    for k in force_unroll(range(len(x))):
        x[k], y[k] = cos * x[k] - sin * y[k], sin * x[k] + cos * y[k]


def _unit(n):
    return [[1.0 * (p == q) for q in range(n)] for p in range(n)]


def _in_order(values, *groups):
    """From the lowest value. Where two rows change places, one changes its sign: so a rotation
    remains one.
    """
    for end in force_unroll(range(len(values) - 1, 0, -1)):
        for k in force_unroll(range(end)):
            x, y = values[k], values[k + 1]
            falls = x > y
            values[k], values[k + 1] = (y, x) if falls else (x, y)
            for rows in groups:
                for j in force_unroll(range(len(rows[k]))):
                    x, y = rows[k][j], rows[k + 1][j]
                    rows[k][j], rows[k + 1][j] = (y, -x) if falls else (x, y)
    return values, *groups


def symmetric(a):
    """Eigenvalues of a symmetric matrix, from the lowest, and eigenvectors: rows of a rotation."""
    n, m = len(a), [list(row) for row in a]
    vectors = _unit(n)
    left = n > 1
    max_iters(_SWEEPS)
    while left:
        left = False
        for p, q in force_unroll(list(combinations(range(n), 2))):
            beside = m[p][q]
            lost = abs(beside) <= _LOST * min(abs(m[p][p]), abs(m[q][q]))
            cos, sin, tan = _angle(beside, 0.5 * (m[q][q] - m[p][p]), lost)
            left = left or abs(tan) > _SMALL
            m[p][p], m[q][q], m[p][q] = m[p][p] - tan * beside, m[q][q] + tan * beside, 0.0
            for k in force_unroll([k for k in range(n) if k not in (p, q)]):
                (i, s), (j, t) = sorted((k, p)), sorted((k, q))
                m[i][s], m[j][t] = cos * m[i][s] - sin * m[j][t], sin * m[i][s] + cos * m[j][t]
            _turn(vectors[p], vectors[q], cos, sin)
    return _in_order([m[p][p] for p in range(n)], vectors)


def singular(columns):
    """Columns turned until they stand at right angles, from the longest: the negatives of their
    lengths, the columns, and the turns, which are the columns of a rotation.
    """
    n = len(columns)
    turns = _unit(n)
    left, before = n > 1, 1.0
    max_iters(_SWEEPS)
    while left:
        most = 0.0
        for p, q in force_unroll(list(combinations(range(n), 2))):
            x, y = columns[p], columns[q]
            xx, yy = sum(u * u for u in x), sum(u * u for u in y)
            xy = sum(u * w for u, w in zip(x, y, strict=True))
            both = (xx * yy) ** 0.5
            lost = abs(xy) <= _LOST * both
            cos, sin, _ = _angle(xy, 0.5 * (yy - xx), lost)
            most = most if lost else max(most, abs(xy) / both)
            _turn(x, y, cos, sin)
            _turn(turns[p], turns[q], cos, sin)
        # At rounding's end nothing gains.
        left = most > _SMALL and (most > 1e-3 or most < 0.25 * before)
        before = most
    return _in_order([-(sum(u * u for u in x) ** 0.5) for x in columns], columns, turns)
