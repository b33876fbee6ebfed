"""`numpy.poly1d` and `numpy.polynomial.Polynomial`, in Python: read as classes of a user are.

Their coefficients may be any numbers; how many there are is known while reading, and none is left
out because it is 0.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from .collected import stands_for


def _padded(a, b):
    """Two lists of coefficients, the highest first, of one length."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    n = max(len(a), len(b))
    return np.concatenate([np.zeros(n - len(a)), a]), np.concatenate([np.zeros(n - len(b)), b])


def _added(a1, a2):
    a, b = _padded(a1, a2)
    return a + b


def _subtracted(a1, a2):
    a, b = _padded(a1, a2)
    return a - b


def _often(step, count, coefficients):
    for _ in range(count):
        coefficients = step(coefficients)
    return coefficients


#: Functions of NumPy over coefficients, the highest first, by name.
POLYNOMIALS: Mapping[str, Callable[..., Any]] = {
    "polyadd": _added,
    "polysub": _subtracted,
    "polymul": lambda a1, a2: np.convolve(np.atleast_1d(a1), np.atleast_1d(a2)),
}


@stands_for(np.poly1d, lambda known: (tuple(known.coeffs),))
class _Poly1d:
    """A polynomial by its coefficients, the highest first."""

    coeffs: Any

    def __init__(self, c_or_r):
        self.coeffs = np.atleast_1d(c_or_r)

    @property
    def c(self):
        return self.coeffs

    coef = coefficients = c

    @property
    def order(self):
        return len(self.coeffs) - 1

    o = order

    def __call__(self, val):
        return np.polyval(self.coeffs, val)

    def deriv(self, m=1):
        return _Poly1d(_often(np.polyder, m, self.coeffs))

    def integ(self, m=1):
        return _Poly1d(_often(np.polyint, m, self.coeffs))

    def __neg__(self):
        return _Poly1d(-self.coeffs)

    def __add__(self, other):
        return _Poly1d(np.polyadd(self.coeffs, _coefficients(other)))

    __radd__ = __add__

    def __sub__(self, other):
        return _Poly1d(np.polysub(self.coeffs, _coefficients(other)))

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        return _Poly1d(np.polymul(self.coeffs, _coefficients(other)))

    __rmul__ = __mul__

    def __getitem__(self, power):
        return self.coeffs[len(self.coeffs) - 1 - power] if power < len(self.coeffs) else 0.0


@stands_for(Polynomial, lambda known: (tuple(known.coef),))
class _Polynomial:
    """A polynomial by its coefficients, the lowest first, over the line as it is."""

    coef: Any

    def __init__(self, coef):
        self.coef = np.atleast_1d(coef)

    def degree(self):
        return len(self.coef) - 1

    def __call__(self, arg):
        return np.polyval(self.coef[::-1], arg)

    def deriv(self, m=1):
        return _Polynomial(_often(np.polyder, m, self.coef[::-1])[::-1])

    def integ(self, m=1):
        return _Polynomial(_often(np.polyint, m, self.coef[::-1])[::-1])

    def __neg__(self):
        return _Polynomial(-self.coef)

    def __add__(self, other):
        return _Polynomial(np.polyadd(self.coef[::-1], _rising(other)[::-1])[::-1])

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        return _Polynomial(np.polymul(self.coef[::-1], _rising(other)[::-1])[::-1])

    __rmul__ = __mul__


def _coefficients(other):
    return other.coeffs if isinstance(other, _Poly1d) else np.atleast_1d(other)


def _rising(other):
    return other.coef if isinstance(other, _Polynomial) else np.atleast_1d(other)
