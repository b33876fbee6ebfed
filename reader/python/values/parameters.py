"""The parameters of a definition: their names and kinds, and annotations that are still syntax."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....terms.errors import TraceError
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
