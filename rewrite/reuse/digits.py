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
        self.points = np.zeros(next((len(x) for x in there.values() if not isinstance(x, str)), 1))
        self.exact = values(rules, flat, there)
        self.single = values(rules, flat, there, lambda _, term, found: _single(found))
        self.meaning = Meanings(rules)

    def are_kept(self, old: Term, new: Term) -> bool:
        """Whether a term over values of the program is no less exact than the value it equals."""
        if new.op == CONST:
            return True
        with np.errstate(all="ignore"):
            truth, *both = np.broadcast_arrays(
                self.exact[old], self.single[old], self._of(new), self.points
            )[:3]
            errors = [np.abs(found - truth) / np.abs(truth) for found in both]
        there = np.isfinite(errors).all(axis=0)
        if there.sum() < _FEWEST:
            return False
        plain, other = [np.quantile(error[there], _SHARES) for error in errors]
        return bool((other <= plain * _WORSE + _ROUNDING).all())

    def _of(self, term: Term) -> Any:
        """The value of a known term, or of one that is an operator or two above known ones."""
        if term not in self.single:
            args = [self._of(arg) for arg in term.args]
            self.single[term] = _single(self.meaning[head_of(term)](args))
        return self.single[term]


def _single(found: Any) -> Any:
    """Numbers of reals as they are after rounding to single precision."""
    return np.asarray(found).astype(np.float32).astype(np.float64)
