"""Columns (values/lent.py) read and written at an index that is known only when the kernel runs.

Takes a column and an index, gives values; what is read is lent, what is replaced is not any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....terms.errors import Span
from ....terms.term import Term, const
from ....terms.types import Scalar
from ....terms.value import Value, convert
from ..values.aliases import objects_held, relabelled, vectors_held, vectors_named
from ..values.blends import Blend, simple
from ..values.conditions import Condition, as_term, both, either, negated
from ..values.lent import (
    Column,
    Lent,
    Twice,
    arm,
    elements,
    is_place,
    lend,
    lent_now,
    loans,
    loans_of_parts,
    same_place,
    standing_in,
)
from ..values.objects import Listed
from ..values.packing import packed
from ..values.scope import Session
from ..values.shelves import item_type, items_of, memories, read, written


def column_item(session: Session, column: Column, index: Term) -> Value | None:
    """What a column holds at an index, which is in range; None where it holds no numbers."""
    items = standing_in(column)
    if len(items) == 1:
        return items[0] if isinstance(items[0], Value) else None
    type_ = item_type(items, session.real)
    return None if type_ is None else read(memories(items, type_, session.real), type_, index)


def read_column(session: Session, column: Column, index: Term) -> Value | None:
    """The same; a vector is the element itself from now on."""
    found = column_item(session, column, index)
    if found is not None:
        lend(session, found, column, index)
    return found


def write_column(
    session: Session, column: Column, index: Term, new: Any, at: Span, alone: bool = False
) -> bool:
    """Put a number or a vector at an index, which is in range; False where that cannot be."""
    items = standing_in(column)
    if len(items) == 1:
        session.write(*column[0], new, at, alone)
        return True
    if item_type(items, session.real) is None:
        return False
    type_ = item_type([*items, new], session.real)
    if type_ is None:
        return False
    vectors = [item for item in items if isinstance(item, Value) and len(item.leaves) > 1]
    if len({id(item) for item in vectors}) < len(vectors):
        session.split.update((id(object_), object_) for object_, _ in column)
    element = convert(packed(new, session.real, at), type_)
    assert element is not None
    found = written(memories(items, type_, session.real), type_, index, element)
    for (object_, k), item in zip(column, items_of(found, type_, len(items)), strict=True):
        session.write(object_, k, item, at, alone)
    return True


def replace_in_column(
    session: Session, column: Column, index: Term, new: Any, at: Span, alone: bool = False
) -> bool:
    """Replace a number or a vector at an index: the new one is the element from now on."""
    if is_place(session, new, column, index):
        return True
    new = leave(session, column, index, new, at)
    if not write_column(session, column, index, new, at, alone):
        return False
    if not session.changing and isinstance(new, Value) and len(new.leaves) > 1:
        _enter(session, column, index, new, at)
    return True


def entered(session: Session, column: Column, new: Any, at: Span) -> None:
    """A vector stands at a place that is known from now on, and perhaps elsewhere too."""
    for loan in loans_of_parts(session, new) if not session.changing else ():
        if loan.index is not None:
            session.twice.append(Twice(column, const(0, Scalar.I32), loan, arm(session), at))


def _enter(session: Session, column: Column, index: Term, new: Value, at: Span) -> None:
    """A vector is the element at an index from now on, for all who hold it."""
    others = [*loans_of_parts(session, new), *elements(session, new)]
    if isinstance(new, Blend):
        held = {id(part) for v in vectors_held(session) if v is not new for part in simple(v)}
        apart = [_apart(part) for part in simple(new) if id(part) in held]
        session.twice += [Twice(column, index, part, arm(session), at) for part in apart]
    for loan in others:
        if loan.index is not None:
            session.twice.append(Twice(column, index, loan, arm(session), at))
    if id(new) in {id(vector) for vector in vectors_held(session)}:
        _lend_on(session, new, column, index)


def _lend_on(session: Session, vector: Value, column: Column, index: Term, new: Any = None) -> Any:
    """A vector is lent where this point of the program is, not in other arms of a branch.

    Gives what becomes of what is on its way to an element; without that, of the vector.
    """
    fresh = _lent_as(session, vector, [*loans(session, vector), Lent(vector, column, index)])
    after = relabelled(session, vector, fresh, [new])
    return fresh if new is None else after.get(id(new), (new, new))[1]


def leave(
    session: Session, column: Column, index: Term, new: Any, at: Span, where: Condition = True
) -> Any:
    """The element at an index is about to be replaced: vectors that are it go on without it.

    That is `where` a condition holds. Gives the new element, which may be one of them.
    """
    items = [v for v in standing_in(column) if isinstance(v, Value) and len(v.leaves) > 1]
    if session.changing or not items:
        return new
    if where is True:
        here = arm(session)
        session.twice = [both for both in session.twice if not both.ends(column, index, here)]
    if len(column) > 1:
        new = _lend_known(session, column, new, at)
    left = list(_left(session, column, index, new, where))
    element = column_item(session, column, index) if left else None
    if element is None:
        return new
    lent_too = any(old is element for old, _ in left)
    gone = Value(element.type, element.leaves) if lent_too else element
    certain = [(old, ends) for old, ends in left if any(same is True for _, same in ends)]
    for old, ends in sorted(certain, key=lambda pair: len(pair[1]))[-1:]:
        gone = _without(session, old, ends, gone)
    for old, _ in certain:
        relabelled(session, old, gone)
    for old, ends in left:
        if (old, ends) not in certain:
            relabelled(session, old, _without(session, old, ends, gone))
    return new


Ends = list[tuple[Lent, Condition]]  # of a vector: its loans, and where each of them ends


def _left(
    session: Session, column: Column, index: Term, new: Any, where: Condition
) -> Iterator[tuple[Value, Ends]]:
    """The vectors in use that are the element at an index, or may be."""
    going = [negated(frame.state.done) for frame in session.frames if frame.state.done is not False]
    found: dict[int, Ends] = {}
    for loan in lent_now(session, vectors_held(session)):
        same: Condition = False
        if loan.index is not None and loan.vector is not new:
            same = same_place(column, index, loan.column, loan.index)
        for condition in (where, *going):
            same = both(condition, same)
        found.setdefault(id(loan.vector), []).append((loan, same))
    for ends in found.values():
        if any(same is not False for _, same in ends):
            yield ends[0][0].vector, ends


def _without(session: Session, old: Value, ends: Ends, gone: Value) -> Value:
    """A vector where some of its loans have ended; `gone` is what it is without any."""
    stay = [loan for loan, same in ends if same is False]
    may_stay = [loan for loan, same in ends if isinstance(same, Term)]
    if stay:
        gone = _lent_as(session, gone, stay)
    if not may_stay:
        return gone
    where: Condition = False
    for _, same in ends:
        where = either(where, same) if isinstance(same, Term) else where
    whole = len(ends) == len(stay) + len(may_stay)
    kept = old if whole else _lent_as(session, old, [*stay, *may_stay])
    return Blend(old.type, old.leaves, as_term(where), gone, kept)


def _lent_as(session: Session, vector: Value, own: Sequence[Lent]) -> Value:
    """A vector of the same numbers with certain loans."""
    fresh = Value(vector.type, vector.leaves)
    for loan in own:
        lend(session, fresh, loan.column, loan.index)
    return fresh


def _lend_known(session: Session, column: Column, new: Any, at: Span) -> Any:
    """Elements that others hold too: an index may lead to them. Gives the new one.

    Those that have names are lent. Of those in other lists it is not known any more which they are.
    """
    items = standing_in(column)
    own = {id(v): k for k, v in enumerate(items) if isinstance(v, Value) and len(v.leaves) > 1}
    inner = [{id(part) for part in simple(v)} for v in items if isinstance(v, Blend)]
    inside = set(column)
    cells = [(o, k) for o in objects_held(session) for k, v in enumerate(o.items) if id(v) in own]
    others = tuple([cell for cell in cells if cell not in inside])
    if others:
        session.twice.append(Twice(column, None, Lent(new, others, None), arm(session), at))
    named = {id(part): part for v in vectors_named(session) for part in (v, *simple(v))}
    for key, vector in named.items():
        if key in own:
            new = _lend_on(session, vector, column, const(own[key], Scalar.I32), new)
        elif any(key in its for its in inner):  # an element in some cases: which, gets lost
            session.twice.append(Twice(column, None, _apart(vector), arm(session), at))
    return new


def _apart(vector: Value) -> Lent:
    """A vector that may be an element too, as the only one of a column."""
    return Lent(vector, ((Listed([vector]), 0),), None)
