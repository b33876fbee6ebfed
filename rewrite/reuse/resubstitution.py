"""Resubstitution: a value as the sum, difference or product of two others that are there anyway.

    x**2 - 2*x*y + y**2    as    d*d,    where d = x - y is there

The name and the idea are those of logic synthesis (Brayton, Proc. IEEE 78, 1990). Of all
values that more operators than one compute for them alone, all pairs are tried at once, modulo a
small prime and against a table of bits; the few that pass are looked up modulo a large one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...terms.term import CONST, Term, const
from ...terms.types import Scalar
from ..fingerprints import SMALL
from .known import CONSTANTS, Known

MOST = 3_000  # terms: time and memory are their number squared
_EACH = 4  # ways that one value is offered in
_TRIED = 64  # sums, and products, that are tried for one value: multiples of one have all of them
_TABLE = 2**20 - 1
_AT_ONCE = 2**18  # pairs

Pairs = Iterator[tuple[Term, Term]]


def resubstituted(known: Known) -> Iterator[tuple[Term, Term, bool]]:
    """Values and equal operators on two others, which are cheaper than what they replace.

    And whether one of the two is among what the value has for itself.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x, y = var("x", Scalar.F64), var("y", Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> product, total = op("mul", x, y), op("add", x, y)
    >>> square = op("add", op("mul", x, x), product)
    >>> known = Known([product, total, square], lambda term: float(bool(term.args)))
    >>> list(resubstituted(known))
    [(add(mul, mul), mul(x, add), False)]
    """
    if len(known.terms) > MOST:
        return
    saved = known.saved(2)
    for kind in dict.fromkeys(t.type for t in saved if isinstance(t.type, Scalar)):
        found: Counter[tuple[Term, bool]] = Counter()
        for term, new in _Values(known, kind).pairs([t for t in saved if t.type is kind]):
            inner = new.args[0] if new.op == "neg" else new
            which = term, known.is_own(term, inner.args)
            if (
                found[which] < _EACH
                and inner is not term
                and not any(known.depends(a, term) for a in inner.args)
                and known.stays_a_number(term, inner.args)
                and known.paid(new) < saved[term] - known.kept(term, inner.args)
                and known.is_so(term, new)
            ):
                found[which] += 1
                yield term, new, which[1]


class _Values:
    """The values of one type by their fingerprints, alone and in pairs."""

    def __init__(self, known: Known, kind: Scalar) -> None:
        own = [t for t in known.terms if t.type is kind]
        self.terms = list(dict.fromkeys([*own, *(const(value, kind) for value in CONSTANTS)]))
        self.place = {term: i for i, term in enumerate(self.terms)}
        self.prints, self.residues = known.prints, known.residues
        small = [self.residues[t] for t in self.terms]
        self.small = np.array(small, np.uint64)
        self.inverse = np.array([pow(r, -1, SMALL) if r else 0 for r in small], np.uint64)
        self.by_small: dict[int, list[Term]] = {}
        for term in self.terms:
            alike = self.by_small.setdefault(self.residues[term], [])
            if len(alike) < known.alike:
                alike.append(term)
        self.table = np.zeros(_TABLE + 1, bool)
        for residues in (self.small, SMALL - self.small):
            self.table[residues & _TABLE] = True

    def pairs(self, wanted: Sequence[Term]) -> Pairs:
        """Terms, and an operator on two values that equals one, or its negative; each pair once.

        Nothing about terms that are 0, or another value of the program: those are found as such.
        """
        wanted = [t for t in wanted if self.prints[t] and t in self.by_small[self.residues[t]]]
        rows = max(1, _AT_ONCE // len(self.terms))
        for start in range(0, len(wanted), rows):
            some = wanted[start : start + rows]
            here = self.small[[self.place[t] for t in some]][:, None]
            for row, first, partner in self._partners(here * self.inverse % SMALL):
                yield from self._products(some[row], first, partner)
            for row, first, partner in self._partners((here + (SMALL - self.small)) % SMALL):
                yield from self._sums(some[row], first, partner)

    def _partners(self, residues: Any) -> Iterator[tuple[int, Term, int]]:
        """Rows, and the values whose partners may be there, with the residue of these."""
        there = self.table[residues & _TABLE]
        if there.sum(axis=1).max() > _TRIED:
            there &= there.cumsum(axis=1) <= _TRIED
        for row, column in np.argwhere(there).tolist():
            yield row, self.terms[column], int(residues[row, column])

    def _products(self, term: Term, first: Term, partner: int) -> Pairs:
        for residue, is_negative in ((partner, False), (SMALL - partner, True)):
            for second in self.by_small.get(residue, ()):
                found = self.prints[first] * self.prints[second]
                is_it = self._is_next(first, second) and residue != 1
                if is_it and self._is(term, -found if is_negative else found):
                    product = Term("mul", (first, second), None, term.type)
                    yield term, Term("neg", (product,), None, term.type) if is_negative else product

    def _sums(self, term: Term, first: Term, partner: int) -> Pairs:
        for residue, op, sign in ((partner, "add", 1), (SMALL - partner, "sub", -1)):
            for second in self.by_small.get(residue, ()):
                is_next = sign < 0 or self._is_next(first, second)
                if is_next and self._is(term, self.prints[first] + sign * self.prints[second]):
                    yield term, Term(op, (first, second), None, term.type)

    def _is(self, term: Term, value: int) -> bool:
        return (value - self.prints[term]) % self.prints.prime == 0

    def _is_next(self, first: Term, second: Term) -> bool:
        """Whether a pair comes in this order, not in the other: constants last."""
        if CONST in (first.op, second.op):
            return first.op != CONST
        return self.place[first] <= self.place[second]
