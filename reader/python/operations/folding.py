"""Many elements as one: the largest, their norm, whether any holds, which is the first of the best.

Takes calls of functions of NumPy, gives values; sums and products NumPy computes itself
(elementwise.py).
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ....terms.types import Scalar
from ..values.arrays import shape_of
from .arraycalls import ArrayCall
from .construct import construct
from .elementwise import each, number_binary
from .operators import comparison
from .parts import put_part

_NODE = ast.Constant(0)


def extreme(function: Callable[..., Any]) -> Callable[[ArrayCall], Any]:
    """`np.max(a)`, `a.min(axis=0)`, by `max` and `min` of two numbers."""
    return lambda call: _folded(partial(call.again, function), call, call.numbers(call.args[0]))


def some(op: ast.operator) -> Callable[[ArrayCall], Any]:
    """`a.any()` and `np.all(a, axis=0)`, by `|` and `&`."""

    def handler(call: ArrayCall) -> Any:
        return _folded(partial(number_binary, call.here, _NODE, op), call, truths(call))

    return handler


def _folded(function: Callable[..., Any], call: ArrayCall, cells: Any) -> Any:
    """All elements, or those along an axis, as one, by a function of two numbers."""
    import numpy

    named = call.known("axis", "keepdims")
    axis = named.get("axis", call.args[1] if len(call.args) > 1 else None)
    flat = cells.reshape(-1) if axis is None else cells
    try:
        found = numpy.frompyfunc(function, 2, 1).reduce(flat, axis=axis or 0, keepdims=True)
    except (ValueError, IndexError, TypeError) as error:
        raise TraceError(f"{call.name} fails in NumPy: {error}", call.at) from None
    if axis is None:
        found = found.reshape([1] * cells.ndim)
    kept = found if named.get("keepdims") else found.squeeze(axis)
    return call.made(kept)


OF_UFUNCS = ("reduce", "accumulate", "outer")


def of_ufunc(method: str, function: Callable[..., Any], call: ArrayCall) -> Any:
    """`np.minimum.reduce(a)`, `np.add.accumulate(a, axis=1)`, `np.multiply.outer(a, b)`."""
    import numpy

    named = call.known(*(() if method == "outer" else ("axis", "keepdims")))
    count = 2 if method == "outer" else 1
    cells = [call.numbers(arg) for arg in call.args[:count]]
    made = numpy.frompyfunc(function, 2, 1)
    return call.made(getattr(made, method)(*cells, *call.args[count:], **named))


#: What NaN counts as, for functions that leave it out.
BESIDES_NAN = {"sum": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf, "mean": 0.0}


def besides_nan(name: str, call: ArrayCall) -> Any:
    """`np.nansum(a)` and its like."""
    import numpy

    missing = call.again(numpy.isnan, call.made(call.numbers(call.args[0])))
    cells = call.again(numpy.where, missing, BESIDES_NAN[name], call.args[0])
    if name != "mean":
        return call.again(getattr(numpy, name), cells, *call.args[1:], **call.kwargs)
    ones = call.again(numpy.where, missing, 0.0, 1.0)
    whole, count = (
        call.again(numpy.sum, part, *call.args[1:], **call.kwargs) for part in (cells, ones)
    )
    return call.again(numpy.divide, whole, count)


_LARGEST = {Scalar.F16: 65504.0, Scalar.F32: float.fromhex("0x1.fffffep127")}


def without_nan(call: ArrayCall) -> Any:
    """`np.nan_to_num(a)`: 0 for NaN, the largest numbers for infinities."""
    large = _LARGEST.get(call.session.real, sys.float_info.max)
    named = {"nan": 0.0, "posinf": large, "neginf": -large, **call.known("nan", "posinf", "neginf")}

    def finite(number: Any) -> Any:
        return call.again(_finite, number, *(named[n] for n in ("nan", "posinf", "neginf")))

    return call.made(each(call.at, finite, [call.numbers(call.args[0])]))


def _finite(x, nan, posinf, neginf):  # type: ignore[no-untyped-def]
    if x != x:
        return nan
    if x == math.inf:
        return posinf
    return neginf if x == -math.inf else x


def truths(call: ArrayCall) -> Any:
    """Whether each element is true: whether it is not 0."""

    def truth(number: Any) -> Any:
        return construct(call.session, Scalar.BOOL, [number], call.at)

    return each(call.at, truth, [call.numbers(call.args[0])])


def count_nonzero(call: ArrayCall) -> Any:
    """How many elements are not 0."""
    import numpy

    return call.again(numpy.sum, call.made(truths(call), bool), **call.kwargs)


def norm(call: ArrayCall) -> Any:
    """The root of the sum of squares; of others the sum, or the largest, of absolute values."""
    import numpy

    named = call.known("ord", "axis", "keepdims")
    array = call.made(call.numbers(call.args[0]))
    order = named.pop("ord", call.args[1] if len(call.args) > 1 else None)
    of_vectors = len(shape_of(array)) == 1 or isinstance(named.get("axis"), int)
    if of_vectors and order in (1, numpy.inf):
        fold = numpy.sum if order == 1 else numpy.max
        return call.again(fold, call.again(numpy.abs, array), **named)
    if order is not None and order != (2 if of_vectors else "fro"):
        hint = "leave ord away: the root of the sum of squares"
        raise TraceError(f"this norm is not in the language: ord={order}", call.at, hint)
    square = call.again(numpy.multiply, array, array)
    return call.again(numpy.sqrt, call.again(numpy.sum, square, **named))


def place_of(better: ast.cmpop) -> Callable[[ArrayCall], Any]:
    """`a.argmax()` and `a.argmin()`: the first of the best."""

    def handler(call: ArrayCall) -> Any:
        call.known()
        numbers = list(call.numbers(call.args[0]).flat)
        if not numbers or len(call.args) > 1:
            hint = "of rows: [row.argmax() for row in m]"
            raise TraceError(f"{call.name}() is in the language for whole arrays", call.at, hint)
        best, place = numbers[0], 0
        for k, number in enumerate(numbers[1:], 1):
            held = comparison(call.here, _NODE, better, number, best)
            best = _chosen(call, held, number, best)
            place = _chosen(call, held, k, place)
        return place

    return handler


def _chosen(call: ArrayCall, held: Any, then: Any, other: Any) -> Any:
    if isinstance(held, bool):
        return then if held else other
    return call.session.either(held.term, then, other, call.at)


def ordered(call: ArrayCall) -> Any:
    """`np.sort(a)`: a sorted copy; `a.sort()`: in place."""
    call.known()
    numbers = call.numbers(call.args[0])
    if numbers.ndim != 1 or len(call.args) > 1:
        hint = "[np.sort(row) for row in m]"
        raise TraceError("rows are sorted one by one", call.at, hint)
    found = call.made(call.numbers(call.again(sorted, tuple(numbers))))
    if type(call.callee).__name__ != "method_descriptor":
        return found
    put_part(call.session, call.args[0], ..., found, call.at)
    return None
