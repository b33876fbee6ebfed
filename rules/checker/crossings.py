"""Points beside which a condition over several numbers changes: there a series is at its worst.

Takes comparisons, points, and what evaluates; gives more points. One number alone is solved for
in `thresholds.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...terms.rule import RuleSet
from ...terms.term import VAR, Term, toposort
from .compare import defined
from .faults import Unknown
from .thresholds import expanded

_ORDERS = frozenset(("lt", "le", "gt", "ge"))
_CONDITIONS, _WAYS, _HALVINGS = 8, 2, 24  # the last leave a millionth of the way, and less

Point = Mapping[str, float]
Meaning = Callable[[Term, Point], Any]


def conditions(lines: Sequence[Term], names: Sequence[str], rules: RuleSet) -> list[Term]:
    """The comparisons in expressions, and in what they call, over several of the numbers alone."""
    free: dict[Term, frozenset[str]] = {}
    found = []
    for term in toposort(expanded(lines, rules)):
        own = {term.attr} if term.op == VAR else set[str]()
        free[term] = frozenset(own.union(*(free[a] for a in term.args)))
        if term.op in _ORDERS and len(free[term]) > 1 and free[term] <= {*names}:
            found.append(term)
    return found[:_CONDITIONS]


def crossings(
    compared: Sequence[Term], points: Sequence[Point], meaning: Meaning
) -> Iterator[dict[str, float]]:
    """Two points for each of a few ways from a sample to another: on both sides of the change.

    By halving the way, as both ends say different things.
    """
    for condition in compared:
        known = [(point, _holds(condition, point, meaning)) for point in points]
        pairs = itertools.pairwise((p, holds) for p, holds in known if holds is not None)
        ways = ((p, q) for (p, one), (q, other) in pairs if one != other)
        for start, end in itertools.islice(ways, _WAYS):
            yield from _beside(condition, dict(start), dict(end), meaning)


def _beside(
    condition: Term, start: dict[str, float], end: dict[str, float], meaning: Meaning
) -> tuple[dict[str, float], dict[str, float]]:
    first = _holds(condition, start, meaning)
    for _ in range(_HALVINGS):
        middle = {name: (start[name] + end[name]) / 2 for name in start}
        if _holds(condition, middle, meaning) == first:
            start = middle
        else:
            end = middle
    return start, end


def _holds(condition: Term, point: Point, meaning: Meaning) -> bool | None:
    """What a comparison says; None where one side is no number."""
    try:
        sides = [meaning(side, point) for side in condition.args]
    except Unknown:
        return None
    return bool(meaning(condition, point)) if all(map(defined, sides)) else None
