"""Parts of an extraction that are alike but for the names of their classes: solved once.

Programs repeat themselves: the links of a chain, the atoms of a cluster, unrolled trips.
Takes solved parts, gives the result of a part that is a twin of one of them, in its own names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .reduce import Problem

#: For each class: whether it is needed, the component it may lie on a cycle with, its e-nodes
#: (cost, classes used), and the one to begin with; classes and e-nodes by their places.
Outline = tuple[object, ...]
T = TypeVar("T")


@dataclass
class Twins(Generic[T]):
    """The parts solved so far: choices by place, and what else is known of them."""

    known: dict[Outline, tuple[T, list[int | None] | None]] = field(default_factory=dict)

    def recall(
        self, problem: Problem, part: Sequence[int], start: Sequence[int]
    ) -> tuple[T, dict[int, int] | None] | None:
        """What is known of a twin of a part, where one has been solved, and its choice."""
        known = self.known.get(_outline(problem, part, start))
        if known is None:
            return None
        found, places = known
        if places is None:
            return found, None
        pairs = zip(part, places, strict=True)
        return found, {cls: problem.nodes[cls][k] for cls, k in pairs if k is not None}

    def remember(
        self,
        problem: Problem,
        part: Sequence[int],
        start: Sequence[int],
        found: T,
        choice: dict[int, int] | None,
    ) -> None:
        """Keep what has been found for a part."""
        places = None
        if choice is not None:
            places = [
                problem.nodes[cls].index(choice[cls]) if cls in choice else None for cls in part
            ]
        self.known[_outline(problem, part, start)] = found, places


def _outline(problem: Problem, part: Sequence[int], start: Sequence[int]) -> Outline:
    place = {cls: i for i, cls in enumerate(part)}
    strong: dict[int, int] = {}
    costs, uses = problem.costs, problem.uses
    rows: list[object] = []
    for cls in part:
        nodes = problem.nodes[cls]
        rows.append(
            (
                problem.needed[cls],
                strong.setdefault(problem.strong[cls], len(strong)),
                nodes.index(start[cls]),
                tuple([(costs[n], *[place[u] for u in uses[n]]) for n in nodes]),
            )
        )
    return tuple(rows)
