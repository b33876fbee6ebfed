"""References that a loop moves among objects from before it: carried as a number.

    best = ps[0]
    for i in range(n):
        if ps[i].d < best.d: best = ps[i]    =>    which of ps it is

What these objects hold is not copied: a change through the name is a change of the object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.term import SELECT, Term, const
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ..operations.running import Running, alike
from ..values.counting import integer
from ..values.objects import Choice, Object, objects_of
from ..values.scope import Session
from ..values.shelves import LONG
from ..values.variables import Variable


class Numbered(Choice):
    """A reference to `objects[index]`, as a chain of choices."""

    __slots__ = ("index", "objects")

    first_index = 0

    def __init__(self, objects: Sequence[Object], index: Term) -> None:
        found: Any = objects[-1]
        for k in reversed(range(len(objects) - 1)):
            arms = (objects[k], found)
            super().__init__(_equal(index, k), *arms)
            found = Choice(self.condition, *arms)
        self.objects, self.index = objects, index


@dataclass
class Pointer(Variable):
    """A reference that a loop moves among objects: which of them it is, is carried."""

    objects: Sequence[Object] = ()
    session: Session | None = None

    @property
    def refers(self) -> bool:
        """It does."""
        return True

    def lowered(self, value: Any) -> Any:
        """Which of the objects a reference leads to."""
        assert self.session is not None
        places = {id(o): k for k, o in enumerate(self.objects)}
        return scalar(_number(self.session, value, places))

    def raised(self, value: Value) -> Any:
        """The reference to the object of a number."""
        assert self.session is not None
        if len(self.objects) >= LONG and alike(self.session, self.objects):
            return Running(self.objects, value.term, self.session.rules, self.session.real)
        only = len(self.objects) == 1
        return self.objects[0] if only else Numbered(self.objects, value.term)


def pointer(
    session: Session, name: str, before: Any, after: Any, known: Variable | None, since: int
) -> Pointer | None:
    """The variable for a reference that stays among objects older than `since`; or None."""
    if known is not None and not isinstance(known, Pointer):
        return None
    found = objects_of(after)
    if not found or any(o.born >= since for o in found):
        return None
    if before is not None and not objects_of(before):
        return None
    every = [*objects_of(before), *(known.objects if known is not None else ()), *found]
    objects = sorted({id(o): o for o in every}.values(), key=lambda o: o.born)
    if known is not None and list(known.objects) == objects:
        return known
    return Pointer(name, Scalar.I32, before, [(0,)], objects=objects, session=session)


def _number(session: Session, value: Any, places: Mapping[int, int]) -> Term:
    """The number of the object that a reference leads to."""
    made: dict[int, Term] = {}
    stack = [value]
    while stack:
        here = stack[-1]
        if isinstance(here, Object):
            made[id(here)] = const(places[id(here)], Scalar.I32)
        elif isinstance(here, Numbered | Running):
            made[id(here)] = _number_at(session, here, places)
        else:
            missing = [arm for arm in (here.then, here.other) if id(arm) not in made]
            if missing:
                stack += missing
                continue
            arms = made[id(here.then)], made[id(here.other)]
            picked = Term(SELECT, (here.condition, *arms), None, Scalar.I32)
            made[id(here)] = arms[0] if arms[0] is arms[1] else picked
        stack.pop()
    return made[id(value)]


def _number_at(session: Session, value: Numbered | Running, places: Mapping[int, int]) -> Term:
    """The number of `objects[index]`: the index itself, where the objects follow each other."""
    first, rules = places[id(value.objects[0])], session.rules
    numbers = [places[id(o)] for o in value.objects]
    if numbers == list(range(first, first + len(numbers))):
        return integer(rules, "add", value.index, const(first - value.first_index, Scalar.I32))
    found = const(numbers[-1], Scalar.I32)
    for k in reversed(range(len(numbers) - 1)):
        number = const(numbers[k], Scalar.I32)
        condition = _equal(value.index, value.first_index + k)
        found = Term(SELECT, (condition, number, found), None, Scalar.I32)
    return found


def _equal(index: Term, number: int) -> Term:
    return Term("eq", (index, const(number, Scalar.I32)), None, Scalar.BOOL)
