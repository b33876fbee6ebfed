"""Solves the integer program of extraction: the only file that knows HiGHS.

Takes some classes of a reduced problem and a choice to begin with, gives a choice and a proven
bound. Deterministic: one thread, a fixed seed, and work that is counted, not timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...terms.errors import ExtractError
from .cycles import chosen_cycles
from .integer import Model, Row, build, cuts, grain, levels, rounded_up
from .reduce import Problem

if TYPE_CHECKING:
    from highspy import Highs

_SIZE = 3000  # columns and rows of a program that is asked for every 20 ms or so
_ROUNDS = 6  # programs solved, each with more cycles forbidden, the last with all
_OPTIONS: tuple[tuple[str, bool | int | float | str], ...] = (
    ("output_flag", False),
    ("log_to_console", False),
    ("threads", 1),
    ("parallel", "off"),
    ("random_seed", 0),
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
    # HiGHS keeps one pool of threads per calling thread, with the size of its first use there:
    # a thread of our own is neither disturbed by the caller's use of HiGHS nor disturbs it.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_solve, build(problem, classes), start, limits).result()


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
        ended = "optimal" if work.proven else _status(highs)
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
                _add_row(highs, row, 0.0)
    return IlpResult(choice, bound, branches, work.done, ended)


class _Work:
    """Counts HiGHS's questions whether to go on, and ends the search when they are used up.

    It ends it, too, when the bound is within one grain of the best solution: that is `proven`.
    """

    def __init__(self, highs: Highs, limit: float, step: float) -> None:
        import highspy

        self.done, self.limit = 0.0, limit
        self.grain, self.proven = step, False
        self.weight = 0.05 + (highs.getNumCol() + highs.getNumRow()) / _SIZE
        highs.setCallback(self._asked, None)
        highs.startCallback(highspy.cb.HighsCallbackType.kCallbackMipInterrupt)

    def _asked(self, kind: object, message: str, given: Any, answer: Any, data: object) -> None:
        self.done += self.weight
        bound = rounded_up(given.mip_dual_bound, self.grain)
        self.proven = bound >= given.mip_primal_bound - 1e-6
        if self.proven or self.done > self.limit:
            answer.user_interrupt = True


def _load(model: Model, limits: IlpLimits) -> Highs:
    try:
        import highspy
    except ImportError as error:
        raise ExtractError(
            f"HiGHS cannot be imported: {error}", hint="pip install highspy"
        ) from error
    highs = highspy.Highs()
    for name, value in (*_OPTIONS, ("time_limit", max(limits.seconds, 0.0))):
        highs.setOptionValue(name, value)
    rows = [*model.equal, *model.rows]
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.costs), len(rows)
    lp.col_cost_, lp.col_lower_ = np.array(model.costs), np.array(model.lower)
    lp.col_upper_ = np.ones(len(model.costs))
    lp.row_lower_ = np.array([0.0] * len(model.equal) + [-highspy.kHighsInf] * len(model.rows))
    lp.row_upper_ = np.zeros(len(rows))
    kinds = highspy.HighsVarType  # y is integral where x is: measured 1.5 times faster so
    lp.integrality_ = [kinds.kInteger] * len(model.x) + [kinds.kContinuous] * len(model.y)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    sizes = [len(row) for row in rows]
    lp.a_matrix_.start_ = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    lp.a_matrix_.index_ = np.array([i for row in rows for i in row], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([v for row in rows for v in row.values()])
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise ExtractError("HiGHS refused the integer program of the extraction")
    return highs


def _add_row(highs: Highs, row: Row, upper: float) -> None:
    index = np.fromiter(row.keys(), dtype=np.int32)
    highs.addRow(-inf, upper, len(row), index, np.fromiter(row.values(), dtype=np.float64))


def _put_on_levels(highs: Highs, model: Model, start: Sequence[int]) -> None:
    rows = levels(model, start)
    for _ in model.levels:
        highs.addCol(0.0, 0.0, 1.0, 0, [], [])
    for row in rows:
        _add_row(highs, row, 1.0)


def _begin(highs: Highs, model: Model, start: Sequence[int]) -> None:
    """Hand the starting choice over as the first solution."""
    import highspy

    values = [0.0] * len(model.costs)
    for cls in model.in_use(start):
        values[model.y[cls]] = values[model.x[start[cls]]] = 1.0
    solution = highspy.HighsSolution()
    solution.col_value = [*values, *model.levels]
    highs.setSolution(solution)


def _status(highs: Highs) -> str:
    import highspy

    status = highs.getModelStatus()
    known = {
        highspy.HighsModelStatus.kOptimal: "optimal",
        highspy.HighsModelStatus.kInterrupt: "budget",
        highspy.HighsModelStatus.kTimeLimit: "clock",
    }
    if status not in known:
        raise ExtractError(f"HiGHS ended with {highs.modelStatusToString(status)!r}")
    return known[status]
