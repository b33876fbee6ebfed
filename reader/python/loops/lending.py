"""Vectors of long lists that a loop carries: which elements they are, in every trip.

    p = ps[k]                      best = ps[0]
    for …:                         for …:
        p.x += 1.0                     if …: best = ps[i]

A vector that is the same element after each trip is that element throughout. Of others it is not
known which element they are: such a vector can be read, but not changed, and not read again after
an element has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ....terms.errors import Span
from ....terms.value import Value
from ..values.lent import Column, Lent, elements, homes, lend, loans, loans_of_parts
from ..values.scope import Session
from ..values.variables import Variable, same
from .identity import relate_ends, vectors_in

P = TypeVar("P")


@dataclass
class Lending(Generic[P]):
    """The loans of what a loop carries."""

    kept: dict[P, list[Lent]] = field(default_factory=dict)
    lost: dict[P, set[Column]] = field(default_factory=dict)  # columns of elements, or not

    def begin(self, session: Session, variables: Mapping[P, Variable]) -> None:
        """Before a trip is read: the elements that places were before the loop."""
        before = {place: variable.before for place, variable in variables.items()}
        for place, value in before.items():  # one of several vectors is carried as another one
            parts = [] if loans(session, value) else loans_of_parts(session, value)
            rows = homes(session, [value]) if isinstance(value, Value) else []
            parts += [loan for home in rows for loan in loans(session, home)]
            if parts:
                self.lost.setdefault(place, set()).update(loan.column for loan in parts)
        self.kept = {
            place: loans(session, value)
            or (elements(session, value) if isinstance(place, str) else [])
            for place, value in before.items()
            if place not in self.lost
        }

    def lend(self, session: Session, values: Mapping[P, Any]) -> None:
        """What places are in a trip, or after the loop, is the same elements, or some."""
        for place, own in self.kept.items():
            for loan in own:
                lend(session, values.get(place), loan.column, loan.index)
        for place, columns in self.lost.items():
            for column in columns:
                lend(session, values.get(place), column, None)

    def found(
        self, session: Session, after: Mapping[P, Any], variables: Mapping[P, Variable]
    ) -> bool:
        """Note what is another element after a trip; True where that is news to the trips."""
        news = False
        for place, value in after.items():
            kept = self.kept.get(place, [])
            own = loans_of_parts(session, value)
            now = {(loan.column, loan.index) for loan in loans(session, value)}
            if all((loan.column, loan.index) in now for loan in kept) and (kept or not own):
                continue
            columns = {loan.column for loan in (*kept, *own)}
            news |= not columns <= self.lost.get(place, set()) and variables[place].begins
            self.lost[place] = self.lost.get(place, set()) | columns
            self.kept.pop(place, None)
        return news


def stays(session: Session, before: Any, after: Any) -> bool:
    """Whether a value is what it was, and the same element."""
    one, other = ({(o.column, o.index) for o in loans(session, v)} for v in (before, after))
    return same(before, after) and one == other


def lend_result(session: Session, value: Any, result: Any, at: Span) -> None:
    """What a loop returns may be a vector that others hold, or an element, in some trip."""
    relate_ends(session, {"": value}, {"": result}, lambda _: "what it returns", at)
    for one, other in vectors_in(value, result):
        for loan in loans_of_parts(session, one):
            lend(session, other, loan.column, None)
