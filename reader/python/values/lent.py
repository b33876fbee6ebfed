"""Vectors read from long lists at a running index: in Python they are the elements themselves.

A long list is a memory, and what is read from it a number of its own. So a loan is noted: which
element of which list a vector is. It stands until an element is replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....terms.term import Term, const
from ....terms.types import Scalar
from ....terms.value import Value
from .aliases import objects_within
from .branches import Unusable
from .objects import Listed
from .scope import Session
from .shelves import LONG


@dataclass(frozen=True, slots=True)
class Lent:
    """A vector that is the element of a list at an index, and the list's elements at that time."""

    vector: Value
    holder: Listed
    index: Term
    items: tuple[Any, ...]

    def stands(self, now: list[int] | None = None) -> bool:
        """Whether the list is as it was, apart from what was written through."""
        return [*map(id, self.items)] == (now or [*map(id, self.holder.items)])


def lend(session: Session, vector: Any, holder: Listed, index: Term) -> None:
    """A vector is the element of a list at an index."""
    if isinstance(vector, Value) and len(vector.leaves) > 1:
        session.lent[id(vector)] = Lent(vector, holder, index, tuple(holder.items))


def lent(session: Session, vector: Any) -> Lent | None:
    """The loan of a vector, if it is an element of a long list."""
    found = session.lent.get(id(vector))
    return found if found is not None and found.vector is vector and found.stands() else None


def element(session: Session, vector: Any) -> Lent | None:
    """The loan of a vector that stands in a long list as it is, at a position that is known."""
    if not isinstance(vector, Value) or len(vector.leaves) < 2:
        return None
    seen: set[int] = set()
    roots = [root for root in session.everything() if not isinstance(root, Unusable)]
    for holder in (o for root in roots for o in objects_within(root, seen)):
        if isinstance(holder, Listed) and len(holder.items) >= LONG:
            for k, item in enumerate(holder.items):
                if item is vector:
                    index = const(k, Scalar.I32)
                    return Lent(vector, holder, index, tuple(holder.items))
    return None


def standing(session: Session) -> list[Lent]:
    """The loans of all vectors that are elements of long lists still, the first ones first."""
    loans = list(session.lent.values())
    now = {id(loan.holder): [*map(id, loan.holder.items)] for loan in loans}
    return [loan for loan in loans if loan.stands(now[id(loan.holder)])]
