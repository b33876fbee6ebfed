"""The parameters of a definition: their names and kinds, and annotations that are still syntax."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ....terms.errors import TraceError
from ....terms.term import VAR
from ....terms.types import Scalar
from ....terms.value import Value
from ...source import Source


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: its annotation is still syntax."""

    name: str
    annotation: ast.expr | None
    keyword_only: bool
    positional_only: bool
    node: ast.arg
    star: str = ""  # "*" or "**": it takes all further arguments, by position or by name


def open_ended(source: Source, name: str, extra: Parameter) -> TraceError:
    """The error for parameters whose number or names are not known."""
    return TraceError(
        f"{name} takes {extra.star}{extra.name}: its parameters are not known",
        source.span(extra.node),
        "write every parameter by name; what a decorator gives has those of the function that "
        "@functools.wraps(f) names",
    )


def parameters(source: Source) -> tuple[Parameter, ...]:
    """The parameters of a definition."""
    args = source.node.args
    rest = [args.vararg] if args.vararg is not None else []
    named = [args.kwarg] if args.kwarg is not None else []
    return (
        *(Parameter(a.arg, a.annotation, False, True, a) for a in args.posonlyargs),
        *(Parameter(a.arg, a.annotation, False, False, a) for a in args.args),
        *(Parameter(a.arg, None, True, True, a, star="*") for a in rest),
        *(Parameter(a.arg, a.annotation, True, False, a) for a in args.kwonlyargs),
        *(Parameter(a.arg, None, True, True, a, star="**") for a in named),
    )


def defaults_of(function: FunctionType) -> dict[str, Any]:
    """The defaults of a function's parameters, as Python has them."""
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    by_place = zip(names[len(names) - len(given) :], given, strict=True)
    return {**dict(by_place), **(function.__kwdefaults__ or {})}


def to_integer(value: Any) -> str:
    """The hint for a real number where an integer is needed; of a parameter, how to declare it."""
    name, parts = _parameter(value)
    if not name:
        return "convert it: int(…)"
    kind = "list[" * parts + "int" + "]" * parts
    return f"convert it: int(…); or say what the parameter {name} is: {name}: {kind}"


def _parameter(value: Any) -> tuple[str, int]:
    """The parameter that a number is, or is an element of, and how many lists it is inside of."""
    term = value.term if isinstance(value, Value) and isinstance(value.type, Scalar) else None
    if term is None or term.op != VAR or type(term.attr) is not str:
        return "", 0
    found = re.fullmatch(r"(\w+)((?:\[\d+\])*)", term.attr)
    return (found[1], found[2].count("[")) if found else ("", 0)
