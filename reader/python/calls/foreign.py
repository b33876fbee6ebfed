"""Functions that nobody can read: of C libraries, of NumPy and SciPy, of compiled modules.

Takes such a function, gives the function in Python that stands in for it, or the error that says
what to write. Knows nothing of how functions are called.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ....rules.registry import KINDS, Marks, modules_with_rules
from ....terms.errors import Span, TraceError
from ..operations.library import knows
from ..values.scope import Session
from ..values.values import describe
from ..values.words import word_name


def has_body(session: Session, callee: Any) -> bool:
    """Whether it is known what a function computes: it can be read, or is an operator."""
    if isinstance(callee, FunctionType) and word_name(callee) is None:
        return session.function(callee) is not None or knows(session, callee)
    return knows(session, callee)


def primal_of(session: Session, callee: Any) -> Any:
    """The function that stands in for one that has no body; None where there is none."""
    found = session.lookup.marks(callee)
    return found.primal.rule if found is not None and found.primal is not None else None


def meaningless(session: Session, callee: Any, at: Span | None) -> TraceError:
    """The error for a function of which nothing says what it computes."""
    name = str(getattr(callee, "__name__", "f"))
    if isinstance(callee, FunctionType) and callee.__module__ != "random":
        hint = "functions defined in exec, in a compiled module or by a decorator have none; "
        return TraceError(f"the source of {name!r} cannot be read", at, hint + "write it in a file")
    found = session.lookup.marks(callee)
    if at is None and found is None and knows(session, callee):
        message = f"{describe(callee)} has no source in Python, only calls of it can be read"
        return TraceError(message, at, f"wrap it: lambda x, y: {name}(x, y)")
    hint = (
        "use functions written in Python, math.*, numpy.* or egad's vocabulary; or say what it "
        f"computes: @egad.primal_substitute_of({name}) above a function with its parameters, or "
        f'aliases = "module.{name}" in the block of an operator in a rule file'
    )
    owner = type(getattr(callee, "__self__", None)).__module__
    if "random" in f"{getattr(callee, '__module__', '')} {owner}":
        hint = "a kernel has no random numbers: pass them in, or compute them with egad.uint"
    modules = modules_with_rules(callee) if found is None else []
    if modules:
        hint += f"\n  rules for it are in {', '.join(modules)}: rules=[{modules[0]}]"
    message = f"{describe(callee)} has no source in Python, and nothing says what it computes"
    if found is not None and (rule := _derivative(found)) is not None:
        message = f"{message}; there is only its {rule}"
    return TraceError(message, at, hint)


def _derivative(found: Marks) -> str | None:
    mark = found.bwd or found.fwd
    return f"{KINDS[mark.kind]}, given at {mark.at or mark.module}" if mark else None
