"""Saturation: rules applied to an e-graph, in phases with budgets.

Takes a filled e-graph and a rule set, grows the e-graph, and reports what fired and which
budget ended a phase. Every decision depends on counts, never on a clock, so the same program
grows the same e-graph on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache

from ...terms.loop import KEEP, LOAD, LOOP, MEMORY, RESTORE, SAVE, STORE, TABLE
from ...terms.rule import Rewrite, RuleSet, Tag
from ...terms.term import CALL, CAST, CONST, PROJ, VAR, Term, const, toposort
from ...terms.types import Memory, Scalar
from ..fold import evaluate
from .classes import Classes, Node
from .cost import operator_cost
from .egraph import Graph
from .encode import Head, Symbols, numbered
from .engine import Engine, Kept
from .knowledge import (
    asks_for_bounds,
    bound_declarations,
    cost_declarations,
    cost_rule,
    sign_rules,
)
from .ranges import range_facts
from .rulebook import (
    bound_rule,
    by_rule,
    fact_rule,
    foldable_rule,
    folds,
    leak_rules,
    meeting_types,
    prune_rule,
    rewrite_rule,
)

_LEAVES = (VAR, CONST)
#: What no rule can name: programs that differ in these have the same rules.
UNRULED = frozenset({*_LEAVES, CALL, PROJ, LOOP, MEMORY, TABLE, LOAD, STORE, SAVE, RESTORE, KEEP})

#: Types and operators, see `concerned`.
Kinds = tuple[Scalar, ...]
Operators = frozenset[str]

#: An iteration is not begun that would lead so many times as far as the limit, if it multiplied
#: e-nodes as the last one did: negatives of choices of choices led from 235 to 2,522 to 1,288,428.
_RUNAWAY = 4

SATURATED = "saturated"
FACTS, ALGEBRA, PRUNE = "facts", "algebra", "prune"


@dataclass(frozen=True, slots=True)
class Budget:
    """How far an e-graph may grow: e-nodes (absolute, and per loaded term) and iterations."""

    nodes: int = 60_000
    growth: float = 12.0
    iterations: int = 6

    def limit(self, terms: int) -> int:
        """The number of e-nodes at which growth stops."""
        return max(min(self.nodes, int(self.growth * terms) + 2_000), 2 * terms)


@dataclass
class Growth:
    """What saturation did: iterations, sizes, matches per rule, why it ended, seconds."""

    iterations: int = 0
    start: int = 0
    nodes: int = 0
    ended: str = SATURATED
    matches: dict[str, int] = field(default_factory=dict)
    dormant: tuple[str, ...] = ()
    seconds: float = 0.0
    exhausted: bool = False  # saturated, with rules of few rounds until the end


def rule_name(name: str, at: object, meet: Scalar) -> str:
    """A rule's name in the e-graph, one per type: it comes back in the report."""
    return f"{at} {name}#{meet.value}"


