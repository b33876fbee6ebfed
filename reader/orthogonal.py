"""Sums of orthogonal polynomials, and single ones, in Python: read as functions of a user are.

All have p[0] = 1 and a recurrence of three terms, p[n + 1] = a(n, x)*p[n] - b(n)*p[n - 1], by which
a sum is taken from its end (Clenshaw, A note on the summation of Chebyshev series, 1955). How many
coefficients there are is known while reading.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def _legendre(n, x):
    return (2 * n + 1) / (n + 1) * x, n / (n + 1)


def _chebyshev(n, x):
    return (2 * x if n else x), 1.0


def _hermite(n, x):
    return 2 * x, 2 * n


def _probabilists(n, x):
    return x, n


def _laguerre(n, x):
    return (2 * n + 1 - x) / (n + 1), n / (n + 1)


def _sum(family: Callable[..., Any]) -> Callable[..., Any]:
    def value(x, c, tensor=True):
        def at(x):
            this, after = 0.0, 0.0
            for n in reversed(range(len(c))):
                this, after = c[n] + family(n, x)[0] * this - family(n + 1, x)[1] * after, this
            return this

        return np.vectorize(at)(x)

    return value


def _single(family: Callable[..., Any]) -> Callable[..., Any]:
    def value(n, x):
        before, this = 0.0, 1.0
        for k in range(n):
            a, b = family(k, x)
            before, this = this, a * this - b * before
        return this

    return value


#: Functions of `numpy.polynomial` over coefficients, the lowest first, by module and name.
SUMS: Mapping[str, Callable[..., Any]] = {
    "legendre.legval": _sum(_legendre),
    "chebyshev.chebval": _sum(_chebyshev),
    "hermite.hermval": _sum(_hermite),
    "hermite_e.hermeval": _sum(_probabilists),
    "laguerre.lagval": _sum(_laguerre),
}
#: Functions of `scipy.special` of a number that is known while reading, and a point.
SINGLE: Mapping[str, Callable[..., Any]] = {
    "eval_legendre": _single(_legendre),
    "eval_chebyt": _single(_chebyshev),
    "eval_hermite": _single(_hermite),
    "eval_hermitenorm": _single(_probabilists),
    "eval_laguerre": _single(_laguerre),
}
