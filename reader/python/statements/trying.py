"""`try: … except ZeroDivisionError: …`: what raises in Python is asked before, as a person would.

    try:                            if b == 0:
        r = a / b                       r = 0.0
    except ZeroDivisionError:       else:
        r = 0.0                         r = a / b

Nothing raises in a kernel. What follows in the body stands in the other arm; of a loop, in which
something raises, a variable says so. Takes the statement, gives statements without handlers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ..expressions.expression import evaluate
from ..values.scope import Frame
from .deferred import asked_before
from .raises import ASKING, Places, Point, Unseen

Found = Callable[[ast.expr], Any]
_COPIES = 16  # of what follows a branch in which something raises
#: Exceptions whose conditions are known. Types are known while reading, so TypeError never comes.
_KNOWN = (
    ZeroDivisionError,
    ValueError,
    OverflowError,
    AssertionError,
    TypeError,
    ArithmeticError,
    Exception,
    BaseException,
)


def without_handlers(frame: Frame, node: ast.Try, passed: Sequence[type] = ()) -> list[ast.stmt]:
    """The same by branches. Raises TraceError for what cannot be asked before.

    What is `passed` to a `try` around this one is raised, in its turn.
    """
    found = partial(_found, frame)
    caught = [_classes(handler, found) for handler in node.handlers]
    if not all(map(_are_known, caught)):
        message = "try … except is not in the language: nothing raises in a kernel"
        raise frame.error(node, message, asked_before(node.handlers))
    for handler in node.handlers:
        for use in _names(handler.body):
            if use.id == handler.name:
                raise frame.error(use, f"what {use.id!r} says is not known in a kernel")
    frame.state.names.local.update(ASKING)
    try:
        return _by_branches(_Trial(frame, node, found, caught, passed), node)
    except Unseen as error:
        raise frame.error(error.node, error.message, asked_before(node.handlers)) from None


def _names(body: Sequence[ast.stmt]) -> Iterator[ast.Name]:
    """The names that are evaluated: not what another exception says, or comes from."""
    stack: list[ast.AST] = [*reversed(body)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Raise):
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            stack += [made] if made else []
        else:
            stack += [*ast.iter_child_nodes(node)][::-1]


def _found(frame: Frame, node: ast.expr) -> Any:
    """What a name, or an attribute of one, stands for; None of anything else."""
    parts = (ast.Name, ast.Attribute, ast.expr_context)
    if not all(isinstance(inner, parts) for inner in ast.walk(node)):
        return None
    try:
        return evaluate(frame, node)
    except TraceError:
        return None


def _classes(handler: ast.ExceptHandler, found: Found) -> list[Any]:
    """What a handler catches."""
    if handler.type is None:
        return [BaseException]
    said = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [found(name) for name in said]


def _are_known(classes: Sequence[Any]) -> bool:
    """Whether all that a handler catches is asked for here, or is a class of somebody's own."""
    return all(
        isinstance(c, type)
        and issubclass(c, BaseException)
        and (c in _KNOWN or c.__module__ != "builtins")
        for c in classes
    )


def _by_branches(trial: _Trial, node: ast.Try) -> list[ast.stmt]:
    body = trial.flow(node.body, node.orelse)
    if trial.flagged:
        body.insert(0, trial.set(0))
    for statement in body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.stmt | ast.expr) and not hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
    return body


