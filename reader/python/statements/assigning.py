"""Assignments: to names, tuples of targets, fields and elements.

Takes a frame and the statement, changes the variables of the frame's state.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Note
from ....terms.term import CONST, VAR
from ....terms.types import leaf_paths
from ....terms.value import Value
from ..arrays.parts import gives_view, is_mask, put_part, put_where
from ..builtins.fields import get_field, set_field
from ..calls.calls import call
from ..expressions.comprehensions import dealt
from ..expressions.expression import evaluate, index, subscript
from ..expressions.overloads import apply_binary, apply_in_place
from ..expressions.waiting import in_order
from ..operations.access import set_item
from ..operations.dictionaries import put
from ..operations.dictionaries import without as removed
from ..operations.growing import without
from ..operations.iterating import items_of
from ..operations.lending import Through
from ..operations.records import dunder, set_attribute
from ..values.aliases import check_whole, replace_everywhere
from ..values.annotations import annotation, conform
from ..values.arrays import is_array
from ..values.branches import Unusable
from ..values.entries import is_dictionary
from ..values.lent import part_changing
from ..values.objects import Arrayed, Choice, Instance, Listed, Object, first
from ..values.picked import Picked
from ..values.rows import is_matrix
from ..values.scope import Frame
from ..values.values import describe, unless_annotated
from .naming import written_type


def assign_statement(frame: Frame, node: ast.Assign) -> None:
    """`a = b = value`; the value may be a type, such as `tuple[float, float]`."""
    is_name = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    value = written_type(frame, node.value) if is_name else None
    if value is None:
        value = evaluate(frame, node.value)
    for target in node.targets:
        assign(frame, target, value, node)


def assign_annotated(frame: Frame, node: ast.AnnAssign) -> None:
    """`a: T = value`."""
    if node.value is None:
        return
    value = evaluate(frame, node.value)
    said = annotation(frame, node.annotation)
    if said is not None:
        what = f"{ast.unparse(node.target)!r}"
        value = conform(frame.session, value, said, frame.span(node.value), what)
    assign(frame, node.target, value, node)


def assign_augmented(frame: Frame, node: ast.AugAssign) -> None:
    """`a += value`: what the target consists of is evaluated once, before the value."""
    place = _place(frame, node.target)
    if is_mask(place.owner, place.index):
        by, at = evaluate(frame, node.value), frame.span(node)
        old = _read(frame, place) if isinstance(by, Picked) else place.owner
        found = apply_binary(frame, node, node.op, old, by)
        put_where(frame.session, place.owner, place.index, by, found, at)
        return
    old = _read(frame, place)
    sides = in_order(frame, [node.target, node.value], evaluate, [old])
    value = apply_in_place(frame, node, node.op, *sides)
    if value is old and is_array(place.owner) and gives_view(place.index):
        return  # its numbers have changed where they stand
    _store(frame, _again(frame, place), value, node)


def assign(frame: Frame, target: ast.expr, value: Any, node: ast.stmt) -> None:
    """Give a value to a name, a tuple of targets, a field or an element."""
    match target:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(frame, elts, value, node)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            _store(frame, _place(frame, target), value, node)
        case _:
            raise frame.error(target, "this cannot be assigned to")


def deletes(frame: Frame, node: ast.Delete) -> bool:
    """`del xs[i]`, `del d[key]`, `del x`; False where something else is to be deleted."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.lookup(target)  # it must be there
            reason = f"{target.id!r} is deleted in line {frame.span(target).line}"
            frame.state.names.local[target.id] = Unusable(reason, "leave the del away")
            continue
        if not isinstance(target, ast.Subscript):
            return False
        owner = evaluate(frame, target.value)
        if is_dictionary(owner):
            removed(frame.session, owner, index(frame, target.slice), frame.span(target))
            continue
        method = dunder(owner, "__delitem__")
        if method is not None:
            call(frame.session, method, [index(frame, target.slice)], {}, frame.span(target))
            continue
        if not isinstance(first(owner), Listed) or is_array(owner):
            return False
        without(frame.session, owner, index(frame, target.slice), frame.span(target))
    return True


@dataclass(frozen=True, slots=True)
class _Place:
    """What can be assigned to: a variable, or a part of `owner`, which may be in a place too."""

    node: ast.expr
    within: _Place | None = None
    owner: Any = None
    index: Any = None


def _place(frame: Frame, node: ast.expr) -> _Place:
    """Evaluate what a target consists of: each part of it once, from the left."""
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return _Place(node)
    base, within = node.value, None
    if isinstance(base, ast.Name | ast.Attribute | ast.Subscript):
        within = _place(frame, base)
    owner = evaluate(frame, base) if within is None else _read(frame, within)
    part = index(frame, node.slice) if isinstance(node, ast.Subscript) else None
    return _Place(node, within, owner, part)


def _again(frame: Frame, place: _Place) -> _Place:
    """The place after something else was evaluated: the vector around it may be another."""
    if place.within is None or not isinstance(place.owner, Value):
        return place
    within = _again(frame, place.within)
    return replace(place, within=within, owner=_read(frame, within))


