"""How a loop carries a place that it changes: its contents, or which object it refers to.

Takes a value before the loop and one after a trip, gives the variable for both. Knows nothing of
how loops are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....terms.bits import signed
from ....terms.errors import Span, TraceError
from ....terms.loop import State
from ....terms.term import Term
from ....terms.types import Scalar
from ....terms.unsigned import beyond, limit
from ..values.arrays import other_order, views_in
from ..values.branches import Unusable
from ..values.carrying import turned
from ..values.objects import given, of_kind
from ..values.packing import packed
from ..values.scope import Session
from ..values.shelves import columns, gathered
from ..values.values import Mismatch, is_static
from ..values.variables import Variable, carried_type, join, lost, zeros
from .ending import Settled
from .pointers import Pointer, pointer
from .presence import Optional, is_presence, optional, settle


def variable_for(
    session: Session,
    name: str,
    before: Any,
    after: Any,
    known: Variable | None,
    was_none: bool,
    since: int,
    at: Span,
) -> Variable | Unusable:
    """The variable for a place; `known` where it stays that, Unusable where there is none."""
    if is_presence(before, after, known, was_none):
        here, now = given(before), given(after)
        inner = known.of if isinstance(known, Optional) else known
        if now is not None or inner is None:
            now = here if now is None else now
            alone = variable_for(session, name, here, now, inner, False, since, at)
            if isinstance(alone, Unusable):
                return alone
            inner = alone
        return optional(name, known, inner, before, was_none)
    found = pointer(session, name, before, after, known, since)
    if found is not None:
        return found
    known = None if isinstance(known, Pointer) else known
    if _parts_change(session, before, after):
        return Unusable(
            f"{name!r} is a part of an array, which the loop at line {at.line} changes or makes",
            "take a copy: a[1:].copy()",
        )
    after = _in_a_trip(before, after) if known is None else after
    try:
        type_ = carried_type(after, session.real)
        if known is not None:
            type_ = join(known.type, type_)
        elif before is not None:
            type_ = join(carried_type(before, session.real), type_)
        ends = [v for v in (before if known is None else known.first, after) if v is not None]
        if type_ is Scalar.WIDE and any(_may_be_negative(v, session) for v in ends):
            type_ = Scalar.LOOSE
        if known is None and type_ is Scalar.LOOSE and _is_beyond(before, after, session):
            return Unusable(
                f"{name!r} begins with {before}, which has more than the 32 bits of an integer",
                "begin with a number of 32 bits (2147483647 is the largest); of more, keep the "
                "low ones in each trip: (…) & 0xFFFFFFFF",
            )
    except (Mismatch, TraceError) as error:
        return lost(name, before, after, at, error)
    unordered = known is not None and known.unordered
    unordered = unordered or other_order(before) or other_order(after)
    if known is not None and (type_, unordered) == (known.type, known.unordered):
        return known
    together = columns(type_, packed(after, session.real, at).leaves)
    if known is not None and len(known.columns) < len(together):
        together = list(known.columns)
    return Variable(name, type_, before, together, unordered=unordered)


def states_of(
    variables: Mapping[Any, Variable], after: Mapping[Any, Any], real: Scalar, at: Span
) -> list[State]:
    """What a loop carries of its variables, given what they are after a trip."""
    carried: list[State] = []
    presence: list[tuple[Optional, Term]] = []
    for place, variable in variables.items():
        value = variable.fitted(after[place], real, at, "after a trip")
        firsts = zeros(variable.type) if variable.first is None else variable.first.leaves
        starts, ends = (gathered(variable.columns, leaves) for leaves in (firsts, value.leaves))
        rows = zip(variable.names(), variable.bound, starts, ends, strict=True)
        carried += [State(*row) for row in rows]
        if isinstance(variable, Optional):
            presence.append((variable, ends[0]))
    settle(presence)
    return carried


def _parts_change(session: Session, before: Any, after: Any) -> bool:
    """Whether a part of an array would be carried as a copy, and differ from the part."""
    changed = session.journal.layers[-1][1]
    held = [id(object_) for view in views_in(before) for object_ in view.parts()]
    return bool(views_in(after)) or any(key in changed for key in held)


def _in_a_trip(before: Any, after: Any) -> Any:
    """What stands for the value after a trip that was read with the number before the loop.

    Python's own number may have more bits than an integer has in a kernel, where it wraps.
    """
    if isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        items = list(map(_in_a_trip, before, after))
        return of_kind(after, items)
    whole = all(isinstance(v, int) and not isinstance(v, bool) for v in (before, after))
    return before if whole and signed(after) != after else after


def _is_beyond(before: Any, after: Any, session: Session) -> bool:
    """Whether a loop begins with an integer beyond 32 bits that it compares with plain ones."""
    if not is_static(before) or beyond(packed(before, session.real).term) is None:
        return False
    end = packed(after, session.real).term
    return end.type is Scalar.I32 and limit(end) is None


def _may_be_negative(value: Any, session: Session) -> bool:
    return limit(packed(value, session.real).term) is None


def turned_into(variables: Mapping[Any, Variable], session: Session, settled: Settled) -> bool:
    """Whether variables carry derivatives that were taken not to while the body was read."""
    found = set(turned(session, settled.carried))
    for variable in variables.values():
        variable.carrying |= {i for i, var in enumerate(variable.bound) if var in found}
    return bool(found)
