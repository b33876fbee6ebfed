"""Functions of matrices at every matrix of a stack, as `numpy.linalg` has them.

Takes functions that are read like one of the user, of one matrix; gives those of a stack, too.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: Those of NumPy that take one matrix at a time.
_SINGLE = ("lstsq", "multi_dot")


def over_stacks(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """By the same names, what takes stacks of matrices, too."""
    others = {"solve": _of_two, **dict.fromkeys(_SINGLE, lambda function: function)}
    return {name: others.get(name, _of_one)(f) for name, f in functions.items()}


def _of_one(function):
    def at_each(a, /, *args, **kwargs):
        if np.ndim(a) < 3:
            return function(a, *args, **kwargs)
        return _joined([at_each(m, *args, **kwargs) for m in a])

    return at_each


def _of_two(function):
    """Axes before the last two broadcast; a right side of one axis is a vector."""

    def at_each(a, b):
        left, right = max(np.ndim(a), 2), max(np.ndim(b), 2)
        if left == right == 2:
            return function(a, b)
        if left > right:
            return np.array([at_each(m, b) for m in a])
        if left < right:
            return np.array([at_each(a, m) for m in b])
        count = max(len(a), len(b))
        if not {len(a), len(b)} <= {1, count}:
            raise ValueError(f"{len(a)} matrices do not go with {len(b)} right sides")
        return np.array([at_each(a[k % len(a)], b[k % len(b)]) for k in range(count)])

    return at_each


def _joined(found):
    """The results for each matrix as one array, or as arrays by their names."""
    if isinstance(found[0], tuple):
        return type(found[0])(*[np.array(parts) for parts in zip(*found, strict=True)])
    return np.array(found)
