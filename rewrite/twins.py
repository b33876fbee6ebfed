"""Parts of an extraction that are alike but for the names of their classes: solved once.

Programs repeat themselves: the links of a chain, the atoms of a cluster, unrolled trips.
Takes solved parts, gives the result of a part that is a twin of one of them, in its own names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .ilp import IlpResult
from .reduce import Problem

#: For each class: whether it is needed, the component it may lie on a cycle with, its e-nodes
#: (cost, classes used), and the one to begin with; classes and e-nodes by their places.
Outline = tuple[object, ...]


@dataclass
class Twins:
    """The parts solved so far, as choices by place."""

    known: dict[Outline, tuple[IlpResult, list[int | None]]] = field(default_factory=dict)

    def recall(
        self, problem: Problem, part: Sequence[int], start: Sequence[int]
    ) -> IlpResult | None:
        """The best choice for a part and its proof, where a twin of it has been solved."""
        known = self.known.get(_outline(problem, part, start))
        if known is None:
            return None
        found, places = known
        choice = None
        if found.choice is not None:
            pairs = zip(part, places, strict=True)
            choice = {cls: problem.nodes[cls][k] for cls, k in pairs if k is not None}
        return replace(found, choice=choice, branches=0, checks=0.0)

    def remember(
        self, problem: Problem, part: Sequence[int], start: Sequence[int], found: IlpResult
    ) -> None:
        """Keep what has been found for a part, unless a budget ended the search."""
        if found.ended == "optimal":
            places = _places(problem, part, found)
            self.known[_outline(problem, part, start)] = found, places


def _outline(problem: Problem, part: Sequence[int], start: Sequence[int]) -> Outline:
    place = {cls: i for i, cls in enumerate(part)}
    strong: dict[int, int] = {}
    rows: list[object] = []
    for cls in part:
        nodes = problem.nodes[cls]
        rows.append(
            (
                problem.needed[cls],
                strong.setdefault(problem.strong[cls], len(strong)),
                nodes.index(start[cls]),
                tuple((problem.costs[n], *(place[u] for u in problem.uses[n])) for n in nodes),
            )
        )
    return tuple(rows)


def _places(problem: Problem, part: Sequence[int], found: IlpResult) -> list[int | None]:
    choice = found.choice or {}
    return [problem.nodes[cls].index(choice[cls]) if cls in choice else None for cls in part]
