"""What bounds of single atoms say at once, before anything is eliminated.

    0 <= i <= 9    proves i + 3 >= 0; its corner i = 9 shows that i <= 5 is not known

Takes facts, says what they exclude and what they allow; where neither is found, both may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ...terms.term import Term
from .linear import Form


class Corners:
    """The bounds of atoms that facts about one atom each state."""

    def __init__(self, facts: Sequence[Form]) -> None:
        self.joint: list[Form] = []  # facts that are no bounds
        self.low: dict[Term, int] = {}
        self.high: dict[Term, int] = {}
        for fact in facts:
            if len(fact.parts) != 1:
                self.joint.append(fact)
            else:
                ((atom, factor),) = fact.parts
                if factor > 0:
                    low = -(fact.number // factor)
                    self.low[atom] = max(low, self.low.get(atom, low))
                else:
                    high = fact.number // -factor
                    self.high[atom] = min(high, self.high.get(atom, high))

    def excludes(self, facts: Sequence[Form]) -> bool:
        """Whether one of these is below 0 wherever the atoms are within their bounds."""
        return any(self._is_negative(fact) for fact in facts)

    def allows(self, facts: Sequence[Form]) -> bool:
        """Whether these hold at a corner of the bounds, beside all that is known."""
        return self.are_there and any(
            all(_at(corner, fact) for fact in (*facts, *self.joint))
            for corner in self._corners(facts[0])
        )

    @cached_property
    def are_there(self) -> bool:
        """Whether every atom has values within its bounds."""
        return all(low <= self.high.get(atom, low) for atom, low in self.low.items())

    def _is_negative(self, form: Form) -> bool:
        most = form.number
        for atom, factor in form.parts:
            bound = (self.high if factor > 0 else self.low).get(atom)
            if bound is None:
                return False
            most += factor * bound
        return most < 0

    def _corners(self, form: Form) -> Iterator[dict[Term, int]]:
        """Where a form is greatest; what it is not of is at its least, or at its greatest."""
        own = {
            atom: bound
            for atom, factor in form.parts
            if (bound := (self.high if factor > 0 else self.low).get(atom)) is not None
        }
        yield self.low | own
        yield self.high | own


def _at(corner: Mapping[Term, int], fact: Form) -> bool:
    """Whether a fact holds at a point; not where the point says nothing of an atom of it."""
    total = fact.number
    for atom, factor in fact.parts:
        if atom not in corner:
            return False
        total += factor * corner[atom]
    return total >= 0
