"""The functions of `scipy.special` that others make up, written for the reader, which reads them.

Takes nothing; gives a function of Python for each name. What they are at the ends of their domains
is what SciPy says; slopes follow from how they are written.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821  # egad's words are known to all that is read

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

_ROOT_HALF = math.sqrt(0.5)


def ndtr(x):
    """The probability below x: with all digits in its tail."""
    return 0.5 * erfc(-_ROOT_HALF * x)


def log_ndtr(x):
    """Far below 0 by what is left of the tail beside the exponential."""
    if x < -1.0:
        return log(0.5 * erfcx(-_ROOT_HALF * x)) - 0.5 * x * x
    return log1p(-0.5 * erfc(_ROOT_HALF * x))


def xlogy(x, y):
    """0 where x is, but its slope there is a logarithm, so y alone is guarded."""
    return x * log(1.0 if x == 0 and y == 0 else y)


def xlog1py(x, y):
    """x*log(1 + y), 0 where x is."""
    return x * log1p(0.0 if x == 0 and y == -1 else y)


def _entr(x):
    if x < 0:
        return -math.inf
    return -xlogy(x, x)


def _rel_entr(x, y):
    if x < 0 or y < 0 or (y == 0 and x > 0):
        return math.inf
    return 0.0 if x == 0 else x * log(x / y)


def _kl_div(x, y):
    return _rel_entr(x, y) - x + y


def _huber(delta, r):
    if delta < 0:
        return math.inf
    return 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)


def _pseudo_huber(delta, r):
    if delta < 0:
        return math.inf
    return delta * (hypot(delta, r) - delta)


def betaln(a, b):
    """The logarithm of Euler's beta function, for a, b > 0."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _inv_boxcox(y, lmbda):
    return exp(y) if lmbda == 0 else exp(log1p(lmbda * y) / lmbda)


def _boxcox1p(x, lmbda):
    return log1p(x) if lmbda == 0 else expm1(lmbda * log1p(x)) / lmbda


def _polygamma(n, x):
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    raise ValueError("polygamma is known for n = 0 and n = 1")


def _largest(a, axis):
    """The largest along an axis, or 0 where that is no number to be subtracted."""
    most = np.max(a, axis=axis, keepdims=True)
    return np.where(np.isfinite(most), most, 0.0)


def _logsumexp(a, axis=None, b=None, keepdims=False):
    a = np.asarray(a)
    most = _largest(a, axis)
    parts = np.exp(a - most) if b is None else b * np.exp(a - most)
    total = np.log(np.sum(parts, axis=axis, keepdims=True)) + most
    return total if keepdims else np.sum(total, axis=axis)


def _softmax(x, axis=None):
    x = np.asarray(x)
    parts = np.exp(x - _largest(x, axis))
    return parts / np.sum(parts, axis=axis, keepdims=True)


def _log_softmax(x, axis=None):
    x = np.asarray(x)
    return x - _logsumexp(x, axis=axis, keepdims=True)


#: By name; those of arrays take them as they are, all others number by number.
SPECIAL: Mapping[str, Callable[..., Any]] = {
    "ndtr": ndtr,
    "log_ndtr": log_ndtr,
    "logit": lambda x: log(x / (1.0 - x)),
    "log_expit": lambda x: -softplus(-x),
    "loggamma": lambda x: lgamma(x),
    "beta": lambda a, b: exp(betaln(a, b)),
    "betaln": betaln,
    "polygamma": _polygamma,
    "xlogy": xlogy,
    "xlog1py": xlog1py,
    "entr": _entr,
    "rel_entr": _rel_entr,
    "kl_div": _kl_div,
    "huber": _huber,
    "pseudo_huber": _pseudo_huber,
    "inv_boxcox": _inv_boxcox,
    "boxcox1p": _boxcox1p,
    "logsumexp": _logsumexp,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
}
