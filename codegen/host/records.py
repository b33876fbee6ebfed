"""Structs as users pass them and get them back: instances, dicts, NumPy structured arrays.

Takes an argument for a struct, gives its fields as arrays with their places in the record;
takes records, gives the form in which the arguments came. Knows nothing of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...reader.structs import class_of, is_struct, key_of
from ...terms.errors import DeviceError, nearest
from ...terms.program import Slot
from ...terms.types import Arr, Scalar, Tup, Type, is_record, type_name
from ..kernel.layout import Array, axes_of, dtype_of, fields_of, leaf_arrays

Form = Literal["number", "instance", "list", "dict", "array"]


@dataclass(frozen=True)
class Piece:
    """A part of an argument that is one array of numbers, and where it lies in the record.

    The path is made of fields (`"mass"`) and of positions in arrays of structs (`2`).
    """

    slot: Slot
    value: Any
    path: tuple[str | int, ...] = ()

    def within(self, records: Array, leading: int) -> Array:
        """The part of the records that this piece fills; `leading` axes are the batch."""
        view = records
        for step in self.path:
            view = view[step] if isinstance(step, str) else view[(slice(None),) * leading + (step,)]
        return view


def misfit(param: Slot, problem: str, hint: str = "") -> DeviceError:
    """The error for an argument that does not fit its parameter."""
    return DeviceError(f"argument {param.name!r} ({type_name(param.type)}): {problem}", hint=hint)


def form_of(type_: Type, value: Any) -> Form:
    """In which form a struct is passed."""
    if not is_record(type_):
        return "number"
    if is_structured(value):
        return "array"
    if is_batch(type_, value):
        return "list"
    while _is_rows(value) and value:
        value = value[0]
    return "dict" if isinstance(value, Mapping) else "instance"


def is_structured(value: Any) -> bool:
    """Whether a value is an array of records."""
    dtype = getattr(value, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.names is not None


def is_batch(type_: Type, value: Any) -> bool:
    """Whether a value is a list of structs where one struct is asked for."""
    return isinstance(type_, Tup) and bool(type_.struct) and _is_list(value)


def _is_list(value: Any) -> bool:
    objects = isinstance(value, np.ndarray) and value.dtype.kind == "O" and value.ndim == 1
    return _is_rows(value) or objects


def _is_rows(value: Any) -> bool:
    """Whether a value is a list or a tuple, and not a struct that is a tuple too."""
    return isinstance(value, list | tuple) and not is_struct(type(value))


def outline(value: Any) -> tuple[int, ...]:
    """The axes of an argument; a struct has none, also where it is a tuple."""
    if _is_list(value):
        return (len(value),)
    return tuple(value.shape) if hasattr(value, "dtype") else ()


def batched(slot: Slot, values: Sequence[Any], single: Callable[[Slot, Any], Any]) -> Array:
    """Records of a list of structs, each of which may be of another class.

    `single` converts one value, and refuses what is none.
    """
    records = np.zeros(len(values), dtype_of(slot.type))
    for k, value in enumerate(values):
        for piece in pieces_of(replace(slot, name=f"{slot.name}[{k}]"), value):
            piece.within(records[k : k + 1], 1)[0] = single(piece.slot, piece.value)
    return records


def pieces_of(slot: Slot, value: Any) -> Iterator[Piece]:
    """The arrays that an argument is made of; one that is no struct is one piece."""
    stack = [Piece(slot, value)]
    while stack:
        piece = stack.pop()
        type_ = piece.slot.type
        if not is_record(type_) or _is_whole(piece):
            yield piece
        elif is_structured(piece.value):
            stack.extend(reversed(_of_array(piece)))
        elif isinstance(type_, Tup) and type_.union and not isinstance(piece.value, Mapping):
            stack.extend(reversed(_of_union(piece, type_)))
        elif isinstance(type_, Arr):
            stack.extend(reversed(_of_list(piece, type_)))
        else:
            assert isinstance(type_, Tup)
            stack.extend(reversed(_of_struct(piece, type_)))


def _is_whole(piece: Piece) -> bool:
    """Whether the argument is already an array of the records themselves."""
    return not piece.path and getattr(piece.value, "dtype", None) == dtype_of(piece.slot.type)


def _of_array(piece: Piece) -> list[Piece]:
    """The fields of a structured array; one for an array of structs is taken struct by struct."""
    type_, value, axes = piece.slot.type, piece.value, axes_of(piece.slot.type)
    if value.shape[value.ndim - len(axes) :] != axes:
        raise misfit(piece.slot, f"expected trailing axes {axes}, got shape {value.shape}")
    if isinstance(type_, Arr):
        rows = np.moveaxis(value, value.ndim - len(axes), 0)
        return [_element(piece, type_, k, row) for k, row in enumerate(rows)]
    assert isinstance(type_, Tup)
    names = fields_of(type_)
    _check_names(piece.slot, names, value.dtype.names)
    return [
        Piece(Slot(f"{piece.slot.name}.{name}", item), value[name], (*piece.path, name))
        for name, item in zip(names, type_.items, strict=True)
    ]


def _of_list(piece: Piece, type_: Arr) -> list[Piece]:
    value = piece.value
    if not isinstance(value, list | tuple) or len(value) != type_.size:
        problem = f"expected a list of {type_.size} {type_name(type_.item)}, got {value!r:.60}"
        raise misfit(piece.slot, problem)
    return [_element(piece, type_, k, item) for k, item in enumerate(value)]


def _element(piece: Piece, type_: Arr, k: int, value: Any) -> Piece:
    return Piece(Slot(f"{piece.slot.name}[{k}]", type_.item), value, (*piece.path, k))


def _of_struct(piece: Piece, type_: Tup) -> list[Piece]:
    names = fields_of(type_)
    get = _getter(piece.slot, type_, names, piece.value)
    return [
        Piece(Slot(f"{piece.slot.name}.{name}", item), get(name), (*piece.path, name))
        for name, item in zip(names, type_.items, strict=True)
    ]


def _of_union(piece: Piece, type_: Tup) -> list[Piece]:
    """The tag and the fields of the struct that is there; the others stay zero."""
    cls = type(piece.value)
    for index, (name, item) in enumerate(zip(type_.names[1:], type_.items[1:], strict=True)):
        if isinstance(item, Tup) and is_struct(cls) and key_of(cls) == item.struct:
            of = piece.slot.name
            return [
                Piece(Slot(f"{of}.tag", Scalar.I32), index, (*piece.path, "tag")),
                Piece(Slot(f"{of}.{name}", item), piece.value, (*piece.path, name)),
            ]
    problem = f"expected {' or '.join(type_.names[1:])}, got {cls.__name__}"
    raise misfit(piece.slot, problem, "pass an instance of one of them, or a list of instances")


def _getter(slot: Slot, type_: Tup, names: Sequence[str], value: Any) -> Callable[[str], Any]:
    """What reads a field of a struct, in whatever form it is passed."""
    if isinstance(value, Mapping):
        _check_names(slot, names, list(value))
        return value.__getitem__
    if isinstance(value, tuple) and not type_.struct and len(value) == len(names):
        return dict(zip(names, value, strict=True)).__getitem__
    cls, known = type(value), class_of(type_.struct) if type_.struct else None
    if known is not None and cls is not known and issubclass(cls, known):
        problem = f"expected a {known.__name__}, got a {cls.__name__}, which may do otherwise"
        raise misfit(slot, problem, _how_to_derive_for(slot, known.__name__, cls.__name__))
    if all(hasattr(value, name) for name in names) and (names or is_struct(type(value))):
        return lambda name: getattr(value, name)
    if not (type_.names or type_.struct):  # a tuple
        raise misfit(slot, f"expected a tuple of {len(names)} items, got {value!r:.60}")
    shown = type(value).__name__ if not isinstance(value, type) else f"the class {value.__name__}"
    raise misfit(
        slot,
        f"expected a struct, got {shown}",
        f"pass an instance of {type_name(type_)}, a dict or a structured array with the fields "
        f"{', '.join(names)}",
    )


def of_dictionary(slot: Slot, value: Any) -> Any:
    """The entries of a dictionary in the order of its type; any other value as it is."""
    assert isinstance(slot.type, Tup)
    if slot.type.form != "dict":
        return value
    if not isinstance(value, Mapping):
        raise misfit(slot, f"expected a dict, got {value!r:.60}")
    _check_names(slot, slot.type.names, list(value))
    return [value[name] for name in slot.type.names]


def _how_to_derive_for(slot: Slot, base: str, derived: str) -> str:
    name = slot.name.partition("[")[0]
    if "." in name:
        return f"annotate the field as {base} | {derived}"
    return (
        f"derive for it: derive(…, types={{{name!r}: {derived}}}); "
        f"for both of them: implementations={{{base}: [{base}, {derived}]}}"
    )


def _check_names(slot: Slot, names: Sequence[str], given: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            raise misfit(
                slot,
                f"it has no field {name!r}{nearest(name, names)}",
                f"it has {', '.join(names)}",
            )
    missing = [name for name in names if name not in given]
    if missing:
        has = f"it has {', '.join(names)}"
        raise misfit(slot, f"there is no value for {', '.join(missing)}", has)


# --- results --------------------------------------------------------------------------------

#: What turns the numbers of one field, with the field's name, into what the user gets.
Finish = Callable[[str, Array], Any]
#: What makes a struct of its fields.
Make = Callable[[Tup, dict[str, Any]], Any]


def formed(
    name: str, type_: Type, records: Array, finish: Finish, make: Make, tag: Finish | None = None
) -> Any:
    """Records as structs: `finish` is asked for every field of numbers, `make` for structs.

    `tag` is asked, instead of `finish`, for what says which struct of a union it is.
    """
    if not is_record(type_):
        return finish(name, records)
    if isinstance(type_, Arr):
        rows = np.moveaxis(records, records.ndim - len(axes_of(type_)), 0)
        pairs = enumerate(rows)
        return [formed(f"{name}[{k}]", type_.item, row, finish, make, tag) for k, row in pairs]
    assert isinstance(type_, Tup)
    values = {}
    for field, item in zip(fields_of(type_), type_.items, strict=True):
        how = tag if tag and type_.union and field == "tag" else finish
        values[field] = formed(f"{name}.{field}", item, records[field], how, make, tag)
    return make(type_, values)


def is_tagged(type_: Type) -> bool:
    """Whether there is a union in a type."""
    if isinstance(type_, Arr):
        return is_tagged(type_.item)
    return isinstance(type_, Tup) and (type_.union or any(map(is_tagged, type_.items)))


def copy_tags(type_: Type, records: Array, source: Array) -> None:
    """Which struct it is, for every union in the records, from other records of that type."""
    if isinstance(type_, Arr):
        copy_tags(type_.item, records, source)
    elif isinstance(type_, Tup):
        if type_.union:
            records["tag"][...] = source["tag"]
        for name, item in zip(fields_of(type_), type_.items, strict=True):
            if is_record(item):
                copy_tags(item, records[name], source[name])


def check_tags(slot: Slot, type_: Type, records: Array) -> None:
    """DeviceError where what says which struct of a union it is says none of them."""
    if isinstance(type_, Arr):
        check_tags(slot, type_.item, records)
    elif isinstance(type_, Tup) and type_.union:
        names = type_.names[1:]
        wrong = records["tag"][(records["tag"] < 0) | (records["tag"] >= len(names))]
        if wrong.size:
            known = ", ".join(f"{k} is {name}" for k, name in enumerate(names))
            raise misfit(slot, f"no struct has the tag {wrong.flat[0]}", known)
    elif isinstance(type_, Tup):
        for name, item in zip(fields_of(type_), type_.items, strict=True):
            check_tags(slot, item, records[name])


def is_lost(type_: Type, records: Array, tangents: Array) -> bool:
    """Whether tangents are other than 0 in a struct that is not the one that is there."""
    if isinstance(type_, Arr):
        return is_lost(type_.item, records, tangents)
    if not isinstance(type_, Tup):
        return False
    pairs = zip(fields_of(type_), type_.items, strict=True)
    if not type_.union:
        return any(is_lost(item, records[name], tangents[name]) for name, item in pairs)
    return any(
        np.logical_and(records["tag"] != index, leaf != 0).any()
        for index, (name, item) in enumerate(pairs, -1)
        if index >= 0
        for leaf in leaf_arrays(item, tangents[name])
    )


def mapped(
    type_: Type, records: Array, leading: tuple[int, ...], change: Callable[[Array], Array]
) -> Array:
    """Records with other leading axes, every component changed by `change`."""
    result = np.zeros((1, *leading, *axes_of(type_)), dtype_of(type_))
    pairs = zip(leaf_arrays(type_, result), leaf_arrays(type_, records), strict=True)
    for target, leaf in pairs:
        target[0] = change(leaf)
    return result.reshape(result.shape[1:])
