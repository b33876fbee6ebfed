"""The types of parameters whose annotation leaves them open, from what is passed for them.

Takes annotations and arguments, gives types; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import partial
from typing import Any, TypeVar, get_args, get_origin

from ....terms.errors import DeriveError
from ....terms.types import Arr, Scalar, Tup, Type, of_numbers, parse_type, shape_of
from ... import marks
from ...passing import Passing
from ...structs import ArrayType, adopted, is_struct, key_of
from .complexes import known_parts
from .hints import admits, arrays_of, closed_type, entry_hints, fields, is_list
from .values import article


def type_from(hint: Any, value: Any, real: Scalar, name: str) -> Type:
    """The type of an open parameter, from what is passed for it. Raises DeriveError."""
    if isinstance(value, marks.DifferentialPair):
        value = value.p
    if isinstance(hint, marks.NoDiffType | Passing):
        return type_from(hint.type, value, real, name)
    known = closed_type(hint, real)
    if known is not None:
        return known
    arrays = arrays_of(hint)
    complex_ = known_parts(value)
    if hint is complex and complex_ is None:
        return real
    if complex_ is not None and (arrays or hint is complex or isinstance(hint, TypeVar)):
        part = (
            _array_type(arrays[0], value.real, real, name)
            if arrays and _shape(value, name)
            else real
        )
        return Tup((part, part), ("real", "imag"), key_of(type(complex_)))
    if arrays and arrays != [hint] and not _shape(value, name):
        return real
    if arrays:
        return _array_type(arrays[0], value, real, name)
    if is_list(hint) or (isinstance(hint, TypeVar) and isinstance(value, list)):
        return _list_type(hint, value, real, name)
    if get_origin(hint) is tuple and isinstance(value, tuple | list):
        if len(value) == len(get_args(hint)):
            pairs = enumerate(zip(get_args(hint), value, strict=True))
            return Tup(tuple([type_from(h, v, real, f"{name}[{k}]") for k, (h, v) in pairs]))
        raise DeriveError(f"argument {name!r} has {len(get_args(hint))} items, not {len(value)}")
    entries = entry_hints(hint)
    if entries is not None and isinstance(value, Mapping):
        return _dictionary_type(entries, value, real, name)
    origin = get_origin(hint) or hint
    if is_struct(origin) and isinstance(value, list) and len(set(map(type, value))) == 1:
        value = value[0]  # of a batch
    cls, named = type(value), isinstance(value, Mapping) or _is_structured(value)
    if is_struct(origin) and not is_struct(cls) and named:
        cls = origin
    if adopted(cls) and (isinstance(hint, TypeVar) or cls is origin or admits(hint, cls)):
        read = partial(_field, value, named, name)
        types = [
            f.type or type_from(f.hint, read(f.name), real, f"{name}.{f.name}")
            for f in fields(cls, real)
        ]
        return Tup(tuple(types), tuple(f.name for f in fields(cls, real)), key_of(cls))
    if isinstance(hint, TypeVar):
        parts = getattr(value, "egad_parts", None)
        found = parse_type(parts[0], real) if parts else real
        if found is not None:
            return found
    raise _no_type(hint, value, name)


def _no_type(hint: Any, value: Any, name: str) -> DeriveError:
    """The error for an argument of which a kernel has no type."""
    cls, origin = type(value), get_origin(hint) or hint
    shown = getattr(hint, "__name__", hint)
    if isinstance(value, str | bytes | complex | dict | set | Enum) and not is_struct(origin):
        return DeriveError(
            f"argument {name!r} is of type {cls.__name__}: a kernel gets numbers only",
            hint="take it out of the struct, or put a number there, such as a member of an IntEnum"
            if "." in name
            else f"bind it: derive(functools.partial(f, {name}=…))",
        )
    if hint in type(value).__mro__ and not is_struct(hint):
        how = f"decorate the class {shown} with @egad.struct"
        if hint is object:
            how = "annotate it as what it is: a number, a vector, a struct"
        message = f"argument {name!r} is {article(shown)} {shown}, which is no struct"
        return DeriveError(message, hint=how)
    given = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
    message = f"argument {name!r} must be {shown}, not {given}"
    several = isinstance(value, list | tuple) and isinstance(hint, type)
    how = f"a batch of several classes needs derive(…, implementations={{{shown}: […]}})"
    return DeriveError(message, hint=how if several else "")


def _dictionary_type(
    hints: Mapping[Any, Any], value: Mapping[Any, Any], real: Scalar, name: str
) -> Type:
    """A dictionary has the keys of the argument, in its order."""
    if not value:
        message = f"argument {name!r} is an empty dictionary: nothing says which keys it has"
        raise DeriveError(message, hint="pass one that has entries")
    types = []
    for key, item in value.items():
        said = hints.get(key, hints.get(...))
        if said is None:
            message = f"argument {name!r} has a key {key!r}, which its annotation does not know"
            raise DeriveError(message, hint=f"it has {', '.join(hints)}")
        if not (isinstance(key, str) and key.isidentifier()):
            message = f"argument {name!r} has a key {key!r}, which is no name"
            raise DeriveError(message, hint="keys of what a kernel gets are texts like 'speed'")
        types.append(type_from(said, item, real, f"{name}[{key!r}]"))
    return Tup(tuple(types), tuple(value), form="dict")


def _is_structured(value: Any) -> bool:
    return bool(getattr(getattr(value, "dtype", None), "names", None))


def _field(value: Any, named: bool, name: str, field: str) -> Any:
    """A field of a struct, a dictionary or a structured array."""
    try:
        return value[field] if named else getattr(value, field)
    except (KeyError, ValueError, AttributeError):
        raise DeriveError(f"argument {name!r} has no value for {field}") from None


def _list_type(hint: Any, value: Any, real: Scalar, name: str) -> Type:
    def array_of(item: Type, size: int) -> Arr:
        return Arr(item, size, isinstance(hint, ArrayType) and of_numbers(item))

    args = (hint.item,) if isinstance(hint, ArrayType) else get_args(hint)
    inner = args[0] if args and not isinstance(args[0], TypeVar) else float
    item = closed_type(inner, real)
    if isinstance(value, list | tuple):
        if not value:
            raise DeriveError(
                f"argument {name!r} is an empty {type(value).__name__}: nothing says what it holds",
                hint="pass one that has elements",
            )
        if item is None and entry_hints(inner) is not None:
            found = [type_from(inner, v, real, f"{name}[{k}]") for k, v in enumerate(value)]
            if any(one != found[0] for one in found):  # layers of several widths
                return Tup(tuple(found), form="list")
        if item is None or isinstance(item, Tup):
            return array_of(item or type_from(inner, value[0], real, f"{name}[0]"), len(value))
    shape = _shape(value, name)
    if item is None and shape:
        item = type_from(inner, value[0], real, f"{name}[0]")
    inside = len(shape_of(item)) if item is not None and not isinstance(item, Tup) else 0
    if item is None or len(shape) <= inside:
        raise DeriveError(f"argument {name!r} must be a list, not {type(value).__name__}")
    return array_of(item, shape[len(shape) - inside - 1])


def _shape(value: Any, name: str) -> tuple[int, ...]:
    """The shape of an array, or of lists in lists; that of anything else is empty."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) or not isinstance(value, list | tuple):
        return shape if isinstance(shape, tuple) else ()
    import numpy as np

    try:
        return np.shape(value)
    except ValueError as error:
        raise DeriveError(
            f"argument {name!r} has rows of several lengths", hint="make them equally long"
        ) from error


def _array_type(hint: Any, value: Any, real: Scalar, name: str) -> Type:
    """The type of an array of NumPy, all of which is one value: `np.ndarray`."""
    shape = _shape(value, name)
    if not shape or 0 in shape:
        given = f"one of shape {shape}" if shape else type(value).__name__
        raise DeriveError(f"argument {name!r} must be an array that has elements, not {given}")
    held = get_args(hint)[1:]  # the dtype, in `NDArray[np.int32]`
    kind = closed_type(get_args(held[0])[0], real) if held and get_args(held[0]) else None
    type_: Type = kind if isinstance(kind, Scalar) else real
    for size in reversed(shape):
        type_ = Arr(type_, size, numpy=True)
    return type_
