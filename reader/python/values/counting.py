"""How many steps lead from one integer to another, also where their distance has more than 31 bits.

Takes terms of the ends and of the step, gives the term of a number of steps: less than 1 where
there is none, and at most 2**31 - 1, which no loop comes to. What is known of the ends decides how
it is computed: a plain distance where it cannot wrap, else one without a sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....rules.intervals import Range, interval
from ....terms.apply import apply
from ....terms.bits import LARGEST, divided, signed, where
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, is_const
from ....terms.types import Scalar
from ....terms.value import scalar

_ZERO, _ONE = const(0, Scalar.I32), const(1, Scalar.I32)


@dataclass(frozen=True)
class Counting:
    """What is known while steps are counted: ranges of variables, and how many steps matter."""

    rules: RuleSet
    ranges: Mapping[Term, Range] = field(default_factory=dict)
    limit: int | None = None

    def steps(self, first: Term, last: Term, size: int, closed: bool) -> Term:
        """How many of first, first + size, … are less than `last`, or `closed`: up to it."""
        if first.op == CONST and last.op == CONST:
            distance = int(last.attr) - int(first.attr) + closed
            return const(min(max(-(-distance // size), 0), LARGEST), Scalar.I32)
        apart = _apart(first, last)
        if apart is not None:
            first, last = _ZERO, apart
        if not self._is_near(first, last, size):
            clipped = self._clipped(first, last, size, closed)
            if clipped is None:
                return self._far(first, last, size, closed)
            first, last = clipped
        total = integer(self.rules, "sub", last, first)
        total = integer(self.rules, "add", total, const(size - 1 + closed, Scalar.I32))
        return total if size == 1 else integer(self.rules, "quotient", total, _number(size))

    def by(self, first: Term, last: Term, step: Term) -> Term:
        """The same for a step that is known only at run time; a step of 0 leads nowhere."""
        rises = self._operation("gt", step, _ZERO)
        low, high = where(rises, first, last), where(rises, last, first)
        size = where(rises, step, integer(self.rules, "sub", _ZERO, step))
        gap = integer(self.rules, "sub", integer(self.rules, "sub", high, low), _ONE)
        runs = self._operation("logical_and", *self._runs(low, high, step))
        if self._is_small(first, last) and self._is_small(step, _ZERO):
            found = self._operation("quotient", gap, integer(self.rules, "max", size, _ONE))
            return where(runs, integer(self.rules, "add", found, _ONE), _ZERO)
        found = self._saturated(divided(gap, size, None)[0])
        one = self._operation("eq", size, _ONE)
        found = where(one, self._saturated(gap), found)
        return where(runs, found, _ZERO)

    def rising(self, first: Term, last: Term, step: Term, closed: bool) -> Term:
        """The same upwards: a step that does not lead up never reaches the last one."""
        gap = integer(self.rules, "sub", last, first)
        gap = gap if closed else integer(self.rules, "sub", gap, _ONE)
        up = self._operation("gt", step, _ZERO)
        one = self._operation("eq", step, _ONE)
        found = self._saturated(divided(gap, step, None)[0])
        found = where(up, where(one, self._saturated(gap), found), _number(LARGEST))
        return where(self._operation("le" if closed else "lt", first, last), found, _ZERO)

    def _runs(self, low: Term, high: Term, step: Term) -> tuple[Term, Term]:
        return self._operation("lt", low, high), self._operation("ne", step, _ZERO)

    def _is_near(self, first: Term, last: Term, size: int) -> bool:
        """Whether the distance, rounded up to a step, is known to have 31 bits and a sign."""
        (a, b), (c, d) = (interval(t, self.ranges) for t in (first, last))
        most = LARGEST - size
        return bool(-most <= c - b and d - a <= most)

    def _is_small(self, first: Term, last: Term) -> bool:
        return self._is_near(first, last, 1)

    def _clipped(
        self, first: Term, last: Term, size: int, closed: bool
    ) -> tuple[Term, Term] | None:
        """The ends so near to each other that their distance has 31 bits, where none of the steps
        that matter are lost by this; None where there is no such number.
        """
        if size > 1 and (self.limit is None or self.limit * size > LARGEST):
            return None
        more = size - 1 + closed  # is added to the distance
        most = min(interval(first, self.ranges)[1], LARGEST)
        least = max(interval(last, self.ranges)[0], -LARGEST - 1)
        below = least - most + more < -LARGEST - 1  # the last may be too far below the first
        if first.op == CONST:
            end = int(first.attr) + LARGEST - more
            if end < LARGEST:
                last = integer(self.rules, "min", last, _number(end))
            if below:
                last = integer(self.rules, "max", last, _number(int(first.attr) - closed))
            return first, last
        if last.op == CONST:
            start = int(last.attr) - LARGEST + more
            if start >= -LARGEST:
                first = integer(self.rules, "max", first, _number(start))
            if below:
                first = integer(self.rules, "min", first, _number(int(last.attr) + closed))
            return first, last
        return None

    def _far(self, first: Term, last: Term, size: int, closed: bool) -> Term:
        """The same of any ends: a distance that is not negative has 32 bits without a sign."""
        runs = self._operation("le" if closed else "lt", first, last)
        if closed:
            gap = integer(self.rules, "sub", last, first)
        elif first.op == CONST:
            gap = integer(self.rules, "sub", last, _number(int(first.attr) + 1))
        else:
            gap = integer(self.rules, "sub", integer(self.rules, "sub", last, first), _ONE)
        one_sided = (first.op == CONST and int(first.attr) >= 0) or (
            last.op == CONST and int(last.attr) < 0
        )
        natural = one_sided and size <= LARGEST
        if natural:
            found = integer(self.rules, "quotient", gap, _number(size))
        else:
            found = divided(gap, _number(size), size)[0]
        small = size > 2 or (natural and size == 2)
        found = integer(self.rules, "add", found, _ONE) if small else self._saturated(found)
        return where(runs, found, _ZERO)

    def _saturated(self, number: Term) -> Term:
        """One more than a number without a sign, or the largest one with a sign."""
        more = integer(self.rules, "add", number, _ONE)
        return where(self._operation("gt", more, _ZERO), more, const(LARGEST, Scalar.I32))

    def _operation(self, op: str, a: Term, b: Term) -> Term:
        return apply(self.rules, op, [scalar(a), scalar(b)], Scalar.F32).term


def _apart(first: Term, last: Term) -> Term | None:
    """t where `last` is first + t: their distance in Python, where nothing wraps."""
    if last.op == "add" and first in last.args:
        return last.args[1] if last.args[0] is first else last.args[0]
    if first.op == "sub" and first.args[0] is last:
        return first.args[1]
    return None


def _number(number: int) -> Term:
    return const(signed(number), Scalar.I32)


def integer(rules: RuleSet, op: str, a: Term, b: Term) -> Term:
    """An operation on integers; of constants, its value."""
    if a.op == CONST and b.op == CONST:
        x, y = int(a.attr), int(b.attr)
        known = {"add": x + y, "sub": x - y, "mul": x * y, "min": min(x, y), "max": max(x, y)}
        if op in known and abs(known[op]) < 2**31:
            return const(known[op], Scalar.I32)
        if op == "quotient" and x >= 0 and y > 0:
            return const(x // y, Scalar.I32)
    if op in ("add", "sub") and is_const(b, 0):
        return a
    if op == "add" and is_const(a, 0):
        return b
    return apply(rules, op, [scalar(a), scalar(b)], Scalar.F32).term
