"""What functions of NumPy take besides arrays: `out`, `dtype`, `where`, `initial`.

Takes calls of such functions, gives calls without these words. What `where` leaves out counts as
the number that changes nothing, and has no derivative.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....terms.errors import TraceError
from ..values.arrays import is_array
from ..values.objects import is_tuple
from ..values.values import describe
from .arraycalls import ArrayCall, by_place, parameters
from .parts import in_place
from .shaping import as_type_of


def into(call: ArrayCall, handler: Callable[[ArrayCall], Any]) -> Any:
    """What a function gives; with `out=`, the array that has become it."""
    rest, out = _without(call, "out")
    if out is None:
        return handler(rest)
    out = out[0] if is_tuple(out) and len(out) == 1 else out
    if not is_array(out):
        if len(call.args) > len(by_place(call.callee, call.name)):
            raise TypeError  # NumPy's own words say it better
        hint = "give an array: r = np.empty(n), or use what the function returns"
        raise TraceError(f"{call.name}() cannot write to {describe(out)}", call.at, hint)
    return in_place(call.session, out, handler(rest), call.at)


def reduced(plainly: Callable[[ArrayCall], Any]) -> Callable[[ArrayCall], Any]:
    """A function of all elements, or of those along an axis, in which `where` picks them."""

    def handler(call: ArrayCall) -> Any:
        call, dtype = _without(call, "dtype")
        if dtype is not None:
            cells = call.made(call.numbers(call.args[0]))
            kept = replace(call, name="astype", args=[cells, dtype], kwargs={})
            call = replace(call, args=[as_type_of(kept), *call.args[1:]])
        if not {"where", "initial"} & {*call.kwargs}:
            return plainly(call)
        return call.again(_PICKED[call.name], *call.args, **call.kwargs)

    return handler


def converted(plainly: Callable[[ArrayCall], Any]) -> Callable[[ArrayCall], Any]:
    """A function whose `dtype` is that of what it gives."""

    def handler(call: ArrayCall) -> Any:
        call, dtype = _without(call, "dtype")
        found = plainly(call)
        if dtype is None:
            return found
        return as_type_of(replace(call, name="astype", args=[found, dtype], kwargs={}))

    return handler


def _without(call: ArrayCall, word: str) -> tuple[ArrayCall, Any]:
    """A call, and what it says for one parameter, which is then not said any more."""
    if word in call.kwargs:
        rest: Mapping[str, Any] = {k: v for k, v in call.kwargs.items() if k != word}
        known = word in parameters(call.callee, call.name)
        return (replace(call, kwargs=rest), call.kwargs[word]) if known else (call, None)
    if len(call.args) < 2:
        return call, None
    names = by_place(call.callee, call.name)
    place = names.index(word) if word in names else len(call.args)
    if place >= len(call.args):
        return call, None
    before, after = call.args[:place], call.args[place + 1 :]
    args: Sequence[Any] = [*before, None, *after] if after else before
    return replace(call, args=args), call.args[place]


def _sum(a, axis=None, *, keepdims=False, initial=0, where=True):
    return np.sum(np.where(where, a, 0), axis=axis, keepdims=keepdims) + initial


def _prod(a, axis=None, *, keepdims=False, initial=1, where=True):
    return np.prod(np.where(where, a, 1), axis=axis, keepdims=keepdims) * initial


def _max(a, axis=None, *, keepdims=False, initial=None, where=True):
    if initial is None:
        raise ValueError("where= needs initial=, which says what the largest of none is")
    found = np.max(np.where(where, a, initial), axis=axis, keepdims=keepdims)
    return np.maximum(found, initial)


def _min(a, axis=None, *, keepdims=False, initial=None, where=True):
    if initial is None:
        raise ValueError("where= needs initial=, which says what the smallest of none is")
    found = np.min(np.where(where, a, initial), axis=axis, keepdims=keepdims)
    return np.minimum(found, initial)


def _mean(a, axis=None, *, keepdims=False, where=True):
    whole = np.sum(np.where(where, a, 0.0), axis=axis, keepdims=keepdims)
    return whole / _count(a, axis, keepdims, where)


def _count(a, axis, keepdims, where):
    ones = np.where(where, np.ones(np.shape(a)), 0.0)
    return np.sum(ones, axis=axis, keepdims=keepdims)


def _var(a, axis=None, *, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    center = _mean(a, axis, keepdims=True, where=where) if mean is None else mean
    squares = np.where(where, (a - center) ** 2, 0.0)
    count = _count(a, axis, keepdims, where) - (ddof if correction is None else correction)
    return np.sum(squares, axis=axis, keepdims=keepdims) / count


def _std(a, axis=None, **words):
    return np.sqrt(_var(a, axis, **words))


def _any(a, axis=None, *, keepdims=False, where=True):
    return np.any(np.logical_and(a, where), axis=axis, keepdims=keepdims)


def _all(a, axis=None, *, keepdims=False, where=True):
    return np.all(np.logical_or(a, np.logical_not(where)), axis=axis, keepdims=keepdims)


_PICKED: Mapping[str, Callable[..., Any]] = {
    "sum": _sum,
    "prod": _prod,
    **dict.fromkeys(("max", "amax"), _max),
    **dict.fromkeys(("min", "amin"), _min),
    "mean": _mean,
    "var": _var,
    "std": _std,
    "any": _any,
    "all": _all,
}
for _name, _function in _PICKED.items():
    _function.__name__ = _name.removeprefix("a") if _name[1:] in _PICKED else _name