class Saturation:
    """The rules that concern a program, sent to its e-graph; operators it may yet reach too."""

    graph: Graph

    def __init__(self, graph: Graph, rules: RuleSet, tags: Sequence[Tag], roots: Sequence[Term]):
        self.graph = graph
        self._prepare(graph, rules, tags, *_concerned_by(rules, tags, roots))

    @classmethod
    def prepared(
        cls, engine: Engine, rules: RuleSet, tags: Sequence[Tag], types: Kinds, ops: Operators
    ) -> Saturation:
        """The rules for any program of these types and `reached` operators, sent to an engine."""
        self = cls.__new__(cls)
        self._prepare(engine, rules, tags, types, ops)
        return self

    def on(self, graph: Graph) -> Saturation:
        """The same, for a graph of the engine that has the rules."""
        again = copy(self)
        again.graph, again.pruned = graph, dict(self.pruned)
        return again

    def _prepare(
        self,
        target: Engine | Graph,
        rules: RuleSet,
        tags: Sequence[Tag],
        types: Kinds,
        ops: Operators,
    ) -> None:
        self.rules, self.symbols = rules, target.symbols
        self.strict = tuple(tags) == (Tag.EXACT,)
        self.types, self.ops = types, ops
        self.pruned: dict[Head, None] = {}
        self.dormant: list[str] = []
        self.brief: dict[int, str] = {}  # the rule sets of rules that are applied so often only
        lines = [f"(ruleset {name})" for name in (FACTS, ALGEBRA, PRUNE)]
        live = self._live(tags)
        lines += fact_rules(self.symbols, rules, self.types, self.ops, live)
        self.costed = any(rule.below is not None for rule in live)
        if self.costed:
            lines += cost_declarations(self.types, FACTS)
        lines += self._rewrites(live)
        if not self.strict and "select" in self.ops:
            for type_ in (t for t in self.types if t.is_real):
                lines += leak_rules(self.symbols, absorbing(rules.rewrites), type_, PRUNE)
        target.send(lines)
        self._prune_rules(target)

    def _live(self, tags: Sequence[Tag]) -> dict[Rewrite, None]:
        """Rewrites whose left side can occur: a right side may bring new operators in."""
        chosen = [r for r in self.rules.rewrites if r.tag in tags and not r.primal]
        live = dict.fromkeys(reachable(chosen, self.ops))
        self.dormant += [f"{r.at} {r.name}" for r in chosen if r not in live]
        return live

    def _rewrites(self, live: Iterable[Rewrite]) -> list[str]:
        lines: list[str] = []
        for rule in live:
            ruleset = self._ruleset(rule, lines)
            for meet in meeting_types(rule, self.types):
                lines.append(self.rule_text(rule, meet, ruleset))
        return lines

    def rule_text(self, rule: Rewrite, meet: Scalar, ruleset: str) -> str:
        """A rewrite at one type, for the e-graph."""
        name = rule_name(rule.name, rule.at, meet)
        return rewrite_rule(self.symbols, rule, meet, ruleset, name)

    def _ruleset(self, rule: Rewrite, lines: list[str]) -> str:
        if not rule.rounds:
            return ALGEBRA
        if rule.rounds not in self.brief:
            self.brief[rule.rounds] = f"{ALGEBRA}{rule.rounds}"
            lines.append(f"(ruleset {self.brief[rule.rounds]})")
        return self.brief[rule.rounds]

    def _prune_rules(self, target: Engine | Graph) -> None:
        """Folding and pruning for operators that have come since the last call."""
        lines = []
        for head in list(target.symbols.names):
            if any(isinstance(t, Memory) for t in (*head[2], head[3])):
                continue  # no memory is a constant
            if head in self.pruned or not head[2] or numbered(head) not in (None, head):
                continue
            self.pruned[head] = None
            if self.rules.get(head[0]) is not None or head[0] == CAST:
                lines.append(prune_rule(target.symbols, head, PRUNE))
                lines.append(foldable_rule(target.symbols, head, FACTS))
            if self.costed:
                op, attr, operands, type_ = head
                cost = operator_cost(self.rules, op, type_, operands, attr)
                lines.append(cost_rule(target.symbols, head, cost, FACTS))
        if lines:
            target.send(lines)

    def run(self, budget: Budget, terms: int) -> Growth:
        """Grow until nothing changes or a budget is spent."""
        began = time.perf_counter()
        self._prune_rules(self.graph)
        growth = Growth(dormant=tuple(self.dormant), start=self.graph.size())
        limit = budget.limit(terms)
        growth.nodes = before = growth.start
        while True:
            if growth.iterations >= budget.iterations:
                growth.ended = f"{budget.iterations} iterations"
                break
            if growth.nodes > limit or growth.nodes**2 > _RUNAWAY * limit * before:
                growth.ended = f"{limit} e-nodes"
                break
            before = growth.nodes
            changed = self._iteration(growth)
            growth.nodes = self.graph.size()
            growth.iterations += 1
            if not changed:
                growth.exhausted = all(growth.iterations <= rounds for rounds in self.brief)
                break
        growth.seconds = time.perf_counter() - began
        return growth

    def _iteration(self, growth: Growth) -> bool:
        changed = foldable = False
        brief = [name for rounds, name in self.brief.items() if growth.iterations < rounds]
        for ruleset in (FACTS, *brief, ALGEBRA):
            fired = self.graph.run(ruleset, saturate=ruleset == FACTS)
            changed |= fired.changed
            if ruleset == FACTS:
                foldable = any(count for name, count in fired.matches.items() if folds(name))
            else:
                for name, count in by_rule(fired.matches).items():
                    growth.matches[name] = growth.matches.get(name, 0) + count
        self._prune_rules(self.graph)
        if foldable:
            changed |= self._fold()
        self.graph.run(PRUNE)
        return changed

    def _fold(self) -> bool:
        """Operators over constants become constants: their own NumPy meaning computes them."""
        folded = []
        for head, args in self.graph.over_constants():
            op, attr, _, type_ = head
            value = None if attr is not None else evaluate(self.rules, op, type_, args, self.strict)
            if value is not None:
                folded.append((head, args, value))
        if folded:
            self.graph.join(folded)
        return bool(folded)

    def read(self) -> Classes:
        """What can be chosen, without operators over constants that are no number of their type.

        Rules lead from c * (d * x) to (c * d) * x, also where c * d is infinite.
        """
        classes = self.graph.read()
        known, own = classes.constants(), set(classes.loaded.values())

        def is_beyond(node: Node) -> bool:
            made = node.args and node.owner not in own and all(a in known for a in node.args)
            if self.strict or not made or node.owner in known:
                return False
            op, attr, _, type_ = node.head
            args = [known[a] for a in node.args]
            return attr is None and evaluate(self.rules, op, type_, args, False) is None

        left = [node for node in classes.nodes if not is_beyond(node)]
        return Classes(left, classes.count, classes.loaded)


