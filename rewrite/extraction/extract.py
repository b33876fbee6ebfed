"""Takes an e-graph with costs, gives the cheapest program in it; knows nothing of engines.

The cost of a choice is the sum over all classes that the outputs need, each paid once. The
problem is reduced and solved by descent; then, part by part, kicks look for what a descent does
not find, repetitions take over what one of them has chosen, and an integer program looks for what
is left, and for the proof, as far as the effort goes.
Equal inputs give equal results: work is counted in steps, the clock is only a safety net, and the
report says when it was needed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import fsum, inf

from ...terms.errors import ExtractError
from ..egraph.graph import EGraphTable, dag_cost
from ..phases import Phase
from .greedy import Descent, shares, start
from .ilp import IlpLimits, IlpResult, solve
from .integer import grain, rounded_up
from .kicks import Kicks
from .likeness import Likeness
from .reduce import reduce
from .twins import Twins


class Effort(Enum):
    """How hard to look: `fast` never solves an integer program, `best` solves larger ones."""

    FAST = "fast"
    DEFAULT = "default"
    BEST = "best"


_SMALL = 12  # e-nodes: what a descent leaves of smaller parts, kicks do not find either


@dataclass(frozen=True, slots=True)
class _Limits:
    steps: int  # of the descent
    patience: tuple[int, int]  # of kicks of a part that gain nothing, mostly, and per e-node
    small: int  # steps per e-node of a small part, all of which kicks have seen by then
    kicks: tuple[int, int]  # steps of all kicks, at least, and per e-node
    enodes: int  # of one integer program; 0: none
    total: int  # e-nodes of all integer programs together
    checks: tuple[float, float]  # of all integer programs, and more per e-node; see `IlpLimits`
    seconds: float  # of all integer programs together; a safety net
    smallest: int | None = _SMALL  # e-nodes of a part that is kicked; None: no part is
    alike: bool = True  # whether repetitions take over what one of them has chosen

    def idle(self, size: int) -> int:
        """Steps without a gain after which kicks of a part of so many e-nodes end."""
        least, each = self.patience
        return max(min(least, self.small * size), each * size)


# A million steps take about a second, a check 10 to 20 ms.
_LIMITS = {
    Effort.FAST: _Limits(5_000_000, (0, 6), 6, (20_000, 6), 0, 0, (0.0, 0.0), 0.0),
    Effort.DEFAULT: _Limits(
        10_000_000, (20_000, 10), 200, (200_000, 40), 8_000, 100_000, (8.0, 0.01), 60.0
    ),
    Effort.BEST: _Limits(
        60_000_000,
        (100_000, 200),
        1_000,
        (4_000_000, 400),
        60_000,
        1_000_000,
        (300.0, 0.15),
        3600.0,
    ),
}
PROVEN = "proven optimal"
_EQUAL = 1e-9  # relative: costs that differ by less are equal
_PROVEN = 1e-6  # relative: what HiGHS proves, it proves to within its tolerances
_ENDED = {"budget": "stopped by its budget", "clock": "stopped by the clock"}


@dataclass(frozen=True, slots=True)
class Extraction:
    """One e-node per class in use, what they cost, and how far from the best that can be.

    `bound` is proven: no choice costs less. `how` says in words how the choice was found;
    `nodes` counts the e-nodes left to decide after reduction, `explored` branch-and-bound nodes.
    """

    choice: dict[int, int]
    cost: float
    bound: float
    how: str
    nodes: int
    explored: int

    @property
    def method(self) -> str:
        """How the choice was found, and whether it is the best there is."""
        return f"{self.how}, {PROVEN}" if self.bound == self.cost else self.how

    @property
    def gap(self) -> float:
        """(cost - bound) / cost: at most this share of the cost could still be saved."""
        return 0.0 if self.cost == 0.0 else max(self.cost - self.bound, 0.0) / self.cost


def extract(
    table: EGraphTable,
    *,
    effort: Effort | str = Effort.DEFAULT,
    enough: float = -inf,
    share: float = 1.0,
    without: Sequence[Phase] = (),
) -> Extraction:
    """The choice of least DAG cost: minimize sum of cost(choice(c)) over the classes in use.

    No integer program is solved where descent and kicks find a choice that costs `enough` or less.
    `share` is what integer programs may use of their budget.

    >>> from ...terms.types import Scalar
    >>> heads = [(op, None, Scalar.F32) for op in ("var", "mul", "add")]
    >>> extract(EGraphTable(heads, [(), (0, 0), (0, 0)], [0, 1, 1], 2, [0.0, 4.0, 1.0], [1])).choice
    {0: 0, 1: 2}
    """
    table.check()
    limits = _LIMITS[Effort(effort)]
    if Phase.PROGRAM in without:
        limits = replace(limits, enodes=0)
    if Phase.KICKS in without:
        limits = replace(limits, smallest=None)
    if Phase.LIKENESS in without:
        limits = replace(limits, alike=False)
    return _Search(table, limits, share).run(enough)


@dataclass(slots=True)
class _Part:
    """Classes that can be decided apart from the others, with a choice's cost and a bound."""

    classes: Sequence[int]
    size: int  # e-nodes
    cost: float
    bound: float


