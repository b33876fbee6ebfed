"""What changes in a vector that is an element of a long list changes in the list, and back.

    p = ps[i]                  p = ps[i]
    p.x += 1.0                 ps[j].x += 1.0
    … ps[i].x …                … p.x …

Takes what changed in place, and writes it through.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.errors import Span
from ....terms.value import Value
from ..values.aliases import replace_everywhere, vectors_held
from ..values.lent import Lent, lend
from ..values.scope import Frame
from .records import read_long, write_long


def written_through(frame: Frame, loans: Sequence[Lent], old: Value, new: Value, at: Span) -> None:
    """After `old` has become `new`: the elements that are one with it, and what was read of them.

    `loans` are those that stood before; a change through the list itself is in there already.
    """
    session = frame.session
    own = next((loan for loan in loans if loan.vector is old), None)
    if own is not None:
        if own.stands():
            write_long(session, own.holder, own.index, new, at, ())
        lend(session, new, own.holder, own.index)
    changed = [loan for loan in loans if loan is not own and not loan.stands()]
    parts = [] if own is None else list(zip(own.items, own.holder.items, strict=True))
    held = {id(vector) for vector in vectors_held(session)} if changed or parts else set()
    for before, after in parts:
        if before is not after and id(before) in held:
            replace_everywhere(frame, before, after, at)
    for loan in changed:
        if id(loan.vector) in held:
            now = read_long(session, loan.holder, loan.index, at)
            replace_everywhere(frame, loan.vector, now, at)
