"""A reference to one of many objects, at an index that is known only when the kernel runs.

`grid[i][j]`, `bodies[i].at`: what the objects hold at one place is a long list of numbers, so it
is read and written through memory, in one operation. Rows of a list of lists lie one after the
other in one memory; each field of structs has one of its own. To all that does not know better,
the reference is a chain of choices. Takes objects and an index, gives values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....terms.errors import Span
from ....terms.rule import RuleSet
from ....terms.term import Term, const
from ....terms.types import Scalar
from ..values.counting import integer
from ..values.lent import Column, standing_in
from ..values.objects import Choice, Instance, Listed, Mapped, Object, may_lead_to, references
from ..values.scope import Session
from ..values.shelves import LONG, item_type, memories, read
from ..values.values import merged
from .columns import replace_in_column


class Running(Choice):
    """A reference to `objects[index]`: all are of one form, and hold numbers in the end."""

    __slots__ = ("first_index", "index", "objects", "real", "rules")

    def __init__(
        self,
        objects: Sequence[Object],
        index: Term,
        rules: RuleSet,
        real: Scalar,
        first_index: int = 0,
    ) -> None:
        self.objects = tuple(objects)
        self.index = index
        self.rules, self.real = rules, real
        self.first_index = first_index  # of the first object
        may_lead_to(self.objects)

    @property
    def condition(self) -> Term:  # type: ignore[override]
        """Whether it is the first of the objects."""
        return self.at(self.first_index)

    def at(self, number: int) -> Term:
        """Whether the index is a certain one."""
        return Term("eq", (self.index, const(number, Scalar.I32)), None, Scalar.BOOL)

    @property
    def then(self) -> Any:
        """The first of the objects."""
        return self.objects[0]

    @property
    def other(self) -> Any:
        """One of the others."""
        if len(self.objects) == 2:
            return self.objects[1]
        rest = self.objects[1:]
        return Running(rest, self.index, self.rules, self.real, self.first_index + 1)

    def item(self, place: int | Term) -> Any:
        """What the object holds at a place: a number, a vector, or a reference again."""
        column, index = self.column(place)
        items = standing_in(column)
        if isinstance(items[0], Object):
            return Running(items, index, self.rules, self.real)
        type_ = item_type(items, self.real)
        if type_ is not None:
            return read(memories(items, type_, self.real), type_, index)
        found = items[-1]  # few of the objects are left, where a branch has excluded the others
        for k in reversed(range(len(items) - 1)):
            here = Term("eq", (index, const(k, Scalar.I32)), None, Scalar.BOOL)
            found = merged(self.rules, here, items[k], found, self.real)
        return found

    def column(self, place: int | Term) -> tuple[Column, Term]:
        """What a place stands for in all objects, and the index of this one in it."""
        width = len(self.objects[0].items)
        own = self.index
        if self.first_index:
            own = integer(self.rules, "sub", own, const(self.first_index, Scalar.I32))
        if isinstance(self.objects[0], Instance):
            assert isinstance(place, int)
            return tuple([(object_, place) for object_ in self.objects]), own
        at = const(place, Scalar.I32) if isinstance(place, int) else place
        row = integer(self.rules, "mul", own, const(width, Scalar.I32))
        every = tuple([(object_, k) for object_ in self.objects for k in range(width)])
        return every, integer(self.rules, "add", row, at)

    def whole(self) -> Object:
        """A new object that holds what this one holds."""
        first = self.objects[0]
        items = [self.item(k) for k in range(len(first.items))]
        own = [item.whole() if isinstance(item, Running) else item for item in items]
        return first.like(own)


def at_index(session: Session, value: Listed, index: Term) -> Running | None:
    """The element of a list of objects at an index; None where they are not of one form."""
    if not all(isinstance(item, Object) for item in value.items) or not alike(session, value.items):
        return None
    return Running(value.items, index, session.rules, session.real)


def is_long(value: Listed) -> bool:
    """Whether a running index into a list is worth a memory: by the numbers in its rows."""
    count, rows = len(value.items), value.items
    while rows and isinstance(rows[0], Listed):
        count, rows = count * len(rows[0].items), rows[0].items
    return count >= LONG


def alike(session: Session, objects: Sequence[Any]) -> bool:
    """Whether objects have one form, with numbers at the same places, and are not the same."""
    if len({id(object_) for object_ in objects}) < len(objects):
        return False
    first = objects[0]
    if any(isinstance(object_, Mapped) for object_ in objects):
        return False
    kind = first.cls if isinstance(first, Instance) else None
    for object_ in objects:
        own = object_.cls if isinstance(object_, Instance) else None
        if own is not kind or len(object_.items) != len(first.items):
            return False
    columns = list(zip(*(object_.items for object_ in objects), strict=True))
    if isinstance(first, Listed):
        columns = [tuple(item for object_ in objects for item in object_.items)]
    for column in columns:
        if all(isinstance(item, Object) for item in column):
            if not alike(session, column):
                return False
        elif item_type(column, session.real) is None:
            return False
    return True


def put(
    session: Session, value: Running, place: int | Term, new: Any, at: Span, alone: bool = False
) -> bool:
    """Write a number, a vector or an object of the same form; False where that cannot be."""
    column, index = value.column(place)
    items = standing_in(column)
    if isinstance(items[0], Object):
        return put_object(session, Running(items, index, value.rules, value.real), new, at)
    if isinstance(new, Object | Choice | tuple | str) or item_type(items, value.real) is None:
        return False
    return replace_in_column(session, column, index, new, at, alone)


def put_object(session: Session, target: Running, new: Any, at: Span) -> bool:
    """Everything in the object is replaced by what is in one that nothing else refers to."""
    if not isinstance(new, Object) or not alike(session, [*target.objects, new]):
        return False
    counts = references(session.everything())
    if id(new) in counts or any(counts[id(object_)] != 1 for object_ in target.objects):
        return False
    items = enumerate(new.items)
    return all(put(session, target, k, item, at, alone=True) for k, item in items)
