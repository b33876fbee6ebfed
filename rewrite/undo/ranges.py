"""Ranges of integers: between which numbers the values of terms lie.

    0 <= n % 8 <= 7        0 <= k < 9 in a loop of nine trips

Of 32 bits: what may wrap around may be anything. Takes terms and the ranges of variables, gives
the ranges of the terms, and says of comparisons whether they follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...terms.term import CAST, CONST, SELECT, Term, const_value
from ...terms.types import Scalar

Range = tuple[int, int]
ALL: Range = (-(1 << 31), (1 << 31) - 1)


def within(low: int, high: int) -> bool:
    """Whether all numbers between two are integers of 32 bits."""
    return ALL[0] <= low <= high <= ALL[1]


def around(*ranges: Range) -> Range:
    """The smallest range in which all of them lie."""
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def narrowed(known: Mapping[Term, Range], more: Mapping[Term, Range]) -> dict[Term, Range]:
    """The ranges of terms of which both are known to hold."""
    both = dict(known)
    for term, (low, high) in more.items():
        least, most = known.get(term, ALL)
        both[term] = max(low, least), min(high, most)
    return both


class Ranges:
    """The ranges of terms, given those of some of them."""

    def __init__(self, known: Mapping[Term, Range] | None = None) -> None:
        self.found = dict(known or {})
        self.wrapped: set[Term] = set()  # what may leave 32 bits

    def of(self, term: Term) -> Range:
        """The range of an integer or a truth value."""
        stack = [term]
        while stack:
            here = stack[-1]
            missing = [a for a in here.args if a not in self.found and _counts(a)]
            if here not in self.found and missing:
                stack += missing
                continue
            stack.pop()
            if here not in self.found:
                self.found[here] = self._of(here)
        return self.found[term]

    def _of(self, term: Term) -> Range:
        everything = (0, 1) if term.type is Scalar.BOOL else ALL
        if not _counts(term):
            return ALL
        if term.op == CONST:
            return int(const_value(term)), int(const_value(term))
        if term.op == SELECT:
            least, most = self.found[term.args[0]]
            return around(*(self.found[a] for a in term.args[1 + (most == 0) : 3 - (least == 1)]))
        if term.op == CAST and term.args[0].type is Scalar.BOOL:
            return 0, 1
        if term.op not in _OPERATORS or not all(map(_counts, term.args)):
            return everything
        low, high = _OPERATORS[term.op](*(self.found[a] for a in term.args))
        if within(low, high):
            return low, high
        self.wrapped.add(term)
        return everything

    def holds(self, condition: Term) -> bool:
        """Whether a comparison of integers is true whatever the values."""
        if len(condition.args) != 2 or not all(a.type is Scalar.I32 for a in condition.args):
            return False
        return condition.op in _COMPARISONS and self.of(condition) == (1, 1)


def _counts(term: Term) -> bool:
    return term.type in (Scalar.I32, Scalar.BOOL)


def _products(a: Range, b: Range) -> Range:
    found = [x * y for x in a for y in b]
    return min(found), max(found)


def _masked(a: Range, b: Range) -> Range:
    """Of the bits of a number that is not negative some are left."""
    most = [high for low, high in (a, b) if low >= 0]
    return (0, min(most)) if most else ALL


def _remainder(a: Range, b: Range) -> Range:
    """What is left by a division that truncates: with the sign of a, and smaller than both."""
    most = max(1, *map(abs, b)) - 1
    return max(min(a[0], 0), -most), min(max(a[1], 0), most)


def _shifted(a: Range, b: Range) -> Range:
    found = [x >> max(0, min(y, 31)) for x in a for y in b]
    return min(found), max(found)


def _less(a: Range, b: Range) -> Range:
    """Whether a number is less than another one."""
    return int(a[1] < b[0]), int(a[0] < b[1])


def _same(a: Range, b: Range) -> Range:
    return int(a[0] == a[1] == b[0] == b[1]), int(a[0] <= b[1] and b[0] <= a[1])


def _not(a: Range) -> Range:
    return 1 - a[1], 1 - a[0]


def _clamped(a: Range, low: Range, high: Range) -> Range:
    return min(max(a[0], low[0]), high[0]), min(max(a[1], low[1]), high[1])


_COMPARISONS: Mapping[str, Callable[..., Range]] = {
    "lt": _less,
    "gt": lambda a, b: _less(b, a),
    "ge": lambda a, b: _not(_less(a, b)),
    "le": lambda a, b: _not(_less(b, a)),
    "eq": _same,
    "ne": lambda a, b: _not(_same(a, b)),
}
_OPERATORS: Mapping[str, Callable[..., Range]] = {
    **_COMPARISONS,
    "logical_and": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "logical_or": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "logical_not": _not,
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "neg": lambda a: (-a[1], -a[0]),
    "mul": _products,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "clamp": _clamped,
    "sign": lambda a: (max(-1, min(a[0], 1)), max(-1, min(a[1], 1))),
    "bit_and": _masked,
    "shr": _shifted,
    "fmod": _remainder,
}
