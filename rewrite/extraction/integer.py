"""The integer program of extraction as rows of numbers; knows no solver.

Takes some classes of a reduced problem, gives one 0/1 variable x per e-node and y per class:

    minimize   sum cost(n) x(n)
    y(c) = sum of x(n) over n in c,   y(c) = 1 where c is needed
    sum of x(n) over n in c that bring d along  <=  y(d)
    for a set of classes on a cycle and c in it:  y(c)  <=  sum of x(n) over n of the set's
    classes that use none of the set

A class in use has a derivation, which leaves every set that it enters: the last row says so of a
strong component as a whole, and of two classes, from the start, and of a longer cycle when a
solution has one; when that happens too often, classes get levels, which forbid all cycles but make
a weaker program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, frexp, gcd, isfinite

from .implied import LARGEST, implied, members
from .reduce import Problem

Row = dict[int, float]  # variable -> coefficient

_DENSE = 20_000  # coefficients of the rows about one set of classes, at most
_GRAINS = 64  # of one unit of cost: what is no multiple of a 64th has no grain
_DEAREST = 1e4  # the dearest operator is scaled into 1 .. this: solvers' tolerances are absolute


@dataclass(slots=True)
class Model:
    """The variables are numbered: `x` of e-nodes, `y` of classes, then levels."""

    problem: Problem
    classes: Sequence[int]
    x: dict[int, int]
    y: dict[int, int]
    costs: list[float]  # of the variables, scaled
    scale: float
    lower: list[float]
    equal: list[Row] = field(default_factory=list)  # sum = 0
    rows: list[Row] = field(default_factory=list)  # sum <= 0
    levels: list[float] = field(default_factory=list)  # a first solution, once there are levels

    def uses(self, cls: int) -> dict[int, Row]:
        """z(c, d) for every d that an e-node of c uses."""
        rows: dict[int, Row] = {}
        for node in self.problem.nodes[cls]:
            for used in self.problem.uses[node]:
                rows.setdefault(used, {})[self.x[node]] = 1.0
        return rows

    def in_use(self, choice: Sequence[int]) -> list[int]:
        """The classes that a choice needs."""
        stack = [cls for cls in self.classes if self.problem.needed[cls]]
        seen = dict.fromkeys(stack)
        while stack:
            for used in self.problem.uses[choice[stack.pop()]]:
                if used not in seen:
                    seen[used] = None
                    stack.append(used)
        return list(seen)

    def chosen(self, values: Sequence[float]) -> dict[int, int]:
        """The e-node of each class in use: the first whose variable is 1."""
        choice: dict[int, int] = {}
        stack = [cls for cls in self.classes if self.problem.needed[cls]]
        while stack:
            cls = stack.pop()
            if cls not in choice:
                group = self.problem.nodes[cls]
                choice[cls] = max(group, key=lambda node: round(values[self.x[node]]))
                stack.extend(self.problem.uses[choice[cls]])
        return choice


def build(problem: Problem, classes: Sequence[int]) -> Model:
    """The program for `classes`, which use no others."""
    nodes = [node for cls in classes for node in problem.nodes[cls]]
    costs = [problem.costs[node] for node in nodes]
    scale = _scale(max(costs))
    model = Model(
        problem,
        classes,
        x={node: i for i, node in enumerate(nodes)},
        y={cls: len(nodes) + i for i, cls in enumerate(classes)},
        costs=[cost * scale for cost in costs] + [0.0] * len(classes),
        scale=scale,
        lower=[0.0] * len(nodes) + [float(problem.needed[cls]) for cls in classes],
    )
    for cls in classes:
        xs = {model.x[node]: 1.0 for node in problem.nodes[cls]}
        model.equal.append({model.y[cls]: -1.0, **xs})
        for used in model.uses(cls):
            together = used > cls and problem.strong[used] == problem.strong[cls]
            if together and cls in model.uses(used):
                model.rows += cuts(model, [cls, used])
    for group in _components(model):
        if len(group) > 2:
            model.rows += cuts(model, group)
    model.rows += _brought(model)
    return model


def cuts(model: Model, group: Sequence[int]) -> list[Row]:
    """y(c) - sum of x(n) <= 0, over the e-nodes n of the group's classes that use none of it.

    For the first few c where there are many: any one forbids the cycle that goes through them all.
    """
    inside = frozenset(group)
    problem = model.problem
    out = {
        model.x[node]: -1.0
        for cls in group
        for node in problem.nodes[cls]
        if inside.isdisjoint(problem.uses[node])
    }
    few = max(1, min(len(group), _DENSE // (len(out) + 1)))
    return [{**out, model.y[cls]: 1.0} for cls in group[:few]]


def _components(model: Model) -> list[list[int]]:
    """The classes that may lie on common cycles."""
    groups: dict[int, list[int]] = {}
    for cls in model.classes:
        groups.setdefault(model.problem.strong[cls], []).append(cls)
    return list(groups.values())


def levels(model: Model, start: Sequence[int]) -> list[Row]:
    """Add levels to the variables; the rows, with sum <= 1, that forbid all cycles.

    A level t(c) in 0 .. 1 for each of k classes that may lie on a common cycle, with
    t(d) + 1/k <= t(c) where c uses d; as a row: (1 + 1/k) z(c, d) - t(c) + t(d) <= 1.
    """
    strong = model.problem.strong
    sizes = Counter(strong[cls] for cls in model.classes)
    done: Counter[int] = Counter()
    level: dict[int, int] = {}
    for cls in _post_order(model, start):
        if sizes[strong[cls]] > 2:
            level[cls] = len(model.costs) + len(model.levels)
            model.levels.append(done[strong[cls]] / sizes[strong[cls]])
            done[strong[cls]] += 1
    rows: list[Row] = []
    for cls in level:
        step = 1 + 1 / sizes[strong[cls]]
        for used, xs in model.uses(cls).items():
            if strong[used] == strong[cls]:
                rows.append({**dict.fromkeys(xs, step), level[cls]: -1.0, level[used]: 1.0})
    return rows


def _post_order(model: Model, choice: Sequence[int] | Mapping[int, int]) -> list[int]:
    """All the classes, each after those that its choice uses."""
    opened: set[int] = set()
    result: dict[int, None] = {}
    stack = list(model.classes)
    while stack:
        cls = stack[-1]
        if cls in opened:
            stack.pop()
            result.setdefault(cls)
        else:
            opened.add(cls)
            uses = model.problem.uses[choice[cls]]
            stack.extend(used for used in uses if used not in opened)
    return list(result)


def _brought(model: Model) -> list[Row]:
    """sum of x(n) over n in c that bring d along <= y(d), for the d that c uses or implies.

    Stronger than to count the uses of d only: fractions cannot spread over the ways to d.
    """
    problem, classes = model.problem, model.classes
    sets = implied(classes, problem.nodes, problem.uses) if len(classes) <= LARGEST else []
    place = {cls: i for i, cls in enumerate(classes)}
    rows: list[Row] = []
    for i, cls in enumerate(classes):
        targets = list(model.uses(cls))
        brought: dict[int, int] = {}
        for node in problem.nodes[cls]:
            brought[node] = 0
            for used in problem.uses[node]:
                brought[node] |= sets[place[used]] if sets else 1 << place[used]
        if sets:
            targets = list(dict.fromkeys([*targets, *_nearest(sets, classes, i)]))
        for used in targets:
            if not problem.needed[used]:
                bit = 1 << place[used]
                users = [node for node in problem.nodes[cls] if brought[node] & bit]
                rows.append({**{model.x[node]: 1.0 for node in users}, model.y[used]: -1.0})
    return rows


def _nearest(sets: Sequence[int], classes: Sequence[int], i: int) -> list[int]:
    """The classes that a class implies, without those that they imply themselves."""
    rest = sets[i] & ~(1 << i)
    for j in members(rest, range(len(classes))):
        if rest >> j & 1:
            rest &= ~sets[j] | 1 << j
    return members(rest, classes)


def grain(costs: Iterable[float]) -> float:
    """The largest step that all costs are multiples of, 0 where there is none worth the name.

    A bound may be rounded up to the next multiple.

    >>> grain([1.0, 8.0, 2.5]), grain([1.0, 1.37])
    (0.5, 0.0)
    """
    parts = [cost * _GRAINS for cost in costs]
    if not all([part.is_integer() for part in parts]):
        return 0.0
    return gcd(*[int(part) for part in parts]) / _GRAINS


def rounded_up(bound: float, step: float) -> float:
    """The least multiple of `step` that is not below a bound, but for rounding of the bound."""
    return max(bound, ceil(bound / step - 1e-6) * step) if step and isfinite(bound) else bound


def _scale(largest: float) -> float:
    """1 for ordinary costs, else a power of two: integral costs stay so."""
    if 1.0 <= largest <= _DEAREST or largest == 0.0:
        return 1.0
    return 2.0 ** (7 - frexp(largest)[1])
