"""What the loops of a program keep in memory, in bytes per work-item.

Takes a program, gives every memory with the name of the variable that it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ...terms.errors import Span
from ...terms.loop import LOOP, Loop
from ...terms.term import PROJ, Term, toposort
from ...terms.types import Memory, Scalar, ScalarType

#: Bytes of one value.
SIZES = {Scalar.BOOL: 1, Scalar.I32: 4, Scalar.F16: 2, Scalar.F32: 4, Scalar.F64: 8}


def size_of(type_: ScalarType) -> int:
    """The bytes of a value, or of all that a memory holds."""
    return SIZES[type_.elem] * type_.size if isinstance(type_, Memory) else SIZES[type_]


@dataclass(frozen=True, slots=True)
class Stored:
    """A variable of a loop of which values are kept: how many of which type."""

    name: str
    type: Memory
    at: Span | None = None

    @property
    def bytes(self) -> int:
        """What it takes of each work-item."""
        return size_of(self.type)

    def __str__(self) -> str:
        place = f", loop at line {self.at.line}" if self.at else ""
        return f"{self.name} ({self.type.size} x {self.type.elem.value}{place})"


def stored(roots: Iterable[Term]) -> list[Stored]:
    """The memories of all loops below the roots, outer loops first.

    A loop that goes on with what another one has left, and nobody else reads, has no other memory.
    """
    found = []
    roots = list(roots)
    terms = toposort(roots)
    uses = Counter([*roots, *(a for t in terms for a in t.args)])
    for term in terms:
        if term.op != LOOP:
            continue
        loop: Loop = term.attr
        for var, first in zip(loop.state, term.args[1:], strict=False):
            same = first.op == PROJ and uses[first] == 1
            if isinstance(var.type, Memory) and not same:
                name = str(var.attr).replace("_tape", "")
                found.append(Stored(name, var.type, loop.at))
        found += stored(loop.body.flat)
    return found
