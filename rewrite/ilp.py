"""The integer program of extraction: the only file that knows HiGHS.

Takes some classes of a reduced problem and a starting choice, gives a choice at least as good
and a proven bound. One 0/1 variable x per e-node and y per class:

    minimize   sum cost(n) x(n)
    y(c) = sum of x(n) over n in c,   y(c) = 1 where c is needed
    sum of x(n) over n in c that use d  <=  y(d)
    for a cycle c1 .. ck of classes:  sum of z(ci, ci+1)  <=  sum of y(ci) without one y,
    where z(c, d) = sum of x(n) over n in c that use d

Cycles of two classes are forbidden from the start, longer ones when a solution has one; when
that happens too often, classes get levels, which forbid all cycles but make a weaker program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import frexp, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..terms.errors import ExtractError
from .cycles import chosen_cycles
from .implied import LARGEST, implied, members
from .reduce import Problem

if TYPE_CHECKING:
    from highspy import Highs

_SIZE = 4000  # columns and rows of a program in which a check comes every 20 ms or so
Row = dict[int, float]  # variable -> coefficient; a row means: sum <= 0

_LARGEST = 1e4  # the dearest operator is scaled into 1 .. this: HiGHS's tolerances are absolute
_OPTIONS: tuple[tuple[str, bool | int | float | str], ...] = (
    ("output_flag", False),
    ("log_to_console", False),
    ("threads", 1),
    ("parallel", "off"),
    ("random_seed", 0),
    ("mip_rel_gap", 0.0),
    ("mip_abs_gap", 1e-6),
    ("mip_heuristic_effort", 0.0),  # the descent has found what they would find
)


@dataclass(frozen=True, slots=True)
class IlpLimits:
    """What one program may use. Only `seconds` depends on the machine: a safety net.

    `checks` counts how often HiGHS asks whether to go on, weighted by the size of the program.
    It asks at fixed places of its search; its own limits do not hold before the first branch.
    """

    checks: int
    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class IlpResult:
    """A choice for the classes, or None for "no better than the start", with its proof."""

    choice: dict[int, int] | None
    bound: float
    branches: int
    checks: int
    ended: str  # "optimal", "budget" or "clock"


@dataclass(slots=True)
class _Model:
    """Variables are numbered: e-nodes in the order of `nodes`, then classes."""

    nodes: list[int]
    x: dict[int, int]
    y: dict[int, int]
    costs: np.ndarray[Any, np.dtype[np.float64]]
    scale: float
    lower: np.ndarray[Any, np.dtype[np.float64]]
    equal: list[Row] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)  # of the start, once there are levels


def solve(
    problem: Problem, classes: Sequence[int], start: Sequence[int], limits: IlpLimits
) -> IlpResult:
    """The best choice for `classes`, which use no others; `start[c]` is a choice to begin with.

    Raises ExtractError, with the reason, when HiGHS cannot be used or fails.
    """
    # HiGHS keeps one pool of threads per calling thread, with the size of its first use there:
    # a thread of our own is neither disturbed by the caller's use of HiGHS nor disturbs it.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_solve, problem, classes, start, limits).result()


def _solve(
    problem: Problem, classes: Sequence[int], start: Sequence[int], limits: IlpLimits
) -> IlpResult:
    model = _model(problem, classes)
    highs = _load(model, limits)
    work = _Work(highs, limits.checks)
    bound, branches, ended = -inf, 0, "budget"
    choice: dict[int, int] | None = None
    for left in reversed(range(limits.rounds)):
        if not left:  # cycle by cycle leads nowhere
            _put_in_order(highs, model, problem, classes, start)
        _begin(highs, model, problem, classes, start)
        highs.run()
        ended = _status(highs)
        info = highs.getInfo()
        branches += max(int(info.mip_node_count), 0)
        bound = max(bound, info.mip_dual_bound / model.scale)
        values: list[float] = list(highs.getSolution().col_value)
        choice = _chosen(problem, model, classes, values) if values else None
        cycles = list(chosen_cycles(problem, classes, choice)) if choice else []
        if not cycles:
            break
        choice = None
        if ended != "optimal":
            break
        _forbid(highs, problem, model, cycles)
    return IlpResult(choice, bound, branches, work.done, ended)


class _Work:
    """Counts HiGHS's questions whether to go on, and ends the search when they are used up."""

    def __init__(self, highs: Highs, limit: int) -> None:
        import highspy

        self.done, self.limit = 0, limit
        self.weight = 1 + (highs.getNumCol() + highs.getNumRow()) // _SIZE
        highs.setCallback(self._asked, None)
        highs.startCallback(highspy.cb.HighsCallbackType.kCallbackMipInterrupt)

    def _asked(self, kind: object, message: str, given: object, answer: Any, data: object) -> None:
        self.done += self.weight
        if self.done > self.limit:
            answer.user_interrupt = True


