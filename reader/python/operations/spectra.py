"""Eigenvalues and singular values of `numpy.linalg`, where there are closed forms.

Of two rows and columns they are sums and differences of lengths, which keep their digits. Three
rows have cosines of the third of an angle, whose slopes are none where two eigenvalues are equal;
and vectors have a sign each that nobody has chosen. Takes nothing; gives a function of Python for
each name, which is read like one of the user.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def _check(a):
    import numpy as np

    shape = np.shape(a)
    if shape not in ((1, 1), (2, 2)):
        what = " x ".join(str(n) for n in shape)
        raise ValueError(f"there are closed forms for 2 x 2, not for {what}: compute it outside")


def _eigvalsh(a, UPLO="L"):
    import numpy as np

    _check(a)
    if len(a) == 1:
        return np.array([1.0 * a[0][0]])
    beside = a[1][0] if UPLO in "Ll" else a[0][1]
    mean = 0.5 * (a[0][0] + a[1][1])
    away = np.hypot(0.5 * (a[0][0] - a[1][1]), beside)
    return np.array([mean - away, mean + away])


def _svdvals(x, /):
    import numpy as np

    _check(x)
    if len(x) == 1:
        return np.array([1.0 * abs(x[0][0])])
    turned = np.hypot(x[0][0] + x[1][1], x[1][0] - x[0][1])
    mirrored = np.hypot(x[0][0] - x[1][1], x[1][0] + x[0][1])
    return np.array([0.5 * (turned + mirrored), 0.5 * abs(turned - mirrored)])


def _svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if compute_uv:
        hint = "np.linalg.svd(a, compute_uv=False) gives the values"
        raise ValueError(f"singular vectors have a sign each that nobody has chosen: {hint}")
    return _svdvals(a)


def _cond(x, p=None):
    if p is not None and p != 2:
        raise ValueError(f"of condition numbers there is that of singular values, not p={p}")
    values = _svdvals(x)
    return values[0] / values[-1]


#: By the name in `numpy.linalg`.
SPECTRA: Mapping[str, Callable[..., Any]] = {
    "eigvalsh": _eigvalsh,
    "svdvals": _svdvals,
    "svd": _svd,
    "cond": _cond,
}
