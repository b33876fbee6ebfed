"""How values lie in memory: NumPy dtypes, the axes of arrays, and C structs of the same layout.

A struct is one record of its fields, aligned as C aligns them; vectors, matrices and arrays
lie packed, row by row. Knows nothing of kernels and of what users pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...terms.program import Slot
from ...terms.types import Arr, Mat, Scalar, Tup, Type, Vec, item_paths, leaf_types, stored_as
from .names import Names

Array = np.ndarray[Any, np.dtype[Any]]

DTYPES: Mapping[Scalar, np.dtype[Any]] = {
    Scalar.BOOL: np.dtype(np.bool_),
    Scalar.I32: np.dtype(np.int32),
    Scalar.U32: np.dtype(np.uint32),
    Scalar.F16: np.dtype(np.float16),
    Scalar.F32: np.dtype(np.float32),
    Scalar.F64: np.dtype(np.float64),
}


def fields_of(type_: Tup) -> list[str]:
    """The names of the fields in memory: those of the struct; of a tuple, `f0`, `f1`, …."""
    return list(type_.names) or [f"f{i}" for i in range(len(type_.items))]


def axes_of(type_: Type) -> tuple[int, ...]:
    """The trailing array axes that hold one value."""
    match type_:
        case Vec(size=size):
            return (size,)
        case Mat(rows=rows, cols=cols):
            return (rows, cols)
        case Arr(item=item, size=size):
            return (size, *axes_of(item))
    return ()


def dtype_of(type_: Type) -> np.dtype[Any]:
    """The NumPy dtype of a value's components; of a struct, that of its record.

    >>> dtype_of(Scalar.F32)
    dtype('float32')
    """
    while isinstance(type_, Arr):
        type_ = type_.item
    if not isinstance(type_, Tup):
        return DTYPES[stored_as(type_)]
    names = fields_of(type_)
    formats = [(dtype_of(item), axes_of(item)) for item in type_.items]
    return np.dtype([(n, *f) for n, f in zip(names, formats, strict=True)], align=True)


def leaf_arrays(type_: Type, values: Array) -> list[Array]:
    """Views of the components of values, in order; `values` has the axes of the type last."""
    if isinstance(type_, Tup):
        parts = zip(fields_of(type_), type_.items, strict=True)
        return [leaf for name, item in parts for leaf in leaf_arrays(item, values[name])]
    axes = axes_of(type_)
    if isinstance(type_, Arr):
        here = values.ndim - len(axes)
        rows = [values[(slice(None),) * here + (k,)] for k in range(type_.size)]
        return [leaf for row in rows for leaf in leaf_arrays(type_.item, row)]
    if not axes:
        return [values]
    return [values[(..., *place)] for place in np.ndindex(axes)]


def opened(slot: Slot) -> Iterator[Slot]:
    """A parameter or result as it is passed to kernels: every item of a tuple on its own.

    >>> [s.name for s in opened(Slot("t", Tup((Scalar.F32, Scalar.I32))))]
    ['t[0]', 't[1]']
    """
    stack = [slot]
    while stack:
        found = stack.pop()
        if is_opened(found.type):
            stack.extend(reversed(items_of(found)))
        elif leaf_types(found.type):  # a struct without fields holds nothing to pass
            yield found


def is_opened(type_: Type) -> bool:
    """Whether a value is passed item by item: a tuple that is no struct."""
    return isinstance(type_, Tup) and not type_.struct


def together(type_: Type, items: Sequence[Any]) -> Any:
    """The items of what is passed item by item, as a user has it: a tuple, a list or a dictionary.

    >>> together(Tup((Scalar.F32,), ("x",), form="dict"), [2.0])
    {'x': 2.0}
    """
    assert isinstance(type_, Tup)
    if type_.form == "dict":
        return dict(zip(type_.names, items, strict=True))
    return list(items) if type_.form == "list" else tuple(items)


@lru_cache(maxsize=1024)  # every call asks for those of its arguments and results
def items_of(slot: Slot) -> tuple[Slot, ...]:
    """The items of a tuple, or the fields of a struct, as slots of their own.

    >>> [item.name for item in items_of(Slot("t", Tup((Scalar.F32, Scalar.I32))))]
    ['t[0]', 't[1]']
    """
    assert isinstance(slot.type, Tup)
    pairs = zip(item_paths(slot.type), slot.type.items, strict=True)
    return tuple([Slot(slot.name + path, item, slot.diff) for path, item in pairs])


# --- C --------------------------------------------------------------------------------------


def element_of(type_: Type) -> tuple[Scalar | Tup, int]:
    """What a buffer of values has for elements, and how many of them one value is."""
    count = 1
    while isinstance(type_, Arr):
        count *= type_.size
        type_ = type_.item
    if isinstance(type_, Tup):
        return type_, count
    return stored_as(type_), count * math.prod(axes_of(type_))


def c_fields(type_: Tup) -> list[str]:
    """The fields of a struct as identifiers of C."""
    names = Names()
    return [names.fresh(name) for name in fields_of(type_)]


def c_paths(type_: Type) -> list[str]:
    """How C reaches the components of an element: `.b.v[2]`."""
    if isinstance(type_, Tup):
        parts = zip(c_fields(type_), type_.items, strict=True)
        return [f".{name}{path}" for name, item in parts for path in c_paths(item)]
    if isinstance(type_, Arr):
        inner = c_paths(type_.item)
        return [f"[{k}]{path}" for k in range(type_.size) for path in inner]
    places = np.ndindex(axes_of(type_))
    return ["".join(f"[{k}]" for k in place) for place in places]


def struct_types(types: Sequence[Type]) -> list[Tup]:
    """The structs that values of these types are made of, each after those it contains."""
    found: dict[Tup, None] = {}

    def visit(type_: Type) -> None:
        while isinstance(type_, Arr):
            type_ = type_.item
        if isinstance(type_, Tup) and type_ not in found:
            for item in type_.items:
                visit(item)
            found[type_] = None

    for type_ in types:
        visit(type_)
    return list(found)


def typedef(type_: Tup, names: Mapping[Tup, str], kinds: Mapping[Scalar, str]) -> list[str]:
    """The C text that declares a struct."""
    lines = ["typedef struct {"]
    for field, item in zip(c_fields(type_), type_.items, strict=True):
        axes = "".join(f"[{n}]" for n in axes_of(item))
        inner = item
        while isinstance(inner, Arr):
            inner = inner.item
        kind = names[inner] if isinstance(inner, Tup) else kinds[stored_as(inner)]
        lines.append(f"    {kind} {field}{axes};")
    return [*lines, f"}} {names[type_]};"]
