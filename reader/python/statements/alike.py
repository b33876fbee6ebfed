"""Whether two classes that one class statement has made are the same but for their identity."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import Field
from enum import Enum
from types import CodeType, FunctionType
from typing import Any

import numpy

#: What Python keeps in each class for itself.
_OWN = frozenset({"__dict__", "__weakref__", "__abc_impl", "_abc_impl", "__egad_struct__"})
_ROOT = __name__.partition(".")[0]
_HOLDERS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (staticmethod, ("__func__",)),
    (classmethod, ("__func__",)),
    (property, ("fget", "fset", "fdel")),
    (functools.cached_property, ("func",)),
    (FunctionType, ("__code__", "__defaults__", "__kwdefaults__", "__annotations__")),
    (Field, ("name", "type", "default", "default_factory", "init", "repr", "compare", "kw_only")),
)


def alike(one: type, other: type) -> bool:
    """Whether two classes have the same bases, methods and values, as far as can be said."""
    return _Pair(one, other).same_classes()


class _Pair:
    """Two classes that are compared; each stands for the other in what they hold."""

    def __init__(self, one: type, other: type) -> None:
        self.one, self.other = one, other

    def same_classes(self) -> bool:
        mine, theirs = self._held(self.one), self._held(self.other)
        if self.one.__bases__ != self.other.__bases__ or list(mine) != list(theirs):
            return False
        return all(self.same(value, theirs[name]) for name, value in mine.items())

    @staticmethod
    def _held(cls: type) -> dict[str, Any]:
        return {name: value for name, value in vars(cls).items() if name not in _OWN}

    def same(self, a: Any, b: Any) -> bool:
        if a is b or (a is self.one and b is self.other):
            return True
        if isinstance(a, Enum) and isinstance(b, Enum) and type(a) is self.one:
            return type(b) is self.other and a.name == b.name and self.same(a.value, b.value)
        if type(a) is not type(b):
            return False
        for kind, names in _HOLDERS:
            if isinstance(a, kind):
                return all(self.same(getattr(a, n), getattr(b, n)) for n in names)
        if isinstance(a, type):
            return _Pair(a, b).same_classes()
        if isinstance(a, numpy.ndarray):
            return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
        if isinstance(a, Mapping):
            return list(a) == list(b) and all(self.same(v, b[k]) for k, v in a.items())
        if type(a).__module__.partition(".")[0] == _ROOT:  # what `@struct` writes
            return self.same(vars(a), vars(b)) if hasattr(a, "__dict__") else bool(a == b)
        if isinstance(a, list | tuple):
            return len(a) == len(b) and all(map(self.same, a, b))
        return _equal(a, b)


def _equal(a: Any, b: Any) -> bool:
    """Objects that say themselves that they are equal, and those that Python makes from data."""
    if isinstance(a, CodeType):
        return bool(a == b)
    if isinstance(a, int | float | complex | str | bytes | set | frozenset):
        return bool(a == b) and repr(a) == repr(b)  # -0.0 is no 0.0
    if type(a).__module__ == "dataclasses":  # what the decorator was told
        return repr(a) == repr(b)
    made: Callable[..., Any] | None = getattr(a, "__reduce__", None)
    if type(a).__name__ == "_tuplegetter" and made is not None:  # a field of a NamedTuple
        return bool(a.__reduce__() == b.__reduce__())
    return type(a).__module__ in ("typing", "types", "builtins") and bool(a == b)