class _Search:
    """The state of one extraction: the best choice so far, its bound, and what was done."""

    def __init__(self, table: EGraphTable, limits: _Limits, share: float) -> None:
        self.table, self.limits = table, limits
        self.problem = reduce(table)
        self.left = sum(len(self.problem.nodes[cls]) for cls in self.problem.classes)
        self.budget = limits.total
        self.steps = max(limits.kicks[0], limits.kicks[1] * self.left)  # of kicks
        self.checks = share * (limits.checks[0] + limits.checks[1] * self.left)
        self.deadline = time.monotonic() + limits.seconds
        self.explored = self.solved = self.kicked = 0
        self.twins: Twins[IlpResult] = Twins()
        self.gained: Twins[float] = Twins()
        self.notes: dict[str, int] = {}

    def run(self, enough: float) -> Extraction:
        """All searches, and the choice written out for the whole e-graph."""
        problem, owner = self.problem, self.table.owner
        users = problem.users()
        first = start(problem, users, owner)
        likeness = Likeness(self.table, problem, first)
        descent = Descent(problem, first, users, owner, self.limits.steps)
        descent.run()
        share = shares(problem, users, owner)
        parts = [self._part(part, descent, share) for part in sorted(problem.parts(), key=len)]
        if self.limits.alike and likeness.differ(descent.choice):
            descent = Descent(problem, descent.choice, users, owner, descent.steps)
            likeness.imitate(descent)
            descent.run()
            for part in parts:
                part.cost = self._paid(part.classes, descent)
        if self.limits.enodes and dag_cost(self.table, self._written_out(descent.choice)) > enough:
            for part in parts:
                self._prove(part, descent.choice)
        choice = self._written_out(descent.choice)
        cost = dag_cost(self.table, choice)
        bound = fsum(part.bound for part in parts)
        if bound >= cost * (1 - _EQUAL):
            bound = cost
        how = self._how(descent.steps <= 0)
        return Extraction(choice, cost, bound, how, self.left, self.explored)

    def _part(self, classes: Sequence[int], descent: Descent, share: Sequence[float]) -> _Part:
        """What a part costs after kicks, and a first bound."""
        problem = self.problem
        cost = self._paid(classes, descent)
        step = grain(problem.costs[n] for cls in classes for n in problem.nodes[cls])
        bound = rounded_up(fsum(share[cls] for cls in classes if problem.needed[cls]), step)
        size = sum(len(problem.nodes[cls]) for cls in classes)
        least = self.limits.smallest
        if bound < cost * (1 - _EQUAL) and least is not None and size >= least:
            cost -= self._kicks(classes, descent, size)
        return _Part(classes, size, cost, min(bound, cost))

    def _prove(self, part: _Part, choice: list[int]) -> None:
        """Improve the choice of one part by an integer program, and its lower bound."""
        problem, cost = self.problem, part.cost
        if part.bound >= cost * (1 - _EQUAL):
            return
        if part.size > self.limits.enodes:
            self._note("too large for an integer program")
            return
        found = self._twin(part.classes, choice) or self._solved(part.classes, choice, part.size)
        if found is None:
            return
        self.solved += 1
        self.explored += found.branches
        self.checks -= found.checks
        if found.ended != "optimal" and found.bound < cost * (1 - _PROVEN):
            self._note(_ENDED[found.ended])
        if found.choice is not None:
            better = fsum(problem.costs[node] for node in found.choice.values())
            if better < cost * (1 - _EQUAL):
                cost = better
                self._adopt(choice, found.choice)
        bound = max(part.bound, found.bound)
        part.bound = cost if bound >= cost * (1 - _PROVEN) else bound

    def _paid(self, classes: Sequence[int], descent: Descent) -> float:
        """What the classes of a part that are in use cost."""
        costs, choice = self.problem.costs, descent.choice
        return fsum(costs[choice[cls]] for cls in classes if descent.alive[cls])

    def _kicks(self, part: Sequence[int], descent: Descent, size: int) -> float:
        """Look for a cheaper choice of a part by kicks; what that saves."""
        problem, choice = self.problem, descent.choice
        known = self.gained.recall(problem, part, choice)
        if known is None:
            if self.steps <= 0:
                self._note("kicks stopped by their budget")
                return 0.0
            search = Kicks(problem, part, choice)
            before = search.cost
            better = search.run(self.limits.idle(size), self.steps)
            self.steps -= search.steps
            known = before - search.cost, better
            self.gained.remember(problem, part, choice, *known)
        gain, found = known
        if gain > 0.0 and found is not None:
            self.kicked += 1
            self._adopt(choice, found)
        return gain

    def _adopt(self, choice: list[int], better: Mapping[int, int]) -> None:
        for cls, node in better.items():
            choice[cls] = node

    def _twin(self, part: Sequence[int], choice: Sequence[int]) -> IlpResult | None:
        """The result for a part that is like one that has been solved."""
        known = self.twins.recall(self.problem, part, choice)
        return known and replace(known[0], choice=known[1], branches=0, checks=0.0)

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
        if found.ended == "optimal":  # what a budget ended, another budget may not
            self.twins.remember(self.problem, part, choice, found, found.choice)
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
                result[cls] = node = choice[cls]
                stack.extend(self.table.children[node])
        return dict(sorted(result.items()))

    def _how(self, exhausted: bool) -> str:
        words = ["descent and kicks" if self.kicked else "descent"]
        if self.solved:
            words = [
                f"integer program ({self.solved} parts)" if self.solved > 1 else "integer program"
            ]
        if exhausted:
            words.append("descent stopped by its step budget")
        words += [text if n == 1 else f"{text} ({n} parts)" for text, n in self.notes.items()]
        return ", ".join(words)
