"""What is bound already: by functools.partial, by a method.

Takes a callable, gives the function below and the values of its parameters that are not open.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from types import MethodType
from typing import Any

from ....rules.registry import is_compiled_form
from ....terms.errors import TraceError, nearest
from ....terms.types import Scalar
from ..values.scope import Function
from ..values.values import normalise


def parts(fn: Any, real: Scalar) -> tuple[dict[str, Any], Any]:
    """What is bound already (by partial, by a method), by position or name; the function."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    while True:
        if isinstance(fn, functools.partial):
            args, kwargs = values_of(fn, real)
            positional, named = [*args, *positional], {**kwargs, **named}
            fn = fn.func
        elif isinstance(fn, MethodType):
            positional = [fn.__self__, *positional]
            fn = fn.__func__
        elif is_compiled_form(fn):
            fn = fn.__wrapped__
        else:
            return {**{str(i): v for i, v in enumerate(positional)}, **named}, fn


def values_of(fn: functools.partial[Any], real: Scalar) -> tuple[list[Any], dict[str, Any]]:
    """What `functools.partial` has bound, by position and by name: values from outside."""
    named = {name: normalise(value, real) for name, value in fn.keywords.items()}
    return [normalise(value, real) for value in fn.args], named


def bound_parameters(function: Function, bound: Mapping[str, Any]) -> dict[str, Any]:
    """What is bound, by name; TraceError for what the function does not take."""
    names = [p.name for p in function.params]
    positional = [v for name, v in bound.items() if name.isdigit()]
    named = {name: v for name, v in bound.items() if not name.isdigit()}
    if not any(p.star for p in function.params):
        _check(function, names, len(positional), named)
    return {**dict(zip(names, positional, strict=False)), **named}


def _check(function: Function, names: Sequence[str], positional: int, named: Iterable[str]) -> None:
    if positional > len(names):
        raise TraceError(
            f"{function.name} has {len(names)} parameters, and {positional} values are bound",
            function.at,
            f"functools.partial binds at most {', '.join(names)}",
        )
    for name in named:
        if name not in names:
            raise TraceError(
                f"functools.partial binds {name!r}, which {function.name} does not have"
                f"{nearest(name, names)}",
                function.at,
                f"parameters are {', '.join(names)}",
            )
