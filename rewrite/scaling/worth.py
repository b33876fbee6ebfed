"""Which exponents are worth it: what moves together is taken together, or left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...terms.term import Term
from .balances import Exponents, Group


def worth(
    conditions: Sequence[Group], found: Exponents, paid: Callable[[Group, Exponents], int]
) -> tuple[dict[Term, int], int]:
    """Those exponents that save operators, part by part of what moves together; how many.

    `paid` says what a condition costs at some exponents.
    """
    chosen: dict[Term, int] = {}
    saved = 0
    for moved, touched in _parts(conditions, found):
        part = {value: found[value] for value in moved}
        gain = sum([paid(group, {}) - paid(group, part) for group in touched])
        if gain > 0:
            chosen.update(part)
            saved += gain
    return chosen, saved


def _parts(
    conditions: Sequence[Group], found: Exponents
) -> Iterator[tuple[list[Term], list[Group]]]:
    """Values with exponents that share conditions with no others, and these conditions."""
    above = {value: value for value, k in found.items() if k}

    def top(value: Term) -> Term:
        while above[value] is not value:
            above[value] = value = above[above[value]]
        return value

    touching = [(g, [v for b in g for v, _ in b.parts if v in above]) for g in conditions]
    for _, values in touching:
        for value in values[1:]:
            above[top(value)] = top(values[0])
    parts: dict[Term, tuple[list[Term], list[Group]]] = {}
    for value in above:
        parts.setdefault(top(value), ([], []))[0].append(value)
    for group, values in touching:
        if values:
            parts[top(values[0])][1].append(group)
    yield from parts.values()