def _put_in_order(
    highs: Highs, model: _Model, problem: Problem, classes: Sequence[int], start: Sequence[int]
) -> None:
    """Forbid all cycles: a level t(c) in 0 .. 1 for each of k classes that may lie on one, with
    t(d) + 1/k <= t(c) where c uses d; as a row, (1 + 1/k) z(c, d) - t(c) + t(d) <= 1.
    """
    place = {cls: i for i, cls in enumerate(_post_order(problem, classes, start))}
    sizes = {cls: size for cls, size in _strong_sizes(problem, classes) if size > 2}
    ranked = sorted(sizes, key=place.__getitem__)
    members: Counter[int] = Counter()
    level = {}
    for cls in ranked:
        level[cls] = len(model.costs) + len(model.levels)
        model.levels.append(members[problem.strong[cls]] / sizes[cls])
        members[problem.strong[cls]] += 1
        highs.addCol(0.0, 0.0, 1.0, 0, [], [])
    for cls in ranked:
        for used, row in _uses(problem, model, cls).items():
            if problem.strong[used] == problem.strong[cls]:
                step = 1 + 1 / sizes[cls]
                row = {**dict.fromkeys(row, step), level[cls]: -1.0, level[used]: 1.0}
                _add_row(highs, row, 1.0)


def _post_order(problem: Problem, classes: Sequence[int], choice: Sequence[int]) -> list[int]:
    """All the classes, each after those that its choice uses."""
    opened: set[int] = set()
    result: dict[int, None] = {}
    stack = list(classes)
    while stack:
        cls = stack[-1]
        if cls in opened:
            stack.pop()
            result.setdefault(cls)
        else:
            opened.add(cls)
            stack.extend(used for used in problem.uses[choice[cls]] if used not in opened)
    return list(result)


def _strong_sizes(problem: Problem, classes: Sequence[int]) -> list[tuple[int, int]]:
    counts = Counter(problem.strong[cls] for cls in classes)
    return [(cls, counts[problem.strong[cls]]) for cls in classes]


def _forbid(
    highs: Highs,
    problem: Problem,
    model: _Model,
    cycles: Iterable[Sequence[int]],
    cuts: int = 4,
) -> None:
    for cycle in cycles:
        for row in _cuts(problem, model, cycle, cuts):
            _add_row(highs, row, 0.0)


def _add_row(highs: Highs, row: Row, upper: float) -> None:
    index = np.fromiter(row.keys(), dtype=np.int32)
    highs.addRow(-inf, upper, len(row), index, np.fromiter(row.values(), dtype=np.float64))


def _in_use(
    problem: Problem, classes: Sequence[int], choice: Sequence[int] | Mapping[int, int]
) -> list[int]:
    """The classes that a choice needs."""
    stack = [cls for cls in classes if problem.needed[cls]]
    seen = dict.fromkeys(stack)
    while stack:
        for used in problem.uses[choice[stack.pop()]]:
            if used not in seen:
                seen[used] = None
                stack.append(used)
    return list(seen)


def _model(problem: Problem, classes: Sequence[int]) -> _Model:
    nodes = [node for cls in classes for node in problem.nodes[cls]]
    x = {node: i for i, node in enumerate(nodes)}
    y = {cls: len(nodes) + i for i, cls in enumerate(classes)}
    costs = np.array([problem.costs[node] for node in nodes] + [0.0] * len(classes))
    scale = _scale(float(costs.max()))
    lower = np.zeros(len(costs))
    model = _Model(nodes, x, y, costs * scale, scale, lower)
    for cls in classes:
        if problem.needed[cls]:
            lower[y[cls]] = 1.0
        model.equal.append({y[cls]: -1.0, **{x[node]: 1.0 for node in problem.nodes[cls]}})
        for used in _uses(problem, model, cls):
            if used > cls and problem.strong[used] == problem.strong[cls]:
                back = _uses(problem, model, used).get(cls)
                if back is not None:
                    model.rows += _cuts(problem, model, [cls, used])
    model.rows += _brought(problem, model, classes)
    return model


