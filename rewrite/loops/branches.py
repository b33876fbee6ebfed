"""Updates that are undone by cases: which way was taken follows from where it led.

    i -= 1; if i < 0: i = m - 1     is undone by     i = i' == m - 1 ? 0 : i' + 1     if m >= 1

`ways.py` says what the cases of an update are, and what holds in each. They lead somewhere, and
comparisons are looked for that tell apart what was something else; what it was has to follow in
each case, whatever the inputs are.

Takes a loop, gives for updates what undoes them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from ...terms.loop import Loop, bound
from ...terms.term import SELECT, Term, toposort
from ...terms.types import Scalar
from ..undo.cases import TURN, Case
from ..undo.linear import Form, atom, equal, impossible, number
from ..undo.ranges import ALL, Ranges
from ..undo.undoing import Undoing
from .images import Image
from .turns import Turn, turn_of
from .ways import Led, Unbounded, Ways

_GROUP = 3  # variables that follow from each other
_DEPTH = 6  # of decisions
_CASES = 64  # that are told apart: each decision asks some hundred questions about each of them


@dataclass(frozen=True)
class Choice:
    """Where a comparison of two forms holds one thing is so, elsewhere another one."""

    op: str
    left: Form
    right: Form
    then: Choice | Form
    other: Choice | Form


@dataclass(frozen=True)
class Branch:
    """What undoes an update: the value after it decides."""

    target: Term
    others: tuple[Term, ...]
    tree: Choice | Form
    after: Term
    undoing: Undoing
    later: bool = False

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """The value of the variable, given that of the update."""
        table = {self.after: value, **dict(zip(self.others, others, strict=True))}
        built: list[Term] = []
        stack: list[tuple[Choice | Form, bool]] = [(self.tree, False)]
        while stack:
            tree, done = stack.pop()
            if isinstance(tree, Form):
                built.append(self.undoing.built(tree, table, self.target.type))
            elif not done:
                stack += [(tree, True), (tree.then, False), (tree.other, False)]
            else:
                then, other = built.pop(), built.pop()
                sides = [self.undoing.built(f, table) for f in (tree.left, tree.right)]
                condition = self.undoing.computed(tree.op, sides[0], sides[1])
                built.append(Term(SELECT, (condition, then, other), None, then.type))
        return built[0]


def branches(
    term: Term, kept: Container[Term], outer: Ranges, images: Sequence[Image], undoing: Undoing
) -> dict[Term, list[Branch | Turn]]:
    """What undoes by cases the updates of variables that are kept, and of those beside them."""
    loop: Loop = term.attr
    steps = dict(zip(loop.state, loop.step, strict=True))
    wanted = [v for v in loop.state if v.type in (Scalar.I32, Scalar.BOOL) and steps[v] is not v]
    groups = {v: list(_groups(v, steps)) for v in wanted}
    about = {t for v in wanted if v in kept for group in groups[v] for t in group}
    tellers: dict[tuple[Term, ...], _Teller | None] = {}
    found: dict[Term, list[Branch | Turn]] = {}
    for v in [v for v in wanted if v in about]:
        for group in groups[v]:
            if group not in tellers:
                tellers[group] = _teller(term, group, outer, undoing)
            teller = tellers[group]
            told = teller.told(v, images, undoing) if teller is not None else {}
            for step, way in told.items():
                found.setdefault(step, []).append(way)
            if told:
                break
    return found


def _groups(variable: Term, steps: Mapping[Term, Term]) -> Iterator[tuple[Term, ...]]:
    """The variable alone, and what it follows from with it."""
    yield (variable,)
    group = {variable}
    stack = [variable]
    while stack and len(group) <= _GROUP:
        more = [t for t in toposort([steps[stack.pop()]]) if t in steps and t not in group]
        group.update(more)
        stack += more
    if 1 < len(group) <= _GROUP and all(v.type in (Scalar.I32, Scalar.BOOL) for v in group):
        yield tuple(v for v in steps if v in group)


def _teller(term: Term, group: tuple[Term, ...], outer: Ranges, undoing: Undoing) -> _Teller | None:
    """What tells the ways of some variables apart; None where these are not known."""
    try:
        return _Teller(Ways(term, group, undoing.ranges, outer))
    except Unbounded:
        return None


class _Teller:
    """Tells which way an update went."""

    def __init__(self, ways: Ways) -> None:
        self.ways, self.said = ways, ways.said
        self.around = list(dict.fromkeys(e + n for e in ways.edges for n in (0, -1, 1)))
        self.asked: list[tuple[str, Form, Form]] = []

    def told(
        self, target: Term, images: Sequence[Image], undoing: Undoing
    ) -> dict[Term, Branch | Turn]:
        """What undoes the updates of one of the variables; nothing where not all are undone."""
        place = self.ways.group.index(target)
        found: dict[Term, Branch | Turn] = {}
        for update in self.ways.updates:
            after = update[place]
            if after is target:
                continue
            led = [way for way in self.ways.led if way.update == update]
            turn = turn_of(after, target, [way.case for way in led], images, undoing)
            back = turn or self._branch(target, after, led, undoing)
            if back is None:
                return {}
            found[after] = back
        return found

    def _branch(
        self, target: Term, after: Term, led: Sequence[Led], undoing: Undoing
    ) -> Branch | None:
        """What decides on what a variable was, in all trips or in all but the first."""
        for later in (False, True):
            tree = self._decided(target, after, [way for way in led if not (way.first and later)])
            if tree is not None:
                others = dict.fromkeys(t for f in _forms(tree) for t in f.atoms if t is not after)
                return Branch(target, tuple(others), tree, after, undoing, later)
        return None

    def _decided(self, target: Term, after: Term, led: Sequence[Led]) -> Choice | Form | None:
        """What tells from the values after an update what it was; None where nothing does."""
        if len(led) > _CASES:
            return None
        ends = [self._ended(way.case, after) for way in led]
        for (a, one), (b, other) in combinations(zip(led, ends, strict=True), 2):
            if a.regime == b.regime and self._meet(target, one, other):
                return None
        self.asked = list(self._asked(after))
        ways = self._befores(target, after, ends)
        return self._tree(target, [(end, frozenset()) for end in ends], ways, _DEPTH)

    def _ended(self, case: Case, after: Term) -> Case:
        """A case with what the variables are after it."""
        known = dict.fromkeys([*(t for t in self.ways.steps if t in case.forms), after])
        return case.beside([f for t in known for f in equal(atom(t), case.forms[t])])

    def _befores(self, target: Term, after: Term, ends: Sequence[Case]) -> list[Form]:
        """What the variable may have been, over what is known."""
        if target.type is Scalar.BOOL:
            return [number(0), number(1), atom(after)]
        found = {number(0): None}
        for case in ends:
            factor = dict(case.forms[after].parts).get(target, 0)
            if not case.forms[target].parts:
                found[case.forms[target]] = None
            if abs(factor) == 1:
                rest = case.forms[after] - atom(target) * factor
                found[(atom(after) - rest) * factor] = None
        found |= dict.fromkeys((atom(after), -atom(after), *self.around))
        return [_wrapped(f) for f in found if self.said.issuperset(f.atoms)]

    def _meet(self, target: Term, one: Case, other: Case) -> bool:
        """Whether two cases may end alike, though the variable was something else."""
        own = {t for f in (*other.facts, other.forms[target]) for t in f.atoms} - self.said
        table = {t: atom(bound("other", t.type)) for t in own if t not in self.ways.parameters}
        facts = [*one.facts, *(f.where(table) for f in other.facts)]
        less = one.forms[target] - other.forms[target].where(table)
        return not (impossible([*facts, less - 1]) and impossible([*facts, -less - 1]))

    def _asked(self, after: Term) -> Iterator[tuple[str, Form, Form]]:
        """Comparisons that may decide."""
        edges = [e for e in self.around if self.said.issuperset(e.atoms)]
        ends = [after] if len(self.ways.group) == 1 else self.ways.steps
        for end in ends:
            yield from (("eq", atom(end), edge) for edge in edges)
            if end.type is Scalar.I32:
                yield from (("ge", atom(end), edge) for edge in edges)
        if self.ways.counter in self.said:
            yield "eq", atom(self.ways.counter), number(0)
        plain = [e for e in self.ways.edges if self.said.issuperset(e.atoms)] + [*map(number, ALL)]
        apart = {a - b + n: (a, b - n) for a, b in combinations(plain, 2) for n in (0, -1, 1)}
        yield from (("ge", *sides) for less, sides in apart.items() if less.parts)

    def _tree(
        self, target: Term, led: Sequence[_Known], ways: Sequence[Form], depth: int
    ) -> Choice | Form | None:
        """Decisions, each one that leaves the fewest pairs of cases to be told apart."""
        led = [(case, _sure(case, case.forms[target], ways, known)) for case, known in led]
        same = next((way for way in ways if all(way in known for _, known in led)), None)
        if same is not None or not depth:
            return same
        pairs = product(range(len(led)), repeat=2)
        apart = {(i, j) for i, j in pairs if not led[i][1] & led[j][1]}
        least, best = (len(apart), len(led) + 1), None  # at least no case is on both sides
        for asked in self._fitting([case for case, _ in led]):
            op, left, right = asked
            sides = _split(op, left - right, led)
            left_over = sum((i, j) in apart for side in sides for i, _ in side for j, _ in side)
            found = (left_over, sum(map(len, sides)))
            if all(sides) and found < least:
                least, best = found, (asked, sides)
        if best is None:
            return None
        asked, sides = best
        arms = []
        for side in sides:
            arm = self._tree(target, [_beside(led[i], facts) for i, facts in side], ways, depth - 1)
            if arm is None:
                return None
            arms.append(arm)
        return Choice(*asked, *arms)

    def _fitting(self, led: Sequence[Case]) -> Iterator[tuple[str, Form, Form]]:
        """The comparisons of which no side wraps, moved by a number where that is needed."""
        for op, left, right in self.asked:
            for n in dict.fromkeys((0, right.number, left.number)):
                if _fits((left - n, right - n), led):
                    yield op, left - n, right - n
                    break


_Known = tuple[Case, frozenset[Form]]  # a case, and what the variable surely was in it
_Side = list[tuple[int, list[Form]]]  # which cases, and what holds in them then


def _sure(
    case: Case, before: Form, ways: Sequence[Form], known: frozenset[Form]
) -> frozenset[Form]:
    """Of what a variable may have been what it surely was; what is known stays so."""
    return frozenset([way for way in ways if way in known or _is(case, way - before)])


def _beside(one: _Known, facts: Sequence[Form]) -> _Known:
    """A case where more holds."""
    case, known = one
    return case.beside(facts), known


def _fits(sides: Iterable[Form], led: Sequence[Case]) -> bool:
    """Whether no side of a comparison wraps."""
    moved = [f for f in sides if not (f.parts and f == atom(f.parts[0][0]))]
    return all(case.bounds(f) for case in led for f in moved)


def _wrapped(form: Form) -> Form:
    """The same around 32 bits, with a number of as many."""
    return form + ((form.number - ALL[0]) % TURN + ALL[0] - form.number)


def _split(op: str, less: Form, led: Sequence[_Known]) -> tuple[_Side, _Side]:
    """The cases in which a comparison may hold, and in which it may not."""
    holds = [less, -less] if op == "eq" else [less]
    fails = [[-less - 1], [less - 1]] if op == "eq" else [[-less - 1]]
    then = [(i, holds) for i, (c, _) in enumerate(led) if not c.excludes(holds)]
    other = [(i, f) for i, (c, _) in enumerate(led) for f in fails if not c.excludes(f)]
    return then, other


def _is(case: Case, less: Form) -> bool:
    """Whether two forms of 32 bits, whose difference this is, are the same."""
    return any(all(map(case.says, equal(less, number(n)))) for n in (0, -TURN, TURN))


def _forms(tree: Choice | Form) -> Iterator[Form]:
    """The forms in decisions."""
    stack = [tree]
    while stack:
        here = stack.pop()
        if isinstance(here, Form):
            yield here
        else:
            yield from (here.left, here.right)
            stack += [here.then, here.other]
