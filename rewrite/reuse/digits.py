"""Digits: whether an equal term is as exact as what it stands for.

A value may be small where those it is the difference of are large. Every program is computed with
all results rounded to single precision, and without; errors are compared point by point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...terms.rule import RuleSet
from ...terms.term import CONST, Term
from ..egraph.numbers import Points, is_real, single, values

_WORSE = 2.0  # relative errors may grow so much, and by one rounding
_ROUNDING = 2.0**-24
_SHARES = (0.5, 0.75, 0.9)  # of the points have errors up to those that are compared
_FEWEST = 4  # points that say something


class Digits:
    """The values of pairs of terms at some points, and the errors they have in single precision."""

    def __init__(self, rules: RuleSet, pairs: Sequence[tuple[Term, Term]], at: Points) -> None:
        there = {t: single(x) if is_real(t) else x for t, x in at.items()}
        self.points = next((len(x) for x in there.values() if not isinstance(x, str)), 1)
        terms = [term for pair in pairs for term in pair]
        self.exact = values(rules, terms, there)
        self.single = values(rules, terms, there, lambda _, term, found: single(found))

    def are_kept(self, old: Term, new: Term) -> bool:
        """Whether a term over values of the program is a number where the value it equals is one.

        And no less exact, in the median and at points with large errors.
        """
        if new.op == CONST:
            return True
        if (np.isfinite(self.exact[old]) != np.isfinite(self.exact[new])).any():
            return False
        with np.errstate(all="ignore"):
            plain, other = self._error(old, old), self._error(new, old)
        there = np.isfinite(plain) & np.isfinite(other) & ((plain > 0) | (other > 0))
        count = np.count_nonzero(there)
        if count < _FEWEST:
            return False
        ranks = [int(share * count) for share in _SHARES]
        plain, other = [np.partition(errors[there], ranks)[ranks] for errors in (plain, other)]
        return bool((other <= plain * _WORSE + _ROUNDING).all())

    def _error(self, term: Term, like: Term) -> Any:
        """How far off a term is at all points, relative to what it should be."""
        truth = self.exact[like]
        error = np.abs(self.single[term] - truth) / np.abs(truth)
        return np.broadcast_to(error, (self.points,))
