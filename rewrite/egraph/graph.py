"""The e-graph as plain data: takes nothing but numbers and names, knows nothing of engines.

An e-class is a set of e-nodes that compute the same value; an e-node is an operator over
classes. A choice names one e-node per class, and so turns the e-graph into a program.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.errors import ExtractError
from ...terms.types import Scalar
from ...terms.walk import Cyclic, postorder


@dataclass(frozen=True, slots=True)
class EGraphTable:
    """E-nodes in parallel lists (index = e-node), over the classes `0 .. classes - 1`.

    `heads[n]` is (operator, attribute, type), `children[n]` the classes of the arguments,
    `owner[n]` the class of the node, `costs[n]` what the operator alone costs. `roots` are
    the classes of the outputs and may repeat.
    """

    heads: list[tuple[str, object, Scalar]]
    children: list[tuple[int, ...]]
    owner: list[int]
    classes: int
    costs: list[float]
    roots: list[int]

    def check(self) -> None:
        """Raise ExtractError where the lists disagree or a cost is no cost."""
        size = len(self.heads)
        if not (len(self.children) == len(self.owner) == len(self.costs) == size):
            raise ExtractError("the e-graph's tables have different lengths")
        for node, cost in enumerate(self.costs):
            if not 0.0 <= cost < math.inf:
                raise ExtractError(
                    f"operator {self.heads[node][0]!r} has the cost {cost!r}",
                    hint="costs are finite numbers of at least 0",
                )
        if not math.isfinite(sum(self.costs)):
            raise ExtractError(
                "the costs of the operators are too large to be added",
                hint="give costs in a unit in which a whole program has a finite cost",
            )
        known = range(self.classes)
        for node, (cls, args) in enumerate(zip(self.owner, self.children, strict=True)):
            if cls not in known or not all(map(known.__contains__, args)):
                raise ExtractError(f"e-node {node} ({self.heads[node][0]!r}) names no class")
        if any(root not in known for root in self.roots):
            raise ExtractError("an output names a class that the e-graph does not have")


def finite(nodes: Iterable[tuple[Sequence[Hashable], Hashable]]) -> set[Hashable]:
    """The classes that hold a finite term; e-nodes are (classes of the arguments, class).

    >>> sorted(finite([((), "x"), (("x", "x"), "y"), (("z",), "z")]))
    ['x', 'y']
    """
    found: set[Hashable] = set()
    users: dict[Hashable, list[int]] = {}
    missing, owners, ready = [], [], []
    for i, (args, owner) in enumerate(nodes):
        needed = set(args)
        missing.append(len(needed))
        owners.append(owner)
        for arg in needed:
            users.setdefault(arg, []).append(i)
        if not needed:
            ready.append(owner)
    while ready:
        owner = ready.pop()
        if owner in found:
            continue
        found.add(owner)
        for i in users.get(owner, ()):
            missing[i] -= 1
            if not missing[i]:
                ready.append(owners[i])
    return found


def order(table: EGraphTable, choice: Mapping[int, int]) -> list[int]:
    """The classes that the roots need under `choice`, arguments before users.

    Raises ExtractError when a class has no node, a wrong one, or needs itself.
    """

    def arguments(cls: int) -> Sequence[int]:
        node = choice.get(cls, -1)
        if node < 0 or table.owner[node] != cls:
            raise ExtractError(f"the choice has no node for class {cls}")
        return table.children[node]

    try:
        return postorder(table.roots, arguments)
    except Cyclic as found:
        raise ExtractError(f"the choice is cyclic: class {found} needs itself") from None


def dag_cost(table: EGraphTable, choice: Mapping[int, int]) -> float:
    """The cost of a choice, every chosen node paid once: sum of cost(choice(c)), c needed.

    >>> leaf, add = ("var", "x", Scalar.F32), ("add", None, Scalar.F32)
    >>> table = EGraphTable([leaf, add, add], [(), (0, 0), (1, 1)], [0, 1, 2], 3, [0, 1, 1], [2])
    >>> dag_cost(table, {0: 0, 1: 1, 2: 2})
    2.0
    """
    return math.fsum(table.costs[choice[cls]] for cls in order(table, choice))
