"""Cycles of classes that a choice contains; knows no solver.

Takes a reduced problem and a choice, gives lists of classes, each using the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .reduce import Problem


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
