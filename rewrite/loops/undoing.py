"""State that need not be stored: what it was before a trip follows from what it is after it.

    a, b = b, a + b    is undone by    b = a'    a = b' - b

Takes a loop, says of which state variables this is so, and how. Knows no operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...terms.loop import Loop, bound
from ...terms.term import Term
from ...terms.types import Memory

#: The value of a variable for which an update is a result; None where nothing says it.
Undo = Callable[[Term, Term, Term], Term | None]


@dataclass(frozen=True)
class Undone:
    """What state variables are at the start of a trip, over values at its end and the body.

    `values` are in an order in which they can be computed; `ends` gives for a value at the end
    of a trip the state variable that it becomes at the start of the trip before.
    """

    values: dict[Term, Term] = field(default_factory=dict)
    ends: dict[Term, Term] = field(default_factory=dict)

    def over(self, term: Term) -> Sequence[Term] | None:
        """What a variable is computed over; None where it cannot be."""
        if term in self.ends:
            return (self.ends[term],)
        return (self.values[term],) if term in self.values else None


def undone(loop: Loop, could: Callable[[Term], bool], undo: Undo) -> Undone:
    """The state variables that an adjoint can follow backwards.

    Each is solved from one update in which all else is known: solved before, or such that no
    update says what it was, so that it is kept if it is read. `could` is a quick first answer.
    """
    state, steps = loop.state, loop.step
    masks = _masks(loop)
    ends = {j: bound(f"{v.attr}", v.type) for j, v in enumerate(state)}
    ways: dict[int, list[tuple[int, Term]]] = {}
    for j, step in enumerate(steps):
        if isinstance(step.type, Memory) or not could(step):
            continue
        for i in _bits(masks.get(step, 0)):
            value = undo(step, state[i], ends[j]) if state[i].type is step.type else None
            if value is not None:
                ways.setdefault(i, []).append((j, value))
    known = sum(1 << i for i in range(loop.carried) if i not in ways)
    found = Undone()
    while True:
        before = known
        for i, options in ways.items():
            fits = [(j, v) for j, v in options if not masks[steps[j]] & ~(known | 1 << i)]
            if fits and not known >> i & 1:
                j, found.values[state[i]] = fits[0]
                found.ends[ends[j]] = state[j]
                known |= 1 << i
        if known == before:
            return found


def _masks(loop: Loop) -> dict[Term, int]:
    """For each term of the body the state variables it is over, as bits; those over none lack."""
    found = {v: 1 << i for i, v in enumerate(loop.state)}
    for term in loop.body.terms():
        mask = 0
        for arg in term.args:
            mask |= found.get(arg, 0)
        if mask:
            found[term] = mask
    return found


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
