"""Digits: whether an equal term is as exact as what it stands for.

A value may be small where those it is the difference of are large. Every program is computed with
all results rounded to single precision, and without; errors are compared at given points, and at
points where inputs are close to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...terms.rule import RuleSet
from ...terms.term import CONST, Term
from ..egraph.numbers import Numbers, Points, close, is_real, single, wide

_WORSE = 2.0  # relative errors may grow so much, and by one rounding
_ROUNDING = 2.0**-24
_SHARES = (0.5, 0.75, 0.9)  # of the points have errors up to those that are compared
_FACTOR = 8.0  # errors at single points are by chance
_FEWEST = 4  # points that say something
# What has a difference of inputs inside, and takes it apart, loses what was exact at many points.
_EXACT, _LOST, _FEW = 2 * _ROUNDING, 32 * _ROUNDING, 0.03


class Digits:
    """The values of terms at some points, and the errors they have in single precision."""

    def __init__(self, rules: RuleSet, at: Points) -> None:
        self.rules, self.at = rules, at

    @cached_property
    def _found(self) -> tuple[_Found, _Found]:
        """At the points, and where inputs are close."""
        there = {t: single(x) if is_real(t) else x for t, x in self.at.items()}
        return _Found(self.rules, there), _Found(self.rules, close(there))

    @cached_property
    def _further(self) -> _Found:
        """Where exponentials are from nearly nothing to nearly everything."""
        return _Found(self.rules, wide(self.at))

    def kept(self, pairs: Sequence[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
        """The pairs of which the second term is as exact as the first one."""
        self._find(pairs)
        return [(old, new) for old, new in pairs if self._are_kept(old, new)]

    def kept_everywhere(self, pairs: Sequence[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
        """The same at each of the points, one by one, and further out."""
        everywhere = (*self._found, self._further)
        self._find(pairs, everywhere)
        return [pair for pair in pairs if all(f.has_digits_of(*pair) for f in everywhere)]

    def alike(self, pairs: Sequence[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
        """The pairs of which the second term is a number where the first one is.

        And exact at nearly all points where that is, though inputs are close.
        """
        self._find(pairs)
        return [(old, new) for old, new in pairs if self._are_alike(old, new)]

    def _find(self, pairs: Sequence[tuple[Term, Term]], at: Sequence[_Found] = ()) -> None:
        terms = [term for pair in pairs for term in pair]
        for found in at or self._found:
            found.exact.find(terms)
            found.single.find(terms)

    def _are_kept(self, old: Term, new: Term) -> bool:
        """Whether a term over values of the program is a number where the value it equals is one.

        And no less exact, in the median and at points with large errors; and exact at nearly all
        points where that is, though inputs are close.
        """
        if new.op == CONST:
            return True
        plain, other = self._found[0].errors(old, new)
        count = len(plain)
        if count < _FEWEST:
            return False
        ranks = [int(share * count) for share in _SHARES]
        plain, other = [np.partition(errors, ranks)[ranks] for errors in (plain, other)]
        return bool((other <= plain * _WORSE + _ROUNDING).all()) and self._are_alike(old, new)

    def _are_alike(self, old: Term, new: Term) -> bool:
        found, near = self._found
        if (np.isfinite(found.exact[old]) != np.isfinite(found.exact[new])).any():
            return False
        plain, other = near.errors(old, new)
        return bool(np.count_nonzero((plain <= _EXACT) & (other > _LOST)) <= _FEW * len(plain))


class _Found:
    """The values of terms at some points: exact ones, and in single precision."""

    def __init__(self, rules: RuleSet, at: Points) -> None:
        self.points = next((len(x) for x in at.values() if not isinstance(x, str)), 1)
        self.exact = Numbers(rules, at)
        self.single = Numbers(rules, at, lambda _, term, found: single(found))

    def errors(self, old: Term, new: Term) -> tuple[Any, Any]:
        """How far off both terms are, relative to the first one, where there are such errors."""
        truth = self.exact[old]
        with np.errstate(all="ignore"):
            offs = [np.abs(self.single[term] - truth) / np.abs(truth) for term in (old, new)]
            plain, other = [np.broadcast_to(off, (self.points,)) for off in offs]
            there = np.isfinite(plain) & np.isfinite(other) & ((plain > 0) | (other > 0))
        return plain[there], other[there]

    def has_digits_of(self, old: Term, new: Term) -> bool:
        """Whether errors are about as small at every point."""
        plain, other = self.errors(old, new)
        return bool((other <= _FACTOR * (plain + _ROUNDING)).all())
