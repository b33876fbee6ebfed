"""Comprehensions: `[f(x) for x in xs if c]` over what is known while reading, written out.

Takes the syntax of a comprehension and the frame it stands in, gives the values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...terms.types import Mat, Vec
from ...terms.value import Value
from .branches import Names
from .objects import Listed, first
from .records import elements
from .scope import Frame
from .values import describe, is_number, number

#: Gives the value of an expression. Handed in, because expressions contain comprehensions.
Evaluate = Callable[[Frame, ast.expr], Any]
_STEPS = 4096  # that may be written out


def comprehension(
    frame: Frame, node: ast.ListComp | ast.GeneratorExp, evaluate: Evaluate
) -> list[Any]:
    """The values of a comprehension; its variables are its own."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            message = ":= in a comprehension is not in the language"
            raise frame.error(inner, message, "assign in a statement of its own")
    outer = frame.state.names
    frame.state.names = Names(outer)
    try:
        return [evaluate(frame, node.elt) for _ in _steps(frame, node.generators, evaluate)]
    finally:
        frame.state.names = outer


def _steps(
    frame: Frame, generators: Sequence[ast.comprehension], evaluate: Evaluate
) -> Iterator[None]:
    """Sets the variables for every step of the loops, the last one innermost."""
    if not generators:
        yield
        return
    here, *inner = generators
    for item in _items(frame, here.iter, evaluate):
        _bind(frame, here.target, item)
        if all(_holds(frame, test, evaluate) for test in here.ifs):
            yield from _steps(frame, inner, evaluate)


def _holds(frame: Frame, test: ast.expr, evaluate: Evaluate) -> bool:
    held = evaluate(frame, test)
    if isinstance(held, Value):
        raise frame.error(
            test,
            "this condition is not known while reading: the length of the list would depend on it",
            "write the choice into the value: x if c else 0.0",
        )
    return bool(number(held) if is_number(held) else held)


def _bind(frame: Frame, target: ast.expr, item: Any) -> None:
    if isinstance(target, ast.Name):
        frame.state.names.local[target.id] = item
        return
    parts = _spread(frame, item, target)
    if not isinstance(target, ast.Tuple | ast.List) or len(parts) != len(target.elts):
        raise frame.error(target, f"{describe(item)} cannot be unpacked here")
    for inner, part in zip(target.elts, parts, strict=True):
        _bind(frame, inner, part)


def _items(frame: Frame, node: ast.expr, evaluate: Evaluate) -> Sequence[Any]:
    """What a comprehension runs over."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = evaluate(frame, node.func)
        if function is range:
            return _range(frame, node, [evaluate(frame, a) for a in node.args])
        if function in (enumerate, zip, reversed):
            given = [_items(frame, a, evaluate) for a in node.args]
            return tuple(function(*given))
    return _spread(frame, evaluate(frame, node), node)


def _range(frame: Frame, node: ast.Call, args: Sequence[Any]) -> Sequence[Any]:
    if not all(is_number(a) and isinstance(number(a), int) for a in args):
        raise frame.error(
            node, "this range is not known while reading", "use a for loop and an array"
        )
    items = range(*(number(a) for a in args))
    if len(items) > _STEPS:
        raise frame.error(node, f"{len(items)} steps are too many to be written out")
    return items


def _spread(frame: Frame, value: Any, node: ast.expr) -> Sequence[Any]:
    if isinstance(first(value), Listed):
        return elements(frame.session, value, frame.span(node))
    if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
        return value.items()
    if isinstance(value, tuple | range):
        return value
    raise frame.error(node, f"a comprehension cannot run over {describe(value)}")
