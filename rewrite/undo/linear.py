"""Linear inequalities of integers, and whether some of them contradict each other.

    0 <= i, i <= m - 1, m <= 0    cannot be

Variables are eliminated one after another (Fourier and Motzkin), with what is left rounded to
whole numbers. Takes forms, says what is impossible; what it does not find out may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from ...terms.term import Term

_ROWS = 96  # beyond which nothing is found out


@dataclass(frozen=True)
class Form:
    """A number and multiples of atoms: `2 * i - m + 3`; their order is that of their making."""

    parts: tuple[tuple[Term, int], ...] = ()
    number: int = 0

    def __add__(self, other: Form | int) -> Form:
        return self._plus(other, 1)

    def __sub__(self, other: Form | int) -> Form:
        return self._plus(other, -1)

    def __mul__(self, factor: int) -> Form:
        parts = tuple([(atom, factor * n) for atom, n in self.parts]) if factor else ()
        return Form(parts, factor * self.number)

    def __neg__(self) -> Form:
        return self * -1

    def _plus(self, other: Form | int, times: int) -> Form:
        if isinstance(other, int):
            return Form(self.parts, self.number + times * other)
        found = dict(self.parts)
        _add(found, other.parts, times)
        return Form(tuple(found.items()), self.number + times * other.number)

    def where(self, table: Mapping[Term, Form]) -> Form:
        """The same where atoms are forms."""
        found, total = dict[Term, int](), self.number
        for atom, factor in self.parts:
            form = table.get(atom)
            if form is None:
                _add(found, ((atom, 1),), factor)
            else:
                _add(found, form.parts, factor)
                total += factor * form.number
        return Form(tuple(found.items()), total)

    @property
    def atoms(self) -> Iterator[Term]:
        """What it is over."""
        return (atom for atom, _ in self.parts)


def _add(found: dict[Term, int], parts: Sequence[tuple[Term, int]], times: int) -> None:
    """Add multiples of atoms; what becomes 0 is gone, and would come back at the end."""
    for atom, factor in parts:
        total = found.get(atom, 0) + times * factor
        if total:
            found[atom] = total
        else:
            found.pop(atom, None)


def number(value: int) -> Form:
    """A number alone."""
    return Form((), value)


def atom(term: Term) -> Form:
    """A term alone."""
    return Form(((term, 1),))


def equal(a: Form, b: Form) -> list[Form]:
    """That two forms are the same."""
    return [a - b, b - a]


def tightest(facts: Iterable[Form]) -> tuple[Form, ...]:
    """Of facts about the same the one that says most, and none that says nothing."""
    found: dict[frozenset[tuple[Term, int]], Form] = {}
    for fact in facts:
        key = frozenset(fact.parts)
        if (key or fact.number < 0) and (key not in found or fact.number < found[key].number):
            found[key] = fact
    return tuple(found.values())


def impossible(facts: Iterable[Form]) -> bool:
    """Whether not all of these can be at least 0."""
    return Known(facts).excludes(())


class Known:
    """Facts that are asked about again and again: what they are over is numbered once."""

    def __init__(self, facts: Iterable[Form]) -> None:
        self.places: dict[Term, int] = {}
        self.rows: dict[tuple[tuple[int, int], ...], int] = {}
        _number(facts, self.places, self.rows)
        self.rows = dict(sorted(self.rows.items()))

    def excludes(self, facts: Iterable[Form]) -> bool:
        """Whether not all of these can be at least 0 beside the others."""
        places, rows = dict(self.places), dict(self.rows)
        _number(facts, places, rows)
        return _impossible(tuple(sorted(rows.items())), len(places))


def _number(
    facts: Iterable[Form],
    places: dict[Term, int],
    rows: dict[tuple[tuple[int, int], ...], int],
) -> None:
    """Add facts over numbered atoms, of those about the same the one that says most."""
    for fact in facts:
        row = [(places.setdefault(atom, len(places)), factor) for atom, factor in fact.parts]
        key = tuple(sorted(row))
        rows[key] = min(fact.number, rows.get(key, fact.number))


_Row = tuple[tuple[tuple[int, int], ...], int]


@lru_cache(maxsize=1 << 14)
def _impossible(rows: tuple[_Row, ...], count: int) -> bool:
    left: dict[tuple[int, ...], int] = {}
    for parts, least in rows:
        factors = [0] * count
        for place, factor in parts:
            factors[place] = factor
        if _lost(left, tuple(factors), least):
            return True
    while left and len(left) <= _ROWS:
        at = _cheapest(list(left))
        if at is None:
            return False
        kept: dict[tuple[int, ...], int] = {}
        above = [(f, n) for f, n in left.items() if f[at] > 0]
        below = [(f, n) for f, n in left.items() if f[at] < 0]
        for factors_, least in left.items():
            if not factors_[at]:
                kept[factors_] = least
        for f, n in above:
            for g, m in below:
                a, b = -g[at], f[at]
                both = tuple([a * x + b * y for x, y in zip(f, g, strict=True)])
                if _lost(kept, both, a * n + b * m):
                    return True
        left = kept
    return False


def _lost(rows: dict[tuple[int, ...], int], factors: tuple[int, ...], least: int) -> bool:
    """Add a row, in lowest terms; whether it cannot be."""
    share = gcd(*factors)
    if not share:
        return least < 0
    if share > 1:
        factors, least = tuple([f // share for f in factors]), least // share
    rows[factors] = min(least, rows.get(factors, least))
    opposite = rows.get(tuple([-f for f in factors]))
    return opposite is not None and opposite + rows[factors] < 0


def _cheapest(rows: Sequence[tuple[int, ...]]) -> int | None:
    """The variable whose elimination makes the fewest rows; None where none is left."""
    costs = []
    for place in range(len(rows[0])):
        above = sum(row[place] > 0 for row in rows)
        below = sum(row[place] < 0 for row in rows)
        if above or below:
            costs.append((above * below - above - below, place))
    return min(costs)[1] if costs else None
