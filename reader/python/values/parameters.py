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
    star: bool = False  # `*rest`: the tuple of all further arguments


def open_ended(source: Source, name: str, star: str, extra: ast.arg) -> TraceError:
    """The error for parameters whose number or names are not known."""
    return TraceError(
        f"{name} takes {star}{extra.arg}: its parameters are not known",
        source.span(extra),
        "write every parameter by name",
    )


def parameters(source: Source, name: str) -> tuple[Parameter, ...]:
    """The parameters of a definition. Raises TraceError for `**kwargs`."""
    args = source.node.args
    if args.kwarg is not None:
        raise open_ended(source, name, "**", args.kwarg)
    rest = [args.vararg] if args.vararg is not None else []
    return (
        *(Parameter(a.arg, a.annotation, False, True, a) for a in args.posonlyargs),
        *(Parameter(a.arg, a.annotation, False, False, a) for a in args.args),
        *(Parameter(a.arg, None, True, True, a, star=True) for a in rest),
        *(Parameter(a.arg, a.annotation, True, False, a) for a in args.kwonlyargs),
    )
