"""What is known of a program's values: their fingerprints, and what each has for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from ...terms.term import CONST, SELECT, Term, const, toposort
from ...terms.types import Scalar
from ..fingerprints import PRIME, SMALL, TOTAL, Fingerprints
from ..uses import alone, new_in, uses_of
from .rooted import rooted

#: Numbers that may be new: a constant costs nothing.
CONSTANTS = (1.0, 2.0, 0.5, 3.0, 4.0)
_ALONE = 32  # operators that are looked at, of those that a value has for itself
_CLASSES = frozenset({"isfinite", "isinf", "isnan"})
_FACTORS = ("mul", "sqrt", "neg", "abs")  # are 0 where an argument is


class Known:
    """A program, arguments before users; the rest is found when it is asked for."""

    alike = 1  # of equal values, so many may stand for all

    def __init__(self, flat: Sequence[Term], cost: Callable[[Term], float]) -> None:
        self.flat, self.cost = flat, lru_cache(maxsize=None)(cost)
        self.terms = toposort(flat)

    @cached_property
    def prints(self) -> Fingerprints:
        """The fingerprints of all values, and of the constants that may be new."""
        return rooted(self._everything, PRIME)

    @cached_property
    def residues(self) -> Fingerprints:
        """The same modulo a small prime, for tables: different values may have one."""
        return rooted(self._everything, SMALL)

    @cached_property
    def _everything(self) -> list[Term]:
        kinds = dict.fromkeys([t.type for t in self.terms if t.type.is_real])
        new = (const(c, k) for k in kinds if isinstance(k, Scalar) for c in CONSTANTS)
        return list(dict.fromkeys([*self.terms, *new]))

    @cached_property
    def place(self) -> dict[Term, int]:
        """Where a term comes."""
        return {term: i for i, term in enumerate(self.terms)}

    @cached_property
    def below(self) -> dict[Term, int]:
        """The places of all below a term and of itself, as bits: the square of their number."""
        found: dict[Term, int] = {}
        for i, term in enumerate(self.terms):
            bits = 1 << i
            for arg in term.args:
                bits |= found[arg]
            found[term] = bits
        return found

    @cached_property
    def alone(self) -> dict[Term, dict[Term, None]]:
        """For each operator that may be replaced those that only it needs, itself first."""
        uses = uses_of(self.terms, self.flat)
        some = (t for t in self.terms if t.args and t.op != "neg" and t.type.is_real)
        return {term: alone(term, uses, _ALONE) for term in some}

    def ranked(self, terms: Sequence[Term]) -> Sequence[Term]:
        """In this order, of those that are equal the first one stands for all."""
        return terms

    def is_so(self, old: Term, new: Term) -> bool:
        """Whether two terms of one fingerprint are one: here that says all."""
        return True

    def depends(self, term: Term, other: Term) -> bool:
        """Whether a term is above another one; what is new is above nothing."""
        return bool(self.below.get(term, 0) >> self.place[other] & 1)

    @cached_property
    def poles(self) -> dict[Term, frozenset[int]]:
        """By fingerprints, where a value is no number, or infinite, whatever is chosen in it.

        What a choice has in one arm alone does not count: it is computed where it is a number.
        """
        found: dict[Term, frozenset[int]] = {}
        for term in self._everything:
            found[term] = self._poles(term, found)
        return found

    def _poles(self, term: Term, known: Mapping[Term, frozenset[int]]) -> frozenset[int]:
        each = [known[a] for a in term.args]
        if term.op == SELECT:
            return each[0] | (each[1] & each[2])
        if _is_settled(term):
            return frozenset()
        every: frozenset[int] = frozenset().union(*each)
        if not term.args or term.op in TOTAL:
            return every
        below = term.args[1:] if term.op == "div" else term.args
        return every.union(*(self._zeros(a) for a in below))

    def _zeros(self, term: Term) -> set[int]:
        """The factors of a term, by fingerprints, in any spelling of their signs and roots."""
        found, stack, seen = set[int](), [term], {term}
        while stack:
            here = stack.pop()
            if here.op in _FACTORS:
                fresh = [a for a in here.args if a not in seen]
                stack += fresh
                seen.update(fresh)
            elif here.op != CONST:
                value = self.prints[here]
                found.add(min(value, self.prints.prime - value))
        return found

    def stays_a_number(self, term: Term, args: Iterable[Term]) -> bool:
        """Whether a value made of these is a number wherever the term is that it stands for."""
        return all(self.poles[a] <= self.poles[term] for a in args)

    def saved(self, least: int) -> dict[Term, float]:
        """What it saves to compute a value otherwise, for those with so many operators alone."""
        return {
            term: sum(map(self.cost, spare))
            for term, spare in self.alone.items()
            if len(spare) >= least
        }

    def is_own(self, term: Term, args: Iterable[Term]) -> bool:
        """Whether what a term may be made of is among what it has for itself."""
        return any(a in self.alone[term] for a in args)

    def kept(self, term: Term, args: Iterable[Term]) -> float:
        """What those operators cost that a term has for itself, and would have with these below."""
        below = [self.below[a] for a in args if a in self.below]
        spare = self.alone[term]
        return sum([self.cost(t) for t in spare if any(b >> self.place[t] & 1 for b in below)])

    def paid(self, term: Term) -> float:
        """What those operators of a term cost that the program does not have."""
        return sum([self.cost(t) for t in new_in(term, self.place)])


def _is_settled(condition: Term) -> bool:
    """Whether it is settled also where what it asks for is infinite, or no number."""
    within = condition.op in ("lt", "le") and condition.args[0].op == "abs"
    return condition.op in _CLASSES or (within and condition.args[1].op == CONST)
