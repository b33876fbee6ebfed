"""`nonlocal`: variables of the function around it that an inner function changes.

While it runs they are variables of its own, and nobody else can use them; when it is over, the
function around it has what they are then. Takes the frame of the inner function.
"""

from __future__ import annotations

import ast

from ....terms.errors import Span, TraceError
from ...source import own_nodes
from ..values.branches import Names, Unusable
from ..values.scope import Frame


def names_around(frame: Frame) -> list[str]:
    """The names that a function declares nonlocal, in order."""
    nodes = own_nodes(frame.function.source.node)
    names = [name for node in nodes if isinstance(node, ast.Nonlocal) for name in node.names]
    return list(dict.fromkeys(names))


def _layer(frame: Frame) -> Names:
    """Where the function assigns its variables: not those of a comprehension."""
    return next(layer for layer in frame.state.names.layers() if not layer.own)


def borrow(frame: Frame, at: Span) -> None:
    """The variables become those of `frame`. Raises TraceError where their owner cannot follow."""
    session, outer = frame.session, frame.function.enclosing
    for name in names_around(frame):
        here = frame.function.name
        if outer is None or not session.frames or session.frames[-1] is not outer:
            raise TraceError(
                f"{here} changes {name!r} of the function around it, which does not call it itself",
                at,
                "return the new value and assign it",
            )
        if outer.statement != (outer.state.names, len(session.journal.layers)):
            raise TraceError(
                f"{here} changes {name!r}, in a part of a statement that may not be evaluated, or "
                "not once",
                at,
                "write the call in a statement of its own, under an if or in a loop",
            )
        try:
            value = outer.state.names.find(name)
        except KeyError:
            value = Unusable(f"{name!r} is used before it gets a value", f"assign {name!r} first")
        frame.state.names.local[name] = value
        frame.passing[name] = False
        busy = f"{name!r} is being changed by {here}, which has not returned yet"
        _layer(outer).local[name] = Unusable(busy, "pass it as a parameter")


def give_back(frame: Frame, at: Span) -> None:
    """The function is over: its owner has what the variables are now."""
    session, outer = frame.session, frame.function.enclosing
    names = names_around(frame)
    if not names or outer is None:
        return
    for final in session.finals:
        if final.name not in names:
            continue
        if final.in_place and final.value is not final.start:
            raise TraceError(
                f"{frame.function.name} changes components of {final.name!r}, which is nonlocal",
                at,
                "assign the whole vector",
            )
        _layer(outer).local[final.name] = final.value
    session.finals = tuple(f for f in session.finals if f.name not in names)
