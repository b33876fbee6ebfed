"""Replaying an e-graph's matches over terms, until every chosen term is proven.

Takes a witnessed e-graph, the plain terms and the chosen ones; gives a closure in which the
chosen terms are equal to plain ones, and each application of a rule that made them so. Only
rules that matched in the e-graph are tried, and only on terms that came from the plain
program: what is said here is one order in which it can have happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, toposort
from ..egraph.classes import Classes
from ..egraph.encode import Head, head_of
from ..fold import evaluate
from ..pipeline.task import Stage
from .closure import Closure
from .patterns import Homes, Side
from .witness import Typed, Witnessed

#: Applications of rules after which what is not proven yet stays so.
LIMIT = 400_000
COMPUTED, GROUPED = -1, -2
#: Where a term came from that no rule made: the plain program, the chosen one.
PROGRAM, GOAL = -1, -2


@dataclass(frozen=True, slots=True)
class Applied:
    """An equation: a rewrite with terms for its variables, a computed constant, other groups."""

    rule: int  # its number, or COMPUTED, or GROUPED
    left: int
    right: int
    bound: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pending:
    """A match in the e-graph, to be found among terms: e-classes per node of both sides."""

    rule: int
    lhs: list[int]
    rhs: list[int]


@dataclass(frozen=True, slots=True)
class Fold:
    """An e-node over constants: its head, the constants of its arguments, and e-classes."""

    head: Head
    args: tuple[tuple[Term, ...], ...]
    homes: tuple[int, ...]
    owner: int


class Replay:
    """The closure, its equations, and with which of them a term came (-1: the program's)."""

    def __init__(self, stage: Stage, witnessed: Witnessed, rules: RuleSet, strict: bool) -> None:
        self.closure = Closure()
        self.applied: list[Applied] = []
        self.born: list[int] = []
        self.ended = ""
        self.typed = witnessed.rules
        self._rules, self._strict = rules, strict
        classes = witnessed.classes
        self.homes = _homes(witnessed, self.closure)
        self._sides = [
            (Side(t.lhs, t.names, self.closure), Side(t.rhs, t.names, self.closure))
            for t in self.typed
        ]
        self._constant = [_constants(t) for t in self.typed]
        self._pending = list(self._matches(witnessed))
        self._folds = _folds(witnessed)
        self._waiting = self._watchers()
        self._done: set[tuple[object, ...]] = set()
        self._load(toposort(stage.before.flat), classes)
        self._birth(PROGRAM)
        for old, new in stage.equal:
            self._load(toposort([new]), classes)
            index = self.closure.index
            self._equate(Applied(GROUPED, index[old], index[new]))

    def _load(self, terms: Sequence[Term], classes: Classes) -> None:
        for term in terms:
            args = tuple([self.closure.index[a] for a in term.args])
            self.closure.add(term, args, classes.loaded[term])

    def _birth(self, cause: int) -> None:
        self.born += [cause] * (len(self.closure.terms) - len(self.born))

    def _matches(self, witnessed: Witnessed) -> list[_Pending]:
        found = []
        for rule, matches in enumerate(witnessed.matches):
            lhs, rhs = self._sides[rule]
            for match in matches:
                left = lhs.classes(match, self.homes)
                right = rhs.classes(match, self.homes)
                if left is not None and right is not None:
                    found.append(_Pending(rule, left, right))
        return found

    def _watchers(self) -> dict[int, list[int]]:
        """For each e-class the matches that it takes part in; computed constants come last."""
        waiting: dict[int, list[int]] = {}
        for i, pending in enumerate(self._pending):
            for home in dict.fromkeys(pending.lhs):
                waiting.setdefault(home, []).append(i)
        for i, fold in enumerate(self._folds, len(self._pending)):
            for home in dict.fromkeys((*fold.homes, fold.owner)):
                waiting.setdefault(home, []).append(i)
        return waiting

    def run(self, goals: Sequence[tuple[Term, Term]]) -> None:
        """Apply matches, in rounds, until the pairs of plain and chosen terms are equal."""
        wanted = _Goals(goals, self)
        deferred: dict[int, None] = {}
        while True:
            changed = self.closure.settle()
            if wanted.reached():
                self.ended = "proven"
                return
            if len(self.applied) > LIMIT:
                self.ended = f"{LIMIT} applications of rules"
                return
            batch = sorted({i for home in changed for i in self._waiting.get(home, ())})
            # What joins terms that are there comes before what makes new ones: the fewer
            # parts an e-class is in, the fewer terms there are to be told apart.
            if batch:
                deferred.update((i, None) for i in batch if self._step(i, new=False))
            elif deferred:
                deferred = {i: None for i in sorted(deferred) if self._step(i, new=True)}
            else:
                self.ended = "no rule applies any more"
                return

    def _step(self, number: int, new: bool) -> bool:
        """Apply a match; whether there is more to do, with new terms."""
        if number < len(self._pending):
            return self._apply(self._pending[number], number, new)
        self._compute(self._folds[number - len(self._pending)])
        return False

    def _apply(self, pending: _Pending, number: int, new: bool) -> bool:
        closure, more = self.closure, False
        lhs, rhs = self._sides[pending.rule]
        for bound in lhs.matches(closure, pending.lhs):
            if not self._with_constants(pending.rule, bound):
                continue
            key = (number, *[closure.root[b] for b in bound])
            if key in self._done:
                continue
            left, right = lhs.root(closure, bound), rhs.root(closure, bound)
            if right is None and not new:
                more = True
                continue
            self._done.add(key)
            if left is not None and right is not None and closure.equal(left, right):
                continue
            first = lhs.build(closure, bound, pending.lhs)
            second = rhs.build(closure, bound, pending.rhs)
            self._equate(Applied(pending.rule, first, second, tuple(bound)))
            if right is None:  # one at a time: what it joins may make the others needless
                return True
        return more

    def _with_constants(self, rule: int, bound: list[int]) -> bool:
        """Variables that have to be constants stand for these; whether they are known."""
        for variable in self._constant[rule]:
            found = self.closure.constants.get(self.closure.root[bound[variable]])
            if found is None:
                return False
            bound[variable] = found
        return True

    def _compute(self, fold: Fold) -> None:
        """An operator over constants is the constant that its NumPy meaning gives."""
        closure = self.closure
        known = [[closure.index[c] for c in group if c in closure.index] for group in fold.args]
        kind = closure.head(fold.head)
        for args in product(*known):
            if ("fold", kind, args) in self._done or closure.lookup(kind, args) is None:
                continue
            self._done.add(("fold", kind, args))
            op, attr, _, type_ = fold.head
            constants = tuple([closure.terms[a] for a in args])
            value = evaluate(self._rules, op, type_, constants, self._strict)
            if value is None:
                continue
            left = closure.add(Term(op, constants, attr, type_), args, fold.owner)
            right = closure.add(value, (), fold.owner)
            self._equate(Applied(COMPUTED, left, right))

    def _equate(self, applied: Applied) -> None:
        number = len(self.applied)
        self._birth(number)
        self.applied.append(applied)
        self.closure.merge(applied.left, applied.right, number)

    def finish(self, chosen: Sequence[Term]) -> None:
        """Add the chosen terms, as far as they are not there: equal to what they consist of."""
        closure = self.closure
        for term in toposort(chosen):
            args = tuple([closure.index[a] for a in term.args])
            closure.add(term, args, self.home_of(term))
        self._birth(GOAL)

    def home_of(self, term: Term) -> int:
        """The e-class of a term whose arguments are in the closure; -1 where it has none."""
        closure = self.closure
        args = tuple([closure.home[closure.index[a]] for a in term.args])
        return self.homes.get((closure.head(head_of(term)), args), -1)


class _Goals:
    """Whether chosen terms are equal to plain ones, and the parts of the chosen to something."""

    def __init__(self, goals: Sequence[tuple[Term, Term]], replay: Replay) -> None:
        self.goals = goals
        self.chosen = toposort([best for _, best in goals])
        self.closure = replay.closure
        self.plain = len(replay.closure.terms)
        self.homes = dict.fromkeys(replay.closure.home)

    def reached(self) -> bool:
        """Whether all is proven: whatever has an e-class of the program's is equal to it."""
        closure = self.closure
        found: dict[Term, int] = {}
        for term in self.chosen:
            kind = closure.head(head_of(term))
            here = closure.lookup(kind, [found[a] for a in term.args])
            if not term.args:
                here = closure.index.get(term)
            if here is None:
                return False
            if closure.first[closure.root[here]] >= self.plain and closure.home[here] in self.homes:
                return False
            found[term] = here
        return all(closure.equal(closure.index[a], found[b]) for a, b in self.goals)


def _homes(witnessed: Witnessed, closure: Closure) -> Homes:
    return {(closure.head(n.head), n.args): n.owner for n in witnessed.classes.nodes}


def _constants(typed: Typed) -> list[int]:
    """The places of the variables that a rewrite wants to be constants."""
    wanted = [c.args[0] for c in typed.conditions if c.op == "is_const"]
    return [typed.names.index(v) for v in wanted]


def _folds(witnessed: Witnessed) -> list[Fold]:
    """The e-nodes over constants of which the value may have been computed."""
    constants: dict[int, list[Term]] = {}
    for node in witnessed.classes.nodes:
        if node.leaf is not None and node.leaf.op == CONST:
            constants.setdefault(node.owner, []).append(node.leaf)
    return [
        Fold(n.head, tuple(tuple(constants[a]) for a in n.args), n.args, n.owner)
        for n in witnessed.classes.nodes
        if n.args and n.head[1] is None and all(a in constants for a in n.args)
    ]
