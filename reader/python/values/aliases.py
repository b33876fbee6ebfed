"""Vectors with several names: a change through one of them is seen through all.

Takes the vector before and after a change, puts the new one wherever the old one stands.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.value import Value
from ...source import own_nodes
from .blends import Blend, Changes, same, simple
from .branches import Unusable
from .objects import Choice, Object, given, is_optional, objects_of, of_kind
from .once import Once
from .rows import is_matrix
from .scope import Final, Frame, Session
from .values import Copies, detached

_OWN = "change a copy instead, v = copy(v)"


def replace_everywhere(
    frame: Frame, old: Value, new: Value, at: Span, also: Sequence[Value] = ()
) -> Changes:
    """Every variable, field and element that is `old` becomes `new`; what may be is not read again.

    Gives what vectors have become, `also` those that stand elsewhere too. Raises TraceError where
    that would be a variable of another function.
    """
    session = frame.session
    roots = [
        (other, name, other.state.names.find(name))
        for other in session.frames
        for name in dict.fromkeys(other.state.names)
    ]
    seen: set[int] = set()
    found = [o for _, _, v in roots if not isinstance(v, Unusable) for o in objects_within(v, seen)]
    live = [v for _, _, root in roots for v in vectors_within(root)]
    live += [v for object_ in found for item in object_.items for v in vectors_within(item)]
    after = session.rows.changed(old, new, [*live, *also], session.real)
    _check_rows(session, old, at)
    kin = _kin(session, old, after, live)
    returned = _is_returned(frame, new, after)
    for other, name, value in roots:
        why = _why(session, value, kin)
        if why is not None and other is frame:
            spoiled = Unusable(f"{why}, and line {at.line} changes one of them", _OWN)
            other.state.names.local[name] = spoiled
            continue
        _check_alone(why, at)
        changed = _replaced(value, after)
        if changed is value:
            continue
        if returned and other is not frame and not _is_around(other, frame):
            continue  # the caller takes it when the call is over
        if other is not frame:
            kind = "matrix" if is_matrix(value) else "vector"
            raise TraceError(
                f"this changes the {kind} {name!r} of {other.function.name}, which called "
                f"{frame.function.name}",
                at,
                "change a copy instead, v = copy(v), and return it",
            )
        other.state.names.local[name] = changed
    for object_ in found:
        for index, item in enumerate(object_.items):
            _check_alone(_why(session, item, kin), at)
            changed = _replaced(item, after)
            if changed is not item:
                check_whole(session, object_, old, at)
                session.write(object_, index, changed, at)
    return after


def relabelled(session: Session, old: Value, new: Value, also: Sequence[Any] = ()) -> Changes:
    """Every variable, field and element that is `old` is another vector, which is not one with it.

    Gives what vectors have become, `also` what is on its way to an element.
    """
    live = [*vectors_held(session), *(v for value in also for v in vectors_within(value))]
    after = {id(old): (old, new)}
    if not isinstance(old, Blend):  # the vectors that this is one of stay what they are
        after = session.rows.changed(old, new, live, session.real, anew=True)
    seen: set[int] = set()
    for frame in session.frames:
        for name in dict.fromkeys(frame.state.names):
            value = frame.state.names.find(name)
            changed = _replaced(value, after)
            if changed is not value:
                frame.state.names.local[name] = changed
            for object_ in () if isinstance(value, Unusable) else objects_within(value, seen):
                for index, item in enumerate(object_.items):
                    changed = _replaced(item, after)
                    if changed is not item:
                        session.journal.put(object_, index, changed)
    return after


def without_derivative(session: Session, value: Any, what: str) -> Any:
    """What `what`, which is no_diff, holds of a value: the same numbers, detached.

    In Python it is the same object: what is changed in one cannot be read in the other, and a
    vector that the caller holds cannot be changed.
    """
    copies: Copies = {}
    found = detached(value, copies)
    why = f"{what} is no_diff: it holds what it was given without derivatives"
    for old, new in copies.values():
        session.journal.tie(old, new, why)
    if isinstance(value, Value) and len(value.leaves) > 1:
        relate(session, found, value, f"{what} is no_diff, and would lose the change")
    return found


def relate(session: Session, value: Value, other: Value, why: str) -> None:
    """In Python two vectors are one, or may be: if `value` changes, the other is not known.

    Of two matrices, each row and the row in its place; of a matrix and a vector, any row.
    """
    ones, others = session.rows.vectors([value]), session.rows.vectors([other])
    pairs = product(ones, others) if len(ones) != len(others) else zip(ones, others, strict=True)
    for one, its in pairs:
        session.kin.setdefault(id(one), []).append((one, its, why))


def _kin(session: Session, old: Value, after: Changes, live: Sequence[Value]) -> dict[int, str]:
    """The vectors in use that may be in Python what changes, by their ids, and why."""
    parts = {id(v): v for v in (*session.rows.parts(old), *(v for v, _ in after.values()))}
    found = [kin for part in parts for kin in session.kin.get(part, ()) if kin[0] is parts[part]]
    held = {id(part) for v in live for part in session.rows.parts(v)} if found else ()
    return {id(other): why for _, other, why in found if id(other) in held}


def _why(session: Session, value: Any, kin: Mapping[int, str]) -> str | None:
    """Why a value may hold what changes."""
    parts = [p for v in vectors_within(value) for p in session.rows.parts(v)] if kin else []
    return next((kin[id(p)] for p in parts if id(p) in kin), None)


def _check_alone(why: str | None, at: Span) -> None:
    if why is not None:
        raise TraceError(f"this changes a vector that others hold: {why}", at, _OWN)


def _check_rows(session: Session, old: Value, at: Span) -> None:
    """A column is not changed alone, and a row of an element of a long list in the list only."""
    rows = session.rows
    if any(id(part) in rows.columns for part in rows.parts(old)):
        raise TraceError(
            "this changes a column of a matrix: in NumPy it is a part of the matrix, among the "
            "vectors of egad it is a copy",
            at,
            "write to the matrix, m[:, k] = …, or change a copy: c = copy(m[:, k])",
        )
    if not is_matrix(old) and any(id(part) in rows.lent for part in simple(old)):
        raise TraceError(
            "this changes a row of a matrix in a list, which an index at run time has found",
            at,
            "change it in the list, ms[i][k].x = …, or change a copy: r = copy(ms[i][k])",
        )


def objects_held(session: Session) -> list[Object]:
    """All structs and lists that variables lead to."""
    seen: set[int] = set()
    roots = [v for v in session.everything() if not isinstance(v, Unusable)]
    return [o for root in roots for o in objects_within(root, seen)]


def vectors_named(session: Session) -> list[Value]:
    """The vectors that variables hold."""
    roots = [v for v in session.everything() if not isinstance(v, Unusable)]
    return [v for root in roots for v in vectors_within(root)]


def vectors_held(session: Session) -> list[Value]:
    """The vectors that variables, fields and elements hold."""
    items = [item for object_ in objects_held(session) for item in object_.items]
    return [*vectors_named(session), *(v for item in items for v in vectors_within(item))]


def check_whole(session: Session, holder: Any, old: Value, at: Span) -> None:
    """The components of an element can be assigned where it is known which elements it is.

    Those of `[v] * n` are one vector. A loop, or an index that is not known, takes them apart.
    """
    items = [i for i in holder.items if isinstance(i, Value)] if isinstance(holder, Object) else []
    several = len({id(i) for i in items}) < len(items) and not any(i is old for i in items)
    if several or id(holder) in session.split:
        raise one_of_several(at)


def one_of_several(at: Span) -> TraceError:
    """The error for an element that may be another one too."""
    return TraceError(
        "several elements of this list were one vector, and it is not known which of them "
        "this changes",
        at,
        "give every element a vector of its own: [… for _ in range(n)], not […] * n",
    )


def changed_in_place(frame: Frame, name: str) -> bool:
    """Whether a parameter is a vector that is never assigned as a whole, only its components."""
    nodes = own_nodes(frame.function.source.node)
    stores = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return all(n.id != name for n in stores) and isinstance(frame.state.names.find(name), Value)


def _is_returned(frame: Frame, new: Value, after: Changes) -> bool:
    """Whether what changes is an InOut parameter, whose final value goes back to the caller."""
    held = [frame.state.names.find(n) for n in frame.passing if changed_in_place(frame, n)]
    return any(value is new or id(value) in after for value in held)


def _is_around(other: Frame, frame: Frame) -> bool:
    """Whether a function is defined inside another, and may see its variables."""
    outer = frame.function.enclosing
    while outer is not None and outer is not other:
        outer = outer.function.enclosing
    return outer is other


class Holders:
    """Where the vectors among the arguments of a call stand: a call may change them in place."""

    def __init__(self, frame: Frame, arguments: Sequence[Any]) -> None:
        self.frame = frame
        self.rows = rows = frame.session.rows
        vectors = {
            id(part) for v in arguments for own in vectors_within(v) for part in rows.parts(own)
        }
        self.known: set[int] = set()
        self.places: list[tuple[Object, int, Value]] = []
        seen: set[int] = set()
        for root in frame.session.everything() if vectors else ():
            self.known |= {id(part) for v in vectors_within(root) for part in rows.parts(v)}
            for object_ in objects_within(root, seen):
                for k, item in enumerate(object_.items):
                    parts = {id(part) for v in vectors_within(item) for part in rows.parts(v)}
                    if not parts.isdisjoint(vectors):
                        self.known |= parts
                        self.places.append((object_, k, item))

    def take(self, final: Final, at: Span) -> bool:
        """Everything that is the vector becomes what it is at the end; False where nothing is."""
        start = final.start
        if not final.in_place or not any(id(v) in self.known for v in self.rows.parts(start)):
            return False
        names, layers = self.frame.state.names, len(self.frame.session.journal.layers)
        if self.frame.statement != (names, layers):
            raise TraceError(
                f"this call changes the vector passed for {final.name!r}, inside a part of an "
                "expression that may not be evaluated, or not once",
                at,
                "write the call in a statement of its own, under an if",
            )
        if not all(map(partial(self._as_one, final), self.places)):
            raise TraceError(
                f"the vector passed for {final.name!r} is held by a struct or a list too, and "
                "what becomes of it depends on a return or a loop",
                at,
                "pass a copy, v = copy(…), and assign it back after the call",
            )
        replace_everywhere(self.frame, start, final.value, at)
        return True

    def _as_one(self, final: Final, place: tuple[Object, int, Value]) -> bool:
        """Whether what a place holds has become what the parameter has."""
        object_, index, vector = place
        before, now = (self.rows.vectors(vectors_within(v)) for v in (vector, object_.items[index]))
        starts, ends = (self.rows.vectors([v]) for v in (final.start, final.value))
        became = {id(a): b for a, b in zip(starts, ends, strict=True)}
        pairs = zip(before, now, strict=True)
        return all(a is b or id(a) not in became or same(b, became[id(a)]) for a, b in pairs)


def _replaced(value: Any, after: Mapping[int, tuple[Value, Value]]) -> Any:
    """The value, with what changes in it replaced; itself where nothing does."""
    if id(value) in after:
        return after[id(value)][1]
    if is_optional(value):
        inner = _replaced(value.then, after)
        return value if inner is value.then else Choice(value.condition, inner, None)
    if not isinstance(value, tuple):
        return value
    items = [_replaced(item, after) for item in value]
    if all(a is b for a, b in zip(items, value, strict=True)):
        return value
    return of_kind(value, items)


def vectors_within(value: Any) -> list[Value]:
    """The vectors and matrices that a value holds itself, or in its tuples."""
    found, stack = [], [value]
    while stack:
        value = given(stack.pop())
        if isinstance(value, tuple):
            stack.extend(value)
        elif isinstance(value, Value) and len(value.leaves) > 1:
            found.append(value)
    return found


def objects_within(value: Any, seen: set[int]) -> list[Object]:
    """All structs and lists that a value leads to, each once."""
    found, stack = [], [value]
    while stack:
        value = given(stack.pop())
        if isinstance(value, tuple):
            stack.extend(value)
        if isinstance(value, Once):
            stack.extend(value.held)
        for object_ in objects_of(value):
            if id(object_) not in seen:
                seen.add(id(object_))
                found.append(object_)
                stack.extend(object_.items)
    return found
