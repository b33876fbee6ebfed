"""Which integers may leave 32 bits: C leaves open what a signed sum is then, an unsigned one wraps.

Takes terms of one function or of the body of a loop, says of each operation whether it may.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from ...rules.intervals import Interval, Range, of_operation
from ...terms.loop import LOOP
from ...terms.term import PROJ, Term
from ...terms.types import Scalar, ScalarType
from ...terms.walk import postorder

_LEAST, _LARGEST = -(2**31), 2**31 - 1
_OTHERS: Mapping[ScalarType, Interval] = {Scalar.BOOL: (0, 1)}


class Spans:
    """The intervals of integers, each found once; `known` are those of some variables."""

    def __init__(self, known: Mapping[Term, Range]) -> None:
        self._known = known
        self._found: dict[Term, Interval] = {}
        self._wrapping: set[Term] = set()

    def of(self, term: Term) -> Interval:
        """The smallest and the largest value of an integer."""
        if term not in self._found:
            for t in postorder([term], self._open):
                self._add(t)
        return self._found[term]

    def wraps(self, term: Term) -> bool:
        """Whether the result of an operation may leave 32 bits."""
        if term.type is not Scalar.I32:
            return False
        self.of(term)
        return term in self._wrapping

    def _open(self, term: Term) -> list[Term]:
        return [a for a in term.args if a.type is Scalar.I32 and a not in self._found]

    def _add(self, term: Term) -> None:
        args = [self._found.get(a, _OTHERS.get(a.type, (-inf, inf))) for a in term.args]
        low, high = of_operation(term, args, self._known)
        if term.op == PROJ and term.args[0].op == LOOP and term.attr == 0:
            low, high = 0, term.args[0].attr.limit or inf
        if term.type is Scalar.I32 and not _LEAST <= low <= high <= _LARGEST:
            self._wrapping.add(term)
            low, high = _LEAST, _LARGEST
        self._found[term] = low, high


def trip_spans(loop: Term, around: Spans) -> Spans:
    """The intervals inside the body of a loop: its counter, and what comes from around it."""
    inner = loop.attr
    _, trips = around.of(loop.args[0])
    last = min(trips, _LARGEST if inner.limit is None else inner.limit) - 1
    known: dict[Term, Range] = {inner.counter: (0, max(int(last), 0))}
    for var, arg in zip(inner.inputs, loop.args[1 + inner.carried :], strict=True):
        if var.type is Scalar.I32:
            low, high = around.of(arg)
            known[var] = (int(low), int(high))
    return Spans(known)
