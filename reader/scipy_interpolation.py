"""Interpolators of `scipy.interpolate` that were made before: piecewise polynomials of one number.

Takes a spline, gives an object with its polynomials: between which points is asked at run time.
SciPy is not imported for it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from .collected import instances_of
from .structs import register


class _Piecewise:
    """Polynomials between points, each by its coefficients in x less its left point."""

    _points: Any
    _pieces: Any
    _below: Any
    _above: Any

    def __init__(self, points, pieces, below, above):
        self._points, self._pieces = points, pieces
        self._below, self._above = below, above

    def __call__(self, x, nu=0):
        return np.vectorize(lambda x: self._at(x, nu))(x)

    def _at(self, x, nu):
        if self._below is not None and x < self._points[0]:
            return self._below if nu == 0 else 0.0 * self._below
        if self._above is not None and x > self._points[-1]:
            return self._above if nu == 0 else 0.0 * self._above
        for k, right in enumerate(self._points[1:-1]):
            if x < right:
                return _value(self._pieces[k], x - self._points[k], nu)
        return _value(self._pieces[-1], x - self._points[-2], nu)

    def derivative(self, nu=1):
        pieces = tuple(_derived(piece, nu) for piece in self._pieces)
        ends = [None if end is None else 0.0 * end for end in (self._below, self._above)]
        return _Piecewise(self._points, pieces, *ends)


def _derived(coefficients, nu):
    for _ in range(nu):
        n = len(coefficients) - 1
        coefficients = tuple((n - k) * c for k, c in enumerate(coefficients[:-1])) or (0.0,)
    return coefficients


def _value(coefficients, t, nu):
    value = 0.0
    for c in _derived(coefficients, nu):
        value = value * t + c
    return value


def _of_polynomials(spline):
    """What stands for an interpolator with polynomials; None where it is one of several numbers."""
    if spline.c.ndim != 2 or spline.extrapolate == "periodic":
        return None
    ends = None if spline.extrapolate else math.nan
    pieces = tuple(tuple(map(float, piece)) for piece in spline.c.T)
    return _Piecewise(tuple(map(float, spline.x)), pieces, ends, ends)


def _of_lines(lines):
    """What stands for `interp1d(x, y)`; None where it is no line between points of one number."""
    if lines._kind != "linear" or lines.y.ndim != 1:
        return None
    x, y = lines.x.tolist(), lines.y.tolist()
    pieces = tuple(
        ((d - c) / (b - a), c) for (a, b), (c, d) in zip(pairwise(x), pairwise(y), strict=True)
    )
    extrapolates = isinstance(lines.fill_value, str)
    ends = [None, None] if extrapolates else np.broadcast_to(lines.fill_value, 2).tolist()
    return _Piecewise(tuple(x), pieces, *ends)


_Piecewise.__name__ = "interpolator"
register(_Piecewise, {})
for _name in ("_cubic.CubicSpline", "_cubic.PchipInterpolator", "_cubic.Akima1DInterpolator"):
    instances_of(f"scipy.interpolate.{_name}", _of_polynomials)
instances_of("scipy.interpolate._interpolate.PPoly", _of_polynomials)
instances_of("scipy.interpolate._interpolate.interp1d", _of_lines)
