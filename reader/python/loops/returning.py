"""What a `return` inside a loop gives, after the loop.

    for i in range(n):
        if ps[i].d < d: return ps[i]    =>    which of ps it is

A reference to an object from before the loop stays one: which object it leads to, is carried.
Of all else the contents are carried; what was one object with another before is its twin then.
Takes what is returned in a trip, gives what is carried of it, and the value of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....terms.types import Scalar
from ....terms.value import scalar
from ..values.objects import Choice, Object, View, is_optional, is_tuple, objects_of
from ..values.scope import Session
from .pointers import Pointer

NOTHING = object()  # nothing of it is carried: it is the same in all trips


@dataclass(frozen=True, slots=True)
class Returning:
    """How a loop carries what is returned; objects older than `since` are from before it."""

    session: Session
    since: int

    def lowered(self, value: Any) -> Any:
        """What is carried of a value, or NOTHING."""
        if value is None:
            return NOTHING
        if is_optional(value):  # also whether it is something
            there, inner = scalar(value.condition), self.lowered(value.then)
            return there if inner is NOTHING else (there, inner)
        if is_tuple(value) and value:
            parts = [part for part in map(self.lowered, value) if part is not NOTHING]
            return tuple(parts) if parts else NOTHING
        known = self._pointer(value)
        if known is None:
            return value
        return known.lowered(value) if len(known.objects) > 1 else NOTHING

    def raised(self, value: Any, carried: Any) -> Any:
        """The value of which this was carried."""
        if value is None:
            return None
        if is_optional(value):
            alone = self.lowered(value.then) is NOTHING
            there, inner = (carried, None) if alone else carried
            return Choice(there.term, self.raised(value.then, inner), None)
        if is_tuple(value) and value:
            return tuple(self._items(value, carried))
        known = self._pointer(value)
        if known is None:
            return carried
        return known.raised(carried) if len(known.objects) > 1 else known.objects[0]

    def _items(self, value: tuple[Any, ...], carried: Any) -> Iterator[Any]:
        rest = iter(carried or ())
        for item in value:
            yield self.raised(item, None if self.lowered(item) is NOTHING else next(rest))

    def copied(self, value: Any) -> Any:
        """The value without the references that stay references."""
        if is_optional(value):
            return self.copied(value.then)
        if is_tuple(value):
            return tuple(map(self.copied, value))
        return value if self._pointer(value) is None else None

    def _pointer(self, value: Any) -> Pointer | None:
        """What carries a reference, where all that it may lead to is from before the loop."""
        found = objects_of(value)
        if not found or any(self._is_young(object_) for object_ in found):
            return None
        objects = sorted({id(o): o for o in found}.values(), key=lambda o: o.born)
        return Pointer("result", Scalar.I32, None, [(0,)], objects=objects, session=self.session)

    def _is_young(self, value: Object) -> bool:
        """Whether an object is of the loop; a slice of an array is as old as the array."""
        parts = value.parts() if isinstance(value, View) else [value]
        return any(part.born >= self.since for part in parts)