class _Trial:
    """The body of one `try`; handlers have numbers from 1 on."""

    def __init__(
        self,
        frame: Frame,
        node: ast.Try,
        found: Found,
        caught: Sequence[Sequence[type]],
        passed: Sequence[type],
    ) -> None:
        self.frame, self.found, self.caught = frame, found, caught
        self.handlers = node.handlers
        self.flag = f"raised {node.lineno}:{node.col_offset}"  # no variable can be called so
        self.flagged = False
        self.concerned = [*(c for classes in caught for c in classes), *passed]
        self.places = Places(found, self.concerned)
        self.loops = 0  # around this point, inside
        self.copies = 0

    def set(self, code: int) -> ast.stmt:
        """The variable says which handler is to run; 0: none."""
        return ast.Assign([ast.Name(self.flag, ast.Store())], ast.Constant(code))

    def flow(self, body: Sequence[ast.stmt], end: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements, then those of the end, which nobody asks what they raise."""
        for i, node in enumerate(body):
            rest = body[i + 1 :]
            match node:
                case ast.Raise() if code := self._code_of(node):
                    return [*body[:i], *self._stop(code)]
                case ast.Try(finalbody=[]):
                    inner = [*without_handlers(self.frame, node, self.concerned), *rest]
                    return [*body[:i], *self.flow(inner, end)]
                case ast.If() if self._raises(node):
                    return [*body[:i], *self._either(node, rest, end)]
                case ast.For() | ast.While() if self._raises(node):
                    return [*body[:i], *self._looped(node, rest, end)]
                case ast.Assert(test=test) if code := self._handler(AssertionError):
                    holds = ast.If(test, self.flow(rest, end) or [ast.Pass()], self._stop(code))
                    return [*body[:i], *self._asked([test], [holds])]
            points = [*self._points(node)]
            if points:
                return [*body[:i], *self._before(points, [node, *self.flow(rest, end)])]
        return [*body, *end]

    def _either(
        self, node: ast.If, rest: Sequence[ast.stmt], end: Sequence[ast.stmt]
    ) -> list[ast.stmt]:
        """Each arm goes on with the rest: what it has assigned is there where it has not raised."""
        self.copies += 1
        if self.copies > _COPIES:
            raise Unseen(node, "in so many branches what raises is not asked before")
        arms = (self.flow([*arm, *rest], end) or [ast.Pass()] for arm in (node.body, node.orelse))
        return self._asked([node.test], [ast.copy_location(ast.If(node.test, *arms), node)])

    def _looped(
        self, node: ast.For | ast.While, rest: Sequence[ast.stmt], end: Sequence[ast.stmt]
    ) -> list[ast.stmt]:
        """A loop is left where something raises in it."""
        if any(map(self._raises, node.orelse)):
            raise Unseen(node, "what the else of a loop raises is not asked before")
        self.flagged = True
        self.loops += 1
        body = self.flow(node.body, ())
        self.loops -= 1
        made: ast.stmt
        if isinstance(node, ast.For):
            made = ast.For(node.target, node.iter, body, node.orelse)
        elif any(True for _ in self.places.points(node.test)):
            raise Unseen(node.test, "what the condition of a loop raises is not asked before")
        else:
            made = ast.While(node.test, body, node.orelse)
        raised = self._stop(len(self.handlers))
        if not self.loops:
            for code in range(len(self.handlers) - 1, 0, -1):
                raised = [ast.If(self._is(code), self._stop(code), raised)]
        else:
            raised = [ast.Break()]
        after = ast.If(self._is(0), self.flow(rest, end) or [ast.Pass()], raised)
        header = [node.iter] if isinstance(node, ast.For) else []
        return self._asked(header, [ast.copy_location(made, node), after])

    def _is(self, code: int) -> ast.expr:
        return ast.Compare(ast.Name(self.flag, ast.Load()), [ast.Eq()], [ast.Constant(code)])

    def _raises(self, node: ast.stmt) -> bool:
        """Whether something inside of a statement may raise what is caught."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Raise) and self._code_of(inner):
                return True
            if isinstance(inner, ast.Assert) and self._handler(AssertionError):
                return True
            if isinstance(inner, ast.Try) and inner is not node:
                return True
            if any(True for _ in self.places.own(inner)):
                return True
        return False

    def _points(self, node: ast.stmt) -> Iterator[Point]:
        """The places of a statement that has no others inside."""
        match node:
            case ast.AugAssign():
                yield from self.places.points(node)
            case ast.Assign(value=value) | ast.Expr(value=value) | ast.Return(value=value):
                yield from self.places.points(value) if value is not None else ()
            case ast.AnnAssign(value=ast.expr() as value):
                yield from self.places.points(value)
            case ast.With() | ast.Match() | ast.Try() if self._raises(node):
                raise Unseen(node, "what raises in such a statement is not asked before")

    def _asked(self, values: Sequence[ast.expr], then: list[ast.stmt]) -> list[ast.stmt]:
        return self._before([p for value in values for p in self.places.points(value)], then)

    def _before(self, points: Sequence[Point], then: list[ast.stmt]) -> list[ast.stmt]:
        """Statements where nothing raises; else what the handler does."""
        for point in reversed(points):
            code = self._handler(point.raised)
            again: ast.stmt = ast.Raise(ast.Name(f"raises {point.raised.__name__}", ast.Load()))
            then = [ast.If(point.holds, self._stop(code) if code else [again], then)]
        return then

    def _code_of(self, node: ast.Raise) -> int:
        """The handler of `raise ValueError(…)`; 0 if there is none."""
        made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        cls = self.found(made) if made is not None else None
        return self._handler(cls) if isinstance(cls, type) else 0

    def _handler(self, raised: type) -> int:
        for code, classes in enumerate(self.caught, 1):
            if issubclass(raised, tuple(classes)):
                return code
        return 0

    def _stop(self, code: int) -> list[ast.stmt]:
        """What happens where something is raised that this handler catches."""
        return [self.set(code), ast.Break()] if self.loops else self.handlers[code - 1].body
