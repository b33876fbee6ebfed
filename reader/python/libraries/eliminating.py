"""The functions of `numpy.linalg` on matrices of any size, written for the reader.

Takes nothing; gives a function of Python for each name, in which every loop is written out.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ...marks import force_unroll
from ...structs import register

#: As NumPy's.
SlogdetResult = namedtuple("SlogdetResult", ["sign", "logabsdet"])
register(SlogdetResult, {})


def check_matrix(a):
    """A matrix, and not a stack of them."""
    import numpy as np

    if np.ndim(a) > 2:
        raise ValueError(f"this is a stack of {len(a)} matrices: take one after the other, m[k]")


def check_square(a, b=None):
    """A matrix with as many rows as columns, and a right side that has them, too."""
    check_matrix(a)
    if len(a) != len(a[0]):
        raise ValueError(f"the matrix has {len(a)} rows and {len(a[0])} columns")
    if b is not None and len(b) != len(a):
        raise ValueError(f"the right side has {len(b)} rows, the matrix {len(a)}")


def _solve(a, b):
    check_square(a, b)
    if 2 <= len(a) <= 4:
        return _by_inverse(inverse(a), b)  # type: ignore[name-defined]  # noqa: F821  # egad's word
    return _by_elimination(a, b)


def _by_inverse(inverted, b):
    """Column by column where the right side is no matrix of a kernel."""
    import numpy as np

    if np.ndim(b) == 1 or 2 <= len(b[0]) <= 4:
        return mul(inverted, b)  # type: ignore[name-defined]  # noqa: F821  # egad's words
    columns = [mul(inverted, c) for c in np.transpose(b)]  # type: ignore[name-defined]  # noqa: F821
    return np.stack(columns, axis=1)


def _by_elimination(a, b):
    import numpy as np

    n = len(a)
    found: list[Any] = []
    m = _eliminated(np.column_stack([a, b]) * 1.0, n)[0]
    for row in reversed(m):
        k = n - 1 - len(found)
        right = row[n:] - sum((x * y for x, y in zip(row[k + 1 : n], found, strict=True)), 0.0)
        found.insert(0, right / row[k])
    return np.reshape(np.stack(found), np.shape(b))


def _eliminated(m, n):
    """The first n columns made 0 below the diagonal, the largest pivots first; and the sign."""
    import numpy as np

    sign = 1.0
    for k in force_unroll(range(n)):
        for i in force_unroll(range(k + 1, n)):
            worse = abs(m[i, k]) > abs(m[k, k])
            upper, lower = np.where(worse, m[i, k:], m[k, k:]), np.where(worse, m[k, k:], m[i, k:])
            m[k, k:], m[i, k:] = upper, lower
            sign = -sign if worse else sign
        for i in force_unroll(range(k + 1, n)):
            m[i, k + 1 :] -= m[i, k] / m[k, k] * m[k, k + 1 :]
    return m, sign


def _inv(a):
    import numpy as np

    check_square(a)
    return _by_elimination(a, np.eye(len(a)))


def _det(a):
    """Along the rows, from the last: each minor once, so singular ones have slopes, too."""
    check_square(a)
    n = len(a)
    if n > 7:  # there are too many minors
        import numpy as np

        m, sign = _eliminated(np.array(a) * 1.0, n)
        return np.prod(np.diag(m)) * sign
    minors: dict[Any, Any] = {(j,): a[-1][j] for j in range(n)}
    for i in force_unroll(range(n - 2, -1, -1)):
        wider: dict[Any, Any] = {}
        for key in list(minors):
            for j in force_unroll(range(n)):
                if j in key or tuple(sorted([j, *key])) in wider:
                    continue
                columns = sorted([j, *key])
                rest = [tuple(c for c in columns if c != left) for left in columns]
                signed = [a[i][c] * (-1) ** p for p, c in enumerate(columns)]
                wider[tuple(columns)] = sum(
                    x * minors[r] for x, r in zip(signed, rest, strict=True)
                )
        minors = wider
    return minors[tuple(range(n))]


def _slogdet(a):
    import numpy as np

    check_square(a)
    n = len(a)
    if n <= 4:
        whole = np.linalg.det(a)
        return SlogdetResult(np.sign(whole), np.log(abs(whole)))
    m, sign = _eliminated(np.array(a) * 1.0, n)
    pivots = [m[k, k] for k in range(n)]
    for pivot in pivots:
        sign = sign * np.sign(pivot)
    return SlogdetResult(sign, sum(np.log(abs(pivot)) for pivot in pivots))


def _cholesky(a, /, *, upper=False):
    """Of what stands below the diagonal (above it, for an upper one), as NumPy."""
    import numpy as np

    check_square(a)
    n = len(a)
    a, lower = (np.transpose(a) if upper else np.array(a)), np.zeros((n, n))
    for j in force_unroll(range(n)):
        rest = [a[i, j] - np.sum(lower[i, :j] * lower[j, :j]) for i in range(j, n)]
        root = rest[0] ** 0.5
        lower[j:, j] = [root, *(x / root for x in rest[1:])]
    return lower.T if upper else lower


def _qr_by_columns(columns, count):
    """The first columns, at right angles to each other; how much of each was in the later ones."""
    import numpy as np

    parts = []
    for k in force_unroll(range(count)):
        size = np.sum(columns[k] * columns[k])
        ratios = [np.sum(columns[k] * later) / size for later in columns[k + 1 :]]
        rest = [
            later - ratio * columns[k]
            for later, ratio in zip(columns[k + 1 :], ratios, strict=True)
        ]
        columns = [*columns[: k + 1], *rest]
        parts.append(ratios)
    return columns, parts


def _lstsq(a, b, rcond=None):
    """Of full rank: the last number that NumPy gives, the singular values, is None."""
    import numpy as np

    check_matrix(a)
    a, rows, width = np.array(a) * 1.0, len(a), len(a[0])
    right = np.reshape(np.array(b) * 1.0, (rows, -1))
    if rows < width:
        return a.T @ _solve(a @ a.T, np.array(b) * 1.0), np.zeros(0), rows, None
    columns, parts = _qr_by_columns([*a.T, *right.T], width)
    found: list[Any] = []
    for k in force_unroll(range(width - 1, -1, -1)):
        later, ratios = parts[k][: width - 1 - k], np.array(parts[k][width - 1 - k :])
        known = sum((r * x for r, x in zip(later, found, strict=True)), 0.0)
        found.insert(0, ratios - known)
    left = np.array([np.sum(column * column) for column in columns[width:]])
    shape = (width, *np.shape(b)[1:])
    return np.reshape(np.stack(found), shape), left if rows > width else np.zeros(0), width, None


def _pinv(a, rcond=None):
    import numpy as np

    if len(a) < len(a[0]):
        return np.transpose(_pinv(np.transpose(a)))
    return _lstsq(a, np.eye(len(a)))[0]


def _multi_dot(arrays):
    found = arrays[0]
    for array in arrays[1:]:
        found = found @ array
    return found


def polyfit(x, y, deg):
    """The coefficients, that of the highest power first."""
    import numpy as np

    return _lstsq(np.stack([np.array(x) ** k for k in range(deg, -1, -1)], axis=1), y)[0]


#: By the name in `numpy.linalg`.
LINEAR: Mapping[str, Callable[..., Any]] = {
    "solve": _solve,
    "inv": _inv,
    "det": _det,
    "slogdet": _slogdet,
    "cholesky": _cholesky,
    "lstsq": _lstsq,
    "pinv": _pinv,
    "multi_dot": _multi_dot,
}
