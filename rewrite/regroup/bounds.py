"""Bounds of rounding errors: whether a sum of products in another form is as exact.

    |a b|: |a| e(b) + |b| e(a) + |a b|        |a + b|: e(a) + e(b) + |a + b|

in roundings of 1, where what is given has none (Higham, Accuracy and Stability of Numerical
Algorithms, 3.1); a product is rounded together with the sum it is in.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...terms.term import CONST, Term, const_value
from ...terms.walk import postorder

_SLACK = 1.25  # so many times as large a bound may be, and a rounding more
_POINTS, _ZEROS = 64, 4
_MAGNITUDE = 8  # numbers are from 2**-8 to 2**8
_MOST = 32  # sums that are 0 at some points
_SUMS = ("add", "sub")
_MADE = (*_SUMS, "mul", "neg")


class Bounds:
    """The values of terms at some points, and how far off they may be."""

    def __init__(self, terms: Sequence[Term]) -> None:
        """At random points, and at some where each term that a constant is added to gives 0."""
        zeros = list(dict.fromkeys(_zeros(terms)))[:_MOST]
        self._drawn = random.Random(len(zeros))
        self._count = _POINTS + _ZEROS * len(zeros)
        self._special: dict[Term, list[tuple[int, float]]] = {}
        for i, (term, number) in enumerate(zeros):
            self._special.setdefault(term, []).append((_POINTS + _ZEROS * i, number))
        self._known: dict[Term, tuple[Any, Any]] = {}

    def are_kept(self, old: Term, new: Term, slack: float = _SLACK) -> bool:
        """Whether a term is about as exact as an equal one, everywhere."""
        with np.errstate(all="ignore"):
            for term in postorder([old, new], self._unknown):
                if term not in self._known:
                    self._known[term] = self._of(term)
            value, error = self._known[old]
            allowed = error * slack + abs(value)
            return bool(np.all((self._known[new][1] <= allowed) | ~np.isfinite(allowed)))

    def _unknown(self, term: Term) -> list[Term]:
        """What a sum or product is made of, as far as no bound is known."""
        if term in self._known or term.op not in _MADE:
            return []
        return [arg for arg in term.args if arg not in self._known]

    def _of(self, term: Term) -> tuple[Any, Any]:
        if term.op not in (*_MADE, CONST) or not term.type.is_real:
            return self._given(term), 0.0
        if term.op == CONST:
            number = float(const_value(term))
            short = abs(number) < 1024 and number * 1024 == int(number * 1024)
            return number, 0.0 if short else 0.5 * abs(number)
        args = [self._known[arg] for arg in term.args]
        (one, error), (other, its) = args[0], args[-1]
        if term.op == "neg":
            return -one, error
        if term.op == "mul":
            value = one * other
            return value, abs(one) * its + abs(other) * error + abs(value)
        value = one - other if term.op == "sub" else one + other
        fused = (abs(v) for (v, _), arg in zip(args, term.args, strict=True) if arg.op == "mul")
        return value, error + its + abs(value) - next(fused, 0.0)

    def _given(self, term: Term) -> Any:
        """Random numbers of many magnitudes, and those that something is 0 at."""
        draw = self._drawn
        numbers = [
            draw.choice((-1.0, 1.0)) * 2.0 ** draw.uniform(-_MAGNITUDE, _MAGNITUDE)
            for _ in range(self._count)
        ]
        for start, number in self._special.get(term, ()):
            numbers[start : start + _ZEROS] = [number] * _ZEROS
        return np.array(numbers)


def _zeros(terms: Sequence[Term]) -> list[tuple[Term, float]]:
    """What constants are added to, and where the sum is 0."""
    found = []
    for term in terms:
        for one, other in (term.args, term.args[::-1]) if term.op in _SUMS else ():
            if one.op == CONST and term.type.is_real:
                number = float(const_value(one))
                found.append((other, -number if term.op == "add" else number))
    return found
