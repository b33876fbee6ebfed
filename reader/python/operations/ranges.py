"""How often `range(start, stop, step)` makes a loop run, where that is not known while reading."""

from __future__ import annotations

from ....terms.errors import Span
from ....terms.term import CONST, is_const
from ....terms.value import Value, scalar
from ..values.bounds import within
from ..values.scope import Session
from ..values.values import lift, merged
from .arithmetic import operate


def trips_of(session: Session, start: Value, stop: Value, step: Value, at: Span) -> Value:
    """ceil((stop - start) / step), or less than 1 where the loop does not run."""
    return _Range(session, at).trips(start, stop, step)


class _Range:
    def __init__(self, session: Session, at: Span) -> None:
        self.session, self.at = session, at

    def trips(self, start: Value, stop: Value, step: Value) -> Value:
        if step.term.op == CONST:
            size = int(step.term.attr)
            ends = (start.term, stop.term) if size > 0 else (stop.term, start.term)
            first, last = within(self.session.rules, *ends, abs(size) == 1)
            return self.ceiling(self.number("sub", scalar(last), scalar(first)), abs(size))
        rules, real = self.session.rules, self.session.real
        up = self.quotient(self.number("sub", stop, start), step)
        down = self.quotient(self.number("sub", start, stop), self.number("neg", step))
        rises = operate(self.session, "gt", [step, 0], self.at).term
        moves = operate(self.session, "ne", [step, 0], self.at).term
        both = merged(rules, rises, up, down, real)
        return merged(rules, moves, both, lift(0, real), real)  # type: ignore[no-any-return]

    def quotient(self, distance: Value, step: Value) -> Value:
        one = lift(1, self.session.real)
        total = self.number("sub", self.number("add", distance, step), one)
        return self.number("quotient", total, self.number("max", step, one))

    def ceiling(self, distance: Value, size: int) -> Value:
        if size == 1:
            return distance
        rounded = self.number("add", distance, lift(size - 1, self.session.real))
        return self.number("quotient", rounded, lift(size, self.session.real))

    def number(self, op: str, *args: Value) -> Value:
        if op == "sub" and is_const(args[1].term, 0):
            return args[0]
        return operate(self.session, op, args, self.at)  # type: ignore[no-any-return]
