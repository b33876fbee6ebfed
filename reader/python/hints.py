"""Annotations as Python objects: which type each of them is.

Takes hints (`float`, `Array[float, 3]`, a struct class, `H[float]`), gives types; a hint whose
type depends on the value that is passed (`list[float]`, a type variable, a protocol) is open.
Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from ...terms.errors import TraceError
from ...terms.types import Arr, Scalar, Tup, Type
from .. import marks
from ..structs import ArrayType, Passing, fields_of, is_struct, key_of
from .words import as_type

PAIR_NAMES = ("p", "d")


def pair_type(type_: Type) -> Tup:
    """The type of a value of `type_` with its tangent."""
    return Tup((type_, type_), PAIR_NAMES)


@dataclass(frozen=True, slots=True)
class PairHint:
    """The annotation `Pair[T]`."""

    type: Any


def closed_type(hint: Any, real: Scalar) -> Type | None:
    """The type that a hint stands for; None where it is open, or stands for no type."""
    return _closed(hint, real, {}, ())


def _closed(
    hint: Any, real: Scalar, env: Mapping[Any, Any], inside: tuple[type, ...]
) -> Type | None:
    plain = as_type(hint, real)
    if plain is not None:
        return plain
    if isinstance(hint, TypeVar):
        bound = env.get(hint, hint)
        return None if bound is hint else _closed(bound, real, {}, inside)
    if isinstance(hint, marks.NoDiffType | Passing):
        return _closed(hint.type, real, env, inside)
    if isinstance(hint, PairHint):
        inner = _closed(hint.type, real, env, inside)
        return None if inner is None else pair_type(inner)
    if isinstance(hint, ArrayType):
        item, size = _closed(hint.item, real, env, inside), length_of(hint.size, env)
        return None if item is None or size is None else Arr(item, size)
    if is_struct(hint):
        return None if parameters_of(hint) else _struct(hint, real, {}, inside)
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple and args and args[-1] is not ...:
        items = [_closed(arg, real, env, inside) for arg in args]
        return None if None in items else Tup(tuple(i for i in items if i is not None))
    if is_struct(origin):
        bound = dict(zip(parameters_of(origin), (env.get(a, a) for a in args), strict=False))
        return _struct(origin, real, bound, inside)
    return None


def length_of(size: Any, env: Mapping[Any, Any]) -> int | None:
    """The length of an array: an integer, or a type variable that stands for one."""
    size = env.get(size, size) if isinstance(size, TypeVar) else size
    if get_origin(size) is Literal:
        (size,) = get_args(size)
    return size if isinstance(size, int) and size > 0 else None


def parameters_of(cls: Any) -> tuple[Any, ...]:
    """The type variables of a generic class."""
    return tuple(getattr(cls, "__parameters__", ()))


def _struct(
    cls: type, real: Scalar, env: Mapping[Any, Any], inside: tuple[type, ...]
) -> Type | None:
    if cls in inside:
        raise TraceError(f"{cls.__name__} contains itself: it would have no end")
    names, types = [], []
    for name, hint in fields_of(cls):
        type_ = _closed(hint, real, env, (*inside, cls))
        if type_ is None:
            return None
        names.append(name)
        types.append(type_)
    return Tup(tuple(types), tuple(names), key_of(cls))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct: its type where that is the same for all instances."""

    name: str
    type: Type | None
    stops: bool  # annotated no_diff[…]
    hint: Any


@lru_cache(maxsize=512)
def fields(cls: type, real: Scalar) -> tuple[Field, ...]:
    """The fields of a struct class."""
    return tuple(
        Field(name, closed_type(hint, real), isinstance(hint, marks.NoDiffType), hint)
        for name, hint in fields_of(cls)
    )


def alternatives(hint: Any) -> tuple[Any, ...]:
    """The members of a union `A | B`; of anything else, itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def is_open(hint: Any) -> bool:
    """Whether a hint that has no type of its own takes its type from the value."""
    if isinstance(hint, marks.NoDiffType | Passing):
        return is_open(hint.type)
    if isinstance(hint, ArrayType):
        return True
    members = alternatives(hint)
    if len(members) > 1:
        return all(is_struct(m) for m in members)
    if hint is list or get_origin(hint) in (list, tuple) or is_struct(get_origin(hint)):
        return True
    return isinstance(hint, TypeVar) or (isinstance(hint, type) and hint.__module__ != "builtins")


def admits(hint: Any, cls: type | None) -> bool:
    """Whether an instance of `cls` (None: a list) may stand where an open hint is written."""
    if isinstance(hint, marks.NoDiffType | Passing):
        return admits(hint.type, cls)
    if isinstance(hint, TypeVar):
        if hint.__constraints__:
            return any(admits(c, cls) for c in hint.__constraints__)
        return hint.__bound__ is None or admits(hint.__bound__, cls)
    if isinstance(hint, ArrayType) or hint is list or get_origin(hint) is list:
        return cls is None
    members = [get_origin(m) or m for m in alternatives(hint)]
    if cls is None:
        return False
    return any(isinstance(m, type) and _implements(cls, m) for m in members)


def _implements(cls: type, wanted: type) -> bool:
    if wanted in cls.__mro__:
        return True
    if not getattr(wanted, "_is_protocol", False):
        return False
    needed = [n for n, v in vars(wanted).items() if callable(v) and not n.startswith("_")]
    return all(hasattr(cls, name) for name in needed)
