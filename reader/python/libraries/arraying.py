"""Functions of NumPy that others make up, written in Python: they get arrays as they are, and may
change them.

Takes nothing; gives a function of Python for each name, in which every loop is written out.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def _select(condlist, choicelist, default=0):
    found = default
    for holds, value in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = np.where(holds, value, found)
    return _rows(found)


def _rows(found):
    """Row after row in memory, in whatever order the arrays were that it was made of."""
    return found.copy() if np.ndim(found) else found


def _piecewise(x, condlist, funclist, *args, **kw):
    if kw and not any(callable(f) for f in funclist):
        raise TypeError("keyword arguments are for functions, and there are none")
    x = np.asarray(x)
    if np.ndim(condlist) == np.ndim(x):  # one condition, not in a list
        condlist = [condlist]
    values = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    found = values[-1] if len(values) > len(condlist) else 0.0
    for holds, value in zip(condlist, values, strict=False):
        found = np.where(holds, value, found)
    return found


def _choose(a, choices):
    a, found = np.asarray(a), choices[0]
    for k, choice in enumerate(choices[1:]):
        found = np.where(a == k + 1, choice, found)
    return _rows(found)


def _argsort(a, axis=-1, kind=None, *, stable=None):
    """Of equal ones, the first comes first."""
    a = np.ravel(a) if axis is None else a
    count = np.ndim(a)
    if count == 1:
        return np.array(sorted(range(len(a)), key=lambda k: a[k]))
    if count != 2 or axis not in (-2, -1, 0, 1):
        raise ValueError(f"argsort() along axis {axis} of {count} is not in the language")
    if axis % 2 == 0:
        return np.transpose(_argsort(np.transpose(a)))
    return np.array([_argsort(row) for row in a])


def _take(a, indices, axis=None, *, mode="raise"):
    if mode != "raise":
        raise ValueError(f"take() with mode={mode!r} is not in the language: use np.clip or %")
    if axis is None:
        return np.ravel(a)[indices]
    axis, count = axis % np.ndim(a), np.ndim(indices)
    found = np.moveaxis(a, axis, 0)[indices]
    return _rows(np.moveaxis(found, range(count), range(axis, axis + count)) if count else found)


def _take_along_axis(arr, indices, axis=-1):
    return arr[_along(arr, indices, axis)]


def _put_along_axis(arr, indices, values, axis):
    arr[_along(arr, indices, axis)] = values


def _along(arr, indices, axis):
    count = np.ndim(arr)
    places = [
        np.reshape(np.arange(size), (1,) * k + (size,) + (1,) * (count - k - 1))
        for k, size in enumerate(np.shape(arr))
    ]
    places[axis] = indices
    return tuple(places)


def _putmask(a, mask, values):
    if np.ndim(values) and np.shape(values) != np.shape(a):
        raise ValueError("putmask() with values of another shape is not in the language")
    a[...] = np.where(mask, values, a)


def _place(arr, mask, vals):
    if len(vals) != 1:
        raise ValueError("place() with several values is not in the language")
    arr[...] = np.where(mask, vals[0], arr)


def _copyto(dst, src, where=True):
    dst[...] = np.where(where, src, dst)


def _fill_diagonal(a, val):
    size = min(np.shape(a))
    for k, value in enumerate(np.broadcast_to(val, (size,))):
        a[(k,) * np.ndim(a)] = value


def _at(ufunc, a, indices, b):
    """`np.add.at(a, indices, b)`: one after the other."""
    places = indices if isinstance(indices, tuple) else (indices,)
    if len(places) > np.ndim(a) or not all(map(_are_indices, places)):
        raise ValueError("ufunc.at() takes integers here, or arrays of them: one for each axis")
    shape = np.broadcast_shapes(*[np.shape(p) for p in places])
    rest = np.shape(a)[len(places) :]
    count = math.prod(shape)
    values = np.reshape(np.broadcast_to(b, shape + rest), (count, *rest))
    columns = [np.reshape(np.broadcast_to(p, shape), (count,)) for p in places]
    for k in range(count):
        place = tuple(column[k] for column in columns)
        a[place] = ufunc(a[place], values[k])


def _reduceat(ufunc, a, indices, axis=0):
    """What `reduce` gives for the rows between neighbours; for one row where they do not rise."""
    rows = np.moveaxis(np.asarray(a), axis, 0)
    ends = [*indices[1:], len(rows)]
    parts = [
        ufunc.reduce(rows[i:j]) if i < j else rows[i] for i, j in zip(indices, ends, strict=True)
    ]
    return np.moveaxis(np.stack(parts), 0, axis)


def _are_indices(place):
    return not (place is None or isinstance(place, slice) or np.atleast_1d(place).dtype == bool)


def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    if np.ndim(arr) != 2 or axis not in (-2, -1, 0, 1):
        raise ValueError("apply_along_axis() needs an array of 2 dimensions, and one of them, here")
    down = axis % 2 == 0
    rows = np.transpose(arr) if down else np.asarray(arr)
    found = [func1d(row, *args, **kwargs) for row in rows]
    return np.stack(found, axis=1 if down and np.ndim(found[0]) else 0)


def _matrix_power(a, n):
    if n < 0:
        return _matrix_power(np.linalg.inv(a), -n)
    if n == 1:
        return np.asarray(a)  # NumPy gives the array itself, no copy
    found = None
    square = np.array(a)
    while n > 0:
        if n % 2:
            found = square if found is None else found @ square
        n = n // 2
        square = square @ square
    return np.zeros(np.shape(a)) + np.eye(np.shape(a)[-1]) if found is None else found


def _vecdot(a, b):
    return np.sum(np.multiply(a, b), axis=-1)


def _matvec(m, v):
    return np.sum(m * v[..., None, :], axis=-1)


def _vecmat(v, m):
    return np.sum(v[..., :, None] * m, axis=-2)


def _polyder(p):
    degree = len(p) - 1
    return np.array([c * (degree - k) for k, c in enumerate(p[:-1])])


def _polyint(p):
    degree = len(p)
    return np.array([*[c / (degree - k) for k, c in enumerate(p)], 0.0])


def _divmod(x1, x2):
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


def _modf(x):
    whole = np.trunc(x)
    return np.subtract(x, whole), whole


def _frexp(x):
    found = [np.frexp(element) for element in np.ravel(x)]
    return tuple(np.reshape(np.array(part), np.shape(x)) for part in zip(*found, strict=True))


def _unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Whole periods are added: steps become those between minus and plus half of one."""
    rows = np.moveaxis(np.asarray(p), axis, 0)
    steps, half = np.diff(rows, axis=0), period / 2
    near = np.remainder(steps + half, period) - half
    near = np.where((near == -half) & (steps > 0), half, near)
    jumps = np.abs(steps) >= (half if discont is None else discont)
    added = np.cumsum(np.where(jumps, near - steps, 0.0), axis=0)
    return np.moveaxis(np.concatenate([rows[:1], rows[1:] + added]), 0, axis)


