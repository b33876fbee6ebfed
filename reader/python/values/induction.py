"""Variables that every trip changes by one step, and the bounds that follow from them.

    i' = i + c    =>    i = first + k*c, so i is no state

Takes an open loop, gives an equal one with less state, of which bounds.py says how often it
runs. Only integers: a float that is added up step by step is not the product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from ....rules.intervals import Range, interval
from ....terms.conditions import facts
from ....terms.loop import Open, State, close, final, trips_run, varying
from ....terms.rule import RuleSet
from ....terms.term import SELECT, Term, const, is_const, substitute
from ....terms.trips import ran
from ....terms.types import Scalar
from .bounds import Bounded, Steps, bounded, folded, never, one_more
from .counting import Counting, integer
from .shrinking import longest

_FAR = 2**30  # trips, that nothing is made ready for
_WAYS = 64  # through the branches of a trip, that are looked at


@dataclass(frozen=True)
class Counted:
    """An open loop without its induction variables, and how to compute those after it."""

    loop: Open
    places: tuple[int | None, ...]  # of each former state variable
    induced: dict[int, tuple[Term, Term]]  # the others: first value, step
    steps: Steps  # the same of all variables of which it is known in the body
    trips: Term | None
    limit: int | None
    rules: RuleSet
    away: tuple[Term, ...]  # conditions that hold at first, and then for ever

    def built(self) -> tuple[Term, list[Term]]:
        """The loop, and the final value of every former state variable."""
        term = close(self.loop)
        run = ran(term, self.rules)
        finals = []
        for j, place in enumerate(self.places):
            if place is not None:
                finals.append(final(term, place))
            else:
                first, step = self.induced[j]
                finals.append(progression(self.rules, first, step, run))
        return term, finals

    def goes_on(self, term: Term) -> Term:
        """The condition under which the loop's own condition asks for one trip more."""
        table = {s.var: final(term, j) for j, s in enumerate(self.loop.states)}
        (go,) = substitute([self.loop.go], {self.loop.counter: trips_run(term), **table})
        return go

    def span(self, variables: Sequence[Term]) -> Range | None:
        """The smallest and the largest value of a variable in the body, where they are known."""
        if self.limit is None or len(variables) != 1 or variables[0] not in self.steps:
            return None
        course = progression(self.rules, *self.steps[variables[0]], self.loop.counter)
        low, high = interval(course, {self.loop.counter: (0, max(self.limit - 1, 0))})
        return (int(low), int(high)) if -inf < low <= high < inf else None


def counted(
    loop: Open, bound_wanted: bool, rules: RuleSet, ranges: Mapping[Term, Range]
) -> Counted:
    """The loop with induction variables as functions of its counter.

    With `bound_wanted`, its number of trips is found from its conditions where that can be.
    """
    induced, nearly = _induced(loop, bound_wanted, rules)
    steps = {loop.states[j].var: pair for j, pair in (induced | nearly).items()}
    found, limit = Bounded(None, ()), loop.limit
    if bound_wanted:
        found, limit = _bounds(loop, steps, rules, ranges)
    trips, go = found.trips, loop.go if found.trips is None else found.go
    table = {var: progression(rules, *pair, loop.counter) for var, pair in steps.items()}
    kept = [j for j in range(len(loop.states)) if j not in induced]
    nexts = substitute([go, *(loop.states[j].next for j in kept)], table)
    states = tuple(replace(loop.states[j], next=n) for j, n in zip(kept, nexts[1:], strict=True))
    ends = trips if trips is not None else loop.trips
    if bound_wanted and trips is None and limit is not None:
        ends = const(limit, Scalar.I32)
    slim = replace(loop, trips=ends, go=nexts[0], states=states, limit=limit)
    place = {j: i for i, j in enumerate(kept)}
    places = tuple(place.get(j) for j in range(len(loop.states)))
    return Counted(slim, places, induced, steps, trips, limit, rules, found.away)


def _induced(
    loop: Open, bound_wanted: bool, rules: RuleSet
) -> tuple[dict[int, tuple[Term, Term]], dict[int, tuple[Term, Term]]]:
    """The first value and the step of variables: of those that every trip changes by it, and of
    those that every trip changes by it after which another one begins.
    """
    moving = varying(loop.roots, loop.own)
    again: dict[Term, bool] = {}
    if bound_wanted:
        (later,) = substitute([loop.go], {s.var: s.next for s in loop.states})
        again = dict(facts(later, True))
    always: dict[int, tuple[Term, Term]] = {}
    nearly: dict[int, tuple[Term, Term]] = {}
    for j, state in enumerate(loop.states):
        for known, found in (({}, always), (again, nearly)):
            step = _step(state, moving, rules, known)
            if step is not None:
                found[j] = (state.first, step)
                break
    return always, nearly


def _bounds(
    loop: Open, steps: Steps, rules: RuleSet, ranges: Mapping[Term, Range]
) -> tuple[Bounded, int | None]:
    """How often a loop runs at most, and the number where it is known while reading."""
    counting = Counting(rules, ranges, loop.limit)
    found = bounded(loop.go, steps, loop.own, counting)
    limits = [loop.limit, None if found.trips is None else most(found.trips, ranges)]
    if limits[1] is None:
        table = {s.var: s.next for s in loop.states}
        table |= {var: integer(rules, "add", var, step) for var, (_, step) in steps.items()}
        (again,) = substitute([loop.go], table)
        again = folded(again)
        once = Bounded(const(0, Scalar.I32), ())
        later = once if never(again) else bounded(again, steps, loop.own, counting)
        if later.trips is not None:
            trips = one_more(rules, later.trips)
            limits.append(most(trips, ranges))
            if found.trips is None:
                found = Bounded(trips, found.left)
        elif found.trips is None:
            found = replace(found, away=found.away + later.away)
    if found.trips is None:
        limits.append(longest(loop, rules, ranges))
    return found, min((n for n in limits if n is not None), default=None)


def _step(
    state: State, moving: set[Term], rules: RuleSet, known: Mapping[Term, bool]
) -> Term | None:
    """c in `next = var + c`, where c is the same in every trip in which the conditions hold."""
    if state.var.type is not Scalar.I32:
        return None
    found: list[Term] = []
    ways = [(state.next, const(0, Scalar.I32), known)]
    while ways:
        term, total, held = ways.pop()
        if term is state.var:
            found.append(total)
        elif term.op == SELECT:
            condition, *arms = term.args
            for arm, holds in zip(arms, (True, False), strict=True):
                if held.get(condition, holds) == holds:
                    ways.append((arm, total, {**held, **dict(facts(condition, holds))}))
        elif term.op in ("add", "sub") and term.type is Scalar.I32:
            a, b = term.args
            if term.op == "add" and a not in moving:
                a, b = b, a
            if b in moving:
                return None
            ways.append((a, integer(rules, term.op, total, b), held))
        else:
            return None
        if len(found) + len(ways) > _WAYS or any(c is not found[0] for c in found):
            return None
    return found[0] if found else None


def progression(rules: RuleSet, first: Term, step: Term, counter: Term) -> Term:
    """first + step*counter, which no loop has to carry."""
    scaled = counter if is_const(step, 1) else integer(rules, "mul", counter, step)
    return integer(rules, "add", first, scaled)


def most(term: Term, ranges: Mapping[Term, Range]) -> int | None:
    """The largest value of an integer, given the ranges of some variables; at least 0.

    One that is beyond any number of trips says nothing.
    """
    high = interval(term, ranges)[1]
    return None if high >= _FAR else max(int(high), 0)
