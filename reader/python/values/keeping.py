"""`cached_property`: it keeps its first value, so what it is computed of must not change any more.

Takes objects, and makes them such that nobody can change them from then on. Knows nothing of
syntax.
"""

from __future__ import annotations

from typing import Any

from ....terms.errors import Span, TraceError
from .scope import Session
from .seen import Seen
from .values import describe

_HOW = "make it a property, or make a new object: dataclasses.replace(a, x=…)"


class Kept(str):
    """Why an object cannot be changed: a property keeps its value, which copies have, too."""

    __slots__ = ()
    hint = _HOW


def keep_first(session: Session, value: Any, name: str, at: Span) -> None:
    """What is in `value` stays as it is. Raises TraceError where a trip or an arm has changed it.

    A loop comes back to what it has changed: there, the property would be that of the first trip.
    """
    seen = Seen()
    seen.add([value])
    found = {id(object_): object_ for _, object_, _ in seen.objects}
    for object_ in tuple(found.values()):
        places = (object_.place(k)[0] for k in range(len(object_.items)))
        found.update((id(o), o) for o in places)
    changed = {id(o) for layer in session.journal.layers for o, _ in layer[1].values()}
    if not changed.isdisjoint(found):
        message = f"{name!r} keeps its first value, and {describe(value)} has changed before it"
        raise TraceError(f"{message} in this loop or branch", at, _HOW)
    why = Kept(f"{name!r} of {describe(value)} keeps its first value, asked for in line {at.line}")
    for object_ in found.values():
        object_.frozen = object_.frozen or why
