"""`assert` and `raise`: what Python stops at, and a kernel cannot.

Takes the statement, and adds a check to the program: where the reference runs, and where
`check=True` was given, it is an error; a kernel goes on. Where that depends on no number, it is an
error while reading.
"""

from __future__ import annotations

import ast
from typing import Any

from ....terms.errors import TraceError
from ....terms.term import Term
from ..expressions.expression import condition, evaluate
from ..values.branches import State
from ..values.checking import forbid
from ..values.conditions import negated
from ..values.scope import Frame


def assert_statement(frame: Frame, node: ast.Assert) -> None:
    """What is known to hold while reading needs no check when the program runs."""
    holds = condition(frame, node.test, "assert")
    said = _said(node.msg)
    if isinstance(holds, Term):
        fails = negated(holds)
        assert isinstance(fails, Term)
        what = f"this assertion fails: {ast.unparse(node.test)}"
        forbid(frame.session, fails, f"{what}: {said}" if said else what, frame.span(node))
    elif not holds:
        message = f"this assertion fails: {ast.unparse(node.test)}"
        raise frame.error(node, message, said or "all of it is known while reading")


def raise_statement(frame: Frame, node: ast.Raise) -> None:
    """Nothing comes after it, on this way: the arm of a branch that it stands in leads nowhere."""
    session, state, at = frame.session, frame.state, frame.span(node)
    forbid(session, True, f"this raises {_exception(frame, node)}", at)
    state.raised, state.done = at, True
    if frame.loops:
        state.skip = state.stop = True


def check_ends(frame: Frame, state: State) -> None:
    """Raises TraceError for a function that returns nowhere, because it raises."""
    if state.raised is None or state.returned_at is not None:
        return
    raises = next(text for text, at in reversed(frame.session.checks) if at == state.raised)
    message = f"{frame.function.name} never returns: {raises.replace('this', 'it', 1)}"
    hint = "raise under a condition: it is checked where the program runs"
    raise TraceError(message, state.raised, hint)


def _exception(frame: Frame, node: ast.Raise) -> str:
    """`ValueError: too large`: the class, and what is said."""
    made = node.exc
    if made is None:
        hint = "name the exception: raise ValueError(…)"
        raise frame.error(node, "there is no exception here that could be raised again", hint)
    cls: Any = evaluate(frame, made.func if isinstance(made, ast.Call) else made)
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        hint = "write raise ValueError(…), or another class of exceptions"
        raise frame.error(made, f"{ast.unparse(made)} is no exception", hint)
    said = _said(made.args[0]) if isinstance(made, ast.Call) and made.args else ""
    return f"{cls.__name__}: {said}" if said else cls.__name__


def _said(node: ast.expr | None) -> str:
    """A message as it is written: `bad {x}`."""
    match node:
        case None:
            return ""
        case ast.Constant(value=value):
            return str(value)
        case ast.JoinedStr(values=parts):
            return "".join(_said(part) for part in parts)
        case ast.FormattedValue(value=value):
            return "{" + ast.unparse(value) + "}"
    return ast.unparse(node)
