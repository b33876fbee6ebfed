"""Tangents and cotangents of unions, inside functions: each is of the struct that is there.

Takes a value of a type and what was given as its tangent or cotangent, gives the condition under
which it is of another struct: that would be 0, and say nothing of it. Knows nothing of syntax.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ....terms.apply import select_leaves
from ....terms.errors import Span, TraceError
from ....terms.lowering import parameter
from ....terms.program import Slot
from ....terms.term import Term, const, const_value
from ....terms.types import Arr, Scalar, Tup, Type, leaf_types, tags_in
from ....terms.value import Value
from ...structs import class_of
from ..values.conditions import Condition, both, either, equals, follows, negated
from ..values.packing import packed, unpacked
from ..values.scope import Session
from ..values.values import article


def lost(type_: Type, here: Sequence[Term], given: Sequence[Term]) -> Condition:
    """Where `given` is other than 0 in a struct that is not the one that is `here`."""
    found = _lost(type_, iter(here), iter(given))
    return False if follows(negated(found), {}) else found


def check(condition: Condition, what: str, whose: str, at: Span) -> None:
    """Raise TraceError where a derivative is of another struct, whatever the arguments are."""
    if condition is True:
        hint = f"the {what} of a struct is one of the same class; isinstance says which one it is"
        raise TraceError(f"the {what} of {whose} is of another struct than {whose}", at, hint)


def unless(
    session: Session, condition: Condition, value: Any, at: Span, tags: Sequence[Term] = ()
) -> Any:
    """A derivative, of which the reals are NaN where the condition holds: nothing is known.

    `tags`: a value whose tags it has then.
    """
    if isinstance(condition, bool):
        return value
    whole = packed(value, session.real, at)
    nothing = [
        const(math.nan, kind) if kind.is_real else tag
        for kind, tag in zip(leaf_types(whole.type), tags or whole.leaves, strict=True)
    ]
    found = select_leaves(condition, Value(whole.type, tuple(nothing)), whole, session.real)
    assert found is not None
    return unpacked(found)


def with_tags(slots: Sequence[Slot], here: Sequence[Term], values: Sequence[Any]) -> list[Any]:
    """Derivatives that a rule gets: each of the struct that is `here`, as its tag says nothing."""
    places = [tag for slot in slots for tag in tags_in(slot.type)]
    if not any(places):
        return list(values)
    given = [leaf for slot in slots for leaf in parameter(slot).leaves]
    leaves = iter([h if tag else g for tag, h, g in zip(places, here, given, strict=True)])
    whole = [Value(s.type, tuple(islice(leaves, len(leaf_types(s.type))))) for s in slots]
    tagged = [unpacked(value) for value in whole]
    return [*tagged, *values[len(slots) :]]


def agreed(
    session: Session, type_: Type, here: Any, given: Any, what: str, whose: str, at: Span
) -> Any:
    """What a rule gives as a derivative of what is `here`: of one struct with it, else NaN.

    Raises TraceError where a member of a union has only derivatives of others.
    """
    if not any(tags_in(type_)):
        return given
    own, its = (packed(value, session.real, at).leaves for value in (here, given))
    _check_members(type_, own, its, what, whose, at)
    return unless(session, lost(type_, own, its), given, at, own)


def _check_members(
    type_: Type, here: Sequence[Term], given: Sequence[Term], what: str, whose: str, at: Span
) -> None:
    if not (isinstance(type_, Tup) and type_.union) or _is_something(given) is False:
        return
    classes = [class_of(m.struct) for m in type_.items[1:] if isinstance(m, Tup)]
    names = [f"{article(c.__name__)} {c.__name__}" if c else "one that is gone" for c in classes]
    for index, name in enumerate(names):
        there = {term: True for term in [equals(here[0], index)] if isinstance(term, Term)}
        if not follows(negated(equals(given[0], index)), there):
            continue
        others = [
            other
            for k, other in enumerate(names)
            if not follows(negated(equals(given[0], k)), there)
        ]
        raise TraceError(
            f"{what} is {' or '.join(others)} where {whose} is {name}",
            at,
            "return one of its own class: isinstance says which one it is; None stands for 0",
        )


def _lost(type_: Type, here: Iterator[Term], given: Iterator[Term]) -> Condition:
    """As `lost`, of the components that the iterators are at; they are behind them then."""
    if isinstance(type_, Arr | Tup) and not (isinstance(type_, Tup) and type_.union):
        items = [type_.item] * type_.size if isinstance(type_, Arr) else type_.items
        found: Condition = False
        for item in items:
            found = either(found, _lost(item, here, given))
        return found
    if not isinstance(type_, Tup):
        count = len(leaf_types(type_))
        list(islice(here, count)), list(islice(given, count))
        return False
    tag, own = next(here), next(given)
    found = False
    for index, item in enumerate(type_.items[1:]):
        count = len(leaf_types(item))
        theirs, its = list(islice(here, count)), list(islice(given, count))
        other = both(equals(own, index), negated(equals(tag, index)))
        found = either(found, both(other, _is_something(its)))
        found = either(found, _lost(item, iter(theirs), iter(its)))
    return found


def _is_something(leaves: Sequence[Term]) -> Condition:
    found: Condition = False
    for leaf in leaves:
        if leaf.type.is_real:
            plain = leaf.op == "const"
            zero = const(0.0, leaf.type)
            nonzero = (
                const_value(leaf) != 0 if plain else Term("ne", (leaf, zero), None, Scalar.BOOL)
            )
            found = either(found, nonzero)
    return found
