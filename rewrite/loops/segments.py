"""Segments: an adjoint that would keep too much keeps the start of every segment only.

    for k in range(n): s = step(k, s)

becomes a loop over segments of b trips each, about sqrt(n) of them, which keeps the state at the
start of each segment. The adjoint runs a segment again when its turn comes, and keeps what it
reads of that one: 2 sqrt(n) states instead of n, for one more run of the body.

Takes a loop and what its adjoint keeps, gives the loop over segments and the one that runs a
segment again. Knows nothing of adjoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isqrt

from ...terms.loop import Loop, Open, State, bound, close, final, opened, stem, trips_run
from ...terms.term import CONST, PROJ, Term, const, is_const, substitute
from ...terms.types import Scalar
from .prune import read_by
from .storage import size_of
from .tapes import taken, tape_of

#: What the adjoint of one loop keeps in full; above, it keeps segments.
SEGMENT_BYTES = 16 * 1024

Arithmetic = Callable[[str, Term, Term], Term]


@dataclass(frozen=True)
class Segment:
    """A segment that runs again: where it starts, its trips, and what it keeps.

    `tapes` hold what is kept of each trip; `ends` are the state after the segment.
    """

    start: Term
    trips: Term
    tapes: Mapping[Term, Term]
    ends: Mapping[Term, Term]


@dataclass(frozen=True)
class Split:
    """Which loops are run in segments, for one adjoint or for several."""

    #: What results of loops become that are run in segments.
    results: dict[Term, Term] = field(default_factory=dict)
    #: Of loops that are not: the results that an adjoint reads, beside those that programs do.
    read: dict[Term, dict[int, None]] = field(default_factory=dict)

    def has(self, term: Term) -> bool:
        """Whether a loop is run in segments."""
        return Term(PROJ, (term,), 0, Scalar.I32) in self.results


class Segments:
    """A loop in segments: `kept` is what is read of every trip, with the numbers of its tapes,
    `ends` the state that is read after the last one."""

    def __init__(
        self, term: Term, kept: Mapping[Term, int], ends: Iterable[Term], apply: Arithmetic
    ) -> None:
        loop: Loop = term.attr
        assert loop.limit is not None
        self.term, self.loop, self.kept, self.apply = term, loop, kept, apply
        self.read = _read(loop, [*kept, *ends])
        self.size = isqrt(loop.limit - 1) + 1
        self.number = (loop.limit + self.size - 1) // self.size

    @property
    def pay(self) -> bool:
        """Whether the whole loop would keep too much, and more than segments do."""
        one = sum(size_of(t.type) for t in self.kept)
        state = sum(size_of(v.type) for v in self.read)
        whole = one * (self.loop.limit or 0)
        return whole > max(SEGMENT_BYTES, one * self.size + state * self.number)

    @cached_property
    def inner(self) -> Open:
        """The loop of which a segment makes some trips."""
        return opened(self.term)

    def forward(self, wanted: Iterable[int]) -> tuple[dict[int, Term], dict[Term, Term]]:
        """The number of trips and the results that are wanted, by index, by a loop over segments.

        And the memories that hold the state at the start of each segment, as far as it is read.
        What the loop carries for others is not even begun: adjoints of other loops have more
        than a hundred tapes to choose from.
        """
        inner, apply = self.inner, self.apply
        segment, count = bound("segment", Scalar.I32), bound("run", Scalar.I32)
        start = apply("mul", segment, const(self.size, Scalar.I32))
        number = {v: j for j, v in enumerate(self.loop.state)}
        wanted_states = [self.loop.state[i - 1] for i in wanted if i]
        carried = [number[v] for v in _read(self.loop, [*self.read, *wanted_states])]
        own = {j: bound(inner.states[j].name, inner.states[j].var.type) for j in carried}
        body = self.segment(
            start, inner.trips, [replace(inner.states[j], first=v) for j, v in own.items()]
        )
        run = Term(PROJ, (body,), 0, Scalar.I32)
        states = [State("run", count, const(0, Scalar.I32), apply("add", count, run))]
        states += [
            State(inner.states[j].name, v, inner.states[j].first, final(body, i))
            for i, (j, v) in enumerate(own.items())
        ]
        tapes = [
            tape_of(inner.states[j].name, own[j], segment, self.number)
            for j in (number[v] for v in self.read)
        ]
        going = const(True, Scalar.BOOL)
        if not is_const(inner.go, True):
            going = apply("eq", count, start)  # no earlier segment was left before its end
        trips = self.segments(inner.trips)
        whole = (*states, *tapes)
        outer = close(Open(segment, trips, going, whole, self.number, inner.at, inner.notes))
        known = trips_run(self.term)
        ran = known if known.op == CONST else final(outer, 0)
        starts = {v: final(outer, len(states) + i) for i, v in enumerate(self.read)}
        return {0: ran} | {1 + j: final(outer, 1 + i) for i, j in enumerate(own)}, starts

    def again(self, number: Term, run: Term, starts: Mapping[Term, Term]) -> Segment:
        """The segment of a number, of a loop that makes so many trips, with what it keeps."""
        inner, size = self.inner, const(self.size, Scalar.I32)
        start = self.apply("mul", number, size)
        states = []
        for v in self.read:
            s = inner.states[self.loop.state.index(v)]
            states.append(replace(s, first=taken(starts[v], number, v.type)))
        leaves = [*inner.own, *self.term.args[1 + self.loop.carried :]]
        values = substitute(self.kept, dict(zip(self.loop.body.leaves(), leaves, strict=True)))
        names = [str(self.loop.state[j].attr).removesuffix("_tape") for j in self.kept.values()]
        body = self.segment(start, run, states, list(zip(names, values, strict=True)))
        trips = self.apply("min", self.apply("sub", run, start), size)
        kept = {t: final(body, len(states) + i) for i, t in enumerate(self.kept)}
        ends = {v: final(body, i) for i, v in enumerate(self.read)}
        return Segment(start, trips, kept, ends)

    def segment(
        self,
        start: Term,
        run: Term,
        states: Sequence[State],
        kept: Sequence[tuple[str, Term]] = (),
    ) -> Term:
        """The trips of one segment; its counter goes on from where the segment starts."""
        inner, size = self.inner, const(self.size, Scalar.I32)
        trip = bound(stem(inner.counter), Scalar.I32)
        roots = [inner.go, *(s.next for s in states), *(value for _, value in kept)]
        go, *after = substitute(roots, {inner.counter: self.apply("add", start, trip)})
        carried = [replace(s, next=t) for s, t in zip(states, after, strict=False)]
        for (name, _), value in zip(kept, after[len(states) :], strict=True):
            carried.append(tape_of(name, value, trip, self.size))
        trips = self.apply("min", self.apply("sub", run, start), size)
        return close(Open(trip, trips, go, tuple(carried), self.size, inner.at, inner.notes))

    def segments(self, run: Term) -> Term:
        """How many segments so many trips are."""
        most = self.apply("add", run, const(self.size - 1, Scalar.I32))
        return self.apply("quotient", most, const(self.size, Scalar.I32))


def _read(loop: Loop, roots: Sequence[Term]) -> list[Term]:
    """The state variables that these terms of the body follow from, in any number of trips."""
    step = dict(zip(loop.state, loop.step, strict=True))
    found: dict[Term, None] = {}
    stack = [loop.go, *roots]
    seen = set(stack)
    while stack:
        term = stack.pop()
        if term in step:
            found[term] = None
        for below in (*read_by(term), *([step[term]] if term in step else [])):
            if below not in seen:
                seen.add(below)
                stack.append(below)
    return [v for v in loop.state if v in found]
