"""The e-graph once more, with a record of every match of every rule.

Takes the plain terms of a body of code, gives its saturated e-graph as plain data, e-nodes
that are not to be chosen included, and for each rewrite the e-classes that its variables
stood for. Derivations do not need it: it is made when somebody asks for reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.rule import Rewrite, RuleSet, Tag
from ...terms.term import Term, toposort
from ...terms.types import Scalar
from ..egraph.classes import Classes
from ..egraph.egraph import Graph
from ..egraph.encode import SORT, typed, variables
from ..egraph.rulebook import match_rule, rewrite_rule
from ..egraph.saturate import Saturation, rule_name
from ..pipeline.task import Stage

_NEAR = "near"

#: The e-classes that the variables of a rewrite stood for.
Match = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Typed:
    """A rewrite at one type; its variables in the order of its matches."""

    rule: Rewrite
    lhs: Term
    rhs: Term
    conditions: tuple[Term, ...]
    names: tuple[Term, ...]

    @property
    def asked(self) -> list[tuple[tuple[Term, ...], float | None]]:
        """Its conditions one by one; the last may be a cost that its left side stays below."""
        found: list[tuple[tuple[Term, ...], float | None]] = [((c,), None) for c in self.conditions]
        return found if self.rule.below is None else [*found, ((), self.rule.below)]

    @property
    def name(self) -> str:
        """What reports call it: its place and its name."""
        return f"{self.rule.at} {self.rule.name}"


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A saturated e-graph, and the matches of each rewrite: classes of its variables.

    `near` has the matches of the left sides of rewrites with conditions, whether those hold or
    not; `holding` those of them where one condition holds, for each condition.
    """

    classes: Classes
    rules: list[Typed]
    matches: list[list[Match]]
    near: dict[int, list[Match]]
    holding: dict[int, list[list[Match]]]


class _Watched(Saturation):
    """Saturation whose rules write down what they matched."""

    def __init__(self, graph: Graph, rules: RuleSet, tags: Sequence[Tag], roots: Sequence[Term]):
        self.typed: list[Typed] = []
        super().__init__(graph, rules, tags, roots)

    def rule_text(self, rule: Rewrite, meet: Scalar, ruleset: str) -> str:
        """A rewrite at one type; every match becomes a row of a relation of its own."""
        lhs, rhs = typed(rule.lhs, meet), typed(rule.rhs, meet)
        conditions = tuple([typed(c, meet) for c in rule.conditions])
        names = tuple(variables(lhs))
        self.typed.append(Typed(rule, lhs, rhs, conditions, names))
        witness = self.relation("match", len(self.typed) - 1, len(names))
        name = rule_name(rule.name, rule.at, meet)
        return rewrite_rule(self.symbols, rule, meet, ruleset, name, witness)

    def relation(self, kind: str, number: int | str, width: int) -> str:
        """A relation over so many e-classes, declared."""
        name = f"{kind}-{number}"
        self.symbols.fresh.append(f"(relation {name} ({' '.join([SORT] * width)}))")
        return name

    def near(self, number: int) -> list[str]:
        """Rules for the left side of a rewrite alone, and with each of its conditions alone."""
        found = self.typed[number]
        lines = []
        for j, (conditions, below) in enumerate([((), None), *found.asked]):
            name = self.relation("near", f"{number}-{j}", len(found.names))
            rule = match_rule(self.symbols, found.lhs, conditions, below, _NEAR, name)
            lines.append(rule)
        return lines


def witnessed(stage: Stage, rules: RuleSet, tags: Sequence[Tag]) -> Witnessed:
    """Saturate as `optimize` does, and keep what matched."""
    flat = stage.before.flat
    with Graph(flat, equal=stage.equal) as graph:
        saturation = _Watched(graph, rules, tags, [*flat, *(new for _, new in stage.equal)])
        saturation.run(stage.budget, len(toposort(flat)))
        found = saturation.typed
        bound = [i for i, t in enumerate(found) if t.asked]
        graph.send([f"(ruleset {_NEAR})", *(line for i in bound for line in saturation.near(i))])
        graph.run(_NEAR)
        names = {i: [f"near-{i}-{j}" for j in range(len(found[i].asked) + 1)] for i in bound}
        matches = [f"match-{i}" for i in range(len(found))]
        classes, rows = graph.read_all([*matches, *(n for group in names.values() for n in group)])
    return Witnessed(
        classes,
        found,
        [rows[name] for name in matches],
        {i: rows[group[0]] for i, group in names.items()},
        {i: [rows[name] for name in group[1:]] for i, group in names.items()},
    )
