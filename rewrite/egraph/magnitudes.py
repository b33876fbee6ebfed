"""Numbers as large and as small as the constants of a program, in its own precision.

3.4e-10 is a length of atoms, and 6.4e6 one of planets. Where variables are like them, products of
powers that are numbers around 1 are none in single precision: (s/r)**12 is, r**-12 is not.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...terms.rule import RuleSet
from ...terms.term import CONST, VAR, Term, const_value, toposort
from ...terms.types import Scalar
from ..fold import normal
from .numbers import Points, is_real, typed, values

_COUNT = 128
_ROOTS = (1, 2, 3)
_POWER = 6  # of a constant, that is still a number of its type: no constant like this is extreme
_SURE, _LOST = 1e-3, 0.05  # how exact a program is where it is asked for, and what is lost
_BESIDE = (1.0, 1 - 2**-6, 1 + 2**-6, 1 - 2**-8, 1 + 2**-8)  # and close by, so that it is no luck


class Magnitudes:
    """A program, and whether another one is far from it where variables are like its constants."""

    def __init__(self, rules: RuleSet, plain: Sequence[Term], sizes: Sequence[float]) -> None:
        self.rules, self.plain, self.sizes = rules, plain, sizes

    @cached_property
    def _at(self) -> Points:
        return _points(self.plain, self.sizes)

    @cached_property
    def _wants(self) -> list[Any]:
        """The numbers of each result, NaN where they are 0 or rounding loses them."""
        exact = values(self.rules, self.plain, self._at)
        wants = [exact[root] if is_real(root) else None for root in self.plain]
        for factor in _BESIDE:
            sure = self._is_sure(factor)
            wants = [
                want if want is None else np.where(near & (want != 0), want, np.nan)
                for want, near in zip(wants, sure, strict=True)
            ]
        return wants

    def _is_sure(self, factor: float) -> list[Any]:
        """Where each result is exact, at multiples of all variables; truths are no numbers."""
        at = {v: _rounded(0, v, x * factor) if is_real(v) else x for v, x in self._at.items()}
        exact = values(self.rules, self.plain, at)
        found = values(self.rules, self.plain, at, _rounded)
        return [
            ~_differ(exact[root], found[root], _SURE) if is_real(root) else False
            for root in self.plain
        ]

    def lost(self, chosen: Sequence[Term]) -> bool:
        """Whether a result is a number there, and that of `chosen` is far from it."""
        if not self._at:
            return False
        found = values(self.rules, chosen, self._at, _rounded)
        for want, root in zip(self._wants, chosen, strict=True):
            if want is not None and np.any(_differ(want, found[root], _LOST) & np.isfinite(want)):
                return True
        return False


def magnitudes(flat: Sequence[Term]) -> tuple[float, ...]:
    """The constants of a function whose low powers are no numbers of its type."""
    found = [t for t in toposort(flat) if t.op == CONST and is_real(t) and _is_extreme(t)]
    return tuple(dict.fromkeys([abs(const_value(t)) for t in found]))


def _is_extreme(term: Term) -> bool:
    """Whether a low power of a constant is no number of its type.

    Powers of two are thresholds of definitions that were put in while the function was read.
    """
    size = abs(const_value(term))
    if not size or not math.isfinite(size) or math.frexp(size)[0] == 0.5:
        return False
    lowest, _ = normal(term.type)
    return _POWER * abs(math.log(size)) > -math.log(lowest)


def _points(plain: Sequence[Term], like_them: Sequence[float]) -> Points:
    """Points at which variables are like 1, or like a constant or its roots; none without such.

    At every other point all of them are alike, as coordinates are.
    """
    sizes = [1.0, *dict.fromkeys(c ** (1 / n) for c in like_them for n in _ROOTS)]
    free = [t for t in toposort(plain) if t.op == VAR]
    if len(sizes) == 1 or not all(isinstance(t.type, Scalar) for t in free):
        return {}
    rng, points = random.Random(0), {}
    common = [rng.choice(sizes) for _ in range(_COUNT)]
    for v in free:
        like = [common[k] if k % 2 else rng.choice(sizes) for k in range(_COUNT)]
        row = np.array([(x if is_real(v) else 1) * rng.uniform(0.4, 2.5) for x in like])
        points[v] = _rounded(0, v, typed(row, v.type)) if is_real(v) else typed(row, v.type)
    return points


def _rounded(place: int, term: Term, number: Any) -> Any:
    """A number as its type has it."""
    if term.type is Scalar.F64:
        return number
    with np.errstate(all="ignore"):
        return np.asarray(number).astype(term.type.value).astype(np.float64)


def _differ(want: Any, found: Any, digits: float) -> Any:
    with np.errstate(all="ignore"):
        return ~(np.abs(found - want) <= digits * np.abs(want))
