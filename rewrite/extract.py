"""Takes an e-graph with costs, gives the cheapest program in it; knows nothing of engines.

The cost of a choice is the sum over all classes that the outputs need, each paid once. The
problem is reduced, solved by descent, and then, part by part, by an integer program where the
part fits the effort. Equal inputs give equal results: work is counted in steps, the
clock is only a safety net, and the report says when it was needed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import fsum

from ..terms.errors import ExtractError
from .graph import EGraphTable, dag_cost
from .greedy import Descent, shares, start
from .ilp import IlpLimits, IlpResult, solve
from .reduce import reduce
from .twins import Twins


class Effort(Enum):
    """How hard to look: `fast` never solves an integer program, `best` solves larger ones."""

    FAST = "fast"
    DEFAULT = "default"
    BEST = "best"


@dataclass(frozen=True, slots=True)
class _Limits:
    steps: int  # of the descent
    enodes: int  # of one integer program; 0: none
    total: int  # e-nodes of all integer programs together
    checks: float  # of all integer programs together, see `IlpLimits`
    seconds: float  # of all integer programs together; a safety net


_LIMITS = {
    Effort.FAST: _Limits(5_000_000, 0, 0, 0, 0.0),
    Effort.DEFAULT: _Limits(10_000_000, 8_000, 100_000, 200, 60.0),
    Effort.BEST: _Limits(60_000_000, 60_000, 1_000_000, 15_000, 3600.0),
}
_EQUAL = 1e-9  # relative: costs that differ by less are equal
_PROVEN = 1e-6  # relative: what HiGHS proves, it proves to within its tolerances
_ENDED = {"budget": "stopped by its budget", "clock": "stopped by the clock"}


@dataclass(frozen=True, slots=True)
class Extraction:
    """One e-node per class in use, what they cost, and how far from the best that can be.

    `bound` is proven: no choice costs less. `method` says in words how the choice was found;
    `nodes` counts the e-nodes left to decide after reduction, `explored` branch-and-bound nodes.
    """

    choice: dict[int, int]
    cost: float
    bound: float
    method: str
    nodes: int
    explored: int

    @property
    def gap(self) -> float:
        """(cost - bound) / cost: at most this share of the cost could still be saved."""
        return 0.0 if self.cost == 0.0 else max(self.cost - self.bound, 0.0) / self.cost


def extract(table: EGraphTable, *, effort: Effort | str = Effort.DEFAULT) -> Extraction:
    """The choice of least DAG cost: minimize sum of cost(choice(c)) over the classes in use.

    >>> from ..terms.types import Scalar
    >>> heads = [(op, None, Scalar.F32) for op in ("var", "mul", "add")]
    >>> extract(EGraphTable(heads, [(), (0, 0), (0, 0)], [0, 1, 1], 2, [0.0, 4.0, 1.0], [1])).choice
    {0: 0, 1: 2}
    """
    table.check()
    return _Search(table, _LIMITS[Effort(effort)]).run()


class _Search:
    """The state of one extraction: the best choice so far, its bound, and what was done."""

    def __init__(self, table: EGraphTable, limits: _Limits) -> None:
        self.table, self.limits = table, limits
        self.problem = reduce(table)
        self.left = sum(len(self.problem.nodes[cls]) for cls in self.problem.classes)
        self.budget, self.checks = limits.total, limits.checks
        self.deadline = time.monotonic() + limits.seconds
        self.explored = self.solved = 0
        self.twins = Twins()
        self.notes: dict[str, int] = {}

    def run(self) -> Extraction:
        """Descent, integer programs, and the choice written out for the whole e-graph."""
        problem, owner = self.problem, self.table.owner
        users = problem.users()
        descent = Descent(problem, start(problem, users, owner), owner, self.limits.steps)
        descent.run()
        share = shares(problem, users, owner)
        parts = sorted(problem.parts(), key=len)
        bounds = [self._part(part, descent, share) for part in parts]
        choice = self._written_out(descent.choice)
        cost = dag_cost(self.table, choice)
        bound = fsum(bounds)
        if bound >= cost * (1 - _EQUAL):
            bound = cost
        method = self._method(bound == cost, descent.steps <= 0)
        return Extraction(choice, cost, bound, method, self.left, self.explored)

    def _part(self, part: Sequence[int], descent: Descent, share: Sequence[float]) -> float:
        """Improve the choice of one part where that is possible; its lower bound."""
        problem, choice = self.problem, descent.choice
        used = [cls for cls in part if descent.alive[cls]]
        cost = fsum(problem.costs[choice[cls]] for cls in used)
        bound = fsum(share[cls] for cls in part if problem.needed[cls])
        size = sum(len(problem.nodes[cls]) for cls in part)
        if bound >= cost * (1 - _EQUAL) or not self.limits.enodes:
            return min(bound, cost)
        if size > self.limits.enodes:
            self._note("too large for an integer program")
            return bound
        found = self.twins.recall(problem, part, choice) or self._solved(part, choice, size)
        if found is None:
            return bound
        self.solved += 1
        self.explored += found.branches
        self.checks -= found.checks
        if found.ended != "optimal":
            self._note(_ENDED[found.ended])
        if found.choice is not None:
            better = fsum(problem.costs[node] for node in found.choice.values())
            if better < cost * (1 - _EQUAL):
                cost = better
                for cls, node in found.choice.items():
                    choice[cls] = node
        bound = max(bound, found.bound)
        return cost if bound >= cost * (1 - _PROVEN) else bound

    def _solved(self, part: Sequence[int], choice: Sequence[int], size: int) -> IlpResult | None:
        """The integer program of one part, as far as the budgets go; None where it has no say."""
        if self.checks <= 0 or size > self.budget:
            self._note(_ENDED["budget"])
            return None
        seconds = self.deadline - time.monotonic()
        if seconds <= 0.0:
            self._note("stopped by the clock")
            return None
        self.budget -= size
        try:
            found = solve(self.problem, part, choice, IlpLimits(self.checks, seconds))
        except ExtractError as error:
            self._note(error.message)
            return None
        self.twins.remember(self.problem, part, choice, found)
        return found

    def _note(self, text: str) -> None:
        self.notes[text] = self.notes.get(text, 0) + 1

    def _written_out(self, choice: Sequence[int]) -> dict[int, int]:
        """The choices of all classes that the outputs need, free ones included."""
        result: dict[int, int] = {}
        stack = list(self.table.roots)
        while stack:
            cls = stack.pop()
            if cls not in result:
                node = self.problem.settled.get(cls)
                result[cls] = node = choice[cls] if node is None else node
                stack.extend(self.table.children[node])
        return dict(sorted(result.items()))

    def _method(self, proven: bool, exhausted: bool) -> str:
        words = ["descent"]
        if self.solved:
            words = [
                f"integer program ({self.solved} parts)" if self.solved > 1 else "integer program"
            ]
        if exhausted:
            words.append("descent stopped by its step budget")
        words += [text if n == 1 else f"{text} ({n} parts)" for text, n in self.notes.items()]
        if proven:
            words.append("proven optimal")
        return ", ".join(words)
