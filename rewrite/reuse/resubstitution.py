"""Resubstitution: a value as the sum, difference or product of two others that are there anyway.

    x**2 - 2*x*y + y**2    as    d*d,    where d = x - y is there

The name and the idea are those of logic synthesis (Brayton, Proc. IEEE 78, 1990). Of each value
that more operators than one compute for it alone, all partners are tried at once, modulo a small
prime and against a table of bits; the few that pass are looked up modulo a large one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...terms.term import CONST, Term, const, toposort
from ...terms.types import ScalarType
from .fingerprints import Fingerprints

_MOST = 3_000  # terms: time and memory are their number squared
_EACH = 8  # ways that one value is offered in
_CONSTANTS = (2.0, 0.5, 3.0, 4.0)  # factors that may be new
_SMALL = 2**31 - 1
_BITS = 20

_Pairs = Iterator[tuple[Term, Term]]


def resubstituted(flat: Sequence[Term], cost: Callable[[Term], float]) -> _Pairs:
    """Pairs of a value and an equal operator on two others, which is cheaper than what it replaces.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x, y = var("x", Scalar.F64), var("y", Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> product, total = op("mul", x, y), op("add", x, y)
    >>> square = op("add", op("mul", x, x), product)
    >>> list(resubstituted([product, total, square], lambda term: float(bool(term.args))))
    [(add(mul, mul), mul(x, add))]
    """
    terms = toposort(flat)
    if len(terms) > _MOST:
        return
    graph = _Graph(terms, flat, cost)
    kinds = dict.fromkeys(t.type for t in terms if t.type.is_real)
    for kind in kinds:
        values = _Values([t for t in terms if t.type is kind], kind)
        for term in values.terms:
            spare = graph.alone(term) if term.args and term.op != "neg" else {}
            if len(spare) > 1:
                yield from _ways(term, spare, values, graph, cost)


def _ways(
    term: Term,
    spare: dict[Term, None],
    values: _Values,
    graph: _Graph,
    cost: Callable[[Term], float],
) -> _Pairs:
    """What one value is of two others, which are there without it."""
    saved = sum([cost(t) for t in spare])
    found = 0
    for new in values.pairs(term):
        inner = new.args[0] if new.op == "neg" else new
        if any(a in spare or graph.depends(a, term) for a in inner.args) or inner is term:
            continue
        if cost(new) + (cost(inner) if inner is not new else 0.0) < saved:
            yield term, new
            found += 1
            if found == _EACH:
                return


class _Graph:
    """A program as a graph: what depends on what, and what is there for one value alone."""

    def __init__(
        self, terms: Sequence[Term], flat: Sequence[Term], cost: Callable[[Term], float]
    ) -> None:
        self.place = {term: i for i, term in enumerate(terms)}
        self.below: dict[Term, int] = {}  # the places of all below a term, as bits
        self.uses = dict.fromkeys(terms, 0)
        for i, term in enumerate(terms):
            bits = 1 << i
            for arg in term.args:
                bits |= self.below[arg]
                self.uses[arg] += 1
            self.below[term] = bits
        for term in flat:
            self.uses[term] += 1

    def depends(self, term: Term, other: Term) -> bool:
        """Whether a term is above another one; what is new is above nothing."""
        return bool(self.below.get(term, 0) >> self.place[other] & 1)

    def alone(self, term: Term) -> dict[Term, None]:
        """The operators that only this value needs, itself first."""
        found = {term: None}
        left: dict[Term, int] = {}
        stack = [term]
        while stack:
            for arg in stack.pop().args:
                left[arg] = left.get(arg, self.uses[arg]) - 1
                if not left[arg] and arg.args:
                    found[arg] = None
                    stack.append(arg)
        return found


class _Values:
    """The values of one type by their fingerprints, alone and in pairs."""

    def __init__(self, terms: Sequence[Term], kind: ScalarType) -> None:
        there = set(terms)
        constants = [const(value, kind) for value in _CONSTANTS]
        self.terms = [*terms, *(c for c in constants if c not in there)]
        everything = toposort(self.terms)
        self.prints = Fingerprints(everything)
        self.by_print: dict[int, Term] = {}
        for term in self.terms:
            self.by_print.setdefault(self.prints[term], term)
        self.place = {term: i for i, term in enumerate(self.terms)}
        small = Fingerprints(everything, _SMALL)
        self.small = np.array([small[t] for t in self.terms], np.int64)
        self.inverse = np.array([pow(small[t] or 1, -1, _SMALL) for t in self.terms], np.int64)
        self.known = np.zeros(1 << _BITS, bool)
        for value in (self.small, -self.small % _SMALL):
            self.known[value & ((1 << _BITS) - 1)] = True

    def pairs(self, term: Term) -> Iterator[Term]:
        """Operators on two values that equal a term, or its negative; each pair once."""
        prime, value = self.prints.prime, self.prints[term]
        here = self.small[self.place[term]]
        for first in self._maybe(here * self.inverse):
            if first.op != CONST and self.prints[first]:
                quotient = value * pow(self.prints[first], -1, prime) % prime
                for second, is_negative in self._found(quotient):
                    if self._is_next(first, second) and quotient not in (1, prime - 1):
                        product = Term("mul", (first, second), None, term.type)
                        yield Term("neg", (product,), None, term.type) if is_negative else product
        for first in self._maybe(here - self.small):
            for second, is_negative in self._found((value - self.prints[first]) % prime):
                if is_negative:
                    yield Term("sub", (first, second), None, term.type)
                elif first.op != CONST and self._is_next(first, second):
                    yield Term("add", (first, second), None, term.type)

    def _maybe(self, wanted: Any) -> Iterator[Term]:
        """The values whose partners may be there."""
        bits = self.known[(wanted % _SMALL) & ((1 << _BITS) - 1)]
        return (self.terms[i] for i in np.flatnonzero(bits))

    def _found(self, wanted: int) -> Iterator[tuple[Term, bool]]:
        """The value with a fingerprint, and that of the negative one."""
        for value, is_negative in ((wanted, False), (self.prints.prime - wanted, True)):
            if value in self.by_print and wanted:
                yield self.by_print[value], is_negative

    def _is_next(self, first: Term, second: Term) -> bool:
        """Whether a pair comes in this order, not in the other."""
        return second.op == CONST or self.place[first] <= self.place[second]
