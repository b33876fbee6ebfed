"""Objects that are iterators themselves, by `__next__`: their items, taken one after the other.
And those that have `__getitem__` alone: Python asks it for item 0, 1, … until there is none.

Python takes an item when somebody asks for it; here all are taken at once, so nobody else may see
the object change, and what it computes with must not change before the last one is taken. Takes an
object, gives what can be run over one time; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.value import Value
from ..values.objects import Instance, Object, references
from ..values.once import Once
from ..values.scope import Session
from ..values.seen import Seen, unchanged
from ..values.values import describe
from ..values.varying import Ended, Outside, Varying
from .records import Invoke, dunder


@dataclass(frozen=True, slots=True)
class Turn:
    """How Python takes the next item of an object."""

    method: str
    ended: type[TraceError]
    ends: str  # as checks say it
    instead: str  # what to write where there is no end


NEXT = Turn(
    "__next__", Ended, "raises StopIteration", "loop over range(n), and call next(…) in the loop"
)
ITEM = Turn("__getitem__", Outside, "raises IndexError", "loop over range(n), and take item i")
_MOST = 256  # items of what has no end


def is_iterator(value: Any) -> bool:
    """Whether `next(value)` is what its method says."""
    return isinstance(value, Instance) and dunder(value, "__next__") is not None


def stepped(session: Session, value: Instance, at: Span, invoke: Invoke, turn: Turn) -> Once:
    """All items of an object, by one of its methods. Raises TraceError where turns matter."""
    name, given, rest = describe(value), Seen(), None
    items: list[Any] = []
    others = references(session.everything())
    while len(items) < _MOST:
        try:
            places = [len(items)] if turn is ITEM else []
            item, touched = _step(session, value, at, invoke, turn, places)
        except turn.ended:
            break
        if any(id(object_) in others for object_ in touched):
            message = f"{name} changes as its items are taken, which others could see"
            raise TraceError(message, at, f"run over it where it is made: for x in {_made(value)}")
        given.add([item])
        shared = isinstance(item, Value) and len(item.leaves) > 1 and item in value.items
        if shared or any(True for _ in given.changed()):
            message = f"{name} changes what it has given before"
            raise TraceError(message, at, "give a copy: return copy(…)")
        items.append(item)
    else:
        message = f"only the first {_MOST} items of {name} are known, which has no end"
        rest = TraceError(message, None, turn.instead)
    seen = Seen()
    seen.add([value])
    how = f"take all at once: for x in list({_made(value)})"
    return Once(items, rest=rest, check=unchanged(seen, name, at, how))


def _made(value: Instance) -> str:
    return f"{value.cls.__name__}(…)"


def next_item(session: Session, value: Instance, at: Span, invoke: Invoke) -> Any:
    """`next(value)`. Raises Ended where nothing is left."""
    return _step(session, value, at, invoke, NEXT, [])[0]


def _step(
    session: Session, value: Instance, at: Span, invoke: Invoke, turn: Turn, places: Sequence[int]
) -> tuple[Any, list[Object]]:
    """The next item, and what has changed. Raises what says that there is none."""
    checks, journal = len(session.checks), session.journal
    journal.begin()
    try:
        item = invoke(dunder(value, turn.method), places, {}, at)
    except turn.ended:
        journal.undo()
        del session.checks[checks:]
        raise
    except BaseException:
        journal.undo()
        raise
    changed = journal.undo()
    journal.redo(changed, at)
    if any(turn.ends in message for message, _ in session.checks[checks:]):
        message = f"how many items {describe(value)} has is known only when the kernel runs"
        raise Varying(message, at, "give as many in every case, or write a loop over range(n)")
    touched = [object_ for object_, _ in changed.values() if object_ is not session.trouble]
    return item, touched
