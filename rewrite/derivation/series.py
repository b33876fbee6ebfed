"""Series no longer than their type is precise.

    y * (1/2 + x*(1/12 - x*x*(1/720 - x*x*(1/30240 - …))))  where abs(x) < 1/8

In single precision what follows 1/720 is less than an eighth of a rounding of 1/2, so the series
ends there. Rule files state series for double precision.

Takes a program over primitives, gives it with the tails of such series cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from ...terms.loop import has_loops, map_loops
from ...terms.program import Program
from ...terms.term import CONST, SELECT, Term, const, const_value, rebuild, toposort
from ...terms.types import Scalar
from ..guarded.images import image, never_negative
from ..guarded.numbers import ANY, Interval, Numbers, among

#: How far off a sum may be, relative to its first summand: an eighth of a rounding.
_SLACK = {Scalar.F16: 2.0**-14, Scalar.F32: 2.0**-27, Scalar.F64: 2.0**-56}
_MOST = 200  # terms of one series, and factors of an arm
_LEAST = 1e-300
_SUMS = ("add", "sub")
_EXACT = (*_SUMS, "mul", "div", "neg", "abs", CONST)  # what is known to become of an error


def shortened(program: Program) -> Program:
    """The program with series as long as their types are precise.

    What is shared stays shared: it has the precision that its most exact use needs.
    """
    if has_loops(program.flat):
        inner = map_loops(program.flat, shortened)
        program = program.with_terms(inner)
    terms = toposort(program.flat)
    known: dict[tuple[Term, Interval], _Small] = {}
    guarded: dict[Term, _Small] = {}
    for term in terms:
        said = _guarded(term) if term.op == SELECT else None
        if said is not None:
            guarded[term] = known.setdefault(said, _Small(*said))
            guarded[term].choices[term] = None
    for term, small in guarded.items():
        _measure(term.args[1], small)
    uses, place = _uses(terms, program.flat), {term: i for i, term in enumerate(terms)}
    for small in known.values():
        small.keep(place, uses, guarded)
    done: dict[Term, Term] = {}
    for term in terms:
        args = [done[a] for a in term.args]
        if term in guarded:
            args[1] = _cut(term.args[1], guarded[term], done)
        done[term] = rebuild(term, tuple(args))
    return program.with_terms(done)


def _uses(terms: Sequence[Term], flat: Sequence[Term]) -> dict[Term, list[Term | None]]:
    """The terms that use each term; None for who wants results."""
    found: dict[Term, list[Term | None]] = {term: [] for term in terms}
    for term in terms:
        for arg in term.args:
            found[arg].append(term)
    for term in flat:
        found[term].append(None)
    return found


def _guarded(choice: Term) -> tuple[Term, Interval] | None:
    """What is small in the first arm of a choice, and how small; None where nothing says so."""
    condition, arm, _ = choice.args
    if condition.op not in ("lt", "le") or arm.type not in _SLACK:
        return None
    size, limit = condition.args
    if limit.op != CONST:
        return None
    most = float(const_value(limit))
    if size.op == "abs":
        return size.args[0], (-most, most)
    return (size, (0.0, most)) if never_negative(size) else None


class _Small:
    """How large terms are where one of them is small, and how exact they have to be.

    `choices` are those that are made by it: there each is its first arm. `rooms` has for each term
    of a series how far off it may be, at most; `ways` are the terms between an arm and its factors.
    """

    def __init__(self, term: Term, ends: Interval) -> None:
        self.known = {term: among([ends], nan=False)}
        while term.op == "neg":
            (term,), ends = term.args, (-ends[1], -ends[0])
            self.known[term] = among([ends], nan=False)
        self.terms = tuple(self.known)
        self.choices: dict[Term, None] = {}
        self.rooms: dict[Term, float] = {}
        self.ways: dict[Term, None] = {}

    def keep(
        self,
        place: Mapping[Term, int],
        uses: Mapping[Term, Sequence[Term | None]],
        guarded: Mapping[Term, _Small],
    ) -> None:
        """No room where another use has none: a result, or a term that is not measured."""
        measured = [term for term, room in self.rooms.items() if room]
        for term in sorted(measured, key=place.__getitem__, reverse=True):
            for use in uses[term]:
                if use is None:
                    self.rooms[term] = 0.0
                    continue
                is_arm = guarded.get(use) is self and use.args[2] is not term
                if not (is_arm or use in self.ways or self.rooms.get(use)):
                    self.rooms[term] = 0.0

    def parts(self, term: Term) -> tuple[Term, ...]:
        """What a term is computed from."""
        return term.args[1:2] if term in self.choices else term.args

    def bound(self, root: Term) -> float:
        """No less than the magnitude of a term; infinite where nothing is known."""
        values = self.values(root)
        return max(-values.low, values.high)

    def least(self, root: Term) -> float:
        """No more than the magnitude of a term; 0 where it may be 0."""
        values = self.values(root)
        return max(values.low, -values.high, 0.0)

    def values(self, root: Term) -> Numbers:
        """What the values of a term can be."""
        stack, seen = [root], 0
        while stack:
            term = stack[-1]
            missing = [a for a in self.parts(term) if a not in self.known]
            if term in self.known:
                stack.pop()
            elif missing and seen < _MOST:
                seen += len(missing)
                stack += missing
            else:
                stack.pop()
                self.known[term] = self._of(term)
        return self.known[root]

    def _of(self, term: Term) -> Numbers:
        if term in self.choices:
            return self.known.get(term.args[1], ANY)
        return (image(term, self.known) if term.op in _EXACT else None) or ANY


def _number(term: Term) -> float | None:
    """The value of a constant, of its negative, or of a quotient of two; None for anything else."""
    if any(a.op != CONST for a in term.args):
        return None
    values = [float(const_value(a)) for a in term.args]
    match term.op:
        case "const":
            return float(const_value(term))
        case "neg":
            return -values[0]
        case "div" if values[1]:
            return values[0] / values[1]
    return None


def _measure(arm: Term, small: _Small) -> None:
    """Say how exact the factors of an arm have to be: sums relative to what they are at least.

    Others, and sums that can be 0, stay as they are.
    """
    for path in _factors(arm, small):
        small.ways.update(dict.fromkeys(path[:-1]))
        series = path[-1]
        slack = _SLACK[series.type] * small.least(series) if series.op in _SUMS else 0.0
        if slack > 0.0:
            _pass_on(series, slack, small)
        else:
            small.rooms[series] = 0.0


def _pass_on(series: Term, slack: float, small: _Small) -> None:
    """What room a series has, its terms have: an operand of two a half."""
    stack, count = [(series, slack)], 0
    while stack and count < _MOST:
        term, room = stack.pop()
        count += 1
        if room >= small.rooms.get(term, inf):
            continue
        small.rooms[term] = room
        size = small.bound(term)
        if room < size < inf and term not in small.terms and _number(term) is None:
            stack += zip(small.parts(term), _rooms(term, room, small), strict=True)
    small.rooms.update({term: 0.0 for term, _ in stack})  # no more is known of these


def _cut(arm: Term, small: _Small, done: Mapping[Term, Term]) -> Term:
    """An arm without what is smaller than its room."""
    made: dict[Term, Term] = {}
    stack = [arm]
    while stack:
        term = stack.pop()
        room = small.rooms.get(term)
        inside = term in small.rooms or term in small.ways
        known = term in small.terms or term in small.choices or _number(term) is not None
        if known or not inside:
            made[term] = done[term]
        elif room is not None and small.bound(term) <= room:
            made[term] = const(0.0, term.type)
        elif missing := [a for a in term.args if a not in made]:
            stack += [term, *missing]
        else:
            made[term] = _joined(term, [made[a] for a in term.args])
    return made[arm]


def _factors(term: Term, small: _Small) -> Iterator[list[Term]]:
    """The factors of a term, each as the way there; what is small is one."""
    stack, count = [[term]], 0
    while stack and count < _MOST:
        path = stack.pop()
        count += 1
        here = path[-1]
        if here in small.terms:
            yield path
        elif here.op in ("mul", "neg"):
            stack += [[*path, arg] for arg in here.args[::-1]]
        elif here.op == "div":
            stack.append([*path, here.args[0]])
        else:
            yield path


def _rooms(term: Term, room: float, small: _Small) -> list[float]:
    """How much may be left out of each operand; nothing of factors that are powers of the small."""
    if term in small.choices:
        return [room]
    ends = [[p[-1] for p in _factors(a, small)] if term.op == "mul" else [a] for a in term.args]
    fixed = [all(e in small.terms or _number(e) is not None for e in each) for each in ends]
    free = room / max(fixed.count(False), 1)
    sizes = [small.bound(arg) for arg in term.args]
    if term.op == "mul":
        each = [free / max(sizes[1 - i], _LEAST) for i in range(2)]
    elif term.op == "div":
        each = [free * small.least(term.args[1]), 0.0]
    else:
        each = [free] * len(sizes)
    return [0.0 if is_fixed else its for is_fixed, its in zip(fixed, each, strict=True)]


def _joined(term: Term, args: Sequence[Term]) -> Term:
    """The operator on its operands, of which some are 0 now."""
    none = [a.op == CONST and not const_value(a) for a in args]
    if not any(none) or term.op not in (*_SUMS, "mul", "neg", "div"):
        return rebuild(term, tuple(args))
    if term.op not in _SUMS:
        return args[none.index(True)]
    if none[1]:
        return args[0]
    return args[1] if term.op == "add" else Term("neg", (args[1],), None, term.type)
