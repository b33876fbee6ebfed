"""What is wrong with a value that is not of the type asked for, and what to write instead.

Takes a value and a type, gives the error. Knows nothing of syntax.
"""

from __future__ import annotations

from typing import Any, get_args

from ....terms.errors import Span, TraceError
from ....terms.types import Arr, Mat, Scalar, Tup, Type, Vec, type_name
from ....terms.value import Value
from ...collected import Namespace
from ...marks import DifferentialPair
from ...structs import is_inferred
from .hints import PAIR_NAMES, untyped
from .objects import Listed, is_optional
from .values import article, describe, is_number, may_be_none


def misfit(value: Any, type_: Type, at: Span | None, what: str) -> TraceError:
    """The error for a value that is not of a type, and what to do."""
    if is_optional(value):
        return may_be_none(value, at)
    wanted = type_name(type_)
    if isinstance(type_, Tup) and type_.names == PAIR_NAMES:
        wanted = "DifferentialPair"
    hint = ""
    if isinstance(type_, Arr) and isinstance(value, Listed | tuple):
        hint = f"it has {type_.size} elements"
    elif wanted == "DifferentialPair":
        hint = "it has no tangent: annotate it without Pair, or pass diff_pair(value, tangent)"
    elif isinstance(value, DifferentialPair):
        hint = "it is a value with its tangent: annotate the parameter as Pair"
    elif isinstance(value, tuple) and not isinstance(type_, Tup | Arr):
        hint = "take an item: t[0], or unpack it: a, b = t"
    elif isinstance(type_, Scalar) and (isinstance(value, Value) or is_number(value)):
        hint = f"convert with {wanted}(…)"
        if any(kind in (Scalar.WIDE, Scalar.LOOSE) for kind in (type_, getattr(value, "type", 0))):
            hint = "integers beyond 31 bits: annotate it egad.uint, or mask: … & 0xFFFFFFFF"
        if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
            hint = "take a component: v.x, m[0][1]"
    elif isinstance(type_, Vec | Mat) and (is_number(value) or isinstance(value, Value)):
        hint = f"build it: {wanted}(…) takes the components, or one number for all"
    elif callable(value):
        hint = "call it: write the arguments in parentheses"
    return TraceError(f"{what} must be {article(wanted)} {wanted}, not {describe(value)}", at, hint)


def no_type(given: Any, real: Scalar, at: Span) -> TraceError:
    """The error for what `types=` gives and no kernel has, with the field that is in its way."""
    found = untyped(given, real)
    if found is None:
        message = f"types= gives {given!r}, which is no type"
        return TraceError(message, at, "write a type such as Array[float, 3], or a struct class")
    name, hint = found
    shown = hint.__name__ if isinstance(hint, type) and not get_args(hint) else hint
    return TraceError(
        f"types= gives {given.__name__}, whose field {name!r} is annotated {shown}",
        at,
        f"of {name!r} a kernel needs numbers, of a length that is known: a number, a vector, "
        "Array[float, 3], a tuple of such, another struct",
    )


def no_struct(name: str, cls: type, at: Span) -> TraceError:
    """The error for a method of a class whose fields nobody has said."""
    what = f"{article(cls.__name__)} {cls.__name__}"
    message = f"{name!r} is {what}, which is no struct: what its fields are is not known"
    hint = (
        f"decorate {cls.__name__} with @egad.struct, and give its fields types in it: x: float; or "
        "derive the method of an instance: derive(obj.method)"
    )
    return TraceError(message, at, hint)


def how_to_begin(cls: type, name: str) -> str:
    """What to write for a field that is not there."""
    if issubclass(cls, Namespace):
        return f"give it where it is made: SimpleNamespace(…, {name}=0.0)"
    if is_inferred(cls):
        return f"let a method begin it: self.{name} = …"
    return f"give it a type in the class: {name}: float"
