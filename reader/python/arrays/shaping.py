"""Arrays in other forms, and new ones: `a.reshape(2, 3)`, `np.zeros_like(a)`, `np.array(rows)`.

Takes calls of functions of NumPy, gives arrays; knows no derivative.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ....terms.types import Scalar
from ....terms.value import Value
from ..operations.construct import construct
from ..operations.library import definite
from ..operations.making import copied
from ..operations.records import plain
from ..values.arrays import is_array, kind_of, shape_of
from ..values.complexes import is_complex_type
from ..values.objects import Listed, first
from ..values.values import describe, is_number, is_static
from ..values.words import as_type
from .arraycalls import BIND_IT, ArrayCall
from .elementwise import each, number_binary
from .parts import arranged, get_part, put_part


def moved(call: ArrayCall) -> Any:
    """What moves elements: a view where NumPy gives one."""
    if not is_array(call.args[0]):
        return call.computed()
    said = [plain(call.session, arg, call.at) for arg in (*call.args[1:], *call.kwargs.values())]
    if not is_static(tuple(said)):
        message = f"what is said to {call.name}() is known only at run time"
        raise TraceError(message, call.at, BIND_IT)
    given, named = said[: len(call.args) - 1], said[len(call.args) - 1 :]
    words = dict(zip(call.kwargs, named, strict=True))
    how = partial(_asked, call.callee, given, words)
    return arranged(call.session, call.args[0], how, call.at)


def _asked(callee: Any, given: Sequence[Any], words: Mapping[str, Any], layout: Any) -> Any:
    return callee(layout, *given, **words)


def moved_or(computed: Callable[[ArrayCall], Any]) -> Callable[[ArrayCall], Any]:
    """What computes, but for words that only move: `np.einsum("ii->i", m)[:] = 1.0`."""

    def handler(call: ArrayCall) -> Any:
        import numpy

        places = [k for k, arg in enumerate(call.args) if is_array(arg)]
        others = [arg for arg in (*call.args, *call.kwargs.values()) if not is_array(arg)]
        if len(places) != 1 or not is_static(tuple(others)):
            return computed(call)
        array, given = call.args[places[0]], [*call.args]

        def asked(layout: Any) -> Any:
            given[places[0]] = layout
            return call.callee(*given, **call.kwargs)

        sample = numpy.empty(shape_of(array))
        if not numpy.shares_memory(asked(sample), sample):
            return computed(call)
        return arranged(call.session, array, asked, call.at)

    return handler


def of_shape(call: ArrayCall) -> Any:
    """What only the shape says, and the type."""
    import numpy

    cells = call.numbers(call.args[0])
    array = call.made(cells)
    kind = array.kind if is_array(array) else kind_of(array)
    asked = definite(call.callee)
    found = asked(numpy.zeros_like(cells, kind), *call.args[1:], **call.kwargs)
    return call.made(found.astype(object)) if isinstance(found, numpy.ndarray) else found


def full(call: ArrayCall) -> Any:
    """`np.full(shape, number)`, which is known only when the kernel runs."""
    import numpy

    shape, fill = call.args[:2]
    return _typed(call, call.made(numpy.broadcast_to(call.numbers(fill), shape)))


def full_like(call: ArrayCall) -> Any:
    """`np.full_like(a, number)`: of the type of the array."""
    array = _typed(call, call.made(call.numbers(call.args[0])))
    put_part(call.session, array, ..., call.args[1], call.at)
    return array


def _typed(call: ArrayCall, array: Any) -> Any:
    """An array, of the `dtype` that is asked for behind what fills it."""
    import numpy

    wanted = call.said("fill_value", "dtype").get("dtype")
    return array if wanted is None else call.again(numpy.ndarray.astype, array, wanted)


def linspace(call: ArrayCall) -> Any:
    """`np.linspace(a, b, n)`: n numbers, which is known, from one end to the other."""
    import numpy

    session, at = call.session, call.at
    named = call.known(*_ENDS, "dtype")
    words = {"num": 50, "endpoint": True, **named, **dict(zip(_ENDS, call.args, strict=False))}
    ends, count, whole = [words.get(w) for w in _ENDS[:2]], words["num"], words["endpoint"]
    if not is_static((count, whole)) or not isinstance(count, int) or count < 0:
        message = "how many numbers linspace() gives must be known while reading: 0 or more"
        raise TraceError(message, at, f"np.linspace(a, b, 5); or {BIND_IT}")
    if named.get("dtype", float) is not float:
        raise TraceError("linspace() gives reals here", at, "np.linspace(a, b, n).astype(int)")
    if len(call.args) > len(_ENDS) or not all(is_number(v) or _is_scalar(v) for v in ends):
        message = "the ends of linspace() are two numbers here"
        raise TraceError(
            message, at, "for ends that are arrays: a + (b - a) * np.linspace(0, 1, n)"
        )
    start, stop = (construct(session, session.real, [v], at) for v in ends)
    compute = partial(number_binary, call.here, ast.Constant(0))
    step = compute(ast.Div(), compute(ast.Sub(), stop, start), max(count - bool(whole), 1))
    numbers = [compute(ast.Add(), compute(ast.Mult(), float(k), step), start) for k in range(count)]
    numbers[:1] = [start][:count]
    if whole and count > 1:
        numbers[-1] = stop
    cells = numpy.empty(count, object)
    cells[:] = numbers
    return call.made(cells, float)


_ENDS = ("start", "stop", "num", "endpoint")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Value) and isinstance(value.type, Scalar)


def array_of(call: ArrayCall) -> Any:
    """`np.array(a)`: a copy, of the type that is asked for."""
    import numpy

    named = call.known("dtype", "copy")
    array = call.args[0]
    if call.name == "ascontiguousarray" and is_array(array):
        array = arranged(call.session, array, numpy.ascontiguousarray, call.at)
    wanted = named.get("dtype", call.args[1] if len(call.args) > 1 else None)
    alone = named.get("copy", call.name == "array")
    if wanted is not None:
        cells = call.made(call.numbers(array))
        kept = array if is_array(array) else cells
        return call.again(numpy.ndarray.astype, kept, wanted, copy=bool(alone))
    return array if is_array(array) and not alone else call.made(call.numbers(array))


def copy_of(call: ArrayCall) -> Any:
    """`a.copy()`, whose rows follow each other in memory; `np.copy(a)` keeps the order of `a`."""
    import numpy

    call.known("order", "subok")
    array = call.args[0]
    return call.made(call.numbers(array)) if call.callee is numpy.copy else copied(array)


def item(call: ArrayCall) -> Any:
    """`a.item()`: the only element; `a.item(k)`: that at the flat index; `a.item(i, j)`."""
    import numpy

    call.known()
    array, *index = call.args
    if len(index) == 1 and isinstance(index[0], tuple):
        index = list(index[0])
    if len(index) > 1:
        dimensions = call.numbers(array).ndim
        if len(index) != dimensions:
            message = f"{len(index)} indices for {describe(array)}"
            raise TraceError(message, call.at, f"it has {dimensions} dimensions, or one flat index")
        return get_part(call.session, array, tuple(index), call.at)
    flat = call.again(numpy.ravel, array)
    if not index and len(first(flat).items) != 1:
        message = f"{describe(array)} has no single element"
        raise TraceError(message, call.at, "say which: a.item(k), or a[i, j]")
    return get_part(call.session, flat, index[0] if index else 0, call.at)


def to_list(call: ArrayCall) -> Any:
    """`a.tolist()`."""
    call.known()
    return _listed(plain(call.session, call.args[0], call.at))


def _listed(rows: Any) -> Any:
    return Listed([_listed(row) for row in rows]) if isinstance(rows, tuple) else rows


def fill(call: ArrayCall) -> None:
    """`a.fill(number)`."""
    call.known()
    put_part(call.session, call.args[0], ..., call.args[1], call.at)


def as_type_of(call: ArrayCall) -> Any:
    """`a.astype(float)`: a copy of another type."""
    import numpy

    named = call.known("dtype", "order", "casting", "subok", "copy")
    array, wanted = [*call.args, *[named[w] for w in ("dtype",) if w in named]][:2]
    if is_complex_type(wanted):
        return call.invoke(numpy.array, [array], {"dtype": complex}, call.at)
    type_ = as_type(getattr(wanted, "type", wanted), call.session.real)
    if not isinstance(type_, Scalar):
        raise TraceError(f"{describe(wanted)} is no type of numbers", call.at, "float, int or bool")
    kind = float if type_.is_real else bool if type_ is Scalar.BOOL else int
    if named.get("copy") is False and _is_of(call, array, type_, kind):
        return array

    def converted(number: Any) -> Any:
        return construct(call.session, type_, [number], call.at)

    return call.made(each(call.at, converted, [call.numbers(array)]), kind)


def _is_of(call: ArrayCall, array: Any, type_: Scalar, kind: type) -> bool:
    """Whether an array holds numbers of a type already: then NumPy does not need a copy."""
    if not is_array(array) or first(array).kind is not kind:
        return False
    numbers = call.numbers(array).flat
    return all(item.type is type_ for item in numbers if isinstance(item, Value)) and (
        kind is not float or type_ is call.session.real
    )
