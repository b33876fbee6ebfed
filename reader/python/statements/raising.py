"""`assert` and `raise`: what Python stops at, and a kernel cannot.

Takes the statement, and adds a check to the program: where the reference runs, and where
`check=True` was given, it is an error; a kernel goes on. Where that depends on no number, it is an
error while reading.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ....terms.errors import TraceError
from ....terms.term import Term
from ..expressions.expression import condition, evaluate
from ..operations.stepping import ITEM, NEXT
from ..values.branches import State
from ..values.checking import forbid
from ..values.conditions import negated
from ..values.scope import Frame


def assert_statement(frame: Frame, node: ast.Assert) -> None:
    """What is known to hold while reading needs no check when the program runs."""
    said = _said(frame, node.msg)
    if isinstance(node.test, ast.Constant) and not node.test.value:
        _stop(frame, "this raises AssertionError" + (f": {said}" if said else ""), node)
        return
    holds = condition(frame, node.test, "assert")
    if isinstance(holds, Term):
        fails = negated(holds)
        frame.session.assume(holds, True)
        assert isinstance(fails, Term)
        what = f"this assertion fails: {ast.unparse(node.test)}"
        forbid(frame.session, fails, f"{what}: {said}" if said else what, frame.span(node))
    elif not holds:
        message = f"this assertion fails: {ast.unparse(node.test)}"
        raise frame.error(node, message, said or "all of it is known while reading")


def raise_statement(frame: Frame, node: ast.Raise) -> None:
    """An exception that a kernel does not know."""
    _stop(frame, f"this raises {_exception(frame, node)}", node)


def _stop(frame: Frame, message: str, node: ast.stmt) -> None:
    """Nothing comes after it, on this way: the arm of a branch that it stands in leads nowhere."""
    state, at = frame.state, frame.span(node)
    forbid(frame.session, True, message, at)
    state.raised, state.done = at, True
    if frame.loops:
        state.skip = state.stop = True


def check_ends(frame: Frame, state: State) -> None:
    """Raises TraceError for a function that returns nowhere, because it raises."""
    if state.raised is None or state.returned_at is not None:
        return
    raises = next(text for text, at in reversed(frame.session.checks) if at == state.raised)
    what = raises.removeprefix("this ")
    if getattr(frame.function.origin, "__module__", "").startswith(_OWN):
        raise TraceError(what.removeprefix("raises "), state.raised)
    hint = "raise under a condition: it is checked where the program runs"
    kind = next((kind for text, kind in _ENDS.items() if what.startswith(text)), TraceError)
    raise kind(f"{frame.function.name} always {what}", state.raised, hint)


#: What tells the reader that there are no more items.
_ENDS: Mapping[str, type[TraceError]] = {turn.ends: turn.ended for turn in (NEXT, ITEM)}
#: Functions of libraries that are written in Python here.
_OWN = f"{__name__.partition('.')[0]}.reader."


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
    said = _said(frame, made.args[0]) if isinstance(made, ast.Call) and made.args else ""
    return f"{cls.__name__}: {said}" if said else cls.__name__


def _said(frame: Frame, node: ast.expr | None) -> str:
    """A message; what is known only when the program runs stands in it as it is written."""
    match node:
        case None:
            return ""
        case ast.Constant(value=value):
            return str(value)
        case ast.JoinedStr(values=parts):
            return "".join(_said(frame, part) for part in parts)
        case ast.FormattedValue(value=value):
            try:
                known = evaluate(frame, ast.copy_location(ast.JoinedStr([node]), node))
            except TraceError:  # it is a number that is known only then
                return "{" + ast.unparse(value) + "}"
            return str(known)
    return ast.unparse(node)