def _ediff1d(ary):
    return np.diff(np.ravel(ary))


def _fromiter(iter, dtype):
    return np.array(list(iter), dtype=dtype)


def _bincount(x, weights=None, minlength=0):
    found = [0 if weights is None else 0.0] * max([minlength, *[k + 1 for k in x]])
    for place, weight in zip(x, [1] * len(x) if weights is None else weights, strict=True):
        found[place] += weight
    return np.array(found)


#: By the name in `numpy`, or of a method of arrays.
WITH_ARRAYS: Mapping[str, Callable[..., Any]] = {
    "select": _select,
    "piecewise": _piecewise,
    "choose": _choose,
    "argsort": _argsort,
    "take": _take,
    "take_along_axis": _take_along_axis,
    "put_along_axis": _put_along_axis,
    "putmask": _putmask,
    "place": _place,
    "copyto": _copyto,
    "fill_diagonal": _fill_diagonal,
    "apply_along_axis": _apply_along_axis,
    "vecdot": _vecdot,
    "linalg.vecdot": _vecdot,
    "linalg.matrix_power": _matrix_power,
    "matvec": _matvec,
    "vecmat": _vecmat,
    "polyder": _polyder,
    "polyint": _polyint,
    "divmod": _divmod,
    "modf": _modf,
    "frexp": _frexp,
    "unwrap": _unwrap,
    "ediff1d": _ediff1d,
    "fromiter": _fromiter,
    "bincount": _bincount,
}
#: What `np.add.at` and `np.add.reduceat` do.
OF_UFUNCS: Mapping[str, Callable[..., Any]] = {"at": _at, "reduceat": _reduceat}
for _name, _function in (*WITH_ARRAYS.items(), *OF_UFUNCS.items()):
    _function.__name__ = _name.rpartition(".")[2]  # as messages call it
