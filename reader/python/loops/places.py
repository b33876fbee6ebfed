"""Places that a loop changes: names, items of objects, and many items that are one memory.

Takes what a journal has noted, gives places with their values before the loop and now; and
what each item of a place gets. Knows nothing of how loops are read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....terms.types import Scalar, Tup, Type
from ....terms.value import Value
from ..values.branches import Names, Unusable
from ..values.objects import Listed, Object, member, ways
from ..values.scope import Session
from ..values.shelves import item_type, items_of, memories, whole_memories
from ..values.varying import Varying

Item = tuple[int, int]  # a field or an element: the id of its object, its index


@dataclass(frozen=True, slots=True)
class Shelf:
    """Many fields or elements that are one memory, in its order."""

    items: tuple[Item, ...]


#: A name, an item of an object, or many of them.
Place = str | Item | Shelf
Change = tuple[Place, Any, Any]  # the place, the value before the loop, the value now


@dataclass
class Places:
    """The objects that a loop changes."""

    objects: dict[int, Object] = field(default_factory=dict)
    shelves: dict[Shelf, Type] = field(default_factory=dict)  # the type of their elements
    broken: set[Shelf] = field(default_factory=set)  # what was one memory, but did not stay one

    def changes(self, session: Session, apart: Container[Place] = ()) -> list[Change]:
        """The items that a trip has changed; those `apart` are no part of a memory."""
        for object_, before in session.journal.resized():
            raise _varying(session, object_, before)
        found: list[Change] = []
        olds: dict[Item, Any] = {}
        for object_, index, old, now in session.journal.changed():
            self.objects[id(object_)] = object_
            if (id(object_), index) in apart:
                found.append(((id(object_), index), old, now))
            else:
                olds[id(object_), index] = old
        for items in self._together(olds):
            whole = self._shelf(items, [olds[item] for item in items], session.real)
            if whole is not None and whole[0] not in self.broken:
                found.append(whole)
                for item in items:
                    del olds[item]
        return found + [(item, old, self._now(item)) for item, old in olds.items()]

    def inside(self, session: Session, changes: Sequence[Change]) -> list[Change]:
        """The vectors and matrices among the items that are one memory."""
        items = {item for p, _, _ in changes if isinstance(p, Shelf) for item in p.items}
        changed = session.journal.changed() if items else []
        found = [((id(object_), k), old, now) for object_, k, old, now in changed]
        return [
            (place, old, now)
            for place, old, now in found
            if place in items and isinstance(old, Value) and len(old.leaves) > 1
        ]

    def holds_none(self, place: Place, names: Names | None) -> bool:
        """Whether a place that a loop carries, though it had no value before, was None there."""
        if not isinstance(place, str):
            return not isinstance(place, Shelf)
        return names is not None and place in names and names.find(place) is None

    def items(self, place: Item | Shelf, value: Any) -> list[tuple[Object, int, Any]]:
        """The items that a value is written to, each with what it gets."""
        if not isinstance(place, Shelf):
            return [(self.objects[place[0]], place[1], value)]
        values = [value] * len(place.items)
        if not isinstance(value, Unusable):
            found = [part.term for part in value]
            values = items_of(found, self.shelves[place], len(place.items))
        pairs = zip(place.items, values, strict=True)
        return [(self.objects[key], index, item) for (key, index), item in pairs]

    def label(self, place: Place, owners: Mapping[int, str]) -> str:
        """What a variable is called in messages and kernels."""
        if isinstance(place, str):
            return place
        key, index = place.items[0] if isinstance(place, Shelf) else place
        way = owners.get(key, "captured") + member(self.objects[key], index)
        return re.sub(r"\[\d+\]", "", way) if isinstance(place, Shelf) else way

    def _now(self, item: Item) -> Any:
        return self.objects[item[0]].items[item[1]]

    def _together(self, olds: Mapping[Item, Any]) -> list[list[Item]]:
        """The items that may be one memory: they come from one, or are all of a list."""
        groups = whole_memories({item: self._now(item) for item in olds})
        left = set(olds).difference(*groups)
        for key in dict.fromkeys(key for key, _ in olds):
            object_ = self.objects[key]
            items = [(key, k) for k in range(len(object_.items))]
            if isinstance(object_, Listed) and left.issuperset(items):
                groups.append(items)
        return groups

    def _shelf(
        self, items: Sequence[Item], olds: Sequence[Any], real: Scalar
    ) -> tuple[Shelf, Any, Any] | None:
        """Many numbers before the loop and after the trip, as memories."""
        news = [self._now(item) for item in items]
        type_ = item_type(news, real)
        if type_ is None or item_type([*olds, *news], real) != type_:
            return None
        place = Shelf(tuple(items))
        self.shelves[place] = type_
        first, last = (memories(values, type_, real) for values in (olds, news))
        whole = Tup(tuple([m.type for m in first]))
        return place, Value(whole, tuple(first)), Value(whole, tuple(last))


def _varying(session: Session, object_: Object, before: int) -> Varying:
    """A list is not as long after a trip as it was before."""
    scopes = [frame.state.names for frame in reversed(session.frames)]
    owners = ways((name, names.find(name)) for names in scopes for name in names)
    return Varying(
        f"{owners.get(id(object_), 'a list')!r} has {_counted(before)} before this loop and "
        f"{_counted(len(object_.items))} after a trip",
        hint="how long a list is must be known while reading: make it as long as it can be, "
        "[0.0] * n, and count what is used; or loop over range(n) with a number n, which a "
        "parameter is in functools.partial(f, n=8)",
    )


def _counted(count: int) -> str:
    return f"{count or 'no'} element" + "s" * (count != 1)


def forget_items(place: Place, variables: MutableMapping[Place, Any]) -> bool:
    """What is carried together with others is not carried alone, or with yet others."""
    if not isinstance(place, Shelf):
        return False
    own = set(place.items)
    inside = [
        other
        for other in variables
        if other in own
        or (isinstance(other, Shelf) and other != place and not own.isdisjoint(other.items))
    ]
    for other in inside:
        del variables[other]
    return bool(inside)
