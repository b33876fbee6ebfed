"""Walks over graphs that are too deep for recursion."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


class Cyclic(Exception):
    """A node is below itself; its first argument is that node."""


def postorder(roots: Iterable[N], below: Callable[[N], Sequence[N]]) -> list[N]:
    """Every node reachable from `roots`, what is below it first, in a deterministic order.

    Raises Cyclic.

    >>> postorder([3], lambda n: range(n))
    [0, 1, 2, 3]
    """
    order: list[N] = []
    done: dict[N, bool] = {}
    stack = list(roots)[::-1]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            if not done[node]:
                done[node] = True
                order.append(node)
            continue
        done[node] = False
        for under in reversed(below(node)):
            if under not in done:
                stack.append(under)
            elif not done[under]:
                raise Cyclic(under)
    return order
