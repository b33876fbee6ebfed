"""Annotations as Python objects: which type each of them is.

Takes hints (`float`, `Array[float, 3]`, a struct class, `H[float]`), gives types; a hint whose
type depends on the value that is passed (`list[float]`, a type variable, a protocol) is open.
Knows nothing of syntax.
"""

from __future__ import annotations

import collections
import inspect
import sys
from collections import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import GenericAlias, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from ....terms.errors import Span, TraceError, warn
from ....terms.types import Arr, Scalar, Tup, Type, of_numbers
from ... import marks
from ...inferred import ANYTHING
from ...passing import Passing
from ...structs import (
    LONGEST,
    ArrayType,
    adopted,
    class_at,
    class_of,
    fields_of,
    is_inferred,
    is_struct,
    key_of,
)
from .words import as_type

PAIR_NAMES = ("p", "d")


class OpenParameters(TraceError):
    """Parameters have types that depend on the arguments: `list[float]`, a protocol."""

    def __init__(
        self,
        function: str,
        names: Sequence[str],
        hints: Mapping[str, Any],
        defaults: Mapping[str, Any],
        at: Span,
    ) -> None:
        name, hint = next(iter(hints.items()))
        super().__init__(
            f"the type of parameter {name!r} of {function} depends on the argument",
            at,
            f"give it: types={{{name!r}: …}}, such as Array[float, 3] or a struct class"
            if not is_list(hint)
            else f"write its length: Array[float, 3], or types={{{name!r}: Array[float, 3]}}",
        )
        self.function, self.names = function, tuple(names)
        self.hints = dict(hints)
        self.defaults = {name: defaults[name] for name in hints if name in defaults}


def pair_type(type_: Type) -> Tup:
    """The type of a value of `type_` with its tangent."""
    return Tup((type_, type_), PAIR_NAMES)


def holds_dictionary(type_: Type) -> bool:
    """Whether a dictionary is somewhere in a type."""
    if isinstance(type_, Tup):
        return type_.form == "dict" or any(map(holds_dictionary, type_.items))
    return isinstance(type_, Arr) and holds_dictionary(type_.item)


def warn_of_own_differentials(name: str, type_: Type, at: Span) -> None:
    """What a struct says of its own differentials, beside `dzero`, has no part in derivatives."""
    cls = class_of(type_.struct) if isinstance(type_, Tup) and not type_.union else None
    if cls is None:
        return
    if isinstance(inspect.getattr_static(cls, "dadd", None), staticmethod):
        warn(
            f"cotangents of {name!r} are added field by field: {cls.__name__}.dadd is not called",
            at,
            "leave it away; or give the functions that use the struct rules of their own",
        )
    if isinstance(inspect.getattr_static(cls, "Differential", None), type):
        warn(
            f"tangents and cotangents of {name!r} are of the class {cls.__name__} itself:"
            f" {cls.__name__}.Differential is not used",
            at,
            "leave it away; no_diff[…] as an annotation takes a field out",
        )


@dataclass(frozen=True, slots=True)
class PairHint:
    """The annotation `Pair[T]`."""

    type: Any


_SEQUENCES = (abc.Sequence, abc.Iterable, abc.Collection)


#: What is known while reading, or run over there: it says nothing of numbers in a kernel.
_WHILE_READING = (
    *(collections.deque, collections.Counter, collections.OrderedDict, collections.defaultdict),
    *(set, frozenset, range, slice, enumerate, zip, map, filter, reversed, type),
    *(abc.Iterator, abc.Generator, abc.Reversible, abc.Container, abc.Set, abc.MutableSet),
)


def is_known_while_reading(hint: Any) -> bool:
    """Whether a hint names containers that kernels do not have: `set[int]`, `Iterator[float]`."""
    return (get_origin(hint) or hint) in _WHILE_READING


