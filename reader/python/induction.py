"""Variables that every trip changes by one step, and the bounds that follow from them.

    i' = i + c    =>    i = first + k*c, so i is no state
    while i < n   =>    ceil((n - first) / c) trips, so the condition needs no test

Takes an open loop, gives an equal one with less state. Only integers: a float that is added
up step by step is not the product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from ...terms.apply import apply
from ...terms.loop import Open, State, close, final, trips_run, varying
from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, const, is_const, substitute, toposort
from ...terms.types import Scalar
from ...terms.value import scalar

_TRUE = const(True, Scalar.BOOL)


@dataclass(frozen=True)
class Counted:
    """An open loop without its induction variables, and how to compute those after it."""

    loop: Open
    places: tuple[int | None, ...]  # of each former state variable
    induced: dict[int, tuple[Term, Term]]  # the others: first value, step
    trips: Term | None
    limit: int | None
    rules: RuleSet

    def built(self) -> tuple[Term, list[Term]]:
        """The loop, and the final value of every former state variable."""
        term = close(self.loop)
        finals = []
        for j, place in enumerate(self.places):
            if place is not None:
                finals.append(final(term, place))
            else:
                first, step = self.induced[j]
                finals.append(progression(self.rules, first, step, trips_run(term)))
        return term, finals

    def goes_on(self, term: Term) -> Term:
        """The condition under which the loop's own condition asks for one trip more."""
        table = {s.var: final(term, j) for j, s in enumerate(self.loop.states)}
        (go,) = substitute([self.loop.go], {self.loop.counter: trips_run(term), **table})
        return go


def counted(loop: Open, bound_wanted: bool, rules: RuleSet) -> Counted:
    """The loop with induction variables as functions of its counter.

    With `bound_wanted`, its number of trips is found from its condition where that can be.
    """
    moving = varying(loop.roots, loop.own)
    induced: dict[int, tuple[Term, Term]] = {}
    for j, state in enumerate(loop.states):
        if state.var.type is Scalar.I32:
            step = _step(state, moving, rules)
            if step is not None:
                induced[j] = (state.first, step)
    table = {
        loop.states[j].var: progression(rules, first, step, loop.counter)
        for j, (first, step) in induced.items()
    }
    trips: Term | None = None
    go = loop.go
    if bound_wanted:
        steps = {loop.states[j].var: pair for j, pair in induced.items()}
        trips, go = _bounded(go, steps, moving, rules)
    kept = [j for j in range(len(loop.states)) if j not in induced]
    nexts = substitute([go, *(loop.states[j].next for j in kept)], table)
    states = tuple(replace(loop.states[j], next=n) for j, n in zip(kept, nexts[1:], strict=True))
    limit = loop.limit
    if trips is not None and trips.op == CONST:
        most = max(int(trips.attr), 0)
        limit = most if limit is None else min(limit, most)
    ends = trips if trips is not None else loop.trips
    if bound_wanted and trips is None and limit is not None:
        ends = const(limit, Scalar.I32)
    slim = replace(loop, trips=ends, go=nexts[0], states=states, limit=limit)
    place = {j: i for i, j in enumerate(kept)}
    places = tuple(place.get(j) for j in range(len(loop.states)))
    return Counted(slim, places, induced, trips, limit, rules)


def _step(state: State, moving: set[Term], rules: RuleSet) -> Term | None:
    """c in `next = var + c`, where c is the same in every trip."""
    total: Term = const(0, Scalar.I32)
    term = state.next
    while term is not state.var:
        if term.op not in ("add", "sub") or term.type is not Scalar.I32:
            return None
        a, b = term.args
        if term.op == "add" and a not in moving:
            a, b = b, a
        if b in moving:
            return None
        total = integer(rules, term.op, total, b)
        term = a
    return total


def progression(rules: RuleSet, first: Term, step: Term, counter: Term) -> Term:
    """first + step*counter, which no loop has to carry."""
    scaled = counter if is_const(step, 1) else integer(rules, "mul", counter, step)
    return integer(rules, "add", first, scaled)


