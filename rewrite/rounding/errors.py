"""Errors: how far a program is off where every operator is rounded to single precision.

Takes programs as terms, gives errors beside those of the program that they stand for, at many
points of usual magnitudes. Nothing here depends on a device: every rounding is to the nearest.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ...terms.rule import RuleSet
from ...terms.term import VAR, Term, toposort
from ...terms.types import Memory
from ..egraph.numbers import Points, is_real, single, typed, values

_POINTS = 1024  # of which every other one has no negative number
_SPREAD = 1.1  # magnitudes are from exp(-1.1) to exp(1.1): 1/3 to 3
_SHARES = (0.5, 0.75, 0.9, 0.98)  # of the points have errors up to those that are compared
_FEWEST = 100  # points at which there are numbers
_UNIT = 2.0**-26  # an error that is none


class Errors:
    """A program, its numbers, and the errors it has itself."""

    def __init__(self, rules: RuleSet, plain: Sequence[Term]) -> None:
        self.rules, self.plain, self.at = rules, plain, _points(plain)

    def ratio(self, chosen: Sequence[Term]) -> float:
        """How many times as large the errors of a program are that equals this one.

        An error is the largest of the results, relative to the largest of them. Quantiles of both
        programs are compared, and the geometric mean of their ratios counts: each alone is noisy.
        1 where too few points say anything.
        """
        other = self._off(chosen)
        there = np.isfinite(self._own) & np.isfinite(other)
        count = np.count_nonzero(there)
        if count < _FEWEST:
            return 1.0
        ranks = [int(share * count) for share in _SHARES]
        plain, found = [np.partition(each[there], ranks)[ranks] for each in (self._own, other)]
        ratios = np.maximum(found, _UNIT) / np.maximum(plain, _UNIT)
        return float(np.prod(ratios) ** (1 / len(ratios)))

    @cached_property
    def _exact(self) -> Any:
        return self._rows(self.plain, values(self.rules, self.plain, self.at))

    @cached_property
    def _scale(self) -> Any:
        return np.max(np.abs(self._exact), axis=0, initial=np.finfo(np.float32).tiny)

    @cached_property
    def _own(self) -> Any:
        return self._off(self.plain)

    def _off(self, roots: Sequence[Term]) -> Any:
        """The error of each point."""
        found = values(self.rules, roots, self.at, _rounded)
        with np.errstate(all="ignore"):
            off = np.abs(self._rows(roots, found) - self._exact)
            return np.max(off, axis=0, initial=0) / self._scale

    def _rows(self, roots: Sequence[Term], found: dict[Term, Any]) -> Any:
        """The real results, one row each."""
        real = [k for k, root in enumerate(self.plain) if is_real(root)]
        rows = [np.broadcast_to(found[roots[k]], (_POINTS,)) for k in real]
        return np.array(rows, np.float64).reshape(-1, _POINTS)


def _rounded(_: int, term: Term, number: Any) -> Any:
    """What a device has for a number: that of a reciprocal root is two operators away."""
    with np.errstate(all="ignore"):
        return single(1 / single(1 / number)) if term.op == "rsqrt" else single(number)


def _points(roots: Sequence[Term]) -> Points:
    """Numbers for the variables."""
    free = [term for term in toposort(roots) if term.op == VAR]
    numbers = [t for t in free if not isinstance(t.type, Memory)]
    table: dict[Term, Any] = {t: str(t.attr) for t in free if isinstance(t.type, Memory)}
    for place, term in enumerate(numbers):
        drawn = _drawn(place)
        table[term] = single(drawn) if is_real(term) else typed(drawn, term.type)
    return table


@lru_cache(maxsize=1024)
def _drawn(place: int) -> Any:
    """The numbers of one variable."""
    rng = random.Random(place)
    sizes = [round(math.exp(rng.uniform(-_SPREAD, _SPREAD)), 3) for _ in range(_POINTS)]
    return np.array([x if k % 2 else rng.choice((x, -x)) for k, x in enumerate(sizes)])
