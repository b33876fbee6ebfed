"""What the constructor of a struct class takes and does, as `dataclasses` writes it.

Takes classes, gives their arguments, what holds where none is given, and who is responsible for
`__init__` and `==`; knows nothing of how they are read.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, MemberDescriptorType
from typing import Any

from .structs import MISSING, default_of, is_inferred, is_named_tuple

#: How `dataclasses` marks what is no field: it has no public name for these.
_INIT_ONLY = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
_OF_THE_CLASS = dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]
_GENERATED = "<string>"  # the file of what `dataclasses` writes


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a constructor."""

    name: str
    by_name: bool  # only as `name=value`
    stored: bool  # in a field; else `__post_init__` gets it: an `InitVar`

    def __str__(self) -> str:
        return f"{self.name}=…" if self.by_name else self.name


def arguments_of(cls: Any) -> tuple[Argument, ...]:
    """What a constructor takes, in order: first what may come without a name."""
    if is_named_tuple(cls):
        return tuple(Argument(name, by_name=False, stored=True) for name in cls._fields)
    found = [
        Argument(f.name, bool(f.kw_only), f._field_type is not _INIT_ONLY)
        for f in _described(cls)
        if f.init
    ]
    return tuple(sorted(found, key=lambda argument: argument.by_name))


def for_init_only(cls: Any) -> tuple[str, ...]:
    """What `__post_init__` gets, in order."""
    return tuple(f.name for f in _described(cls) if f._field_type is _INIT_ONLY)


def not_taken(cls: Any) -> tuple[str, ...]:
    """The fields that the constructor does not take: `field(init=False)`."""
    return () if is_named_tuple(cls) else tuple(f.name for f in _described(cls) if not f.init)


def _described(cls: Any) -> Iterator[Any]:
    """The fields of a dataclass, also those that are for `__init__` alone."""
    every = () if is_inferred(cls) else cls.__dataclass_fields__.values()
    return (f for f in every if f._field_type is not _OF_THE_CLASS)


def standing(cls: type, name: str) -> Any:
    """What a field holds before `__init__` has begun: what the class has; MISSING: nothing."""
    if is_named_tuple(cls):
        return MISSING
    found = inspect.getattr_static(cls, name, MISSING)
    if not isinstance(found, MemberDescriptorType):
        return found
    if is_inferred(cls):
        return MISSING
    # With slots a class has no room for it, so `__init__` begins with the default.
    described = getattr(cls, "__dataclass_fields__")[name]  # noqa: B009
    return described.default


def made_at_once(cls: type, name: str) -> Any:
    """What `__init__` makes for a field that it does not take; MISSING: nothing."""
    described = getattr(cls, "__dataclass_fields__")[name]  # noqa: B009
    return MISSING if described.default_factory is MISSING else default_of(cls, name)


def responsible(cls: type, method: str) -> tuple[type, Any]:
    """The class that a method comes from, and the method."""
    return next((c, vars(c)[method]) for c in cls.__mro__ if method in vars(c))


def is_generated(function: Any) -> bool:
    """Whether a method was not written by anyone: by `dataclasses`, or that of `object`."""
    if not isinstance(function, FunctionType):
        return True
    return function.__code__.co_filename == _GENERATED


def is_generated_init(callee: Any) -> bool:
    """Whether a function is an `__init__` that nobody has written."""
    if callee is object.__init__:
        return True
    named = isinstance(callee, FunctionType) and callee.__name__ == "__init__"
    return named and is_generated(callee)


def compared(cls: Any, method: str = "__eq__") -> tuple[str, ...] | None:
    """The fields that a comparison of a dataclass compares; None where it has written none.

    Where `object` is asked, an instance is equal only to itself, and has no order.
    """
    owner, function = responsible(cls, method)
    if owner is object or not is_generated(function):
        return None
    return tuple(f.name for f in dataclasses.fields(owner) if f.compare)