def _read(frame: Frame, place: _Place) -> Any:
    node, at = place.node, frame.span(place.node)
    match node:
        case ast.Attribute(attr=name):
            return get_field(frame.session, place.owner, name, at, partial(call, frame.session))
        case ast.Subscript():
            return subscript(frame, place.owner, node, lambda: place.index)
        case ast.Name(id=name):
            return evaluate(frame, ast.copy_location(ast.Name(name, ast.Load()), node))
    return evaluate(frame, node)


def _store(frame: Frame, place: _Place, value: Any, node: ast.stmt) -> None:
    session, target, old = frame.session, place.node, place.owner
    at = frame.span(target)
    match target:
        case ast.Name(id=name):
            frame.state.names.local[name] = value
            note(frame, name, value, node)
        case ast.Attribute(attr=name):
            if isinstance(first(old), Instance):
                set_attribute(session, old, name, value, at, partial(call, session))
                return
            _store_part(frame, place, set_field(session, old, name, value, at), node)
        case ast.Subscript():
            setter = dunder(old, "__setitem__")
            if setter is not None:
                call(session, setter, [place.index, value], {}, at)
                return
            if is_dictionary(old):
                put(session, old, place.index, value, at)
                return
            if isinstance(first(old), Listed):
                if isinstance(place.index, slice) and not is_array(old):
                    value = _items(frame, value, at)
                put_part(session, old, place.index, value, at)
                return
            _store_part(frame, place, set_item(session, old, place.index, value, at), node)


def _items(frame: Frame, value: Any, at: Span) -> tuple[Any, ...]:
    """What a slice takes over: all items are there before the first one is put in its place."""
    items = items_of(frame.session, value, at, partial(call, frame.session))
    if items is None:
        raise TraceError(f"this slice takes a list, not {describe(value)}", at)
    return tuple(items)


def _store_part(frame: Frame, place: _Place, value: Any, node: ast.stmt) -> None:
    """Changing a part of a vector gives a new value to all that refer to it."""
    assert isinstance(place.node, ast.Attribute | ast.Subscript)
    base, within, old = place.node.value, place.within, place.owner
    if within is None:
        raise frame.error(base, "only a part of a variable can be changed")
    if isinstance(base, ast.Name):
        try:
            frame.state.names.find(base.id)
        except KeyError:
            raise frame.error(
                base,
                f"{base.id!r} is not a variable of {frame.function.name}: it cannot be changed",
                f"change a local copy instead: local = {base.id}",
            ) from None
    holder = within.owner if isinstance(base, ast.Subscript) else None
    if not isinstance(old, Value) or is_matrix(holder):  # with the matrix, its row has changed
        _store(frame, within, value, node)
        return
    at = frame.span(base)
    through = Through.of(frame, old, ast.unparse(base), at)
    check_whole(frame.session, holder, old, at)
    # A tuple stays, the vector in it changes; so does an element that a running index leads to.
    listed = isinstance(holder, Object | Choice) and through.writes(old)
    if not isinstance(holder, tuple) and not listed:
        with part_changing(frame.session):
            _store(frame, within, value, node)
    after = replace_everywhere(frame, old, value, at, through.also(old))
    through.finish(old, value, after, at)


def _unpack(frame: Frame, targets: Sequence[ast.expr], value: Any, node: ast.stmt) -> None:
    items = items_of(frame.session, value, frame.span(node), partial(call, frame.session))
    if items is None:
        message = f"{describe(value)} cannot be unpacked into {len(targets)} names"
        raise frame.error(node, message, unless_annotated(value, "vectors, tuples and lists can"))
    items = dealt(targets, items)
    if len(items) != len(targets):
        raise frame.error(
            node,
            f"{len(targets)} names on the left, {len(items)} values on the right",
            "write one name per value",
        )
    for target, item in zip(targets, _kept(frame, items, frame.span(node)), strict=True):
        inner = target.value if isinstance(target, ast.Starred) else target
        assign(frame, inner, item, node)


def _kept(frame: Frame, items: Sequence[Any], at: Span) -> Iterator[Any]:
    """Each of several values when it is assigned: those before may have replaced elements."""
    if not any(isinstance(item, Value) and len(item.leaves) > 1 for item in items):
        yield from items
        return
    names, key = frame.state.names, f"{len(frame.state.names.local)} values"  # no name of Python
    names.local[key] = tuple(items)
    try:
        for k in range(len(items)):
            kept = names.local[key]
            if isinstance(kept, Unusable):
                raise TraceError(kept.reason, at, kept.hint)
            yield kept[k]
    finally:
        del names.local[key]


def note(frame: Frame, name: str, value: Any, node: ast.AST) -> None:
    """Remember what a term was called; the first name stays."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            note(frame, f"{name}[{i}]", item, node)
    if isinstance(value, Arrayed):
        for i, item in enumerate(value.items):
            note(frame, f"{name}[{i}]", item, node)
    if not isinstance(value, Value):
        return
    at = None
    for term, path in zip(value.leaves, leaf_paths(value.type), strict=True):
        if term.op not in (VAR, CONST) and term not in frame.session.notes:
            at = at or frame.span(node)
            frame.session.notes[term] = Note(name + path, at)
