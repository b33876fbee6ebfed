"""Cycles of classes that a choice, or a fractional one, contains; knows no solver.

Takes a reduced problem and a choice, gives lists of classes, each using the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush

from .reduce import Problem

_TINY = 1e-4  # a cycle inequality that is violated by less is not worth its row


def chosen_cycles(
    problem: Problem, classes: Sequence[int], choice: Mapping[int, int]
) -> Iterator[list[int]]:
    """Some cycles of an integral choice; none exactly when it is acyclic."""
    strong = problem.strong
    done: set[int] = set()
    for first in classes:
        path: list[int] = []
        place: dict[int, int] = {}
        stack = [(first, 0)] if first in choice and first not in done else []
        while stack:
            cls, depth = stack.pop()
            while len(path) > depth:
                last = path.pop()
                del place[last]
                done.add(last)
            if cls in place:
                yield path[place[cls] :]
            elif cls not in done:
                place[cls] = len(path)
                path.append(cls)
                uses = problem.uses[choice[cls]]
                stack.extend((used, len(path)) for used in uses if strong[used] == strong[cls])
        done.update(path)


def fractional_cycles(
    problem: Problem,
    classes: Sequence[int],
    active: Callable[[int], float],
    weight: Callable[[int], float],
) -> Iterator[list[int]]:
    """Cycles c1 .. ck with sum of (y(ci) - z(ci, ci+1)) < y(c1): one per class, the shortest.

    `active(c)` is y(c), `weight(n)` is x(n), z(c, d) = sum of x(n) over n in c that use d.
    """
    lengths: dict[int, dict[int, float]] = {}
    for cls in classes:
        whole, same = active(cls), problem.strong[cls]
        found: dict[int, float] = {}
        for node in problem.nodes[cls]:
            part = weight(node)
            for used in problem.uses[node] if part > _TINY else ():
                if problem.strong[used] == same:
                    found[used] = found.get(used, whole) - part
        if found:
            lengths[cls] = {used: max(length, 0.0) for used, length in found.items()}
    for cls in lengths:
        cycle = _shortest_cycle(lengths, cls, active(cls) - _TINY)
        if cycle:
            yield cycle


def _shortest_cycle(
    lengths: Mapping[int, Mapping[int, float]], start: int, limit: float
) -> list[int]:
    """The shortest way from a class back to it, if shorter than the limit."""
    best = {used: length for used, length in lengths[start].items() if length < limit}
    came = dict.fromkeys(best, start)
    heap = sorted((length, used) for used, length in best.items())
    while heap:
        length, cls = heappop(heap)
        if cls == start:
            path = [came[start]]
            while path[-1] != start:
                path.append(came[path[-1]])
            return path[::-1]
        if length > best[cls]:
            continue
        for used, step in lengths.get(cls, {}).items():
            if length + step < best.get(used, limit):
                best[used] = length + step
                came[used] = cls
                heappush(heap, (length + step, used))
    return []
