"""What is read back from an e-graph: e-nodes in a canonical order, over numbered classes.

Takes rows in any order, gives plain data, and terms under a choice of one e-node per class;
knows nothing of engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...terms.errors import ExtractError
from ...terms.term import CONST, Term
from .encode import Head

#: A row of the e-graph: symbol, head, classes of the arguments, class, and the term of a leaf.
Row = tuple[str, Head, tuple[int, ...], int, Term | None]


class Node(NamedTuple):
    """An e-node: a head over classes, or a leaf that stands for a term.

    (There is one for every operator of a program; a tuple is made in a third of the time.)
    """

    head: Head
    args: tuple[int, ...]
    owner: int
    leaf: Term | None = None


@dataclass(frozen=True)
class Classes:
    """The e-graph as plain data: nodes in a canonical order, classes numbered from 0."""

    nodes: list[Node]
    count: int
    loaded: dict[Term, int]  # the class of every term that was loaded

    def constants(self) -> dict[int, Term]:
        """The classes that hold a constant."""
        return {n.owner: n.leaf for n in self.nodes if n.leaf is not None and n.leaf.op == CONST}


def canonical(
    raw: list[Row], owners: list[int], terms: list[Term]
) -> tuple[Classes, dict[int, int]]:
    """Number the classes: loaded terms first, then by the smallest node over numbered ones."""
    number: dict[int, int] = {}
    for owner in owners:
        number.setdefault(owner, len(number))
    loaded = {t: number[o] for t, o in zip(terms, owners, strict=True)}
    waiting: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    ready: list[tuple[tuple[Any, ...], int]] = []

    def key(i: int) -> tuple[Any, ...]:
        name, _, args, _, leaf = raw[i]
        if leaf is not None:
            return (0, leaf.op, leaf.type.value, str(leaf.attr))
        return (1, name, *(number[a] for a in args))

    for i, (_, _, args, owner, _) in enumerate(raw):
        if owner in number:
            continue
        unknown = {a for a in args if a not in number}
        missing[i] = len(unknown)
        for a in unknown:
            waiting.setdefault(a, []).append(i)
        if not unknown:
            ready.append((key(i), owner))
    while ready:
        found = []
        for _, owner in sorted(ready, key=lambda pair: pair[0]):
            if owner not in number:
                number[owner] = len(number)
                found.append(owner)
        ready = []
        for owner in found:
            for i in waiting.get(owner, ()):
                missing[i] -= 1
                if missing[i] == 0 and raw[i][3] not in number:
                    ready.append((key(i), raw[i][3]))
    return Classes(_sorted(raw, number), len(number), loaded), number


def _sorted(raw: Iterable[Row], number: Mapping[int, int]) -> list[Node]:
    """The e-nodes over numbered classes, class by class, in an order that no hash decides."""
    owned: list[list[tuple[str, Node]]] = [[] for _ in range(len(number))]
    find = number.__getitem__
    for name, head, args, owner, leaf in raw:
        try:
            node = Node(head, tuple(map(find, args)), number[owner], leaf)
        except KeyError:
            continue  # it is of use to nobody: no number stands for what it needs
        owned[node.owner].append((name, node))
    for nodes in owned:
        if len(nodes) > 1:
            nodes.sort(key=_key)
    return [node for nodes in owned for _, node in nodes]


def _key(named: tuple[str, Node]) -> tuple[Any, ...]:
    """Leaves first; then by name, and by what it is applied to."""
    name, (_, args, _, leaf) = named
    return (1, name, "", args) if leaf is None else (0, leaf.type.value, str(leaf.attr))


def build(nodes: Mapping[int, Node], root: int, built: dict[int, Term]) -> Term:
    """The term of a class under a choice of one e-node per class; `built` remembers all."""
    opened: set[int] = set()
    stack = [root]
    while stack:
        owner = stack[-1]
        if owner in built:
            stack.pop()
            continue
        node = nodes[owner]
        if node.leaf is not None:
            built[owner] = node.leaf
        elif owner in opened or all(a in built for a in node.args):
            op, attr, _, type_ = node.head
            built[owner] = Term(op, tuple([built[a] for a in node.args]), attr, type_)
        else:
            opened.add(owner)
            for arg in reversed([a for a in node.args if a not in built]):
                if arg in opened:
                    raise ExtractError("the choice of e-nodes has a cycle: a fault of egad")
                stack.append(arg)
    return built[root]
