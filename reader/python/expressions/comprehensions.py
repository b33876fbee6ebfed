"""Comprehensions: `[f(x) for x in xs if c]` over what is known while reading, written out.

Takes the syntax of a comprehension and the frame it stands in, gives the values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..calls.calls import call
from ..operations.iterating import items_of, truth_of
from ..operations.sequences import as_far, known, rest_of
from ..values.branches import Names
from ..values.objects import Listed
from ..values.once import Once
from ..values.scope import Frame
from ..values.seen import Seen, unchanged
from ..values.values import describe, unless_annotated
from ..values.varying import Varying


class NotKnown(Varying):
    """How many values a comprehension has is known only at run time."""


#: Gives the value of an expression. Handed in, because expressions contain comprehensions.
Evaluate = Callable[[Frame, ast.expr], Any]


def comprehension(
    frame: Frame, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, evaluate: Evaluate
) -> list[Any]:
    """The values of a comprehension; its variables are its own."""
    here = node.generators[0].iter
    return _values(frame, node, evaluate, _spread(frame, evaluate(frame, here), here))


def generated(frame: Frame, node: ast.GeneratorExp, evaluate: Evaluate) -> Once:
    """What `(f(x) for x in xs)` runs over; where `xs` has no end, this has none."""
    here = node.generators[0].iter
    source = evaluate(frame, here)
    if rest_of(source) is None:
        values = _values(frame, node, evaluate, _spread(frame, source, here))
        return Once(values, check=_lasting(frame, node, source))
    items = known(frame.session, source, frame.span(here), partial(call, frame.session))
    each, rest = as_far((_values(frame, node, evaluate, [item]) for item in items), rest_of(source))
    found = [value for values in each for value in values]
    return Once(found, rest=rest, check=_lasting(frame, node, source))


def _lasting(frame: Frame, node: ast.GeneratorExp, source: Any) -> Callable[[], None]:
    """Raises TraceError where items would be others if they were computed in their turns only."""
    over = node.generators[0].iter
    first = {id(n) for n in ast.walk(over)}  # is evaluated at once
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in first]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    seen = Seen()
    seen.add([source], over.id if isinstance(over, ast.Name) else "")
    seen.names(frame, dict.fromkeys(n.id for n in names if n.id not in own))
    return unchanged(seen, "this generator", frame.span(node), "take all at once: [… for …]")


def _values(frame: Frame, node: Any, evaluate: Evaluate, items: Sequence[Any]) -> list[Any]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            message = ":= in a comprehension is not in the language"
            raise frame.error(inner, message, "assign in a statement of its own")
    outer = frame.state.names
    frame.state.names = Names(outer, own=True)
    try:
        return [evaluate(frame, node.elt) for _ in _steps(frame, node.generators, items, evaluate)]
    finally:
        frame.state.names = outer


def _steps(
    frame: Frame, generators: Sequence[ast.comprehension], items: Sequence[Any], evaluate: Evaluate
) -> Iterator[None]:
    """Sets the variables for every step of the loops, the last one innermost.

    `items`: what the first one runs over.
    """
    here, *inner = generators
    for item in items:
        _bind(frame, here.target, item)
        if not all(_holds(frame, test, evaluate) for test in here.ifs):
            continue
        if inner:
            then = _spread(frame, evaluate(frame, inner[0].iter), inner[0].iter)
            yield from _steps(frame, inner, then, evaluate)
        else:
            yield


def _holds(frame: Frame, test: ast.expr, evaluate: Evaluate) -> bool:
    at = frame.span(test)
    held = truth_of(frame.session, evaluate(frame, test), at, partial(call, frame.session))
    if not isinstance(held, bool):
        raise NotKnown(
            "this condition is not known while reading: the length of the list would depend on it",
            at,
            "write the choice into the value: x if c else 0.0",
        )
    return held


def _bind(frame: Frame, target: ast.expr, item: Any) -> None:
    if isinstance(target, ast.Name):
        frame.state.names.local[target.id] = item
        return
    if isinstance(target, ast.Starred):
        return _bind(frame, target.value, item)
    parts = _spread(frame, item, target)
    names = target.elts if isinstance(target, ast.Tuple | ast.List) else ()
    parts = dealt(names, parts)
    if len(parts) != len(names):
        raise frame.error(target, f"{describe(item)} cannot be unpacked here")
    for inner, part in zip(names, parts, strict=True):
        _bind(frame, inner, part)


def dealt(targets: Sequence[ast.expr], items: Sequence[Any]) -> Sequence[Any]:
    """The items for the targets of an assignment: a list of what is left for one with a star."""
    stars = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if not stars:
        return items
    head, after = stars[0], len(targets) - stars[0] - 1
    stop = len(items) - after
    return [*items[:head], Listed(items[head:stop]), *items[max(stop, head) :]]


def _spread(frame: Frame, value: Any, node: ast.expr) -> Sequence[Any]:
    items = items_of(frame.session, value, frame.span(node), partial(call, frame.session))
    if items is None:
        hint = unless_annotated(value, "it runs over lists, vectors, tuples and ranges")
        raise frame.error(node, f"a comprehension cannot run over {describe(value)}", hint)
    return items
