"""Rows of matrices that a loop carries, and what others hold of them.

    r = m[0]
    for i in range(n):
        m[1] += r              # m is carried, and r is still its first row, and what that was

A row that no trip changes is in the trips, and after them, the vector that it was before. What
is a row that trips do change is that row of the matrix that is carried. Takes matrices before a
loop and after a trip, gives those in the trips and after the loop their rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ....terms.term import Term
from ....terms.value import Value
from ..values.blends import Blend, blend, simple
from ..values.branches import Unusable
from ..values.rows import is_matrix
from ..values.scope import Session

P = TypeVar("P")
Change = tuple[P, Any, Any]  # the place, the value before the loop, the value now


_STEPS = 2000  # through the branches of a trip
_LOST = Unusable("this is a row of a matrix that the loop cannot carry", "take a copy: copy(m[i])")


@dataclass
class Fixed(Generic[P]):
    """The matrices that a loop carries, before it, and which of their rows trips change."""

    before: dict[P, Value] = field(default_factory=dict)
    changed: set[tuple[P, int]] = field(default_factory=set)
    #: What is a row, or one of several: it is that in every trip, and carried with the matrix.
    followers: dict[P, Value] = field(default_factory=dict)

    def found(
        self,
        session: Session,
        changes: Sequence[Change[P]],
        inside: Sequence[Change[P]],
        variables: MutableMapping[P, Any],
    ) -> bool:
        """Note which rows are other ones after a trip; True where that is news.

        `inside`: items of one memory, which may follow too. What follows is no variable.
        """
        known, before = len(self.changed), set(self.followers)
        for place, old, new in changes:
            if not is_matrix(old) or not is_matrix(new) or old.type != new.type:
                self.before.pop(place, None)
                continue
            self.before[place] = old
            for k, (a, b) in enumerate(_pairs(session, old, new)):
                if a is not b:
                    self.changed.add((place, k))
        rows = _rows(session, changes)
        for place, old, new in (*changes, *inside):
            if _follows(old, new, rows):
                self.followers[place] = old
                variables.pop(place, None)
            else:
                self.followers.pop(place, None)
        return len(self.changed) > known or set(self.followers) != before

    def others(self, changes: Sequence[Change[P]]) -> list[Change[P]]:
        """The changes without those that follow from others."""
        return [change for change in changes if change[0] not in self.followers]

    def touched(self, session: Session, inside: Sequence[Change[P]]) -> list[Change[P]]:
        """The items of one memory that are matrices, or rows of those that are carried."""
        rows = {id(row) for m in self.before.values() for row in session.rows.of(m)}
        return [
            (place, old, new)
            for place, old, new in inside
            if place not in self.followers
            and (is_matrix(old) or any(id(part) in rows for part in simple(old)))
        ]

    def give(self, session: Session, values: Mapping[P, Any]) -> dict[P, Any]:
        """Matrices in a trip, or after the loop, have the rows that stay what they were.

        Gives what follows.
        """
        rows: dict[int, Value] = {}
        for place, old in self.before.items():
            value = values.get(place)
            if not isinstance(value, Value) or value.type != old.type:
                continue
            known = zip(session.rows.of(old), value.items(), strict=True)
            own = [b if (place, k) in self.changed else a for k, (a, b) in enumerate(known)]
            session.rows.give(value, own)
            rows.update((id(a), b) for a, b in _pairs(session, old, value))
        return {
            p: _followed(v, rows, session) if all(id(a) in rows for a in simple(v)) else _LOST
            for p, v in self.followers.items()
        }


def _rows(session: Session, changes: Sequence[Change[P]]) -> dict[int, Value]:
    """What the rows of matrices have become, by their ids."""
    whole = [(a, b) for _, a, b in changes if is_matrix(a) and is_matrix(b) and a.type == b.type]
    return {id(a): b for both in whole for a, b in _pairs(session, *both)}


def _pairs(session: Session, old: Value, new: Value) -> Iterator[tuple[Value, Value]]:
    return zip(session.rows.of(old), session.rows.of(new), strict=True)


def _follows(old: Any, new: Any, rows: Mapping[int, Value]) -> bool:
    """Whether a vector is the same choice of rows that it was: of those that they have become."""
    if not isinstance(old, Value) or is_matrix(old) or not any(id(v) in rows for v in simple(old)):
        return False
    stack, steps = [(old, new, rows)], 0
    while stack and steps < _STEPS:
        steps += 1
        one, other, now = stack.pop()
        if now.get(id(one)) is other:
            continue
        if not isinstance(other, Blend):
            return False
        if isinstance(one, Blend) and one.condition is other.condition:
            stack += [(one.then, other.then, now), (one.other, other.other, now)]
            continue
        for side, holds in ((other.then, True), (other.other, False)):
            there = {key: _side(row, other.condition, holds) for key, row in now.items()}
            stack.append((one, side, there))
    return not stack


def _side(row: Value, condition: Term, holds: bool) -> Value:
    """What a row has become in an arm of a branch."""
    while isinstance(row, Blend) and row.condition is condition:
        row = row.then if holds else row.other
    return row


def _followed(value: Value, rows: Mapping[int, Value], session: Session) -> Value:
    """The choice of rows, of other ones."""
    if not isinstance(value, Blend):
        return rows[id(value)]
    then, other = (_followed(side, rows, session) for side in (value.then, value.other))
    both = blend(value.condition, then, other, session.real)
    assert both is not None
    return both
