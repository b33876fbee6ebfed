"""Which rules a saving came from: what it costs to compute with some steps of a proof, not all.

The steps that lead from the plain program to the chosen one are equations between terms. Those of
some rules make a small e-graph, and the cheapest program of it is what these rules lead to. Rules
are admitted one after another, in the order of their first steps and in the opposite order, and
each is credited with what the program gets cheaper by then: the mean of both. All credits together
are the saving. Rules that only turn operands round are admitted from the beginning.

Takes a proof and its programs, gives credits by rule; knows nothing of engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...terms.loop import LOOP
from ...terms.rule import RuleSet
from ...terms.term import VAR, Term, toposort
from ..egraph.classes import Classes, Node
from ..egraph.cost import program_cost, trips
from ..extraction.extract import Effort, extract
from ..pipeline.choice import to_table
from ..pipeline.optimize import Solved
from .closure import Closure
from .steps import Proof, Step
from .witness import Typed

GROUPS, CONSTANTS = "other groups of factors and summands", "computing with constants"
_SMALL = 1e-9  # relative: a credit that is rounding


@dataclass(frozen=True, slots=True)
class Credit:
    """What a rule saved, in costs, and in how many steps."""

    name: str
    saved: float
    steps: int


def credits(proof: Proof, solved: Solved, rules: RuleSet) -> list[Credit] | None:
    """The saving of one body of code by rule, the largest first; None without a whole proof."""
    if any(result.lemma is None for result in proof.results):
        return None
    used = _by_rule(proof)
    names = list(used)
    costs = program_cost(rules, solved.plain.flat), program_cost(rules, solved.best.flat)
    ways = [_gains(order, used, solved, rules, costs) for order in (names, names[::-1])]
    found = [
        Credit(name, sum(way[name] for way in ways) / len(ways), len(used[name]))
        for name in names
        if name
    ]
    return ranked(found)


def ranked(found: Sequence[Credit]) -> list[Credit]:
    """The largest credits first; equal ones by name."""
    return sorted(found, key=lambda credit: (-credit.saved, credit.name))


def _by_rule(proof: Proof) -> dict[str, list[Step]]:
    """The equations between the plain and the chosen results, by rule, in order."""
    steps = {s: None for result in proof.results for s in proof.steps(result)}
    found: dict[str, list[Step]] = {}
    for step in steps:
        if step.kind != "arguments":
            found.setdefault(_name(step), []).append(step)
    return found


def _name(step: Step) -> str:
    if step.rule is not None:
        return "" if _turns(step.rule) else step.rule.name
    return GROUPS if step.groups else CONSTANTS


def _turns(rule: Typed) -> bool:
    """Whether a rewrite only turns operands round: `a * b >> b * a`."""
    left, right = rule.lhs, rule.rhs
    leaves = all(a.op == VAR for a in (*left.args, *right.args))
    return leaves and left.op == right.op and set(left.args) == set(right.args)


def _gains(
    order: Sequence[str],
    used: Mapping[str, Sequence[Step]],
    solved: Solved,
    rules: RuleSet,
    costs: tuple[float, float],
) -> dict[str, float]:
    """What each rule saves when it comes after those before it."""
    graph = _Graph(solved.plain.flat)
    before, least = costs
    graph.admit(used.get("", ()))
    gains = dict.fromkeys(order, 0.0)
    for name in [name for name in order if name]:
        graph.admit(used[name])
        cost = max(min(graph.cost(rules), before), least)
        gains[name], before = before - cost, cost
    last = next((name for name in reversed(order) if name), "")
    if last and before > least * (1 + _SMALL):
        gains[last] += before - least  # the search did not find what is there
    return gains


class _Graph:
    """The plain program's terms, and what is equal to them by the steps admitted so far."""

    def __init__(self, flat: Sequence[Term]) -> None:
        self.closure = Closure()
        self.roots = [self._add(term) for term in flat]

    def _add(self, term: Term) -> int:
        closure = self.closure
        for each in toposort([term]) if term not in closure.index else ():
            closure.add(each, tuple([closure.index[a] for a in each.args]), 0)
        return closure.index[term]

    def admit(self, steps: Sequence[Step]) -> None:
        for step in steps:
            self.closure.merge(self._add(step.before), self._add(step.after), None)

    def cost(self, rules: RuleSet) -> float:
        """What the cheapest program costs that a quick search finds."""
        classes, roots = self._classes()
        return extract(to_table(classes, roots, rules), effort=Effort.FAST).cost

    def _classes(self) -> tuple[Classes, list[int]]:
        """What can be of use to the program, as the extraction takes it."""
        closure = self.closure
        number: dict[int, int] = {}
        nodes: list[Node] = []
        stack = [closure.root[r] for r in self.roots]
        roots = [number.setdefault(r, len(number)) for r in stack]
        seen = dict.fromkeys(stack)
        while stack:
            owner = stack.pop()
            kinds: dict[tuple[int, tuple[int, ...]], int] = {}
            for member in sorted(closure.parts[owner]):
                args = tuple([closure.root[a] for a in closure.args[member]])
                if closure.terms[member].args:
                    kinds.setdefault((closure.kind[member], args), member)
                else:
                    kinds.setdefault((-1 - member, args), member)
            for (_, args), member in kinds.items():
                term = closure.terms[member]
                inner = tuple([number.setdefault(a, len(number)) for a in args])
                leaf = None if term.args else term
                nodes.append(Node(closure.heads[closure.kind[member]], inner, number[owner], leaf))
                fresh = [a for a in args if a not in seen]
                seen |= dict.fromkeys(fresh)
                stack += fresh
        return Classes(nodes, len(number), {}), roots


def executions(solved: Sequence[Solved]) -> list[float]:
    """How often each body of code runs, where the whole program runs once."""
    runs = {one.best: 0.0 for one in solved} | {solved[-1].best: 1.0}
    for one in reversed(solved):
        for term in toposort(one.best.flat):
            if term.op == LOOP and term.attr.body in runs:
                runs[term.attr.body] += runs[one.best] * trips(term.attr)
    return [runs[one.best] for one in solved]
