"""How often `range(start, stop, step)` makes a loop run, where that is not known while reading."""

from __future__ import annotations

from ....terms.term import CONST
from ....terms.value import Value, scalar
from ..values.counting import Counting
from ..values.scope import Session


def length(items: range) -> int:
    """How many integers a range has: `len` has no number for more than an index can say."""
    size = abs(items.step)
    distance = items.stop - items.start if items.step > 0 else items.start - items.stop
    return max(0, -(-distance // size))


def trips_of(session: Session, start: Value, stop: Value, step: Value, limit: int | None) -> Value:
    """ceil((stop - start) / step), or less than 1 where the loop does not run.

    Of more than `limit` trips only that they are more.
    """
    counting = Counting(session.rules, session.ranges, limit)
    if step.term.op != CONST:
        return scalar(counting.by(start.term, stop.term, step.term))
    size = int(step.term.attr)
    ends = (start.term, stop.term) if size > 0 else (stop.term, start.term)
    return scalar(counting.steps(*ends, abs(size), False))
