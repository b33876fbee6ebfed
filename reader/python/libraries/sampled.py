"""Functions of NumPy over samples, written in Python: slopes, integrals, quantiles, covariances.

Takes nothing; gives a function of Python for each name, in which every loop is written out.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def _gradient(f, *varargs, axis=None, edge_order=1):
    f = np.asarray(f)
    axes = tuple(range(np.ndim(f))) if axis is None else axis
    axes = axes if isinstance(axes, tuple) else (axes,)
    if edge_order not in (1, 2):
        raise ValueError("edge_order is 1 or 2")
    if len(varargs) not in (0, 1, len(axes)):
        raise ValueError(f"{len(varargs)} spacings for {len(axes)} axes")
    steps = varargs if len(varargs) == len(axes) else [varargs[0] if varargs else 1.0] * len(axes)
    found = [np.empty_like(f, dtype=float) for _ in axes]
    for slopes, k, step in zip(found, axes, steps, strict=True):
        slopes[...] = np.moveaxis(_slopes(np.moveaxis(f, k, 0), step, edge_order), 0, k)
    return found[0] if len(axes) == 1 else tuple(found)


def _slopes(f, step, edge_order):
    """Along the first axis: central inside, to one side at the ends."""
    count = len(f)
    if count <= edge_order:
        raise ValueError(f"{count} samples are too few for slopes at the ends")
    if np.ndim(step) == 0:
        inside = [(f[k + 1] - f[k - 1]) / (2 * step) for k in range(1, count - 1)]
        if edge_order == 1:
            return np.stack([(f[1] - f[0]) / step, *inside, (f[-1] - f[-2]) / step])
        first = (-1.5 * f[0] + 2.0 * f[1] - 0.5 * f[2]) / step
        last = (1.5 * f[-1] - 2.0 * f[-2] + 0.5 * f[-3]) / step
        return np.stack([first, *inside, last])
    steps = [step[k + 1] - step[k] for k in range(count - 1)]
    rises = [(f[k + 1] - f[k]) / steps[k] for k in range(count - 1)]
    inside = [
        (steps[k + 1] * rises[k] + steps[k] * rises[k + 1]) / (steps[k] + steps[k + 1])
        for k in range(count - 2)
    ]
    if edge_order == 1:
        return np.stack([rises[0], *inside, rises[-1]])
    return np.stack([_end(rises, steps, 0, 1), *inside, _end(rises, steps, -1, -2)])


def _end(rises, steps, here, beside):
    """The slope of the parabola through the last three, at the last one."""
    share = steps[here] / (steps[here] + steps[beside])
    return rises[here] + (rises[here] - rises[beside]) * share


def _trapezoid(y, x=None, dx=1.0, axis=-1):
    y = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        return dx * (np.sum(y, axis=-1) - (y[..., 0] + y[..., -1]) / 2)
    x = np.moveaxis(np.asarray(x), axis, -1) if np.ndim(x) > 1 else np.asarray(x)
    return np.sum((x[..., 1:] - x[..., :-1]) * (y[..., :-1] + y[..., 1:]) / 2, axis=-1)


_PLACES = ("linear", "lower", "higher", "midpoint")


def _quantile(a, q, axis=None, *, method="linear", keepdims=False):
    if method not in _PLACES:
        raise ValueError(f"method={method!r} is not in the language: there are {_PLACES}")
    a = np.asarray(a)
    if np.ndim(q):
        found = [_quantile(a, part, axis, method=method, keepdims=keepdims) for part in q]
        return np.stack(found)
    lanes = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    lanes = np.sort(lanes, axis=0)
    place = q * (len(lanes) - 1)
    low = min(int(place), len(lanes) - 1)
    high = min(low + 1, len(lanes) - 1)
    rest = place - low
    if method != "linear":
        share = {"lower": 0.0, "higher": 1.0, "midpoint": 0.5}[method]
        rest = share if rest > 0 else 0.0
    found = lanes[low] + rest * (lanes[high] - lanes[low])
    if not keepdims:
        return found
    return np.reshape(found, (1,) * np.ndim(a)) if axis is None else np.expand_dims(found, axis)


def _percentile(a, q, axis=None, *, method="linear", keepdims=False):
    return _quantile(a, np.asarray(q) / 100, axis, method=method, keepdims=keepdims)


def _cov(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = _variables(m, rowvar)
    if y is not None:
        rows = np.concatenate([rows, _variables(y, rowvar)])
    rows = rows - np.mean(rows, axis=1, keepdims=True)
    lost = (0 if bias else 1) if ddof is None else ddof
    found = rows @ np.transpose(rows) / (np.shape(rows)[1] - lost)
    return found[0, 0] if len(rows) == 1 else found


def _variables(m, rowvar):
    m = np.asarray(m)
    if np.ndim(m) == 1:
        return m[None, :]
    return m if rowvar else np.transpose(m)


def _corrcoef(x, y=None, rowvar=True):
    c = _cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    sizes = np.sqrt(np.diagonal(c))
    return c / sizes[:, None] / sizes[None, :]


def _isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if equal_nan:
        raise ValueError("equal_nan=True is not in the language: ask np.isnan")
    a, b = np.asarray(a), np.asarray(b)
    return np.logical_or(np.abs(a - b) <= atol + rtol * np.abs(b), a == b)


def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.all(_isclose(a, b, rtol, atol, equal_nan))


def _array_equal(a1, a2):
    return np.shape(a1) == np.shape(a2) and np.all(np.asarray(a1) == np.asarray(a2))


def _put(a, ind, v):
    shape, values = np.shape(a), np.ravel(v)
    for count, flat in enumerate(np.ravel(ind)):
        place: list[Any] = []
        rest = flat
        for size in reversed(shape[1:]):
            place.insert(0, rest % size)
            rest = rest // size
        a[(rest, *place)] = values[count % len(values)]


def _polyval(p, x):
    found = 0.0
    for c in p:
        found = found * x + c
    return found


def _geomspace(start, stop, num=50, endpoint=True):
    ratio, steps = stop / start, num - 1 if endpoint else num
    return np.array([start * ratio ** (k / steps) if k else start for k in range(num)])


def _logspace(start, stop, num=50, endpoint=True, base=10.0):
    return base ** np.linspace(start, stop, num, endpoint=endpoint)


def _fromfunction(function, shape, *, dtype=float, **kwargs):
    return function(*[k.astype(dtype) for k in np.indices(shape)], **kwargs)


#: By the name in `numpy`.
OF_SAMPLES: Mapping[str, Callable[..., Any]] = {
    "gradient": _gradient,
    "trapezoid": _trapezoid,
    "quantile": _quantile,
    "percentile": _percentile,
    "cov": _cov,
    "corrcoef": _corrcoef,
    "isclose": _isclose,
    "allclose": _allclose,
    "array_equal": _array_equal,
    "put": _put,
    "polyval": _polyval,
    "geomspace": _geomspace,
    "logspace": _logspace,
}
#: Those that call a function.
WITH_FUNCTIONS: Mapping[str, Callable[..., Any]] = {"fromfunction": _fromfunction}
for _name, _function in (*OF_SAMPLES.items(), *WITH_FUNCTIONS.items()):
    _function.__name__ = _name  # as messages call it