def concerned(roots: Sequence[Term]) -> tuple[Kinds, Operators]:
    """The types and operators of a program, on which it depends which rules can apply."""
    terms = toposort(roots)
    used = dict.fromkeys(t.type for t in terms)
    return tuple([t for t in Scalar if t in used]), frozenset([t.op for t in terms]) - UNRULED


def _concerned_by(
    rules: RuleSet, tags: Sequence[Tag], roots: Sequence[Term]
) -> tuple[Kinds, Operators]:
    """The types of a program, and the operators that can come to exist in it."""
    types, ops = concerned(roots)
    return types, rules.once(reached, tuple(tags), ops)


@contextmanager
def saturating(
    rules: RuleSet,
    tags: Sequence[Tag],
    roots: Sequence[Term],
    equal: Sequence[tuple[Term, Term]] = (),
    made_of: Sequence[Term] = (),
) -> Iterator[Saturation]:
    """An e-graph of the terms below `roots`, with the rules; these are sent to an engine once.

    Engines are kept for programs of the same types in which the same operators can come to exist:
    their rules take longer than most programs. No two programs use one at a time, and each leaves
    it as it was. What rules `made_of` another program has the engine of that program, which has all
    rules it needs.
    """
    types, ops = _concerned_by(rules, tags, [*roots, *(new for _, new in equal), *made_of])
    key = (id(rules), tuple(tags), types, ops)
    kept = _KEPT.take(key)
    if kept is None or kept[1].rules is not rules:
        engine = Engine()
        kept = engine, Saturation.prepared(engine, rules, tags, types, ops)
    with Graph(roots, engine=kept[0], equal=equal) as graph:
        yield kept[1].on(graph)
    _KEPT.put(key, kept)


_KEPT: Kept[tuple[Engine, Saturation]] = Kept(32)


def reachable(rules: Sequence[Rewrite], ops: Collection[str]) -> list[Rewrite]:
    """The rules for which all that they ask for can come to exist: right sides may bring it in."""
    known, size = set(ops), -1
    while len(known) > size:
        size = len(known)
        known.update(*[_operators(r.rhs) for r in rules if _needed(r) <= known])
    return [rule for rule in rules if _needed(rule) <= known]


def reached(rules: RuleSet, tags: Sequence[Tag], ops: Operators) -> Operators:
    """The operators of a program, and those that rules can bring in."""
    chosen = [r for r in rules.rewrites if r.tag in tags and not r.primal]
    return ops.union(*(_operators(rule.rhs) for rule in reachable(chosen, ops)))


def absorbing(rules: Sequence[Rewrite]) -> list[str]:
    """The operators of two that a zero absorbs, by the rewrites that say so: x * 0 >> 0."""
    zero = const(0.0)
    found = [
        rule.lhs.op
        for rule in rules
        if rule.rhs is zero
        and not rule.conditions
        and zero in rule.lhs.args
        and sorted(a.op for a in rule.lhs.args) == [CONST, VAR]
    ]
    return list(dict.fromkeys(found))


def fact_rules(
    symbols: Symbols,
    rules: RuleSet,
    types: Sequence[Scalar],
    ops: Collection[str],
    live: Iterable[Rewrite],
) -> list[str]:
    """What constants, facts and ranges of operators say: signs, and bounds if a rule asks."""
    bounds = any(asks_for_bounds(rule) for rule in live)
    lines = sign_rules(types, FACTS)
    if bounds:
        lines += bound_declarations(types, FACTS)
    operators = (rules.get(op) for op in sorted(ops))
    ranges = [fact for o in operators if o is not None for fact in range_facts(o)]
    for fact in (*rules.facts, *ranges):
        if _operators(fact.conclusion.args[0]) <= set(ops):
            for meet in meeting_types(fact, types):
                name = rule_name(fact.name, fact.at, meet)
                lines.append(fact_rule(symbols, fact, meet, FACTS, name))
                if bounds:
                    lines.append(bound_rule(symbols, fact, meet, FACTS, name))
    return [line for line in lines if line]


@lru_cache(maxsize=10000)
def _needed(rule: Rewrite) -> frozenset[str]:
    """The operators that have to exist for a rule: in its left side, and in what it asks for."""
    asked = [c.args[0] for c in rule.conditions if c.op == "exists"]
    return _operators(rule.lhs).union(*map(_operators, asked))


@lru_cache(maxsize=10000)
def _operators(term: Term) -> frozenset[str]:
    """The operators that occur in a rule expression."""
    return frozenset(t.op for t in toposort([term]) if t.args and t.op != CONST)
