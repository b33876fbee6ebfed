"""How far counters get: the ranges of a loop's integers over all of its trips.

    i = i + 1 if c else 0    i lies between 0 and the number of trips, if it begins with 0

A trip leaves such a variable at most so much above what it was, or below a number: so after n trips
it is at most n times as much above what it began with. Takes a loop, gives ranges.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...terms.loop import Loop, varying
from ...terms.term import SELECT, Term, toposort
from ...terms.types import Scalar
from ..undo.ranges import ALL, Range, Ranges, around, within

_PASSES = 2  # ranges of some variables say more of others


def grown(term: Term, outer: Ranges) -> dict[Term, Range]:
    """The ranges of a loop's variables at the start of each trip; `outer`: of its arguments."""
    loop: Loop = term.attr
    most = most_trips(term, outer)
    known = {loop.counter: (0, max(most - 1, 0))}
    inputs = zip(loop.inputs, term.args[1 + loop.carried :], strict=True)
    known |= {v: outer.of(arg) for v, arg in inputs if v.type in (Scalar.I32, Scalar.BOOL)}
    for _ in range(_PASSES):
        others = Ranges(known)
        rows = zip(loop.state, term.args[1:], loop.step, strict=False)
        for v, first, step in [r for r in rows if r[0].type is Scalar.I32 and r[0] not in known]:
            found = _grown(v, outer.of(first), step, most, others)
            if found is not None:
                known[v] = found
    return known


def most_trips(term: Term, outer: Ranges) -> int:
    """How many trips a loop makes at most; `outer`: ranges of its arguments."""
    trips = max(outer.of(term.args[0])[1], 0)
    return trips if term.attr.limit is None else min(trips, term.attr.limit)


def _grown(variable: Term, first: Range, step: Term, most: int, others: Ranges) -> Range | None:
    """The range of one variable; None where nothing bounds it."""
    low, high = around(first, others.of(step))
    move = _moved(step, variable, others)
    if move is not None:
        least, greatest = around(first, *filter(None, [move.beside]))
        down, up = move.by or (0, 0)
        trips = max(most - 1, 0)
        found = max(low, least + trips * min(down, 0)), min(high, greatest + trips * max(up, 0))
        own = varying([step], [variable])
        inside = Ranges({t: others.of(t) for t in _beside(step, own)} | {variable: found})
        inside.of(step)
        if within(*found) and inside.wrapped.isdisjoint(own):
            return found
    return None if (low, high) == ALL else (low, high)


def _beside(step: Term, own: set[Term]) -> list[Term]:
    """What the terms of a step that follow from a variable are over beside it."""
    args = [a for t in toposort([step]) if t in own for a in t.args]
    return [a for a in args if a not in own and a.type in (Scalar.I32, Scalar.BOOL)]


@dataclass(frozen=True)
class _Move:
    """A value that is the variable and a number in `by`, or that is a number in `beside`."""

    by: Range | None
    beside: Range | None

    def plus(self, more: Range) -> _Move:
        """The value and a number in a range."""
        return _Move(_sum(self.by, more), _sum(self.beside, more))

    def or_else(self, other: _Move) -> _Move:
        """One of two values."""
        return _Move(_either(self.by, other.by), _either(self.beside, other.beside))


def _sum(a: Range | None, b: Range) -> Range | None:
    return None if a is None else (a[0] + b[0], a[1] + b[1])


def _either(a: Range | None, b: Range | None) -> Range | None:
    return around(a, b) if a and b else a or b


def _moved(step: Term, variable: Term, others: Ranges) -> _Move | None:
    """How far a step may take its variable; None where nothing says it."""
    own = varying([step], [variable])
    found: dict[Term, _Move] = {variable: _Move((0, 0), None)}
    for term in toposort([step]):
        if term in found or term.type is not Scalar.I32:
            continue
        args = term.args[1:] if term.op == SELECT else term.args
        moves = [found[a] for a in args if a in found]
        if term in own and len(moves) == 2 and term.op in (SELECT, "min", "max"):
            found[term] = moves[0].or_else(moves[1])
        elif term in own and term.op == "add" and not own.issuperset(args):
            moving, other = args if args[0] in own else args[::-1]
            if moving in found:
                found[term] = found[moving].plus(others.of(other))
        elif term in own and term.op == "sub" and args[1] not in own and args[0] in found:
            low, high = others.of(args[1])
            found[term] = found[args[0]].plus((-high, -low))
        elif term not in own or others.of(term) != ALL:
            found[term] = _Move(None, others.of(term))
    return found.get(step)
