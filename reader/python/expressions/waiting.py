"""The values of several expressions, from the left, each as the later ones leave it.

`v + push(v)` adds what `push` makes of `v`: Python holds the vector, not its components. A
vector that waits for what stands to its right is a variable meanwhile, so that a change in
place finds it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ....terms.value import Value
from ..values.scope import Frame

#: What makes a value of its own, which nothing else refers to.
_FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)


def in_order(
    frame: Frame,
    nodes: Sequence[ast.expr],
    evaluate: Callable[[Frame, ast.expr], Any],
    known: Sequence[Any] = (),
) -> list[Any]:
    """The value of each expression; those of the first ones may be `known`."""
    found: list[Any] = []
    waiting: dict[int, str] = {}
    last = -1  # the last expression with a call; looked for where a vector waits
    for place, node in enumerate(nodes):
        value = known[place] if place < len(known) else evaluate(frame, node)
        found.append(value)
        if isinstance(node, _FRESH) or not _is_vector(value):
            continue
        if last < 0:
            last = max((k for k, n in enumerate(nodes) if _has_call(n)), default=0)
        if place < last:
            waiting[place] = _named(frame, node, value)
    for place, name in waiting.items():
        found[place] = frame.state.names.local.pop(name)
    return found


def _named(frame: Frame, node: ast.expr, value: Any) -> str:
    """A new variable for a value; its name is what messages call it."""
    name, taken = ast.unparse(node), set(frame.state.names)
    while name in taken:
        name += " "
    frame.state.names.local[name] = value
    return name


def _is_vector(value: Any) -> bool:
    """Whether something in a value can be changed in place, and is no object."""
    if isinstance(value, tuple):
        return any(_is_vector(v) for v in value)
    return isinstance(value, Value) and len(value.leaves) > 1


def _has_call(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))
