"""Slopes of programs of two or three numbers with many digits, for tests of what is 0/0 at rest."""

import mpmath
import numpy as np


class Exact:
    """The functions that such programs take, with many digits."""

    sqrt, tanh, sin, cos, tan = mpmath.sqrt, mpmath.tanh, mpmath.sin, mpmath.cos, mpmath.tan
    exp, sinh, hypot, arctan2 = mpmath.exp, mpmath.sinh, mpmath.hypot, mpmath.atan2
    arctan, arcsin, arccos, log1p = mpmath.atan, mpmath.asin, mpmath.acos, mpmath.log1p
    minimum, maximum = min, max

    @staticmethod
    def clip(x, low, high):
        return min(max(x, low), high)


def slopes_of(f, point):
    """Differences with 300 digits, about points that are off by next to nothing: 0/0 is none."""
    with mpmath.workdps(300):
        step, off = (mpmath.mpf(10) ** -digits for digits in (60, 80))
        about = [mpmath.mpf(a) + off * (k + 1) for k, a in enumerate(point)]
        slopes = []
        for k in range(len(point)):
            ends = [[a + s * step * (i == k) for i, a in enumerate(about)] for s in (1, -1)]
            slopes.append(float((f(*ends[0]) - f(*ends[1])) / (2 * step)))
        return slopes


def rounded(point, dtype: str):
    """A point as numbers of a type."""
    return tuple(float(np.dtype(dtype).type(a)) for a in point)
