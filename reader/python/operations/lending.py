"""What changes in a vector that is an element of a long list changes in the list, and back.

    p = ps[i]                  p = ps[i]
    p.x += 1.0                 ps[j].x += 1.0
    … ps[i].x …                … p.x …

Takes what changes in place, and writes it through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.term import const
from ....terms.types import Scalar
from ....terms.value import Value
from ..values.aliases import (
    one_of_several,
    relabelled,
    relate,
    replace_everywhere,
    vectors_held,
    vectors_named,
)
from ..values.blends import Blend, Changes, atoms, simple, where_it_is
from ..values.lent import (
    Column,
    Lent,
    homes,
    lend,
    lent_now,
    loans,
    loans_of_parts,
    overlap,
    standing_in,
)
from ..values.scope import Frame, Session
from .columns import column_item, read_column, write_column

_UNKNOWN = "may be an element of a list since a loop, and it is not known which"
_OWN = "store a copy there, … = copy(…): each element is a vector of its own then"
_KEEP = "keep the index instead of the vector, or change a copy, v = copy(v)"


@dataclass(frozen=True, slots=True)
class Through:
    """A change of a vector: its loans, those of all vectors in use, and what columns held."""

    frame: Frame
    own: list[Lent]
    held: list[Lent]
    before: Mapping[Column, tuple[Any, ...]]

    @classmethod
    def of(cls, frame: Frame, old: Value, name: str, at: Span) -> Through:
        """Before `old` changes, which the program calls `name` there."""
        session = frame.session
        own, held = loans_of_parts(session, old), lent_now(session, _in_use(session))
        if any(loan.index is None for loan in own):
            raise TraceError(f"{name!r} {_UNKNOWN}", at, _KEEP)
        for loan in own:
            _check_parts(frame, loan.column, at)
        parts = {id(part) for part in simple(old)}
        _check_twice(frame, own, parts, name, at)
        for loan in held:
            if loan.index is None and _changes(loan.column, own, parts):
                relate(session, old, loan.vector, f"this vector {_UNKNOWN}")
        before = {loan.column: standing_in(loan.column) for loan in (*own, *held)}
        for item in (item for loan in own for item in before[loan.column]):
            for part in () if item is old else session.rows.vectors([item]):
                for one, other, why in tuple(session.kin.get(id(part), ())):
                    if one is part:
                        relate(session, old, other, why)
        return cls(frame, own, held, before)

    def writes(self, old: Value) -> bool:
        """Whether all that the vector may be are elements: nothing else is to be written."""
        return bool(loans(self.frame.session, old))

    def also(self, old: Value) -> list[Value]:
        """The vectors that it may be, if some of them are elements."""
        return [*simple(old)] if self.own else []

    def finish(self, old: Value, new: Value, after: Changes, at: Span) -> None:
        """After `old` has become `new`: the elements that are one with it, and what is read."""
        session = self.frame.session
        for loan in self.own:
            now = column_item(session, loan.column, loan.known)
            assert now is not None
            whole = loan.vector is old
            value = new if whole else where_it_is(old, loan.vector, new, now, session.real)
            if now.leaves != value.leaves:
                write_column(session, loan.column, loan.known, value, at)
        _, last = after.get(id(new), (new, new))
        ends = {**after, id(old): (old, last)}
        for loan in (*self.own, *self.held):
            lend(session, ends.get(id(loan.vector), (None, None))[1], loan.column, loan.index)
        self._elements(at)
        for loan in self.held:
            self._read_again(loan, old, ends, at)

    def _elements(self, at: Span) -> None:
        """What was an element of a list, and stands elsewhere too, is what it has become."""
        for column in dict.fromkeys(loan.column for loan in self.own):
            pairs = enumerate(zip(self.before[column], standing_in(column), strict=True))
            changed = [(k, old, now) for k, (old, now) in pairs if old is not now]
            held = _held(self.frame) if changed else set()
            for k, old, now in changed:
                for part in _held_parts(self.frame, old, held, at):
                    for vector in (part, now):
                        lend(self.frame.session, vector, column, const(k, Scalar.I32))
                    replace_everywhere(self.frame, part, now, at)

    def _read_again(self, loan: Lent, old: Value, ends: Changes, at: Span) -> None:
        """A vector whose column has changed is what stands there now."""
        session, column, index = self.frame.session, loan.column, loan.index
        if loan.vector is old or index is None or standing_in(column) == self.before[column]:
            return
        _, vector = ends.get(id(loan.vector), (loan.vector, loan.vector))
        if id(vector) not in _held(self.frame):
            return
        own = [(o.column, o.index) for o in self.own if o.vector is old]
        one = (column, index) in own
        now = ends[id(old)][1] if one else read_column(session, column, index)
        if now is None or now is vector:
            return
        if isinstance(vector, Blend):  # the vectors that it is one of are read again themselves
            relabelled(session, vector, now)
        else:
            replace_everywhere(self.frame, vector, now, at)


def _in_use(session: Session) -> list[Value]:
    """The vectors in use, and the matrices in lists of which rows are."""
    held = vectors_held(session)
    return [*held, *homes(session, held)]


def _held(frame: Frame) -> set[int]:
    """The vectors in use, by their ids."""
    return {id(part) for vector in _in_use(frame.session) for part in (vector, *simple(vector))}


def _held_parts(frame: Frame, old: Value, held: set[int], at: Span) -> list[Value]:
    """An element that is held elsewhere, or those of which it is one, that are it wherever held."""
    _, rows = frame.session.rows.known.get(id(old), (old, ()))
    if any(id(part) in held for row in rows for part in (row, *simple(row))):
        return [old]
    if id(old) in held or not isinstance(old, Blend):
        return [old] if id(old) in held else []
    named, its = [atoms(v) for v in vectors_named(frame.session)], atoms(old)
    parts = [part for part in simple(old) if any(id(part) in holder for holder in named)]
    for part in parts:
        if any(id(part) in v and not its[id(part)] <= v[id(part)] for v in named):
            message = "this changes a vector that others hold: it is an element in some cases"
            raise TraceError(message, at, "change a copy instead, v = copy(v)")
    return parts


def _changes(column: Column, own: Sequence[Lent], parts: set[int]) -> bool:
    """Whether a change of a vector, its loans and its parts, changes a column."""
    inside = any(id(item) in parts for item in standing_in(column))
    return inside or any(overlap(column, loan.column) for loan in own)


def _check_parts(frame: Frame, column: Column, at: Span) -> None:
    """A component can be assigned where no two elements of the column are one vector."""
    items = standing_in(column)
    if len({*map(id, items)}) < len(items) or any(id(o) in frame.session.split for o, _ in column):
        raise one_of_several(at)


def _check_twice(frame: Frame, own: Sequence[Lent], parts: set[int], name: str, at: Span) -> None:
    """A component can be assigned where no other element may be the same vector."""
    for both in frame.session.twice:
        if any(_changes(column, own, parts) for column in (both.column, both.other.column)):
            message = f"{name!r} may be another element too, since line {both.at.line}"
            raise TraceError(
                message,
                at,
                _OWN,
            )
