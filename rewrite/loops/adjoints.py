"""The adjoint of a loop: a loop over the same trips in reverse, over what was stored.

    s' = step(k, s, v)    s_bar = step_s^T s'_bar    v_bar += step_v^T s'_bar

Takes a loop with cotangents of its final state, gives cotangents of its arguments. Values of
the body are computed again from the stored state; decisions are replayed because they depend
on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.errors import DeriveError
from ...terms.loop import (
    Loop,
    Open,
    State,
    bound,
    close,
    final,
    load,
    store,
    zero,
)
from ...terms.program import Program
from ...terms.term import PROJ, Term, const, is_const, substitute, toposort
from ...terms.types import Memory, Scalar
from ..undo.undoing import Undoing
from .choosing import Cost, chosen
from .segments import Arithmetic, Segment, Segments, Split
from .tapes import taken, taped_terms
from .undoing import undone

Seeds = list[tuple[Term, Term]]


@dataclass(frozen=True)
class Rules:
    """What the adjoint of a body is made with: handed in, because derivation stands on this."""

    #: Cotangents of variables (a list like `wrt`) given those of results and first values.
    pull: Callable[[Program, Seeds, list[Term], Mapping[Term, Term]], list[Term | None]]
    #: The variables of a body, among those given, that its results depend on differentiably.
    active: Callable[[Program, list[Term]], set[Term]]
    add: Callable[[Term, Term], Term]
    arithmetic: Arithmetic
    expand: Callable[[Sequence[Term]], list[Term]]
    cost: Cost
    undoing: Undoing
    split: Split


def loop_adjoint(
    term: Term,
    run: Term,
    bars: Mapping[int, Term],
    wanted: Sequence[bool],
    begun: Mapping[int, Term],
    read: Iterable[int],
    rules: Rules,
) -> dict[int, Term]:
    """Cotangents of the loop's arguments, by index.

    `run` is how often its body ran, `bars` are those of the final state; `wanted` says which
    arguments need one; `begun` holds memories in which cotangents are collected already; `read`
    are the results of the loop that its program reads.
    """
    loop: Loop = term.attr
    leaves = loop.body.leaves()
    inputs = [
        v for i, v in enumerate(loop.inputs, 1 + loop.carried) if wanted[i] and v.type.is_real
    ]
    states = _active_states(loop, wanted, inputs, rules)
    live = sorted(set(bars) & set(states))
    index = {v: i for i, v in enumerate(leaves)}
    totals = {v: bound(f"{v.attr}_bar", v.type) for v in inputs}
    while True:
        carried = {j: bound(f"{loop.state[j].attr}_bar", loop.state[j].type) for j in live}
        seeds = [(loop.step[j], bar) for j, bar in carried.items()]
        wrt = [loop.state[j] for j in states] + inputs
        found = dict(zip(wrt, rules.pull(loop.body, seeds, wrt, totals), strict=True))
        more = [j for j in states if found[loop.state[j]] is not None and j not in carried]
        if not more:
            break
        live = sorted([*live, *more])
    changed = [v for v in inputs if found[v] is not None and found[v] is not totals[v]]
    parts: list[tuple[str, Term, Term, Term]] = []
    for j, var in carried.items():
        bar = found[loop.state[j]]
        first = bars.get(j)
        start = zero(var.type) if first is None else first
        parts.append(
            (f"{loop.state[j].attr}_bar", var, start, zero(var.type) if bar is None else bar)
        )
    for v in changed:
        bar = found[v]
        assert bar is not None
        first = begun.get(index[v])
        start = zero(v.type) if first is None else first
        parts.append((f"{v.attr}_bar", totals[v], start, bar))
    body = _Body(term, parts, rules)
    segments = body.segments()
    finals = body.at_once(run) if segments is None else body.in_segments(run, segments, read)
    out: dict[int, Term] = {}
    for i, j in enumerate(live):
        if wanted[1 + j]:
            out[1 + j] = finals[i]
    for i, v in enumerate(changed, len(live)):
        out[index[v]] = finals[i]
    return out


def added(a: Term, b: Term, add: Callable[[Term, Term], Term]) -> Term:
    """The sum of two memories, a loop over their elements."""
    assert isinstance(a.type, Memory)
    counter, total = bound("i", Scalar.I32), bound("total", a.type)
    element = add(load(total, counter), load(b, counter))
    size = const(a.type.size, Scalar.I32)
    state = State("total", total, a, store(total, counter, element))
    return final(close(Open(counter, size, const(True, Scalar.BOOL), (state,), a.type.size)), 0)


def _active_states(
    loop: Loop, wanted: Sequence[bool], inputs: list[Term], rules: Rules
) -> list[int]:
    """The state variables through which a derivative can pass."""
    state, step = loop.state, loop.step
    real = [j for j, v in enumerate(state) if v.type.is_real]
    active = {j for j in real if wanted[1 + j]}
    while True:
        reached = rules.active(loop.body, [*(state[j] for j in sorted(active)), *inputs])
        more = {j for j in real if step[j] in reached} - active
        if not more:
            return sorted(active)
        active |= more


class _Body:
    """What one trip of the reverse does, over the values that the loop's variables had in it.

    `parts` are what it carries: names, variables, first values, next values.
    """

    def __init__(
        self, term: Term, parts: Sequence[tuple[str, Term, Term, Term]], rules: Rules
    ) -> None:
        loop: Loop = term.attr
        self.term, self.loop, self.parts, self.rules = term, loop, parts, rules
        self.roots = rules.expand([part[3] for part in parts])
        self.ways = undone(term, rules.undoing)
        tapes = taped_terms(loop)
        bounded = loop.limit is not None
        kept, self.followed = chosen(
            self.roots, loop.state, loop.counter, tapes, rules.cost, self.ways, bounded
        )
        if any(stored not in tapes for stored in kept):
            raise DeriveError("the adjoint needs the contents of a memory at every trip", loop.at)
        self.kept = {stored: tapes[stored] for stored in kept}
        read = set(toposort([self.ways.values[v] for v in self.followed]))
        there = {*kept, *self.followed}
        ends = self.ways.ends
        self.arrays = {t: end for t, end in self.ways.arrays.items() if ends[end] in there}
        made = {self.arrays[t] for t in toposort(self.roots) if t in self.arrays}
        self.ends = {t: v for t, v in ends.items() if t in read or t in made}

    def segments(self) -> Segments | None:
        """The loop in segments, where it would keep too much otherwise."""
        if self.loop.limit is None or not self.kept:
            return None
        found = Segments(self.term, self.kept, self.ends.values(), self.rules.arithmetic)
        return found if found.pay or self.rules.split.has(self.term) else None

    def at_once(self, run: Term) -> list[Term]:
        """What is carried, after as many trips in reverse as the loop made."""
        number = {v: j for j, v in enumerate(self.loop.state)}
        tapes = {t: final(self.term, j) for t, j in self.kept.items()}
        ends = {v: final(self.term, number[v]) for v in self.ends.values()}
        read = self.rules.split.read.setdefault(self.term, {})
        read |= dict.fromkeys(t.attr for t in (*tapes.values(), *ends.values()))
        firsts = [first for _, _, first, _ in self.parts]
        whole = Segment(const(0, Scalar.I32), run, tapes, ends)
        return self.reverse(whole, firsts, self.loop.limit)

    def in_segments(self, run: Term, segments: Segments, read: Iterable[int]) -> list[Term]:
        """The same, segment by segment, each of which runs again before its reverse."""
        split, loop = self.rules.split, self.loop
        forward, starts = segments.forward([*read, *split.read.get(self.term, ())])
        results = {Term(PROJ, (self.term,), i, t.type): t for i, t in forward.items()}
        split.results.update(results)
        (run,) = substitute([run], results)
        reverse, count = bound("segment", Scalar.I32), segments.segments(run)
        segment = segments.again(self.last(count, reverse), run, starts)
        own = [bound(name, v.type) for name, v, _, _ in self.parts]
        states = [
            State(name, v, first, after)
            for (name, _, first, _), v, after in zip(
                self.parts, own, self.reverse(segment, own, segments.size), strict=True
            )
        ]
        always = const(True, Scalar.BOOL)
        result = close(Open(reverse, count, always, tuple(states), segments.number, loop.at, {}))
        return [final(result, i) for i in range(len(states))]

    def reverse(self, part: Segment, firsts: Sequence[Term], limit: int | None) -> list[Term]:
        """What is carried after the trips of a part of the loop, in reverse."""
        loop, ways = self.loop, self.ways
        reverse = bound("trip", Scalar.I32)
        place = self.last(part.trips, reverse)
        counter = (
            place if is_const(part.start, 0) else self.rules.arithmetic("add", part.start, place)
        )
        table: dict[Term, Term] = {loop.counter: counter}
        table |= dict(zip(loop.inputs, self.term.args[1 + loop.carried :], strict=True))
        table |= self.arrays
        for stored, tape in part.tapes.items():
            table[stored] = taken(tape, place, stored.type)
        number = {v: j for j, v in enumerate(loop.state)}
        for first, variable in ways.firsts.items():
            table[first] = self.term.args[1 + number[variable]]
        for variable in self.followed:
            (table[variable],) = substitute([ways.values[variable]], table)
        states = [
            State(name, v, first, after)
            for (name, v, _, _), first, after in zip(
                self.parts, firsts, substitute(self.roots, table), strict=True
            )
        ]
        states += [
            State(str(start.attr), end, part.ends[start], table[start])
            for end, start in self.ends.items()
        ]
        always = const(True, Scalar.BOOL)
        result = close(Open(reverse, part.trips, always, tuple(states), limit, loop.at, {}))
        return [final(result, i) for i in range(len(self.parts))]

    def last(self, count: Term, reverse: Term) -> Term:
        """The number of a trip, counted from the last one of so many."""
        less = self.rules.arithmetic("sub", count, const(1, Scalar.I32))
        return self.rules.arithmetic("sub", less, reverse)
