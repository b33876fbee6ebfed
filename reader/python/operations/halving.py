"""Generators under `@contextmanager`: what stands before `yield` is one function, the rest another.

    def f(x):                  def f(x):
        before                     before
        try:                       def after():
            yield value                nonlocal …
        finally:                       last
            last                   return value, after

Nothing raises in a kernel, so what is said to happen last happens after. Takes a function, gives
another one; knows nothing of values.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from ....terms.errors import Span, TraceError
from ...source import Source, own_nodes
from ..values.objects import Partial
from ..values.scope import Function, Session


class Uncut(TraceError):
    """A generator under `@contextmanager` that is no two functions."""


_REST = "after yield"  # no function can be called so
_HOW = (
    "yield once, in a statement of its own or in a `try` with `finally` alone; or write a class "
    "with __enter__ and __exit__"
)
_Halves = tuple[list[ast.stmt], ast.expr, list[ast.stmt]]


def halved(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    """`halves(generator)`."""
    (given,) = args
    if isinstance(given, Partial):
        return replace(given, of=halved(session, [given.of], kwargs, at))
    function = session.function(given) if isinstance(given, FunctionType) else given
    node = function.source.node if isinstance(function, Function) else None
    if not isinstance(function, Function) or not isinstance(node, ast.FunctionDef):
        raise TraceError("contextmanager needs a generator that can be read", at, _HOW)
    source = function.source
    cut = Source(source.file, source.lines, _cut(source, node))
    return replace(function, source=cut)


def _cut(source: Source, node: ast.FunctionDef) -> ast.FunctionDef:
    before, value, after = _halves(source, node.body, node)
    for statement in before:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Return):
                raise _uncut(source, inner, "returns before it yields")
    shared = [name for name in _assigned(after) if name in {*_parameters(node), *_assigned(before)}]
    declared: list[ast.stmt] = [ast.Nonlocal(shared)] if shared else []
    rest = ast.FunctionDef(
        _REST, _NO_PARAMETERS, [*declared, *(after or [ast.Pass()])], decorator_list=[]
    )
    result = ast.Return(ast.Tuple([value, ast.Name(_REST, ast.Load())], ast.Load()))
    body = [*before, rest, result]
    cut = ast.FunctionDef(node.name, node.args, body, decorator_list=[], returns=None)
    ast.copy_location(cut, node)
    for new in (rest, result):
        for inner in ast.walk(new):
            if not hasattr(inner, "lineno"):
                ast.copy_location(inner, value if hasattr(value, "lineno") else node)
    return cut


_NO_PARAMETERS = ast.arguments([], [], None, [], [], None, [])


def _halves(source: Source, body: Sequence[ast.stmt], within: ast.stmt) -> _Halves:
    """What comes before the only `yield`, what it gives, and what comes after."""
    holding = [k for k, statement in enumerate(body) if _yields(statement)]
    if len(holding) != 1:
        said = f"yields in {len(holding)} places" if holding else "yields nowhere"
        raise _uncut(source, body[holding[1]] if holding else within, said)
    k = holding[0]
    before, after = list(body[:k]), list(body[k + 1 :])
    match body[k]:
        case ast.Expr(value=ast.Yield(value=value)) as statement:
            none = ast.copy_location(ast.Constant(None), statement)
            return before, value or none, after
        case ast.Try(handlers=[]) as statement:
            first, value, rest = _halves(source, statement.body, statement)
            last = [*statement.orelse, *statement.finalbody]
            return [*before, *first], value, [*rest, *last, *after]
        case statement:
            raise _uncut(source, statement, "yields inside of another statement")


def _uncut(source: Source, node: ast.stmt, what: str) -> Uncut:
    message = f"{source.node.name} {what}, in line {node.lineno}"  # type: ignore[union-attr]
    return Uncut(message, source.span(node), _HOW)


def _yields(statement: ast.stmt) -> bool:
    module = ast.FunctionDef("", _NO_PARAMETERS, [statement], decorator_list=[])
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(module))


def _assigned(body: Sequence[ast.stmt]) -> list[str]:
    """The variables that statements assign, in order."""
    module = ast.FunctionDef("", _NO_PARAMETERS, list(body), decorator_list=[])
    nodes = own_nodes(module)
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(stored))


def _parameters(node: ast.FunctionDef) -> list[str]:
    args = node.args
    return [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
