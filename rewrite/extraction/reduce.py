"""Takes an e-graph, gives the smaller problem that is left to decide; knows no solver.

Every step keeps at least one optimal choice:
- e-nodes without an acyclic derivation, and classes that no output reaches, go;
- a class with a free e-node over free classes takes it and costs nothing to anyone;
- a class that is in every solution ("needed") is paid anyway: users on no cycle with it may
  forget about it;
- an e-node goes when another of its class costs no more and uses only what it brings along.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...terms.errors import ExtractError
from ..egraph.graph import EGraphTable
from .components import parts, strong_components
from .implied import LARGEST, implied, members

_COMPARED = 32  # e-nodes of a class that each of its e-nodes is compared with, at most
_ROUNDS = 8
_APART = 2_000  # classes: larger problems are reduced part by part


@dataclass(slots=True)
class Problem:
    """Choose one of `nodes[c]` for every needed class and for every class in use.

    `uses[n]` are the distinct classes whose cost or cycles e-node n has to care about.
    `settled[c]` is the e-node already chosen for a free class, which no `uses` names.
    `strong[c]` is equal for classes that may lie on a common cycle.
    """

    nodes: list[list[int]]
    uses: list[tuple[int, ...]]
    costs: list[float]
    needed: list[bool]
    settled: dict[int, int]
    strong: list[int]
    classes: list[int]

    def users(self) -> list[list[int]]:
        """For every class, the (class, e-node) pairs that use it, flattened to e-nodes."""
        users: list[list[int]] = [[] for _ in self.nodes]
        for cls in self.classes:
            for node in self.nodes[cls]:
                for used in self.uses[node]:
                    users[used].append(node)
        return users

    def parts(self) -> list[list[int]]:
        """Groups of classes that can be decided apart from each other."""
        place = {cls: i for i, cls in enumerate(self.classes)}
        edges = (
            (place[cls], place[used])
            for cls in self.classes
            for node in self.nodes[cls]
            for used in self.uses[node]
        )
        return [[self.classes[i] for i in part] for part in parts(len(place), edges)]


def reduce(table: EGraphTable) -> Problem:
    """The part of the e-graph that a choice of least cost has to decide about."""
    nodes: list[list[int]] = [[] for _ in range(table.classes)]
    uses = [
        args if len(set(args)) == len(args) else tuple(dict.fromkeys(args))
        for args in table.children
    ]
    for node, cls in enumerate(table.owner):
        if cls not in uses[node]:
            nodes[cls].append(node)
    _keep_derivable(table, nodes, uses)
    for group in nodes:
        if len(group) > 1:
            group.sort(key=lambda n: (table.costs[n], len(table.children[n]), n))
    settled = _settle_free(table, nodes, uses)
    roots = [root for root in dict.fromkeys(table.roots) if root not in settled]
    needed = [False] * table.classes
    problem = Problem(nodes, uses, table.costs, needed, settled, [], [])
    for root in roots:
        needed[root] = True
    problem.classes = _reachable(problem, roots)
    for _ in range(_ROUNDS):
        problem.strong = _strong(problem)
        _spread_need(problem)
        _forget_needed(problem)
        dropped = _drop_dominated(problem)
        problem.classes = _reachable(problem, [c for c in problem.classes if needed[c]])
        if not dropped:
            break
    problem.strong = _strong(problem)
    return problem


def _keep_derivable(
    table: EGraphTable, nodes: list[list[int]], uses: Sequence[tuple[int, ...]]
) -> None:
    """Drop e-nodes over classes that no finite term belongs to."""
    waiting: list[list[int]] = [[] for _ in nodes]
    missing = [len(used) for used in uses]
    for group in nodes:
        for node in group:
            for used in uses[node]:
                waiting[used].append(node)
    derivable = [False] * table.classes
    ready = [node for group in nodes for node in group if not missing[node]]
    while ready:
        cls = table.owner[ready.pop()]
        if derivable[cls]:
            continue
        derivable[cls] = True
        for node in waiting[cls]:
            missing[node] -= 1
            if not missing[node]:
                ready.append(node)
    for root in table.roots:
        if not derivable[root]:
            raise ExtractError(
                f"no finite program computes output {table.roots.index(root)}: every e-node "
                f"of class {root} needs the class itself"
            )
    for cls, group in enumerate(nodes):
        nodes[cls] = [node for node in group if not missing[node]]


def _settle_free(
    table: EGraphTable, nodes: list[list[int]], uses: list[tuple[int, ...]]
) -> dict[int, int]:
    """Choose free e-nodes over free classes, and forget these classes everywhere."""
    settled: dict[int, int] = {}
    waiting: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    ready: list[int] = []
    for group in nodes:
        for node in group:
            if table.costs[node] == 0.0:
                missing[node] = len(uses[node])
                for used in uses[node]:
                    waiting.setdefault(used, []).append(node)
                if not uses[node]:
                    ready.append(node)
    while ready:
        later: list[int] = []
        for node in ready:
            cls = table.owner[node]
            if settled.setdefault(cls, node) != node:
                continue
            for user in waiting.get(cls, ()):
                missing[user] -= 1
                if not missing[user]:
                    later.append(user)
        ready = sorted(later)
    for cls in settled:
        nodes[cls] = []
    for group in nodes:
        for node in group:
            if not settled.keys().isdisjoint(uses[node]):
                uses[node] = tuple([used for used in uses[node] if used not in settled])
    return settled


def _reachable(problem: Problem, starts: Sequence[int]) -> list[int]:
    """The classes below `starts` in ascending order; the others lose their e-nodes."""
    nodes, uses = problem.nodes, problem.uses
    seen = [False] * len(nodes)
    stack = list(starts)
    for cls in stack:
        seen[cls] = True
    while stack:
        for node in nodes[stack.pop()]:
            for used in uses[node]:
                if not seen[used]:
                    seen[used] = True
                    stack.append(used)
    for cls, alive in enumerate(seen):
        if not alive and nodes[cls]:
            nodes[cls] = []
    return [cls for cls, alive in enumerate(seen) if alive]


def _strong(problem: Problem) -> list[int]:
    uses = problem.uses
    successors: list[Sequence[int]] = [
        uses[group[0]] if len(group) == 1 else [u for node in group for u in uses[node]]
        for group in problem.nodes
    ]
    return strong_components(successors)


def _spread_need(problem: Problem) -> None:
    """needed(c) and d in uses(n) for every e-node n of c imply needed(d)."""
    nodes, uses, needed = problem.nodes, problem.uses, problem.needed
    stack = [cls for cls in problem.classes if needed[cls]]
    while stack:
        group = nodes[stack.pop()]
        common: Collection[int] = uses[group[0]]
        if len(group) > 1:
            common = set(common).intersection(*[uses[node] for node in group[1:]])
        for used in common:
            if not needed[used]:
                needed[used] = True
                stack.append(used)


def _forget_needed(problem: Problem) -> None:
    """Paid anyway and on no common cycle: the use decides nothing."""
    needed, strong, uses = problem.needed, problem.strong, problem.uses
    for cls in problem.classes:
        label = strong[cls]
        for node in problem.nodes[cls]:
            for used in uses[node]:
                if needed[used] and strong[used] != label:
                    kept = [u for u in uses[node] if not needed[u] or strong[u] == label]
                    uses[node] = tuple(kept)
                    break


def _drop_dominated(problem: Problem) -> bool:
    """Drop e-nodes that another of the class can replace; whether there were any."""
    dropped = False
    nodes = problem.nodes
    # Sets of classes take the square of their number in bits: small problems are one part.
    apart = problem.parts() if len(problem.classes) > _APART else [problem.classes]
    for part in apart:
        if len(part) > 1 or any(len(nodes[cls]) > 1 for cls in part):
            dropped |= _drop(problem, part)
    return dropped


def _drop(problem: Problem, part: Sequence[int]) -> bool:
    """cost(m) <= cost(n), and n brings along all that m uses: m does all that n does.

    What n brings along is below n, so that m may use it without closing a cycle.
    """
    sets: list[int] = []
    place: dict[int, int] = {}
    if len(part) <= LARGEST:
        part = sorted(part, key=problem.strong.__getitem__)  # what is used comes first
        place = {cls: i for i, cls in enumerate(part)}
        sets = implied(part, problem.nodes, problem.uses)
        every = 0
        for cls in part:
            if problem.needed[cls]:
                every |= sets[place[cls]]
        for cls in members(every, part):
            problem.needed[cls] = True
    dropped = False
    for cls in part:
        group = problem.nodes[cls]
        if len(group) > 1:
            kept = _by_bits(problem, group, place, sets) if sets else _by_sets(problem, group)
            if len(kept) < len(group):
                problem.nodes[cls] = kept
                dropped = True
    return dropped


def _by_bits(
    problem: Problem, group: Sequence[int], place: Mapping[int, int], sets: Sequence[int]
) -> list[int]:
    own: list[int] = []
    brought: list[int] = []
    ordered = _in_order(problem, group)
    for node in ordered:
        mine = every = 0
        for used in problem.uses[node]:
            i = place[used]
            mine |= 1 << i
            every |= sets[i]
        own.append(mine)
        brought.append(every)
    return _undominated(problem, ordered, own, brought)


def _by_sets(problem: Problem, group: Sequence[int]) -> list[int]:
    ordered = _in_order(problem, group)
    place: dict[int, int] = {}
    own = [
        sum([1 << place.setdefault(used, len(place)) for used in problem.uses[node]])
        for node in ordered
    ]
    return _undominated(problem, ordered, own, own)


def _in_order(problem: Problem, group: Sequence[int]) -> list[int]:
    """By cost, then by what is still to be paid, then in the order of `reduce`."""
    costs, uses = problem.costs, problem.uses
    return sorted(group, key=lambda n: (costs[n], len(uses[n])))


def _undominated(
    problem: Problem, ordered: Sequence[int], own: Sequence[int], brought: Sequence[int]
) -> list[int]:
    """The e-nodes of a class that no other can replace: one that costs no more, and uses nothing
    (bits in `own`) but what they bring along."""
    costs = [problem.costs[node] for node in ordered]
    kept = list(range(len(ordered)))
    for n in reversed(range(len(ordered))):
        cost, missing = costs[n], ~brought[n]
        for m in kept[:_COMPARED]:
            if costs[m] > cost:
                break  # as do all that follow
            if m != n and not own[m] & missing:
                kept.remove(n)
                break
    return [ordered[i] for i in kept]
