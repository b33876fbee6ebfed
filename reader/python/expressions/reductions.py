"""`sum`, `any` and `all` over a generator that is known only at run time: they are loops.

    sum(w[k] * x for k in range(n) if k != i)

becomes a function without parameters, which is called where the expression stands:

    def sum():
        total = 0
        for k in range(n):
            if k != i:
                total = total + w[k] * x
        return total

Takes the syntax of the call, gives the syntax of the function; every part keeps its place in the
source.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..calls.calls import call
from ..operations.library import UNKNOWN
from ..values.scope import Frame, nested
from ..values.values import is_static
from .comprehensions import NotKnown, comprehension

#: Gives the value of an expression. Handed in, because expressions contain these calls.
Evaluate = Callable[[Frame, ast.expr], Any]

_REDUCING = (builtins.sum, builtins.any, builtins.all)


def reduces(callee: Any, node: ast.Call) -> bool:
    """Whether a call reduces a generator, and nothing else is said but where a sum begins."""
    most = 2 if callee is builtins.sum else 1
    return (
        any(callee is f for f in _REDUCING)
        and 1 <= len(node.args) <= most
        and not node.keywords
        and isinstance(node.args[0], ast.GeneratorExp)
    )


def reduced(frame: Frame, callee: Any, node: ast.Call, evaluate: Evaluate) -> Any:
    """`sum(… for … in …)` where that is a loop; UNKNOWN where it can be written out."""
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp)
    at = frame.span(node)
    if not _runs_over_unknown(frame, generator, evaluate):
        if not any(part.ifs for part in generator.generators):
            return UNKNOWN
        journal = frame.session.journal
        journal.begin()
        try:
            items = tuple(comprehension(frame, generator, evaluate))
        except NotKnown:  # which items there are, is found at run time
            journal.undo()
        else:
            journal.redo(journal.undo(), at)
            rest = [evaluate(frame, arg) for arg in node.args[1:]]
            return call(frame.session, callee, [items, *rest], {}, at)
    function = nested(frame, _as_function(callee, node), partial(evaluate, frame))
    return call(frame.session, function, [], {}, at)


def _runs_over_unknown(frame: Frame, node: ast.GeneratorExp, evaluate: Evaluate) -> bool:
    """Whether it runs over a range whose ends are known only at run time."""
    own: set[str] = set()
    for part in node.generators:
        given = _ends(frame, part.iter, own, evaluate)
        if any(_unknown(frame, arg, own, evaluate) for arg in given):
            return True
        own |= {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
    return False


def _ends(frame: Frame, node: ast.expr, own: set[str], evaluate: Evaluate) -> Sequence[ast.expr]:
    """What is said to `range(…)`; of anything else, nothing."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        return ()
    return node.args if node.func.id not in own and evaluate(frame, node.func) is range else ()


def _unknown(frame: Frame, node: ast.expr, own: set[str], evaluate: Evaluate) -> bool:
    """Whether a value is known only at run time, whatever the variables of the generator are."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    if isinstance(node, ast.Starred):
        return False
    if not any(n.id in own for n in names):
        return not is_static(evaluate(frame, node))
    others = [n for n in names if n.id not in own and isinstance(n.ctx, ast.Load)]
    return any(not is_static(evaluate(frame, n)) for n in others)


def _as_function(callee: Any, node: ast.Call) -> ast.FunctionDef:
    """The function that a reduction means."""
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp)
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    total = "total"
    while total in used:
        total += "_"
    is_sum = callee is builtins.sum
    start = node.args[1] if len(node.args) == 2 else ast.Constant(0)
    body = [_step(callee, total, generator.elt)]
    for part in reversed(generator.generators):
        for test in reversed(part.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(part.target, part.iter, body, [])]
    first: Sequence[ast.stmt] = [ast.Assign([ast.Name(total, ast.Store())], start)]
    last = ast.Name(total, ast.Load()) if is_sum else ast.Constant(callee is builtins.all)
    arguments = ast.arguments([], [], None, [], [], None, [])
    statements = [*(first if is_sum else ()), *body, ast.Return(last)]
    function = ast.FunctionDef(callee.__name__, arguments, statements, [], None)
    return _placed(function, node)


def _step(callee: Any, total: str, item: ast.expr) -> ast.stmt:
    """What is done with an item."""
    if callee is builtins.sum:
        value = ast.BinOp(ast.Name(total, ast.Load()), ast.Add(), item)
        return ast.Assign([ast.Name(total, ast.Store())], value)
    found = callee is builtins.any
    test = item if found else ast.UnaryOp(ast.Not(), item)
    return ast.If(test, [ast.Return(ast.Constant(found))], [])


def _placed(function: ast.FunctionDef, node: ast.Call) -> ast.FunctionDef:
    """The function, in which what has no place in the source yet stands where the call does."""
    for inner in ast.walk(function):
        if isinstance(inner, ast.stmt | ast.expr) and not hasattr(inner, "lineno"):
            part = inner.iter if isinstance(inner, ast.For) else node
            ast.copy_location(inner, part)
    return function
