"""What bounds the integers of a loop: facts that the first trip begins with, and that each keeps.

    i -= 1; if i < 0: i = m - 1     0 <= i <= m - 1     where it begins so and m - 1 >= 0

Apart for what the inputs are (a regime), for the first trip and the later ones, for the values of
flags and of steps, which are few, and for numbers below 0 and others, since what wraps comes from
there to there. Facts are tried: what variables are compared with and set to may bound them, and how
far they get by the number of the trip. What does not follow in some case from all that is known
before the trip is given up, until all that is left does.

Takes variables of a loop, which follow from each other, gives the cases of their updates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from ...terms.loop import Loop, varying
from ...terms.term import SELECT, Term, toposort
from ...terms.types import Scalar
from ..undo.cases import TURN, Case, cases
from ..undo.linear import Form, atom, equal, number, tightest
from ..undo.ranges import ALL, Ranges
from .growth import most_trips

_TERMS = 64  # of updates
_EDGES = 16  # places at which something changes
_NEAR = 1 << 30  # numbers beyond are those at which something wraps
_SMALL = 1 << 16  # numbers that may be steps
_REGIMES = 16
_PASSES = 12

Update = tuple[Term, ...]  # of each of the variables
_Mode = tuple[int, ...]


class Unbounded(Exception):
    """Too many cases, or a value that is no linear form."""


@dataclass(frozen=True)
class Led:
    """A case of an update, in a regime of the inputs, in the first trip or later."""

    regime: int
    first: bool
    case: Case
    update: Update


class Ways:
    """What some variables of a loop do: the cases of all their updates, if these are known."""

    def __init__(self, term: Term, group: Sequence[Term], ranges: Ranges, outer: Ranges) -> None:
        loop: Loop = term.attr
        self.group, self.ranges, self.counter = tuple(group), ranges, loop.counter
        steps = dict(zip(loop.state, loop.step, strict=True))
        firsts = dict(zip(loop.state, term.args[1:], strict=False))
        self.steps, self.begins = [steps[v] for v in group], [firsts[v] for v in group]
        self.own = [v for v in group if v.type is Scalar.I32]  # what is no flag
        self.modes: set[Term] = set()
        self.moving = varying(self.steps, group)
        self.updates = self._updates()
        below = toposort(self.steps)
        #: What may be spoken of when an update is undone: what is known then.
        self.said = {t for t in below if t not in self.moving} | {
            t for u in self.updates for t in u
        }
        inputs = dict(zip(loop.inputs, term.args[1 + loop.carried :], strict=True))
        used = [v for v in inputs if v.type is Scalar.I32 and v in self.said]
        fixed = _between({v: outer.of(inputs[v]) for v in used})
        most = max(most_trips(term, outer) - 1, 0)
        moving = {self.counter: (0, most), **{v: ranges.of(v) for v in self.own}}
        self.known = [*fixed, *_between(moving)]
        given = {inputs[v]: atom(v) for v in used}
        small = len(below) <= _TERMS
        self.starts = (small and cases(self.begins, Case(tightest(fixed), given), (), outer)) or []
        self.parameters = {*used, *(t for c in self.starts for f in c.facts for t in f.atoms)}
        self.edges: list[Form] = []
        self.led = self._led()

    def _updates(self) -> list[Update]:
        """What a trip may do: the arms of a choice over anything else, if it is one variable."""
        if len(self.group) > 1:
            return [tuple(self.steps)]
        found: dict[Term, None] = {}
        stack = list(self.steps)
        seen = {*stack}
        while stack:
            term = stack.pop()
            if term.op == SELECT and term.args[0] not in self.moving:
                stack += [arm for arm in term.args[1:] if arm not in seen]
                seen.update(term.args[1:])
            else:
                found[term] = None
        return [(t,) for t in found]

    def _led(self) -> list[Led]:
        """All cases of all updates, with what bounds the variables."""
        if not self.starts:
            raise Unbounded
        tried = self._tried([{v: atom(v) for v in self.own}])
        modes = [v for v in self.group if self._is_mode(v, tried)]
        values = [self._values(v, tried) for v in modes]
        if prod(map(len, values)) > _REGIMES:
            raise Unbounded
        self.modes = {*modes}
        self.own = [v for v in self.own if v not in self.modes]
        free = {v: atom(v) for v in self.own}
        tried = self._tried([free | dict(zip(modes, row, strict=True)) for row in product(*values)])
        self.edges = self._edges(tried)
        maybe = list(self._facts(tried))
        found = []
        for i, regime in enumerate(self._regimes()):
            for mode, facts in self._bounds(regime, maybe).items():
                led = self._after(regime, mode, facts)
                found += [Led(i, bool(mode[0]), case, update) for case, update in led]
        return found

    def _cases(self, update: Update, start: Case) -> list[Case]:
        found = cases(update, start, self.moving, self.ranges)
        if found is None:
            raise Unbounded
        return found

    def _tried(self, befores: Sequence[Mapping[Term, Form]]) -> list[Case]:
        """The cases of all updates of variables that are these forms."""
        found: list[Case] = []
        for before, update in product(befores, self.updates):
            start = Case(tightest(f.where(before) for f in self.known), before)
            for case in self._cases(update, start):
                ends = zip(self.group, [case.forms[t] for t in update], strict=True)
                found.append(replace(case, forms={**case.forms, **dict(ends)}))
        return found

    def _values(self, v: Term, tried: Sequence[Case]) -> list[Form]:
        """What a flag may be."""
        place = self.begins[self.group.index(v)]
        found = [c.forms[place] for c in self.starts]
        found += [c.forms[v] for c in tried if not c.forms[v].parts]
        if v.type is not Scalar.BOOL:
            found += [-f for f in found]
        return list(dict.fromkeys(found))

    def _is_mode(self, v: Term, tried: Sequence[Case]) -> bool:
        """Whether a variable has few values: constants, and their negatives."""
        if any(start.forms[self.begins[self.group.index(v)]].parts for start in self.starts):
            return False
        forms = [c.forms[v] for c in tried]
        ways = [f for own in (atom(v), -atom(v)) for f in (own, own + TURN, own - TURN)]
        return all(not f.parts or f in ways for f in forms)

    def _edges(self, tried: Sequence[Case]) -> list[Form]:
        """Where something changes: what variables are compared with, set to, and begin with."""
        found = {number(0): None}
        found.update(dict.fromkeys(c.forms[b] for c in self.starts for b in self.begins))
        starts = list(found)
        for case in tried:
            found.update(dict.fromkeys(case.forms[v] for v in self.own))
            moves = [case.forms[v] - atom(v) for v in self.own]
            found.update(dict.fromkeys(e + m for m in moves for e in starts))  # where it gets to
            for fact in case.facts:
                for part, factor in fact.parts:
                    if part in self.own and abs(factor) == 1:
                        edge = (fact - atom(part) * factor) * -factor
                        found[edge] = None
                        found[case.forms[part] - atom(part) + edge] = None  # where that leads
        fixed = [f for f in found if self.parameters.issuperset(f.atoms)]
        return [f for f in fixed if abs(f.number) < _NEAR][:_EDGES]

    def _facts(self, tried: Sequence[Case]) -> Iterator[Form]:
        """What may hold in all trips."""
        around = dict.fromkeys(e + n for e in self.edges for n in (0, -1, 1))
        for v in self.own:
            for edge in around:
                yield atom(v) - edge
                yield -atom(v) + edge
            moves = [c.forms[v] - atom(v) for c in tried]
            numbers = {n for m in moves for n in self._moved(m) if 0 < abs(n) < _SMALL}
            for edge in (*self.edges, *map(number, ALL)):
                for n in sorted(numbers):
                    yield (atom(v) - edge - atom(self.counter) * n) * (-1 if n > 0 else 1)

    def _moved(self, move: Form) -> tuple[int, int]:
        """How far a form is from 0 at most."""
        low = high = move.number
        for part, factor in move.parts:
            ends = [factor * n for n in self.ranges.of(part)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _regimes(self) -> list[Case]:
        """What the inputs may be, apart where it decides how the variables begin."""
        found = self.starts
        for v in self.own:
            place = self.begins[self.group.index(v)]
            for edge in (*map(number, ALL), *self.edges):
                split = []
                for case in found:
                    less = case.forms[place] - edge
                    for facts in ([-less - 1], [less, -less], [less - 1]):
                        if not case.excludes(facts):
                            split.append(case.beside([f for f in facts if f.parts]))
                if len(split) > _REGIMES:
                    break
                found = split
        return found

    def _bounds(self, regime: Case, maybe: Sequence[Form]) -> dict[_Mode, list[Form]]:
        """What holds at the start of every trip: it does at the first, and each one keeps it."""
        found: dict[_Mode, list[Form]] = {}
        for case, forms in self._by_sign([(regime, tuple(self.begins))]):
            table = {**dict(zip(self.group, forms, strict=True)), self.counter: number(0)}
            mode = self._mode(case, forms, True)
            found[mode] = [f for f in found.get(mode, maybe) if case.says(f.where(table))]
        later = {self.counter: atom(self.counter) + 1}
        for _ in range(_PASSES):
            before = {mode: len(facts) for mode, facts in found.items()}
            for mode in list(found):
                for case, forms in self._by_sign(self._after(regime, mode, found[mode])):
                    table = later | dict(zip(self.group, forms, strict=True))
                    to = self._mode(case, forms, False)
                    found[to] = [f for f in found.get(to, maybe) if case.says(f.where(table))]
            if before == {mode: len(facts) for mode, facts in found.items()}:
                return found
            if len(found) > _REGIMES:
                break
        raise Unbounded

    def _mode(self, case: Case, forms: Sequence[Form], first: bool) -> _Mode:
        """Whether it is the first trip, the values of flags, and whether others are below 0."""
        rows = zip(self.group, forms, strict=True)
        values = [f.number if v in self.modes else int(case.says(f)) for v, f in rows]
        if any(f.parts for v, f in zip(self.group, forms, strict=True) if v in self.modes):
            raise Unbounded
        return (int(first), *values)

    def _by_sign(self, after: Iterable[tuple[Case, Update]]) -> Iterator[tuple[Case, list[Form]]]:
        """The cases, apart where a variable may be below 0 or not."""
        for case, update in after:
            split = [case]
            for v, t in zip(self.group, update, strict=True):
                if v in self.own:
                    form = case.forms[t]
                    both = [(c, f) for c in split for f in ([form], [-form - 1])]
                    split = [c.beside(f) for c, f in both if not c.excludes(f)]
            yield from ((c, [c.forms[t] for t in update]) for c in split)

    def _after(self, regime: Case, mode: _Mode, facts: Sequence[Form]) -> list[tuple[Case, Update]]:
        """The cases of all updates where these facts hold."""
        first, *values = mode
        trip = equal(atom(self.counter), number(0)) if first else [atom(self.counter) - 1]
        rows = list(zip(self.group, values, strict=True))
        forms = {v: number(n) if v in self.modes else atom(v) for v, n in rows}
        trip += [atom(v) if n else -atom(v) - 1 for v, n in rows if v in self.own]
        held = [f.where(forms) for f in (*self.known, *trip, *facts)]
        start = Case(tightest((*regime.facts, *held)), forms)
        found = []
        for update in self.updates:
            found += [(case, update) for case in self._cases(update, start)]
        return found


def _between(ranges: Mapping[Term, tuple[int, int]]) -> list[Form]:
    """That values lie in ranges."""
    rows = [(atom(v), low, high) for v, (low, high) in ranges.items()]
    return [f for value, low, high in rows for f in (value - low, -value + high)]
