"""How often a loop can run, as its conditions say about variables that change step by step.

    while i < n                  =>    ceil((n - first) / c) trips, and no test is needed
    while True: …; if i >= n: break    =>    one trip more than the break lets happen

Takes conditions over variables of which first value and step are known, gives numbers of trips.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....terms.apply import apply
from ....terms.bits import LARGEST
from ....terms.conditions import EXCHANGED, Assumption, conjuncts, facts
from ....terms.loop import varying
from ....terms.rule import RuleSet
from ....terms.term import CONST, SELECT, Term, const, const_value, is_const, substitute, toposort
from ....terms.types import Scalar
from ....terms.value import scalar
from .counting import Counting, integer

_TRUE = const(True, Scalar.BOOL)
_ZERO, _ONE = const(0, Scalar.I32), const(1, Scalar.I32)
_WAYS = 64
_MOST = const(LARGEST, Scalar.I32)  # trips: no loop comes to its end after so many
_MOST_BUT_ONE = const(LARGEST - 1, Scalar.I32)
_ALWAYS = const(-1, Scalar.I32)  # stands for a condition that holds for ever
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
COMPARE = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}

Steps = Mapping[Term, tuple[Term, Term]]  # of variables: the first value, the step


@dataclass(frozen=True)
class Bounded:
    """How often conditions hold one after the other, and which of them are left to be tested."""

    trips: Term | None
    left: tuple[Assumption, ...]
    away: tuple[Term, ...] = ()  # conditions that hold at first, and then for ever

    @property
    def go(self) -> Term:
        """What is left as one condition."""
        found = _TRUE
        for term, holds in reversed(self.left):
            part = term if holds else Term("logical_not", (term,), None, Scalar.BOOL)
            found = part if found is _TRUE else _and(part, found)
        return found


def bounded(go: Term, steps: Steps, own: Sequence[Term], counting: Counting) -> Bounded:
    """The number of trips for which a condition holds, from the first trip on."""
    trips: Term | None = None
    left: list[Assumption] = []
    away: list[Term] = []
    moving = varying([go], own)
    for term, holds in conjuncts(go, True):
        found = _Atom(steps, moving, counting).trips(term, holds)
        if found is None:
            left.append((term, holds))
        elif found is _ALWAYS:
            away.append(term)
        else:
            trips = found if trips is None else integer(counting.rules, "min", trips, found)
            if _compared(term, holds) == "eq":  # it need not hold in the first trip
                left.append((term, holds))
    if trips is None:
        return Bounded(None, tuple(conjuncts(go, True)), tuple(away))
    return Bounded(trips, tuple(left), tuple(away))


def folded(go: Term) -> Term:
    """A condition in which comparisons of known integers are made."""
    table = {
        t: const(COMPARE[t.op](*(int(a.attr) for a in t.args)), Scalar.BOOL)
        for t in toposort([go])
        if t.op in COMPARE and all(a.op == CONST and a.type is Scalar.I32 for a in t.args)
    }
    return substitute([go], table)[0]


def never(condition: Term) -> bool:
    """Whether a condition of conditions holds for no values of these; looks at a few ways only."""
    ways: list[tuple[Term, bool, dict[Term, bool]]] = [(condition, False, {})]
    for _ in range(_WAYS):
        if not ways:
            return True
        term, holds, known = ways.pop()
        if term.op == CONST or term in known:
            value = known[term] if term in known else bool(const_value(term))
            if value != holds:
                return False
        elif term.op == "logical_not":
            ways.append((term.args[0], not holds, known))
        elif term.op in ("logical_and", "logical_or"):
            a, b = term.args
            both = (term.op == "logical_and") == holds
            if both:
                ways.append((a, holds, known))
            ways.append((b, holds, {**known, **dict(facts(a, holds == both))}))
        elif term.op == SELECT:
            test, *arms = term.args
            for arm, true in zip(arms, (True, False), strict=True):
                if known.get(test, true) == true:
                    ways.append((arm, holds, {**known, **dict(facts(test, true))}))
        else:
            return False
    return False


def one_more(rules: RuleSet, trips: Term) -> Term:
    """The number of trips where a condition ends them that is tested within a trip."""
    some = integer(rules, "min", integer(rules, "max", trips, _ZERO), _MOST_BUT_ONE)
    return integer(rules, "add", some, _ONE)


def course(term: Term, steps: Steps, moving: set[Term], rules: RuleSet) -> tuple[Term, Term] | None:
    """The first value and the step of an integer; None where it has none that is known."""
    known: dict[Term, tuple[Term, Term] | None] = {}
    for t in toposort([term]):
        if t in steps:
            known[t] = steps[t]
        elif t not in moving:
            known[t] = (t, _ZERO)
        elif t.type is not Scalar.I32 or t.op not in ("add", "sub", "mul", "neg"):
            known[t] = None
        else:
            parts = [known[a] for a in t.args]
            known[t] = _combined(rules, t.op, [p for p in parts if p is not None], len(parts))
    return known[term]


def _combined(
    rules: RuleSet, op: str, parts: Sequence[tuple[Term, Term]], count: int
) -> tuple[Term, Term] | None:
    if len(parts) < count:
        return None
    if op == "neg":
        parts = [(_ZERO, _ZERO), *parts]
        op = "sub"
    (a, da), (b, db) = parts
    if op != "mul":
        return integer(rules, op, a, b), integer(rules, op, da, db)
    if not is_const(da, 0):
        (a, da), (b, db) = (b, db), (a, da)
    if not is_const(da, 0):
        return None
    return integer(rules, "mul", a, b), integer(rules, "mul", a, db)


class _Atom:
    """One comparison of integers."""

    def __init__(self, steps: Steps, moving: set[Term], counting: Counting) -> None:
        self.steps, self.moving = steps, moving
        self.rules, self.counting = counting.rules, counting

    def trips(self, term: Term, holds: bool) -> Term | None:
        """For how many trips it holds, from the first on: `_ALWAYS`, or None: not known."""
        op = _compared(term, holds)
        if op is None or term not in self.moving:
            return None
        if any(a.type is not Scalar.I32 for a in term.args):
            return None
        left, right = (course(a, self.steps, self.moving, self.rules) for a in term.args)
        if left is None or right is None:
            return None
        (a, da), (b, db) = left, right
        if op in ("gt", "ge"):
            (a, da), (b, db), op = (b, db), (a, da), EXCHANGED[op]
        step = integer(self.rules, "sub", da, db)
        if is_const(step, 0):
            return None
        if op in ("eq", "ne"):
            distance = integer(self.rules, "sub", b, a)
            return _ONE if op == "eq" else self.until(distance, step)
        closed = op == "le"
        if step.op != CONST:
            return self.counting.rising(a, b, step, closed)
        if int(step.attr) > 0:
            return self.counting.steps(a, b, int(step.attr), closed)
        if a.op != CONST or b.op != CONST:
            return None
        return _ALWAYS if int(a.attr) < int(b.attr) + closed else _ZERO

    def until(self, distance: Term, step: Term) -> Term | None:
        """How often k*step != distance."""
        if step.op != CONST:
            return None
        size = int(step.attr)
        if distance.op == CONST:
            far = int(distance.attr)
            return const(far // size, Scalar.I32) if far % size == 0 <= far * size else _ALWAYS
        if abs(size) != 1:
            return None
        total = distance if size == 1 else integer(self.rules, "sub", _ZERO, distance)
        return _choice(self.compared("ge", total, _ZERO), total, _MOST)

    def compared(self, op: str, a: Term, b: Term) -> Term:
        return apply(self.rules, op, [scalar(a), scalar(b)], Scalar.F32).term


def _compared(term: Term, holds: bool) -> str | None:
    """The comparison that holds."""
    if term.op not in EXCHANGED:
        return None
    return term.op if holds else _OPPOSITE[term.op]


def _choice(condition: Term, then: Term, other: Term) -> Term:
    if condition.op == CONST:
        return then if condition.attr else other
    return Term(SELECT, (condition, then, other), None, Scalar.I32)


def _and(a: Term, b: Term) -> Term:
    return Term("logical_and", (a, b), None, Scalar.BOOL)