def integer(rules: RuleSet, op: str, a: Term, b: Term) -> Term:
    """An operation on integers; of constants, its value."""
    if a.op == CONST and b.op == CONST:
        x, y = int(a.attr), int(b.attr)
        known = {"add": x + y, "sub": x - y, "mul": x * y}
        if op in known and abs(known[op]) < 2**31:
            return const(known[op], Scalar.I32)
        if op == "quotient" and x >= 0 and y > 0:
            return const(x // y, Scalar.I32)
    if op in ("add", "sub") and is_const(b, 0):
        return a
    if op == "add" and is_const(a, 0):
        return b
    return apply(rules, op, [scalar(a), scalar(b)], Scalar.F32).term


def _bounded(
    go: Term, steps: dict[Term, tuple[Term, Term]], moving: set[Term], rules: RuleSet
) -> tuple[Term | None, Term]:
    """The number of trips that a condition allows, and what is left to be tested."""
    if go.op == "logical_and":
        for part, rest in (go.args, go.args[::-1]):
            trips, left = _bounded(part, steps, moving, rules)
            if trips is not None:
                both = rest if left is _TRUE else Term(go.op, (left, rest), None, Scalar.BOOL)
                return trips, both
        return None, go
    if go.op not in _MIRRORED:
        return None, go
    a, b = go.args
    op = go.op
    if b in steps:
        a, b, op = b, a, _MIRRORED[op]
    if a not in steps or b in moving:
        return None, go
    first, step = steps[a]
    if step.op != CONST:
        return None, go
    size = int(step.attr)
    if op in ("lt", "le") and size > 0:
        distance = integer(rules, "sub", b, first)
    elif op in ("gt", "ge") and size < 0:
        distance = integer(rules, "sub", first, b)
    else:
        return None, go
    extra = abs(size) - (op in ("lt", "gt"))
    total = integer(rules, "add", distance, const(extra, Scalar.I32))
    if abs(size) > 1:
        total = integer(rules, "quotient", total, const(abs(size), Scalar.I32))
    if total.op == CONST and int(total.attr) < 0:
        total = const(0, Scalar.I32)
    return total, _TRUE


def most(term: Term, ranges: Mapping[Term, tuple[int, int | None]]) -> int | None:
    """The largest value of an integer, given the ranges of some variables; at least 0."""
    high = interval(term, ranges)[1]
    return None if high == inf else max(int(high), 0)


def interval(term: Term, ranges: Mapping[Term, tuple[int, int | None]]) -> tuple[float, float]:
    """The smallest and the largest value of an integer, given the ranges of some variables."""
    bounds: dict[Term, tuple[float, float]] = {}
    for t in toposort([term]):
        args = [bounds[a] for a in t.args]
        bounds[t] = _range(t, args, ranges)
    return bounds[term]


def _range(
    term: Term,
    args: list[tuple[float, float]],
    ranges: Mapping[Term, tuple[int, int | None]],
) -> tuple[float, float]:
    if term.op == CONST and term.type is Scalar.I32:
        return term.attr, term.attr
    if term in ranges:
        low, high = ranges[term]
        return low, inf if high is None else high
    if term.type is Scalar.I32 and all(-inf < v < inf for pair in args for v in pair):
        match term.op, args:
            case "add", [(a, b), (c, d)]:
                return a + c, b + d
            case "sub", [(a, b), (c, d)]:
                return a - d, b - c
            case "mul", [(a, b), (c, d)]:
                ends = (a * c, a * d, b * c, b * d)
                return min(ends), max(ends)
            case "neg", [(a, b)]:
                return -b, -a
            case "quotient", [(a, b), (c, d)] if c == d and c > 0:
                return int(a / c), int(b / c)
            case "min", [(a, b), (c, d)]:
                return min(a, c), min(b, d)
            case "max", [(a, b), (c, d)]:
                return max(a, c), max(b, d)
    return -inf, inf


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
