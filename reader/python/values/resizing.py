"""What makes a list longer or shorter: `append`, `extend`, `insert`, `pop`, `clear`, `del`.

All that refer to the list see it, as in Python. Takes a list and its new elements; knows nothing
of syntax.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....terms.errors import Span, TraceError
from .lengths import Uncounted, count_of, met
from .objects import ALL, Arrayed, Choice, Listed, Object, ends_of, is_tuple, references
from .scope import Frame, Session, merged_or_unusable
from .varying import Varying


def resize(session: Session, value: Any, items: list[Any], at: Span, *, shift: bool = True) -> None:
    """Give a list other elements, more or fewer. `shift`: those that stay change their places."""
    if isinstance(value, Choice):
        message = "which list this is, is known only when the kernel runs: it cannot grow or shrink"
        raise Varying(message, at, "use an if, and change one list in each arm")
    assert isinstance(value, Listed) and not isinstance(value, Arrayed)
    count_of(value, at)
    _refuse(session, value, shift, at)
    for frame in reversed(session.frames):
        done = frame.state.done
        there = not isinstance(done, bool) and value.born < frame.state.done_since
        if there and _seen_outside(session, frame, value):
            items = met(value.items, items, _merge(session, done, at), at)
    session.journal.write(value, ALL, items, at)
    for twin, why in tuple(value.twins.values()):
        reason = f"{why}, and line {at.line} changes how long one of them is"
        lost = Uncounted(reason, "give each an object of its own: write copy(…) around one of them")
        session.journal.put(twin, ALL, [lost] * max(1, len(items)))


def _merge(session: Session, condition: Any, at: Span) -> Any:
    return lambda then, other: merged_or_unusable(session, condition, then, other, at)


def _refuse(session: Session, value: Listed, shift: bool, at: Span) -> None:
    if any(over is value for over in session.over):
        hint = "run over a copy: for i, x in enumerate(list(xs))"
        raise TraceError("a loop runs over this list, which grows or shrinks in it", at, hint)
    columns = [loan.column for loans in session.lent.values() for loan in loans]
    if shift and any(object_ is value for column in columns for object_, _ in column):
        hint = "read its fields before: x, y = v.x, v.y"
        message = "a vector of this list is held, which was found by an index of the kernel"
        raise TraceError(message, at, hint)
    for held in _everywhere(session) if value.is_chosen else ():
        if isinstance(held, Choice) and any(end is value for end in ends_of(held)):
            message = "a name may stand for this list or for another one: it cannot grow or shrink"
            hint = "choose between them (xs if c else ys) after that"
            raise Varying(message, at, hint)


def _everywhere(session: Session) -> Iterator[Any]:
    """All that the variables of functions that are being read lead to."""
    stack, seen = session.everything(), set()
    while stack:
        found = stack.pop()
        yield found
        if is_tuple(found):
            stack += found
        for end in ends_of(found):
            if isinstance(end, Object) and id(end) not in seen:
                seen.add(id(end))
                stack += end.parts()


def _seen_outside(session: Session, frame: Frame, value: Listed) -> bool:
    """Whether what the function has returned already, or who calls it, leads to a list."""
    others = [other.state.names for other in session.frames if other is not frame]
    roots = [names.find(name) for names in others for name in dict.fromkeys(names)]
    return id(value) in references([frame.state.result, *roots])