def _brought(problem: Problem, model: _Model, classes: Sequence[int]) -> list[Row]:
    """sum of x(n) over n in c that bring d along <= y(d), for the d that c uses or implies.

    Stronger than to count the uses of d only: fractions cannot spread over the ways to d.
    """
    sets = implied(classes, problem.nodes, problem.uses) if len(classes) <= LARGEST else []
    place = {cls: i for i, cls in enumerate(classes)}
    rows: list[Row] = []
    for i, cls in enumerate(classes):
        targets = dict.fromkeys(u for node in problem.nodes[cls] for u in problem.uses[node])
        brought: dict[int, int] = {}
        for node in problem.nodes[cls]:
            every = 0
            for used in problem.uses[node]:
                every |= sets[place[used]] if sets else 1 << place[used]
            brought[node] = every
        if sets:
            targets.update(dict.fromkeys(_nearest(sets, classes, i)))
        for used in targets:
            if not problem.needed[used]:
                bit = 1 << place[used]
                users = [node for node in problem.nodes[cls] if brought[node] & bit]
                rows.append({**{model.x[node]: 1.0 for node in users}, model.y[used]: -1.0})
    return rows


def _nearest(sets: Sequence[int], classes: Sequence[int], i: int) -> list[int]:
    """The classes that a class implies, without those that they imply themselves."""
    place = range(len(classes))
    rest = sets[i] & ~(1 << i)
    for j in members(rest, place):
        if rest >> j & 1:
            rest &= ~sets[j] | 1 << j
    return members(rest, classes)


def _scale(largest: float) -> float:
    """1 for ordinary costs, else a power of two: integral costs stay so."""
    if 1.0 <= largest <= _LARGEST or largest == 0.0:
        return 1.0
    return 2.0 ** (7 - frexp(largest)[1])


def _uses(problem: Problem, model: _Model, cls: int) -> dict[int, Row]:
    """z(c, d) for every d that an e-node of c uses."""
    rows: dict[int, Row] = {}
    for node in problem.nodes[cls]:
        for used in problem.uses[node]:
            rows.setdefault(used, {})[model.x[node]] = 1.0
    return rows


def _cuts(problem: Problem, model: _Model, cycle: Sequence[int], count: int = 2) -> list[Row]:
    """sum of z(ci, ci+1) <= sum of y(ci) without y(cj), for j <= count."""
    edges: Row = {}
    for cls, used in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        edges.update(_uses(problem, model, cls)[used])
    cuts = []
    for spared in cycle[:count]:
        ys = {model.y[cls]: -1.0 for cls in cycle if cls != spared}
        cuts.append({**edges, **ys})
    return cuts


def _load(model: _Model, limits: IlpLimits) -> Highs:
    try:
        import highspy
    except ImportError as error:
        raise ExtractError(
            f"HiGHS cannot be imported: {error}", hint="pip install highspy"
        ) from error
    highs = highspy.Highs()
    options = (
        *_OPTIONS,
        ("time_limit", max(limits.seconds, 0.0)),
    )
    for name, value in options:
        highs.setOptionValue(name, value)
    rows = [*model.equal, *model.rows]
    sizes = [len(row) for row in rows]
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.costs), len(rows)
    lp.col_cost_, lp.col_lower_ = model.costs, model.lower
    lp.col_upper_ = np.ones(len(model.costs))
    lp.row_lower_ = np.array([0.0] * len(model.equal) + [-highspy.kHighsInf] * len(model.rows))
    lp.row_upper_ = np.zeros(len(rows))
    kinds = highspy.HighsVarType  # y is integral where x is: measured 1.5 times faster so
    lp.integrality_ = [kinds.kInteger] * len(model.nodes) + [kinds.kContinuous] * len(model.y)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    lp.a_matrix_.index_ = np.array([i for row in rows for i in row], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([v for row in rows for v in row.values()])
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise ExtractError("HiGHS refused the integer program of the extraction")
    return highs


def _begin(
    highs: Highs, model: _Model, problem: Problem, classes: Sequence[int], start: Sequence[int]
) -> None:
    """Hand the starting choice over as the first solution."""
    import highspy

    values = np.zeros(len(model.costs))
    for cls in _in_use(problem, classes, start):
        values[model.y[cls]] = values[model.x[start[cls]]] = 1.0
    solution = highspy.HighsSolution()
    solution.col_value = [*values.tolist(), *model.levels]
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


def _chosen(
    problem: Problem, model: _Model, classes: Sequence[int], values: Sequence[float]
) -> dict[int, int]:
    """The e-node of each class in use: the first whose variable is 1."""
    choice: dict[int, int] = {}
    stack = [cls for cls in classes if problem.needed[cls]]
    while stack:
        cls = stack.pop()
        if cls not in choice:
            picked = max(problem.nodes[cls], key=lambda node: round(values[model.x[node]]))
            choice[cls] = picked
            stack.extend(problem.uses[picked])
    return choice
