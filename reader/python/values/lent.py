"""Vectors read from long lists at a running index: in Python they are the elements themselves.

A long list is a memory, and what is read from it a number of its own. So a loan is noted: which
element of which column a vector is. A column is a list, or the elements of lists of lists, or a
field of structs in a list: places that one index tells apart. A loan ends where the element is
replaced: whoever holds the vector holds another one from then on (see operations/lending.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span
from ....terms.term import CONST, Term, const, is_const
from ....terms.types import Scalar
from ....terms.value import Value
from .aliases import objects_within
from .blends import Blend, simple
from .branches import Unusable
from .conditions import Condition, both, either
from .objects import Listed, Object
from .rows import is_matrix
from .scope import Session

Column = tuple[tuple[Object, int], ...]


@dataclass(frozen=True, slots=True)
class Lent:
    """A vector that is the element of a column at an index; without one, at some index or none."""

    vector: Value
    column: Column
    index: Term | None

    @property
    def known(self) -> Term:
        """The index, where there is one."""
        assert self.index is not None
        return self.index


@dataclass(frozen=True, slots=True)
class Twice:
    """A place got a vector that is an element already, in an arm of the program."""

    column: Column
    index: Term | None
    other: Lent
    arm: object
    at: Span

    def ends(self, column: Column, index: Term, arm: object) -> bool:
        """Whether it is over once an element is replaced: two have changed places."""
        places = [(self.column, self.index), (self.other.column, self.other.index)]
        known = [(its, place) for its, place in places if place is not None]
        return arm == self.arm and any(same_place(column, index, *p) is True for p in known)


def arm(session: Session) -> tuple[int, int]:
    """Which arm of a branch is being read, of which loop: a name for it."""
    layers = session.journal.layers
    return len(layers), layers[-1][0] if layers else 0


@contextmanager
def part_changing(session: Session) -> Iterator[None]:
    """Inside, a vector is stored of which a component changes: it is the same vector."""
    outer, session.changing = session.changing, True
    try:
        yield
    finally:
        session.changing = outer


def standing_in(column: Column) -> tuple[Any, ...]:
    """What the places of a column hold."""
    return tuple([object_.items[k] for object_, k in column])


def lend(session: Session, vector: Any, column: Column, index: Term | None) -> None:
    """A vector is the element of a column at an index."""
    if isinstance(vector, Value) and len(vector.leaves) > 1:
        for row in session.rows.of(vector) if is_matrix(vector) else ():
            session.rows.lent.setdefault(id(row), []).append(vector)
        known = session.lent.setdefault(id(vector), [])
        if not any(loan.column == column and loan.index is index for loan in known):
            known.append(Lent(vector, column, index))


def loans(session: Session, vector: Any) -> list[Lent]:
    """Which elements a vector is, at the same time; one of two vectors is what both of them are."""
    if not isinstance(vector, Value):
        return []
    found = list(session.lent.get(id(vector), ()))
    if found or not isinstance(vector, Blend):
        return found
    other = {(loan.column, loan.index) for loan in loans(session, vector.other)}
    both = [o for o in loans(session, vector.then) if (o.column, o.index) in other]
    return [Lent(vector, loan.column, loan.index) for loan in both]


def loans_of_parts(session: Session, vector: Any) -> list[Lent]:
    """Which elements a vector is, or may be: those of the vectors that it is one of."""
    found = loans(session, vector)
    if found or not isinstance(vector, Value):
        return found
    return [loan for part in simple(vector) for loan in loans(session, part)]


def is_place(session: Session, vector: Any, column: Column, index: Term) -> bool:
    """Whether a vector is the element of a column at an index already."""
    return any(loan.column == column and loan.index is index for loan in loans(session, vector))


def elements(session: Session, vector: Any) -> list[Lent]:
    """Where in lists a vector stands as it is."""
    if not isinstance(vector, Value) or len(vector.leaves) < 2:
        return []
    seen: set[int] = set()
    roots = [root for root in session.everything() if not isinstance(root, Unusable)]
    holders = [o for root in roots for o in objects_within(root, seen) if isinstance(o, Listed)]
    first = const(0, Scalar.I32)
    return [
        Lent(vector, ((holder, k),), first)
        for holder in holders
        for k, item in enumerate(holder.items)
        if item is vector
    ]


def homes(session: Session, vectors: Iterable[Value]) -> list[Value]:
    """The matrices in lists of which these vectors are rows, or may be."""
    lent = session.rows.lent
    found = (home for v in vectors if lent for p in simple(v) for home in lent.get(id(p), ()))
    return list({id(home): home for home in found}.values())


def lent_now(session: Session, vectors: Iterable[Value]) -> list[Lent]:
    """The loans of vectors in use, and of those that they are one of."""
    parts = {id(p): p for v in vectors for p in (v, *simple(v))}
    return [loan for part in parts.values() for loan in loans(session, part)]


def overlap(one: Column, other: Column) -> bool:
    """Whether columns have a place in common."""
    return one == other or not set(one).isdisjoint(other)


def same_place(column: Column, index: Term, other: Column, its: Term) -> Condition:
    """Whether an index into a column leads to the same place as one into another."""
    if column == other:
        return _equal(index, its)
    where = {place: k for k, place in enumerate(other)}
    found: Condition = False
    for k, place in enumerate(column):
        if place in where:
            found = either(found, both(_at(index, k), _at(its, where[place])))
    return found


def _at(index: Term, k: int) -> Condition:
    return _equal(index, const(k, Scalar.I32))


def _equal(one: Term, other: Term) -> Condition:
    if one is other:
        return True
    if (one.op == CONST and other.op == CONST) or _differ(one, other) or _differ(other, one):
        return False
    return Term("eq", (one, other), None, Scalar.BOOL)


def _differ(one: Term, other: Term) -> bool:
    """Whether one number is the other and something that is not 0."""
    if other.op not in ("add", "sub") or one is not other.args[0]:
        return False
    return other.args[1].op == CONST and not is_const(other.args[1], 0)
