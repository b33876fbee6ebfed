"""Generators: what `yield` gives, all of it at once, and that nothing tells this from in turn.

A generator runs to its end where it is called. Python runs it from item to item, so what it is
given must not change before the last one is taken, it changes only what it has made itself, and
that no more once it has given it. Takes the frame of a generator, gives what can be run over.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from ....terms.errors import TraceError
from ....terms.value import Value
from ...source import Definition, own_nodes
from ..calls.calls import call
from ..expressions.expression import evaluate
from ..operations.growing import extended
from ..operations.records import elements
from ..values.objects import Listed
from ..values.once import Once
from ..values.scope import Frame
from ..values.seen import Seen, unchanged

_GIVEN = "yield"  # the variable of what is given so far; no other can be called so
_INSTEAD = "return a list of all items instead"


@lru_cache(maxsize=1024)
def is_generator(node: Definition) -> bool:
    """Whether a function gives items, one after the other."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node))


@dataclass(slots=True)
class Given(Seen):
    """What the objects in some values, and the variables of the function around, were like."""

    vectors: list[tuple[Listed, int, Value]] = field(default_factory=list)  # and where they stand
    rest: TraceError | None = None  # there would be more items, and this is why they are not known

    def has_changed(self) -> bool:
        """Whether something is another one now."""
        moved = any(held.items[place] is not value for held, place, value in self.vectors)
        return moved or any(True for _ in self.changed())


def begin(frame: Frame) -> Given:
    """The body of a generator begins."""
    local = frame.state.names.local
    before = Given()
    for name, value in local.items():
        before.add([value], name)
    before.add([frame.function])
    local[_GIVEN] = Listed([])
    frame.given = Given()
    return before


def give(frame: Frame, node: ast.Yield | ast.YieldFrom) -> None:
    """`yield x` and `yield from xs`."""
    session, at = frame.session, frame.span(node)
    value = None if node.value is None else evaluate(frame, node.value)
    items: Sequence[Any] | Any = value if isinstance(node, ast.YieldFrom) else (value,)
    held = frame.state.names.find(_GIVEN)
    before = len(held.items)
    extended(session, held, items, at, partial(call, session))
    assert frame.given is not None
    new = held.items[before:]
    frame.given.add(new)
    frame.given.vectors += [
        (held, before + k, v)
        for k, v in enumerate(new)
        if isinstance(v, Value) and len(v.leaves) > 1
    ]


def end(frame: Frame, before: Given) -> Once:
    """What the generator gives. Raises TraceError where turns would make a difference."""
    at, name = frame.function.at, frame.function.name
    if before.has_changed():
        raise TraceError(f"the generator {name} changes what it is given", at, _INSTEAD)
    assert frame.given is not None
    if frame.given.has_changed():
        message = f"the generator {name} changes what it has given before"
        raise TraceError(message, at, "give a copy: yield copy(…)")
    items = elements(frame.session, frame.state.names.find(_GIVEN), at)

    check = unchanged(before, f"the generator {name}", at, f"take all at once: list({name}(…))")
    return Once(items, rest=frame.given.rest, check=check)
