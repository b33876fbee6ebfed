"""Takes what a user calls a function, of any kind, and gives the program that it computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from . import reader
from .reader.marks import Attaching
from .reader.sympy.expressions import is_sympy
from .reader.tracing.tracer import Traced
from .rules.scope import Scopes
from .terms.errors import DeriveError, TraceError
from .terms.program import Program
from .terms.types import Scalar


def read_function(
    f: Any,
    real: Scalar,
    scopes: Scopes,
    params: Any,
    *,
    types: Mapping[str, Any],
    implementations: Mapping[Any, Sequence[type]] | None,
    asked: Sequence[str] | None,
) -> Program:
    """The program of a SymPy expression, a traced function, or one with a source.

    Raises TraceError where the function leaves the language, DeriveError where it is none.
    """
    if params is not None and not isinstance(params, Iterable):
        raise DeriveError(f"params={params!r} is not a list of names", hint="write params=['x']")
    if is_sympy(f):
        only_for_functions("a SymPy expression", types=types, implementations=implementations)
        return reader.read_sympy(f, params, real=real, rules=scopes.rules)
    if params is not None:
        raise DeriveError(
            "params= gives the parameters of a SymPy expression",
            hint="a function has its own; for one of *args: egad.traced(f, params=[…])",
        )
    if isinstance(f, Traced):
        only_for_functions("a traced function", implementations=implementations)
        return reader.trace(f.function, real=real, rules=scopes.rules, params=f.params, types=types)
    if isinstance(f, Attaching):
        raise DeriveError(f.message, hint=f.hint)
    if isinstance(f, type):
        how = f"derive a method of it, derive({f.__name__}.method), or a function that calls it"
        raise TraceError(f"derive needs a function, and {f.__name__} is a class", hint=how)
    if callable(f):
        return reader.read(
            f,
            real=real,
            rules=scopes.rules,
            scopes=scopes,
            types=types,
            implementations=implementations,
            asked=asked,
        )
    hints = (hint for kinds, hint in _INSTEAD if type(f) in kinds)
    raise DeriveError(
        f"derive needs a function, a SymPy expression or a derived object, not {type(f).__name__}",
        hint=next(hints, _ITSELF),
    )


_ITSELF = "pass the function itself: derive(f), not derive(f(x))"
_INSTEAD = (
    ((property,), "derive a function that reads it: def f(b: Body) -> float: return b.energy"),
    ((classmethod,), "pass the method as the class gives it: derive(Body.make)"),
    ((ModuleType,), "name a function in it: derive(module.f)"),
    ((list, tuple, set, dict), "derive one at a time: [derive(g) for g in …]"),
)


def only_for_functions(what: str, **given: Any) -> None:
    """DeriveError for settings that say something of the parameters of functions alone."""
    for word, value in given.items():
        if value:
            raise DeriveError(
                f"{word}= says nothing of {what}", hint="give it where a function is derived"
            )
