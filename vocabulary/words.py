"""The words of the language: `egad.sin`, `egad.dot`, `egad.float3`, … as Python objects.

Takes names, gives one object per operator of the shipped rules and per type. Called with
numbers, arrays or vectors, an operator computes with NumPy; called with symbolic values, it is
written down; in functions that egad reads, the name is all that counts. Python floats are
computed in double precision, arrays in their own.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Sequence
from functools import cache, reduce
from itertools import product
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from ..terms.rule import Operator

_SIZES = ("2", "3", "4")
_SHAPES = (*_SIZES, *(f"{rows}x{cols}" for rows, cols in product(_SIZES, _SIZES)))
_TYPES = {
    f"{kind}{shape}": (kind, tuple(map(int, shape.split("x"))) if shape else ())
    for kind in ("float", "double", "half", "int", "uint", "bool")
    for shape in ("", *_SHAPES)
    if shape or kind in ("double", "half", "uint")
}
# Folded over more than two arguments, as the built-in functions of these names.
_NARY = frozenset({"min", "max"})

_ROOT = __name__.partition(".")[0]


class _Word:
    """A named object of the vocabulary; there is one per name, also after pickling."""

    def __init__(self, name: str, doc: str) -> None:
        self.__egad_name__ = self.__name__ = self.__qualname__ = name
        self.__module__ = __package__
        self.__doc__ = doc

    def __repr__(self) -> str:
        return f"egad.{self.__name__}"

    def __reduce__(self) -> tuple[Any, ...]:
        return get, (self.__name__,)


class Operation(_Word):
    """An operator of the rule files as a function.

    >>> get("lerp")(1.0, 3.0, 0.25)
    1.5
    """

    def __init__(self, name: str, overloads: Sequence[Operator]) -> None:
        super().__init__(name, "\n".join(dict.fromkeys(o.doc for o in overloads if o.doc)))
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        params = [inspect.Parameter(p.name, kind) for p in overloads[0].params]
        self.__signature__ = inspect.Signature(params)

    @property
    def operator(self) -> str:
        """The name of the operator in the rules."""
        return self.__egad_name__

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The value at numbers, arrays, vectors or symbolic values."""
        args = self._ordered(args, named) if named else args
        if self.operator in _NARY and len(args) > 2:
            return reduce(self, args)
        run = _run_of(args)
        if run is not None:
            from ..reader.tracing.calls import call

            return call(run, self.operator, args)
        from .numeric import compute

        return compute(self.operator, args)

    def _ordered(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Arguments by place of those by place and by name."""
        try:
            return self.__signature__.bind(*args, **named).args
        except TypeError as error:
            raise TypeError(f"{self.operator}() {error}") from None


class TypeName(_Word):
    """A type of the language: an annotation, and the constructor of its values.

    >>> v = get("float3")(1, 2, 3)
    >>> v.zy = v.xy * 2
    >>> v
    float3(1.0, 4.0, 2.0)
    """

    def __init__(self, name: str) -> None:
        self._kind, self._shape = _TYPES[name]
        what = {0: "number", 1: "vector", 2: "matrix"}[len(self._shape)]
        super().__init__(name, f"A {what} of kind {self._kind}{_sized(self._shape)}.")

    @property
    def type_name(self) -> str:
        """The name of the type: `float3`."""
        return self.__egad_name__

    def __or__(self, other: Any) -> Any:
        """`float3 | None`, in an annotation."""
        return Union[self, other]  # noqa: UP007  # these are no classes

    def __ror__(self, other: Any) -> Any:
        """`None | float3`."""
        return Union[other, self]  # noqa: UP007

    def __call__(self, *args: Any) -> Any:
        """The value with these components: all of them, in numbers and vectors, or one for all."""
        run = _run_of(args)
        if run is not None:
            from ..reader.tracing.calls import construct

            return construct(run, self.type_name, args)
        from .components import converted
        from .vectors import construct as build

        if self._shape:
            return build(self._kind, self._shape, args)
        if len(args) != 1:
            raise TypeError(f"{self.type_name}() takes one number, {len(args)} are given")
        return converted(self._kind, args[0])

    def __instancecheck__(self, instance: object) -> bool:
        return instance is not self and getattr(instance, "type_name", None) == self.type_name


def _sized(shape: Sequence[int]) -> str:
    if not shape:
        return ""
    return f", {' by '.join(map(str, shape))} components"


def _run_of(args: Sequence[Any]) -> Any:
    """The traced run that an argument belongs to; there is none before the tracer is loaded."""
    if f"{_ROOT}.reader.tracing.symbolic" not in sys.modules:
        return None
    from ..reader.tracing.calls import trace_of

    return trace_of(args)


@cache
def get(name: str) -> Operation | TypeName | None:
    """The operator or type called `name`; None where there is none."""
    if name in _TYPES:
        return TypeName(name)
    from ..rules import load

    rules = load()
    return Operation(name, rules.operators[name]) if name in rules.words else None


def names() -> list[str]:
    """The names that `from egad import *` brings: all but those of Python's own functions.

    `egad.max`, `egad.abs` and the like are there by their full names.
    """
    from ..rules import load

    return [*_TYPES, *sorted(n for n in load().words if not hasattr(builtins, n))]
