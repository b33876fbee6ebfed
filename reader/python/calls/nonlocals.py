"""`nonlocal`: variables of the function around it that an inner function changes.

While it runs they are variables of its own, and nobody else can use them; when it is over, the
function around it has what they are then. Where that one is over itself, its variables are kept in
cells: a counter that it has given back goes on counting. Takes the frame of a function.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from ....terms.errors import Span, TraceError
from ...source import Definition, own_nodes
from ..values.branches import Names, Unusable
from ..values.cells import Cell, lent
from ..values.lengths import unreadable
from ..values.scope import Frame


def names_around(frame: Frame) -> list[str]:
    """The names that a function declares nonlocal, in order."""
    nodes = own_nodes(frame.function.source.node)
    names = [name for node in nodes if isinstance(node, ast.Nonlocal) for name in node.names]
    return list(dict.fromkeys(names))


@lru_cache(maxsize=1024)
def _changed_inside(node: Definition) -> Sequence[str]:
    """The names that functions defined in a function declare nonlocal."""
    found = [n.names for n in ast.walk(node) if isinstance(n, ast.Nonlocal)]
    return list(dict.fromkeys(name for names in found for name in names))


def keep(frame: Frame) -> None:
    """A function is over: those that were defined in it go on with its variables."""
    local, here = _layer(frame).local, frame.function.name
    for name in _changed_inside(frame.function.source.node):
        if name not in local or name in names_around(frame):
            continue
        value = local[name]
        if frame.state.done_since:  # what one arm did to it before it returned, the other did not
            reason = f"what {name!r} of {here} is now depends on where {here} has returned"
            value = Unusable(reason, "return in one place, at the end")
        local[name] = Cell([value])


def _layer(frame: Frame) -> Names:
    """Where the function assigns its variables: not those of a comprehension."""
    return next(layer for layer in frame.state.names.layers() if not layer.own)


def borrow(frame: Frame, at: Span) -> None:
    """The variables become those of `frame`. Raises TraceError where their owner cannot follow."""
    outer = frame.function.enclosing
    for name in names_around(frame):
        cell = _cell(frame, name)
        if cell is not None:
            if (unusable := cell.busy(name)) is not None:
                raise unreadable(unusable, at)
            value, cell.frame = cell.items[0], frame
        else:
            _check_caller(frame, name, at)
            assert outer is not None
            try:
                value = outer.state.names.find(name)
            except KeyError:
                reason = f"{name!r} is used before it gets a value"
                value = Unusable(reason, f"assign {name!r} first")
            _layer(outer).local[name] = lent(name, frame.function.name)
        frame.state.names.local[name] = value
        frame.passing[name] = False


def _cell(frame: Frame, name: str) -> Cell | None:
    """What holds a variable of the function around, if that one is over."""
    session, outer = frame.session, frame.function.enclosing
    if outer is None or outer in session.frames:
        return None
    found = _layer(outer).local.get(name)
    return found if isinstance(found, Cell) else None


def _check_caller(frame: Frame, name: str, at: Span) -> None:
    session, outer = frame.session, frame.function.enclosing
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
        cell = _cell(frame, final.name)
        if cell is not None:
            session.write(cell, 0, final.value, at)
        else:
            _layer(outer).local[final.name] = final.value
    session.finals = tuple(f for f in session.finals if f.name not in names)
