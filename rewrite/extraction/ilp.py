"""Solves the integer program of extraction, with HiGHS.

Takes some classes of a reduced problem and a choice to begin with, gives a choice and a proven
bound. Deterministic: one thread, a fixed seed, and work that is counted, not timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from ..highs import LinearProgram, add_row, apart, highspy, loaded, why_ended
from .cycles import chosen_cycles
from .integer import Model, build, cuts, grain, levels, rounded_up
from .reduce import Problem

if TYPE_CHECKING:
    from ..highs import Highs

_SIZE = 3000  # columns and rows of a program that is asked for every 20 ms or so
_ROUNDS = 6  # programs solved, each with more cycles forbidden, the last with all
_OPTIONS = (
    ("mip_rel_gap", 0.0),
    ("mip_abs_gap", 1e-6),
    # Descent and kicks have found what these would find; feasibility jump alone takes 6 ms, however
    # small the program is.
    ("mip_heuristic_effort", 0.0),
    ("mip_heuristic_run_feasibility_jump", False),
    ("mip_heuristic_run_rins", False),
    ("mip_heuristic_run_rens", False),
    ("mip_heuristic_run_root_reduced_cost", False),
)


@dataclass(frozen=True, slots=True)
class IlpLimits:
    """What one program may use. Only `seconds` depends on the machine: a safety net.

    `checks` counts how often HiGHS asks whether to go on, weighted by the size of the program.
    It asks at fixed places of its search; its own limits do not hold before the first branch.
    """

    checks: float
    seconds: float


@dataclass(frozen=True, slots=True)
class IlpResult:
    """A choice, or None where none was found, and the proof; `ended` says why it stopped."""

    choice: dict[int, int] | None
    bound: float
    branches: int
    checks: float
    ended: str  # "optimal", "budget" or "clock"


def solve(
    problem: Problem, classes: Sequence[int], start: Sequence[int], limits: IlpLimits
) -> IlpResult:
    """The best choice for `classes`, which use no others; `start[c]` is a choice to begin with.

    Raises ExtractError, with the reason, when HiGHS cannot be used or fails.
    """
    return apart(lambda: _solve(build(problem, classes), start, limits))


def _solve(model: Model, start: Sequence[int], limits: IlpLimits) -> IlpResult:
    highs = _load(model, limits)
    work = _Work(highs, limits.checks, grain(model.costs))
    bound, branches, ended = -inf, 0, "budget"
    choice: dict[int, int] | None = None
    for left in reversed(range(_ROUNDS)):
        if not left:  # cycle by cycle leads nowhere
            _put_on_levels(highs, model, start)
        _begin(highs, model, start)
        work.proven = False
        highs.run()
        ended = "optimal" if work.proven else why_ended(highs)
        info = highs.getInfo()
        branches += max(int(info.mip_node_count), 0)
        bound = max(bound, rounded_up(info.mip_dual_bound, work.grain) / model.scale)
        values = list(highs.getSolution().col_value)
        choice = model.chosen(values) if values else None
        cycles = list(chosen_cycles(model.problem, model.classes, choice)) if choice else []
        if not cycles:
            break
        choice = None
        if ended != "optimal":
            break
        for cycle in cycles:
            for row in cuts(model, cycle):
                add_row(highs, row, 0.0)
    return IlpResult(choice, bound, branches, work.done, ended)


class _Work:
    """Counts HiGHS's questions whether to go on, and ends the search when they are used up.

    It ends it, too, when the bound is within one grain of the best solution: that is `proven`.
    """

    def __init__(self, highs: Highs, limit: float, step: float) -> None:
        self.done, self.limit = 0.0, limit
        self.grain, self.proven = step, False
        self.weight = 0.05 + (highs.getNumCol() + highs.getNumRow()) / _SIZE
        highs.setCallback(self._asked, None)
        highs.startCallback(highspy().cb.HighsCallbackType.kCallbackMipInterrupt)

    def _asked(self, kind: object, message: str, given: Any, answer: Any, data: object) -> None:
        self.done += self.weight
        bound = rounded_up(given.mip_dual_bound, self.grain)
        self.proven = bound >= given.mip_primal_bound - 1e-6
        if self.proven or self.done > self.limit:
            answer.user_interrupt = True


def _load(model: Model, limits: IlpLimits) -> Highs:
    count, equal = len(model.costs), len(model.equal)
    program = LinearProgram(
        model.costs,
        model.lower,
        [1.0] * count,
        [*model.equal, *model.rows],
        [0.0] * equal + [-inf] * len(model.rows),
        [0.0] * (equal + len(model.rows)),
        integral=len(model.x),  # y is integral where x is: measured 1.5 times faster so
    )
    return loaded(program, (*_OPTIONS, ("time_limit", max(limits.seconds, 0.0))))


def _put_on_levels(highs: Highs, model: Model, start: Sequence[int]) -> None:
    rows = levels(model, start)
    for _ in model.levels:
        highs.addCol(0.0, 0.0, 1.0, 0, [], [])
    for row in rows:
        add_row(highs, row, 1.0)


def _begin(highs: Highs, model: Model, start: Sequence[int]) -> None:
    """Hand the starting choice over as the first solution."""
    values = [0.0] * len(model.costs)
    for cls in model.in_use(start):
        values[model.y[cls]] = values[model.x[start[cls]]] = 1.0
    solution = highspy().HighsSolution()
    solution.col_value = [*values, *model.levels]
    highs.setSolution(solution)