def plain(hint: Any) -> Any:
    """What a hint says of a value in fewer words: `Final[T]`, `Annotated[T, …]`, `float | int`."""
    while True:
        origin, args = get_origin(hint), get_args(hint)
        if origin is Annotated or origin is Final:
            hint = args[0]
        elif isinstance(hint, NewType):
            hint = hint.__supertype__
        else:
            break
    if origin is Literal:
        kinds = list(dict.fromkeys(map(type, args)))
        return kinds[0] if len(kinds) == 1 else object
    if origin in _SEQUENCES or (origin is tuple and args[1:] == (...,)):
        return GenericAlias(list, args[:1])
    if origin in (Union, UnionType) and set(args) == {int, float}:
        return float
    if hint is tuple:
        return list
    if hint is complex:  # beside which real numbers stand
        return ANYTHING
    return None if hint is Final else hint


def closed_type(hint: Any, real: Scalar) -> Type | None:
    """The type that a hint stands for; None where it is open, or stands for no type."""
    return _closed(hint, real, {}, ())


def _closed(
    hint: Any, real: Scalar, env: Mapping[Any, Any], inside: tuple[type, ...]
) -> Type | None:
    hint = plain(hint)
    known = as_type(hint, real)
    if known is not None:
        return known
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
        return None if item is None or size is None else Arr(item, size, of_numbers(item))
    if adopted(hint):
        return None if parameters_of(hint) or _is_bare(hint) else _struct(hint, real, {}, inside)
    members = alternatives(hint)
    if len(members) > 1 and all(is_struct(m) for m in members):
        return union_type("_or_".join(m.__name__ for m in members), members, real)
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple and args and args[-1] is not ...:
        items = [_closed(arg, real, env, inside) for arg in args]
        return None if None in items else Tup(tuple(i for i in items if i is not None))
    if is_struct(origin):
        bound = dict(zip(parameters_of(origin), (env.get(a, a) for a in args), strict=False))
        return _struct(origin, real, bound, inside)
    return None


def _is_bare(cls: type) -> bool:
    """Whether a class says nothing of fields, and may stand for all that are made from it."""
    return is_inferred(cls) and not any(fields_of(cls))


def length_of(size: Any, env: Mapping[Any, Any]) -> int | None:
    """The length of an array: an integer, or a type variable that stands for one."""
    size = env.get(size, size) if isinstance(size, TypeVar) else size
    if get_origin(size) is Literal:
        (size,) = get_args(size)
    return size if isinstance(size, int) and 0 < size <= LONGEST else None


def parameters_of(cls: Any) -> tuple[Any, ...]:
    """The type variables of a generic class."""
    return tuple(getattr(cls, "__parameters__", ()))


def _struct(
    cls: type, real: Scalar, env: Mapping[Any, Any], inside: tuple[type, ...]
) -> Type | None:
    if cls in inside:
        hint = "an instance would have no end: use an array, or the index of another one"
        raise TraceError(f"{cls.__name__} contains itself", class_at(cls), hint)
    names, types = [], []
    for name, hint in fields_of(cls):
        type_ = _closed(hint, real, env, (*inside, cls))
        if type_ is None:
            return None
        names.append(name)
        types.append(type_)
    return Tup(tuple(types), tuple(names), key_of(cls))


def union_type(name: str, classes: Sequence[Any], real: Scalar) -> Type | None:
    """One of several structs: a tag, and room for each of them; None where one is open."""
    types = [closed_type(cls, real) for cls in classes]
    names = [cls.__name__ for cls in classes]
    if None in types or len({*names}) < len(names) or "tag" in names:
        return None
    items = [t for t in types if t is not None]
    return Tup((Scalar.I32, *items), ("tag", *names), f"{classes[0].__module__}.{name}", True)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct: its type where that is the same for all instances."""

    name: str
    type: Type | None
    stops: bool  # annotated no_diff[…]
    hint: Any


def fields(cls: Any, real: Scalar) -> tuple[Field, ...]:
    """The fields of a struct class."""
    return _fields(cls, real)


@lru_cache(maxsize=512)
def _fields(cls: Any, real: Scalar) -> tuple[Field, ...]:
    return tuple(
        Field(name, closed_type(hint, real), stops(hint), hint) for name, hint in fields_of(cls)
    )


def untyped(cls: Any, real: Scalar, inside: tuple[Any, ...] = ()) -> tuple[str, Any] | None:
    """The first field of a struct that has no type of its own, and its hint; None without one."""
    for field in fields(cls, real) if is_struct(cls) and cls not in inside else ():
        if field.type is None:
            inner = untyped(field.hint, real, (*inside, cls))
            return (f"{field.name}.{inner[0]}", inner[1]) if inner else (field.name, field.hint)
    return None


def stops(hint: Any) -> bool:
    """Whether a hint is `no_diff[…]`, or an array of such."""
    while isinstance(hint, ArrayType):
        hint = hint.item
    return isinstance(hint, marks.NoDiffType)


def alternatives(hint: Any) -> tuple[Any, ...]:
    """The members of a union `A | B`; of anything else, itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def without_none(hint: Any) -> tuple[Any, bool]:
    """The hint without `None`, and whether it admits that: `T | None`, `Optional[T]`."""
    members = alternatives(hint)
    kept = tuple(m for m in members if m is not NoneType)
    if len(kept) == len(members) or not kept:
        return hint, False
    return Union[kept], True  # noqa: UP007  # the members are known only here


