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
from ..egraph.encode import head_of
from ..egraph.numbers import Meanings, Points, values

_WORSE = 1.5  # relative errors may grow so much, and by one rounding
_ROUNDING = 2.0**-24
_SHARES = (0.5, 0.75, 0.9)  # of the points have errors up to those that are compared
_FEWEST = 4  # points that say something


class Digits:
    """The values of a program at some points, and the errors they have in single precision."""

    def __init__(self, rules: RuleSet, flat: Sequence[Term], at: Points) -> None:
        there = {t: x if isinstance(x, str) else _single(x) for t, x in at.items()}
        self.points = next((len(x) for x in there.values() if not isinstance(x, str)), 1)
        self.exact = values(rules, flat, there)
        self.single = values(rules, flat, there, lambda _, term, found: _single(found))
        self.meaning = Meanings(rules)
        self.errors: dict[Term, Any] = {}

    def are_kept(self, old: Term, new: Term) -> bool:
        """Whether a term over values of the program is no less exact than the value it equals."""
        if new.op == CONST:
            return True
        with np.errstate(all="ignore"):
            if old not in self.errors:
                self.errors[old] = self._error(self.single[old], self.exact[old])
            plain, other = self.errors[old], self._error(self._of(new), self.exact[old])
        there = np.isfinite(plain) & np.isfinite(other)
        count = np.count_nonzero(there)
        if count < _FEWEST:
            return False
        ranks = [int(share * count) for share in _SHARES]
        plain, other = [np.partition(errors[there], ranks)[ranks] for errors in (plain, other)]
        return bool((other <= plain * _WORSE + _ROUNDING).all())

    def _error(self, found: Any, truth: Any) -> Any:
        """How far off numbers are, at all points, relative to the true ones."""
        return np.broadcast_to(np.abs(found - truth) / np.abs(truth), (self.points,))

    def _of(self, term: Term) -> Any:
        """The value of a known term, or of one that is an operator or two above known ones."""
        if term not in self.single:
            args = [self._of(arg) for arg in term.args]
            self.single[term] = _single(self.meaning[head_of(term)](args))
        return self.single[term]


def _single(found: Any) -> Any:
    """Numbers of reals as they are after rounding to single precision."""
    return np.asarray(found).astype(np.float32).astype(np.float64)
