"""How a loop carries a place that it changes: its contents, or which object it refers to.

Takes a value before the loop and one after a trip, gives the variable for both. Knows nothing of
how loops are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.loop import State
from ....terms.term import Term
from ....terms.types import Scalar
from ....terms.unsigned import limit
from ..values.branches import Unusable
from ..values.carrying import turned
from ..values.packing import packed
from ..values.scope import Session
from ..values.shelves import columns, gathered
from ..values.values import Mismatch
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
        return optional(name, before, after, known, was_none, session.real, at)
    found = pointer(session, name, before, after, known, since)
    if found is not None:
        return found
    known = None if isinstance(known, Pointer) else known
    try:
        type_ = carried_type(after, session.real)
        if known is not None:
            type_ = join(known.type, type_)
        elif before is not None:
            type_ = join(carried_type(before, session.real), type_)
        ends = [v for v in (before if known is None else known.first, after) if v is not None]
        if type_ is Scalar.WIDE and any(_may_be_negative(v, session) for v in ends):
            type_ = Scalar.LOOSE
    except (Mismatch, TraceError) as error:
        return lost(name, before, after, at, error)
    if known is not None and type_ == known.type:
        return known
    together = columns(type_, packed(after, session.real, at).leaves)
    if known is not None and len(known.columns) < len(together):
        together = list(known.columns)
    return Variable(name, type_, before, together)


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


def _may_be_negative(value: Any, session: Session) -> bool:
    return limit(packed(value, session.real).term) is None


def turned_into(variables: Mapping[Any, Variable], session: Session, settled: Settled) -> bool:
    """Whether variables carry derivatives that were taken not to while the body was read."""
    found = set(turned(session, settled.carried))
    for variable in variables.values():
        variable.carrying |= {i for i, var in enumerate(variable.bound) if var in found}
    return bool(found)