def is_mapping(hint: Any) -> bool:
    """Whether a hint is that of a dictionary, which has the keys and types that its value has."""
    hint = get_origin(hint) or hint
    return is_typeddict(hint) or hint in (dict, abc.Mapping, abc.MutableMapping)


def is_open(hint: Any) -> bool:
    """Whether a hint that has no type of its own takes its type from the value."""
    if isinstance(hint, marks.NoDiffType | Passing):
        return is_open(hint.type)
    members = alternatives(hint)
    if len(members) > 1:
        return all(is_struct(m) for m in members)
    if is_list(hint) or get_origin(hint) is tuple or is_struct(get_origin(hint)):
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
    return not lacking(cls, wanted)


def lacking(cls: type, protocol: type) -> list[str]:
    """The methods of a protocol, and of those that it extends, which a class does not have."""
    found = {
        name: None
        for c in protocol.__mro__
        if getattr(c, "_is_protocol", False)
        for name, value in vars(c).items()
        if callable(value) and not name.startswith("_")
    }
    return [name for name in found if not hasattr(cls, name)]


def is_list(hint: Any) -> bool:
    """Whether a hint is a list or an array whose length is not known."""
    if isinstance(hint, marks.NoDiffType | Passing):
        return is_list(hint.type)
    listed = hint is list or get_origin(hint) is list
    return listed or isinstance(hint, ArrayType) or is_ndarray(hint)


def arrays_of(hint: Any) -> list[Any]:
    """The arrays of NumPy among what a hint admits: `float | np.ndarray`, `ArrayLike`."""
    numpy, typing = sys.modules.get("numpy"), sys.modules.get("numpy.typing")
    if numpy is not None and typing is not None and hint is typing.__dict__["ArrayLike"]:
        return [numpy.ndarray]
    return [member for member in alternatives(hint) if is_ndarray(member)]


def is_number_or_array(hint: Any) -> bool:
    """Whether a hint admits numbers beside arrays."""
    return not is_ndarray(hint) and bool(arrays_of(hint))


def left_open(hint: Any) -> Any:
    """A hint that says nothing of a value, but of what the argument decides; None for others."""
    named = isinstance(hint, TypeVar) or hint is complex
    decided = named or is_number_or_array(hint) or entry_hints(hint)
    return hint if decided else None


def entry_hints(hint: Any) -> Mapping[str, Any] | None:
    """What a hint says of the entries of a dictionary with names: of each, or of all by `...`.

    >>> entry_hints(dict[str, float])
    {Ellipsis: <class 'float'>}
    """
    if is_typeddict(hint):
        try:
            return get_type_hints(hint)
        except NameError as error:
            message, how = f"the entries of {hint.__name__}: {error}", "name what its module knows"
            raise TraceError(message, class_at(hint), how) from None
    args = get_args(hint)
    return {...: args[1]} if is_mapping(hint) and args[:1] == (str,) else None  # type: ignore[dict-item]


def is_ndarray(hint: Any) -> bool:
    """Whether a hint is an array of NumPy of any shape: `np.ndarray`, `NDArray[np.float64]`."""
    cls = get_origin(hint) or hint
    return isinstance(cls, type) and (cls.__module__, cls.__name__) == ("numpy", "ndarray")
