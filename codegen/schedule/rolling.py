"""Programs too long for a compiler, written as loops where their structure repeats.

Takes a program, gives one that computes the same operations on the same numbers, in which a
stretch of equal pieces is one loop. What a piece takes from the one before it is the loop's state;
what a later stretch reads, piece by piece, forwards or backwards, is kept in a memory:

    t = f(s, k); s = g(t)   n times             for (k) { tape[k] = t = f(s, k); s = g(t); }
    b = h(b, t of piece n-1-k)   n times        for (k) { b = h(b, tape[n-1-k]); }

Compilers take more time for each statement the more there are (the derivative of a chain of 1,000
links: half a minute); a loop is as short as one piece. Bits stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...rewrite.egraph.joint import joined
from ...terms.apply import apply
from ...terms.loop import LOOP, Open, State, bound, close, final, load, memory, store, zero
from ...terms.program import Note, Program
from ...terms.rule import RuleSet
from ...terms.term import DETACH, PROJ, Term, const, rebuild, toposort
from ...terms.types import Scalar
from ...terms.value import scalar
from .dividing import dividing
from .periods import Stretch, stretches

#: Programs of fewer operations stay as they are: compilers do them in about a second.
ROLLED_FROM = 4_000
#: What a loop leaves of its last trips is kept in variables; of earlier ones, in memory.
_LAGS = 4


def rolled(program: Program, rules: RuleSet) -> tuple[Program, list[str]]:
    """The program over loops where it is long and repeats itself, and what was done in words.

    Any other program as it is.
    """
    terms = [t for t in toposort(program.flat) if t.args]
    if len(terms) < ROLLED_FROM:
        return program, []
    order = _together(terms, rules)
    lines = _Lines(order, rules)
    found = lines.sound(stretches(lines.kinds, lines.reads))
    if not found:
        return program, []
    rolling = _Rolling(lines, found, program, rules)
    rolling.run()
    flat = [rolling.value(t) for t in program.flat]
    notes = {now: program.notes[old] for old, now in rolling.now.items() if old in program.notes}
    about = [
        f"{s.trips} times the same {s.period} operations are a loop; there are {len(order)} in all."
        for s in found
    ]
    return program.with_flat(flat, notes=notes), about


def _together(order: Sequence[Term], rules: RuleSet) -> list[Term]:
    """The order in which what one built-in computes (sin and cos) stands together."""
    parts = {term: terms for _, terms in joined(order, rules) for term in terms}
    return list(dict.fromkeys([part for term in order for part in parts.get(term, (term,))]))


class _Lines:
    """The operations of a program as numbers: their kinds, and the places of their operands."""

    def __init__(self, order: Sequence[Term], rules: RuleSet) -> None:
        self.order = order
        self.place = {term: i for i, term in enumerate(order)}
        divides = dividing(rules)
        known: dict[object, int] = {}
        self.kinds: list[int] = []
        self.reads = [[-1] * len(order) for _ in range(max(len(t.args) for t in order))]
        for i, term in enumerate(order):
            operands = tuple([a.type if a.args else a for a in term.args])
            key: object = (term.op, term.attr, term.type, operands)
            if _stays(term) or divides(term):
                key = term
            self.kinds.append(known.setdefault(key, len(known)))
            for k, arg in enumerate(term.args):
                if arg.args:
                    self.reads[k][i] = self.place[arg]

    def operands(self, stretch: Stretch) -> Iterator[tuple[int, int]]:
        """What the first trip reads, and by how much that moves with each trip."""
        for i in range(stretch.start, stretch.start + stretch.period):
            for row in self.reads:
                if row[i] >= 0:
                    yield row[i], row[i + stretch.period] - row[i]

    def sound(self, found: Sequence[Stretch]) -> list[Stretch]:
        """The stretches that can be loops: what they read is there when they begin."""
        good: list[Stretch] = []
        for stretch in found:
            if all(self._is_there(stretch, good, *operand) for operand in self.operands(stretch)):
                good.append(stretch)
        return good

    def _is_there(
        self, stretch: Stretch, earlier: Sequence[Stretch], first: int, step: int
    ) -> bool:
        if step == stretch.period:
            return True
        last = first + step * (stretch.trips - 1)
        if not isinstance(self.order[first].type, Scalar) or max(first, last) >= stretch.start:
            return False
        return step == 0 or tape_step(earlier, first, last, step) > 0


def tape_step(earlier: Sequence[Stretch], first: int, last: int, step: int) -> int:
    """The distance of the operations in the memory that holds `first`, `first + step`, …

    It is `step`, or the period of the stretches that compute them; 0 where neither goes into
    the others.
    """
    low, high = min(first, last), max(first, last)
    meets = [s.period for s in earlier if s.start <= high and low < s.stop]
    least = min([abs(step), *meets])
    return least if all(n % least == 0 for n in (abs(step), *meets)) else 0


def _stays(term: Term) -> bool:
    """What no loop may have in it."""
    plain = isinstance(term.type, Scalar) and all(isinstance(a.type, Scalar) for a in term.args)
    return not plain or term.op in (LOOP, PROJ, DETACH)


@dataclass
class _Tape:
    """A memory that holds the operations `low`, `low + step`, … up to `high`."""

    step: int
    low: int
    high: int
    elem: Scalar
    now: Term | None = None  # its latest version

    def slot(self, place: int) -> int:
        return (place - self.low) // self.step

    def version(self) -> Term:
        """Its latest version; first of all it holds zeros."""
        if self.now is None:
            self.now = memory(self.elem, self.slot(self.high) + 1)
        return self.now


@dataclass
class _Trip:
    """A loop while it is built: its terms of one trip, and the values of earlier trips."""

    stretch: Stretch
    counter: Term
    here: list[Term] = field(default_factory=list)  # by offset
    before: dict[tuple[int, int], Term] = field(default_factory=dict)  # by offset and lag
    written: dict[tuple[int, int], tuple[Term, Term]] = field(default_factory=dict)  # by tape


class _Rolling:
    """Goes through the operations in order and writes each stretch as a loop."""

    def __init__(
        self, lines: _Lines, found: Sequence[Stretch], program: Program, rules: RuleSet
    ) -> None:
        self.lines, self.found, self.rules = lines, found, rules
        self.order = lines.order
        self.notes: Mapping[Term, Note] = program.notes
        self.owner: dict[int, Stretch] = {}
        for stretch in found:
            self.owner.update(dict.fromkeys(range(stretch.start, stretch.stop), stretch))
        self.tapes: dict[tuple[int, int], _Tape] = {}
        self.now: dict[Term, Term] = {}  # what terms outside of loops have become
        self.lags: dict[Stretch, dict[int, int]] = {s: {} for s in found}  # by offset
        self._ask(program.flat)
        self.steps = list(dict.fromkeys(step for step, _ in self.tapes))

    def _ask(self, roots: Sequence[Term]) -> None:
        """Which memories are needed, and what of each loop is read after it."""
        lines = self.lines
        for n, stretch in enumerate(self.found):
            for first, step in lines.operands(stretch):
                if step == stretch.period:
                    for place in range(first, stretch.start, step):
                        self._wanted(place)  # the values before the first trip
                elif step == 0:
                    self._wanted(first)
                else:
                    last = first + step * (stretch.trips - 1)
                    self._tape(tape_step(self.found[:n], first, last, step), first, last)
        for i in range(len(lines.order)):
            if i not in self.owner:
                for row in lines.reads:
                    self._wanted(row[i])
        for root in roots:
            self._wanted(lines.place.get(root, -1))

    def _wanted(self, place: int) -> None:
        """A value is read outside of the loop that computes it, if one does."""
        stretch = self.owner.get(place)
        if stretch is None:
            return
        trip, offset = divmod(place - stretch.start, stretch.period)
        lag = stretch.trips - trip
        if lag <= _LAGS:
            self.lags[stretch][offset] = max(self.lags[stretch].get(offset, 0), lag)
        else:
            self._tape(stretch.period, place, place)

    def _tape(self, step: int, first: int, last: int) -> None:
        """A memory for the operations from `first` to `last`, and all of a loop if any of it."""
        low, high = min(first, last), max(first, last)
        elem = self.order[low].type
        tape = self.tapes.setdefault((step, low % step), _Tape(step, low, high, elem))
        low, high = min(low, tape.low), max(high, tape.high)
        for stretch in self.found:
            if stretch.start <= high and low < stretch.stop and stretch.period % step == 0:
                low = min(low, stretch.start + (low - stretch.start) % step)
                top = stretch.stop - 1
                high = max(high, top - (top - high) % step)
        tape.low, tape.high = low, high

    def run(self) -> None:
        """Write everything; afterwards `value` says what has become of a term."""
        at = 0
        for stretch in [*self.found, Stretch(len(self.order), 1, 0)]:
            for place in range(at, stretch.start):
                term = self.order[place]
                self.now[term] = rebuild(term, tuple([self.value(a) for a in term.args]))
                self._record(place, self.now[term])
            if stretch.trips:
                self._loop(stretch)
            at = stretch.stop

    def value(self, term: Term) -> Term:
        """A term as it is outside of loops."""
        if term.args and term not in self.now:
            place = self.lines.place[term]
            step = self.owner[place].period
            tape = self.tapes[step, place % step]
            self.now[term] = load(tape.version(), _whole(tape.slot(place)))
        return self.now.get(term, term)

    def _holding(self, place: int) -> Iterator[_Tape]:
        for step in self.steps:
            tape = self.tapes.get((step, place % step))
            if tape and tape.low <= place <= tape.high and tape.elem is self.order[place].type:
                yield tape

    def _record(self, place: int, value: Term) -> None:
        """Put a value outside of loops into the memories that want it."""
        for tape in self._holding(place):
            tape.now = store(tape.version(), _whole(tape.slot(place)), value)

    def _loop(self, stretch: Stretch) -> None:
        start, period, trips = stretch
        trip = _Trip(stretch, bound("k", Scalar.I32))
        for place in range(start, start + period):
            for tape in self._holding(place):
                key = tape.step, place % tape.step
                version = tape.version()
                trip.written.setdefault(key, (bound("tape", version.type), version))
        depth = self._depths(stretch)
        for offset, lag in depth.items():
            for back in range(1, lag + 1):
                name = self.notes.get(self.order[start + offset])
                stem = name.name if name and name.name else "s"
                trip.before[offset, back] = bound(stem, self.order[start + offset].type)
        for place in range(start, start + period):
            term = self.order[place]
            args = [
                self._read(trip, row[place], row[place + period] - row[place]) if a.args else a
                for a, row in zip(term.args, self.lines.reads, strict=False)
            ]
            trip.here.append(rebuild(term, tuple(args)))
        states = [*self._carried(trip, self._read_back(stretch)), *self._kept(trip)]
        notes = {
            now: self.notes[old]
            for now, old in zip(trip.here, self.order[start:], strict=False)
            if old in self.notes
        }
        going, number = const(True, Scalar.BOOL), _whole(trips)
        loop = close(Open(trip.counter, number, going, tuple(states), trips, notes=notes))
        for j, (offset, back) in enumerate(trip.before):
            self.now[self.order[start + (trips - back) * period + offset]] = final(loop, j)
        for j, key in enumerate(trip.written, len(trip.before)):
            self.tapes[key].now = final(loop, j)

    def _read_back(self, stretch: Stretch) -> dict[int, int]:
        """By offset, how many trips back the loop reads a value of its own."""
        found: dict[int, int] = {}
        for first, step in self.lines.operands(stretch):
            if step == stretch.period:
                back, offset = divmod(first - stretch.start, stretch.period)
                found[offset] = max(found.get(offset, 0), -back)
        return {offset: back for offset, back in sorted(found.items()) if back}

    def _depths(self, stretch: Stretch) -> dict[int, int]:
        """By offset, the values of how many trips the loop carries, for itself or for others."""
        own, after = self._read_back(stretch), self.lags[stretch]
        return {o: max(own.get(o, 0), after.get(o, 0)) for o in sorted({*own, *after})}

    def _read(self, trip: _Trip, first: int, step: int) -> Term:
        """An operand inside of a loop."""
        start, period, _ = trip.stretch
        if step == 0:
            return self.value(self.order[first])
        if step == period:
            back, offset = divmod(first - start, period)
            return trip.before[offset, -back] if back else trip.here[offset]
        last = first + step * (trip.stretch.trips - 1)
        size = tape_step([s for s in self.found if s.start < start], first, last, step)
        tape = self.tapes[size, first % size]
        var, _ = trip.written.get((size, first % size), (tape.version(), None))
        return load(var, self._place(trip, tape.slot(first), step // size))

    def _place(self, trip: _Trip, first: int, step: int) -> Term:
        """`first + step * counter`."""
        moved = trip.counter if abs(step) == 1 else self._do("mul", _whole(abs(step)), trip.counter)
        if step < 0:
            return self._do("sub", _whole(first), moved)
        return self._do("add", _whole(first), moved) if first else moved

    def _do(self, op: str, a: Term, b: Term) -> Term:
        return apply(self.rules, op, [scalar(a), scalar(b)], Scalar.F32).term

    def _carried(self, trip: _Trip, read_back: Mapping[int, int]) -> Iterator[State]:
        """The values of earlier trips: each moves on by one with every trip."""
        start, period, _ = trip.stretch
        for (offset, back), var in trip.before.items():
            first = zero(var.type)
            if back <= read_back.get(offset, 0):
                first = self.value(self.order[start + offset - back * period])
            after = trip.here[offset] if back == 1 else trip.before[offset, back - 1]
            yield State(var.attr.stem, var, first, after)

    def _kept(self, trip: _Trip) -> Iterator[State]:
        """The memories that the loop writes."""
        start, period, _ = trip.stretch
        after = {key: var for key, (var, _) in trip.written.items()}
        for place in range(start, start + period):
            for tape in self._holding(place):
                key = tape.step, place % tape.step
                index = self._place(trip, tape.slot(place), period // tape.step)
                after[key] = store(after[key], index, trip.here[place - start])
        for key, (var, first) in trip.written.items():
            yield State("tape", var, first, after[key])


def _whole(number: int) -> Term:
    return const(number, Scalar.I32)
