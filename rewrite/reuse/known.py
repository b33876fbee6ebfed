"""What is known of a program's values: their fingerprints, and what each has for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ...terms.term import Term, const, toposort
from ...terms.types import Scalar
from .fingerprints import Fingerprints

#: Numbers that may be new: a constant costs nothing.
CONSTANTS = (1.0, 2.0, 0.5, 3.0, 4.0)
#: A prime; products of two residues are whole numbers of 64 bits.
SMALL = 2**31 - 1
_ALONE = 32  # operators that are looked at, of those that a value has for itself


class Known:
    """A program, arguments before users; the rest is found when it is asked for."""

    def __init__(self, flat: Sequence[Term], cost: Callable[[Term], float]) -> None:
        self.flat, self.cost = flat, cost
        self.terms = toposort(flat)

    @cached_property
    def prints(self) -> Fingerprints:
        """The fingerprints of all values, and of the constants that may be new."""
        return Fingerprints(self._everything)

    @cached_property
    def residues(self) -> Fingerprints:
        """The same modulo a small prime, for tables: different values may have one."""
        return Fingerprints(self._everything, SMALL)

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
        uses = dict.fromkeys(self.terms, 0)
        for term in self.terms:
            for arg in term.args:
                uses[arg] += 1
        for term in self.flat:
            uses[term] += 1
        some = (t for t in self.terms if t.args and t.op != "neg" and t.type.is_real)
        return {term: _alone(term, uses) for term in some}

    def depends(self, term: Term, other: Term) -> bool:
        """Whether a term is above another one; what is new is above nothing."""
        return bool(self.below.get(term, 0) >> self.place[other] & 1)

    def saved(self, least: int) -> dict[Term, float]:
        """What it saves to compute a value otherwise, for those with so many operators alone."""
        return {
            term: sum(map(self.cost, spare))
            for term, spare in self.alone.items()
            if len(spare) >= least
        }

    def paid(self, term: Term) -> float:
        """What those operators of a term cost that the program does not have."""
        return sum([self.cost(t) for t in self._new(term)])

    def _new(self, term: Term) -> Iterator[Term]:
        stack, seen = [term], {term}
        while stack:
            here = stack.pop()
            if here not in self.place:
                yield here
                fresh = [a for a in here.args if a not in seen]
                stack += fresh
                seen.update(fresh)


def _alone(term: Term, uses: dict[Term, int]) -> dict[Term, None]:
    """The operators that only this value needs, itself first, as far as they are few."""
    found: dict[Term, None] = {term: None}
    left: dict[Term, int] = {}
    stack = [term]
    while stack and len(found) < _ALONE:
        for arg in stack.pop().args:
            left[arg] = left.get(arg, uses[arg]) - 1
            if not left[arg] and arg.args:
                found[arg] = None
                stack.append(arg)
    return found
