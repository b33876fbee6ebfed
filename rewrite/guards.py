"""Guards: under which conditions the value of a term matters.

Takes result terms, gives for each term the chain of conditions under which alone it is
needed: `s` in `select(c, sqrt(s), 0)` matters only where `c` holds. Derivatives stay behind
the guard of their term, so that nothing of an arm not taken can leak; emission computes a
guarded term inside its branch. Knows nothing of operators but `select`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from math import inf

from ..terms.conditions import Assumption, few_facts
from ..terms.loop import zero
from ..terms.term import SELECT, Term, toposort
from ..terms.types import Scalar


class Guard:
    """A condition with its outcome, inside the guard `parent`; the root has no parent."""

    __slots__ = ("condition", "depth", "holds", "inner", "jump", "parent", "whole")

    def __init__(self, parent: Guard | None, condition: Term | None, holds: bool) -> None:
        self.parent = parent
        self.condition = condition
        self.holds = holds
        self.depth: int = parent.depth + 1 if parent else 0
        self.inner: dict[tuple[Term, bool], Guard] = {}
        self.whole: dict[Guard, Term] = {}  # by a guard around it: what holds in here and not there
        # Skew-binary jump pointers: the meet of two guards takes O(log depth) steps.
        self.jump: Guard = self
        if parent is not None:
            leap = parent.jump
            even = parent.depth - leap.depth == leap.depth - leap.jump.depth
            self.jump = leap.jump if even else parent

    def __repr__(self) -> str:
        chain = []
        guard: Guard | None = self
        while guard is not None and guard.parent is not None:
            chain.append(f"{'' if guard.holds else 'not '}{guard.condition!r}")
            guard = guard.parent
        return " and ".join(reversed(chain)) or "always"

    def under(self, condition: Term, holds: bool) -> Guard:
        """This guard, with one more condition; the same object for the same condition."""
        near: Guard | None = self
        for _ in range(4):  # select(c, select(c, a, b), d): the inner test adds nothing
            if near is None or near.parent is None:
                break
            if near.condition is condition and near.holds == holds:
                return self
            near = near.parent
        key = (condition, holds)
        if key not in self.inner:
            self.inner[key] = Guard(self, condition, holds)
        return self.inner[key]

    def within(self, outer: Guard) -> Term:
        """That all conditions hold which a guard around this one does not have, as one condition.

        That of a guard is made of that of its parent: a chain of n guards has n of them.
        """
        steps: list[Guard] = []
        guard = self
        while guard is not outer and outer not in guard.whole:
            steps.append(guard)
            guard = _up(guard)
        found = guard.whole.get(outer)
        for step in reversed(steps):
            assert step.condition is not None
            part = _held(step.condition, step.holds)
            found = part if found is None else _and(found, part)
            step.whole[outer] = found
        assert found is not None
        return found


def meet(a: Guard, b: Guard) -> Guard:
    """The innermost guard that contains both."""
    if a.depth < b.depth:
        a, b = b, a
    a = _around(a, b.depth)
    while a is not b:
        if a.jump is not b.jump:
            a, b = a.jump, b.jump
        else:
            a, b = _up(a), _up(b)
    return a


def _around(guard: Guard, depth: int) -> Guard:
    """The guard of that depth around one."""
    while guard.depth > depth:
        guard = guard.jump if guard.jump.depth >= depth else _up(guard)
    return guard


def _up(guard: Guard) -> Guard:
    assert guard.parent is not None
    return guard.parent


_FAR = 64  # conditions that are looked at where two guards part


def shared(a: Guard, b: Guard) -> Guard:
    """As `meet`, with the conditions that both have after they parted, in whatever order."""
    met = meet(a, b)
    if met is a or met is b:
        return met
    there = set(_from(b, met))
    known: set[Assumption] = set()
    for condition, holds in _from(a, met):
        if (condition, holds) in there and (condition, holds) not in known:
            known.update(few_facts(condition, holds))
            met = met.under(condition, holds)
    return met


def both(a: Guard, b: Guard) -> Guard | None:
    """The guard that holds where two hold; None where the one excludes the other."""
    met = meet(a, b)
    if met is a or met is b:
        return b if met is a else a
    known = dict(_path(a, met, inf))
    for condition, holds in _path(b, met, inf):
        if known.get(condition, holds) is not holds:
            return None
        if condition not in known:
            a = a.under(condition, holds)
    return a


def either(a: Guard, b: Guard) -> Guard:
    """The guard that holds where one of two holds, and nowhere else."""
    met, common = meet(a, b), shared(a, b)
    if met is a or met is b or a.depth + b.depth - 2 * met.depth > _FAR:
        return common
    known = set(_from(common, met))
    one, two = ([step for step in _path(g, met) if step not in known] for g in (a, b))
    whole = len(one) == len(two) == 1 and one[0][0] is two[0][0]  # both outcomes of a condition
    if whole or not one or not two:
        return common
    return common.under(Term("logical_or", (_all(one), _all(two)), None, Scalar.BOOL), True)


def _all(steps: Sequence[Assumption]) -> Term:
    """That all of them hold, as one condition."""
    *others, found = [_held(*step) for step in steps]
    for part in reversed(others):
        found = _and(part, found)
    return found


def _held(condition: Term, holds: bool) -> Term:
    return condition if holds else Term("logical_not", (condition,), None, Scalar.BOOL)


def _and(one: Term, other: Term) -> Term:
    return Term("logical_and", (one, other), None, Scalar.BOOL)


def _path(guard: Guard, end: Guard, most: float = _FAR) -> list[Assumption]:
    """The conditions from a guard that is around another one to that, in order."""
    steps: list[Assumption] = []
    while guard is not end and len(steps) < most:
        assert guard.condition is not None
        steps.append((guard.condition, guard.holds))
        guard = _up(guard)
    return steps[::-1]


def _from(guard: Guard, end: Guard) -> list[Assumption]:
    """What holds inside of a guard and not in one around it, in order, those outside first."""
    return [fact for step in _path(guard, end) for fact in few_facts(*step)]


def guards(
    roots: Iterable[Term], meeting: Callable[[Guard, Guard], Guard] = meet
) -> dict[Term, Guard]:
    """For every term reachable from `roots`, the guard under which it is needed.

    A term that is needed in several places gets the innermost guard common to all of them: with
    `meet` one that is around theirs, with `shared` one that follows from each of them.
    """
    roots = list(roots)
    always = Guard(None, None, True)
    found: dict[Term, Guard] = {root: always for root in roots}
    for term in reversed(toposort(roots)):
        guard = found[term]
        for index, arg in enumerate(term.args):
            here = guard
            if term.op == SELECT and index:
                here = guard.under(term.args[0], index == 1)
            known = found.get(arg)
            found[arg] = here if known is None else meeting(known, here)
    return found


#: What a term gets from its uses, each under the guard of its use.
Parts = list[tuple[Guard, Term]]

_NESTED = 4  # choices in choices; where a term leaves more guards at once, it is one choice
_FEW = 16  # guards of which it is worth asking where the first two of them meet


def accumulate(parts: Parts, target: Guard, add: Callable[[Term, Term], Term]) -> Term:
    """Sum contributions from several guards, branching only where one is left.

    The innermost guards are summed first; the sums of a condition's two outcomes become one
    `c ? then : other` in the guard around them, until the guard of the term is reached, or one
    around it and all of them.
    """
    for guard, _ in parts:
        target = meet(target, guard)
    if len(parts) == 1:
        return _leaving(*parts[0], target)
    sums: dict[Guard, tuple[Guard, Term]] = {}  # and the guard that each is left in so far
    heap: list[tuple[int, int, Guard]] = []
    order: list[Guard] = []

    def put(guard: Guard, inner: Guard, term: Term) -> None:
        if guard in sums:
            term = add(_leaving(*sums[guard], guard), _leaving(inner, term, guard))
            sums[guard] = guard, term
        else:
            sums[guard] = inner, term
            heapq.heappush(heap, (-guard.depth, len(order), guard))
            order.append(guard)

    for guard, term in parts:
        put(guard, guard, term)
    while heap[0][2] is not target:
        guard = heapq.heappop(heap)[2]
        if guard not in sums:
            continue
        if len(sums) <= _FEW:  # nothing happens before the next one is met
            others = [meet(guard, other).depth for other in sums if other is not guard]
            outer = _around(guard, max([target.depth, *others]) + 1)
            if guard.depth - outer.depth > _NESTED:
                put(outer, *sums.pop(guard))
                continue
        parent, condition = guard.parent, guard.condition
        assert parent is not None and condition is not None
        inner, mine = sums.pop(guard)
        twin = parent.inner.get((condition, not guard.holds))
        if twin in sums:
            assert twin is not None
            both = _leaving(inner, mine, guard), _leaving(*sums.pop(twin), twin)
            arms = both if guard.holds else both[::-1]
            inner, mine = parent, Term(SELECT, (condition, *arms), None, mine.type)
        put(parent, inner, mine)
    return _leaving(*sums[target], target)


def _leaving(guard: Guard, term: Term, outer: Guard) -> Term:
    """A term of a guard as one of a guard around that: 0 where a condition between them fails."""
    none = zero(term.type)
    if guard.depth - outer.depth > _NESTED:
        return Term(SELECT, (guard.within(outer), term, none), None, term.type)
    while guard is not outer:
        arms = (term, none) if guard.holds else (none, term)
        assert guard.condition is not None
        term = Term(SELECT, (guard.condition, *arms), None, term.type)
        guard = _up(guard)
    return term
