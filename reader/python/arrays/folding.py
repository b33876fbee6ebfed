"""Many elements as one: the largest, their norm, whether any holds, which is the first of the best.

Takes calls of functions of NumPy, gives values; sums and products NumPy computes itself
(elementwise.py).
"""

from __future__ import annotations

import ast
import math
import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ....terms.types import Scalar
from ..operations.construct import construct
from ..operations.operators import comparison
from ..values.arrays import is_array, shape_of
from ..values.values import counted, is_number, is_truth, number
from .arraycalls import ArrayCall
from .elementwise import each, number_binary
from .parts import in_place, put_part
from .sorting import chosen, in_order

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
    named = call.said("axis", "keepdims")
    return call.made(_along(function, cells, named.get("axis"), named.get("keepdims"), call))


def _along(function: Callable[..., Any], cells: Any, axis: Any, keeps: Any, call: ArrayCall) -> Any:
    """Numbers along one axis, several of them, or all, as one by a function of two."""
    import numpy

    axes = range(cells.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found, made = cells, numpy.frompyfunc(function, 2, 1)
    try:
        for k in axes:
            found = made.reduce(found, axis=k, keepdims=True)
        return found if keeps else found.squeeze(tuple(axes))
    except (ValueError, IndexError, TypeError) as error:
        raise TraceError(f"{call.name} fails in NumPy: {error}", call.at) from None


OF_UFUNCS = ("reduce", "accumulate", "outer")


def of_ufunc(method: str, function: Callable[..., Any], call: ArrayCall) -> Any:
    """`np.minimum.reduce(a)`, `np.add.accumulate(a, axis=1)`, `np.multiply.outer(a, b)`."""
    import numpy

    made = numpy.frompyfunc(function, 2, 1)
    if method == "outer":
        call.known()
        return call.made(made.outer(*map(call.numbers, call.args)))
    named = call.known("axis", "keepdims")
    cells, axis = call.numbers(call.args[0]), [*call.args[1:], named.get("axis", 0)][0]
    if call.name in ("add", "multiply"):  # of truths, these count
        cells = numpy.frompyfunc(lambda v: counted(v) if is_truth(v) else v, 1, 1)(cells)
    if method == "reduce":
        return call.made(_along(function, cells, axis, named.get("keepdims"), call))
    return call.made(made.accumulate(cells, axis))


#: What NaN counts as, for functions that leave it out.
BESIDES_NAN = {
    **{"sum": 0.0, "prod": 1.0, "cumsum": 0.0, "cumprod": 1.0},
    **{"max": -math.inf, "min": math.inf, "argmax": -math.inf, "argmin": math.inf},
    **{"mean": 0.0, "var": 0.0, "std": 0.0},
}
_AVERAGES = ("mean", "var", "std")


def besides_nan(name: str, call: ArrayCall) -> Any:
    """`np.nansum(a)` and its like."""
    import numpy

    missing = call.again(numpy.isnan, call.made(call.numbers(call.args[0])))
    cells = call.again(numpy.where, missing, BESIDES_NAN[name], call.args[0])
    if name not in _AVERAGES:
        return call.again(getattr(numpy, name), cells, *call.args[1:], **call.kwargs)
    there = call.again(numpy.logical_not, missing)
    return call.again(getattr(numpy, name), cells, *call.args[1:], **call.kwargs, where=there)


_LARGEST = {Scalar.F16: 65504.0, Scalar.F32: float.fromhex("0x1.fffffep127")}


def without_nan(call: ArrayCall) -> Any:
    """`np.nan_to_num(a)`: 0 for NaN, the largest numbers for infinities."""
    large = _LARGEST.get(call.session.real, sys.float_info.max)
    named = {
        "copy": True,
        "nan": 0.0,
        "posinf": large,
        "neginf": -large,
        **call.said("copy", "nan", "posinf", "neginf"),
    }

    def finite(number: Any) -> Any:
        return call.again(_finite, number, *(named[n] for n in ("nan", "posinf", "neginf")))

    found = call.made(each(call.at, finite, [call.numbers(call.args[0])]))
    if named["copy"] is False and is_array(call.args[0]):
        return in_place(call.session, call.args[0], found, call.at)
    return found


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

    return call.again(numpy.sum, call.made(truths(call), bool), **call.said("axis", "keepdims"))


def spread(call: ArrayCall) -> Any:
    """`np.ptp(a)`: from the smallest to the largest."""
    import numpy

    high, low = (call.again(f, *call.args, **call.kwargs) for f in (numpy.max, numpy.min))
    return call.again(numpy.subtract, high, low)


def at_decimals(call: ArrayCall) -> Any:
    """`np.round(a)`, `a.round(2)`, `round(a, 2)`: as `round` does it."""
    digits = call.said("decimals", "ndigits").values()
    return call.made(each(call.at, lambda v: call.again(round, v, *digits), [_cells(call)]))


def middle(call: ArrayCall) -> Any:
    """`np.median(a)`."""

    def of(lane: list[Any]) -> Any:
        if not lane:
            raise TraceError(f"{call.name}() needs a value", call.at)
        one_or_two = slice((len(lane) - 1) // 2, len(lane) // 2 + 1)
        return call.again(statistics.mean, tuple(in_order(call, lane)[one_or_two]))

    return _by_lane(call, of)


def _cells(call: ArrayCall) -> Any:
    return call.numbers(call.args[0])


def _by_lane(call: ArrayCall, function: Callable[[list[Any]], Any]) -> Any:
    """What a function gives of all numbers; with an axis, of those along it."""
    import numpy

    cells, named = _cells(call), call.said("axis", "keepdims")
    axis, keeps = named.get("axis"), named.get("keepdims")
    if axis is None or cells.ndim == 1:
        whole = function(list(cells.flat))
        return call.made(call.numbers(whole).reshape((1,) * cells.ndim)) if keeps else whole
    lanes = numpy.moveaxis(cells, axis, -1)
    found = numpy.empty(lanes.shape[:-1], object)
    for place in numpy.ndindex(found.shape):
        found[place] = function(list(lanes[place]))
    return call.made(numpy.expand_dims(found, axis) if keeps else found)


def norm(call: ArrayCall) -> Any:
    """The root of the sum of squares; of others the sum, or the largest, of absolute values."""
    import numpy

    named = call.said("ord", "axis", "keepdims")
    array = call.made(call.numbers(call.args[0]))
    order = named.pop("ord", None)
    of_vectors = len(shape_of(array)) == 1 or isinstance(named.get("axis"), int)
    if of_vectors and order in (1, numpy.inf):
        fold = numpy.sum if order == 1 else numpy.max
        return call.again(fold, call.again(numpy.abs, array), **named)
    if of_vectors and is_number(order) and order not in (0, 2) and not math.isinf(number(order)):
        powers = call.again(numpy.power, call.again(numpy.abs, array), order)
        return call.again(numpy.power, call.again(numpy.sum, powers, **named), 1 / number(order))
    if of_vectors and order == -numpy.inf:
        return call.again(numpy.min, call.again(numpy.abs, array), **named)
    whole = named.get("axis") is None and not named.get("keepdims")
    of_matrix = whole and len(shape_of(array)) == 2
    if of_matrix and order in (1, -1, 2, -2, numpy.inf, -numpy.inf, "nuc"):
        return _of_matrix(call, array, order)
    if order is not None and order != (2 if of_vectors else "fro"):
        hint = "there are numbers and np.inf for vectors; 1, 2, np.inf, 'fro', 'nuc' for matrices"
        raise TraceError(f"this norm is not in the language: ord={order}", call.at, hint)
    square = call.again(numpy.multiply, array, array)
    return call.again(numpy.sqrt, call.again(numpy.sum, square, **named))


def _of_matrix(call: ArrayCall, array: Any, order: Any) -> Any:
    """Of its singular values, or of the sums of absolute values along columns or rows."""
    import numpy

    fold = numpy.sum if order == "nuc" else numpy.max if order > 0 else numpy.min
    if order in (2, -2, "nuc"):
        found = call.again(numpy.linalg.svd, array, full_matrices=False, compute_uv=False)
    else:
        axis = 1 if math.isinf(order) else 0
        found = call.again(numpy.sum, call.again(numpy.abs, array), axis=axis)
    return call.again(fold, found)


def place_of(better: ast.cmpop) -> Callable[[ArrayCall], Any]:
    """`a.argmax()` and `a.argmin()`: the first of the best."""

    def first_of(call: ArrayCall, numbers: list[Any]) -> Any:
        if not numbers:
            raise TraceError(f"{call.name}() needs a value", call.at)
        best, place = numbers[0], 0
        for k, other in enumerate(numbers[1:], 1):
            held = comparison(call.here, _NODE, better, other, best)
            best = chosen(call, held, other, best)
            place = chosen(call, held, k, place)
        return place

    return lambda call: _by_lane(call, partial(first_of, call))


def ordered(call: ArrayCall) -> Any:
    """`np.sort(a)`: a sorted copy; `a.sort()`: in place."""
    import numpy

    named = call.said("axis", "kind", "stable")
    stable = named.get("stable") or named.get("kind") in ("stable", "mergesort")
    cells, axis = _cells(call), named.get("axis", -1)
    if axis == -1 and None in (*call.args[1:2], call.kwargs.get("axis", axis)):
        cells = cells.reshape(-1)  # axis=None
    cells = cells.copy(order="K")
    lanes = numpy.moveaxis(cells, axis, -1)
    for place in numpy.ndindex(lanes.shape[:-1]):
        lane = tuple(lanes[place])
        lanes[place] = call.numbers(call.again(sorted, lane)) if stable else in_order(call, lane)
    found = call.made(cells)
    if type(call.callee).__name__ != "method_descriptor":
        return found
    put_part(call.session, call.args[0], ..., found, call.at)
    return None
