"""Where the memories of loops live: in each work-item, or in a buffer that all of them share.

Private arrays are the fastest while they are small. A kernel whose memories take more than
`PRIVATE_BYTES` per work-item gets them as buffers instead: element k of work-item j is at
`k * stride + j`, so that neighbours read neighbouring places. Knows nothing of statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...rewrite.loops.storage import size_of, stored
from ...terms.loop import LOOP, TABLE
from ...terms.term import Term, toposort
from ...terms.types import Memory
from .names import Names
from .spell import CTYPES

#: With groups of 64 work-items this is 1.5 MiB of stack: measured to be safe on every runtime.
#: Intel's compiler (2026.2) does not vectorise a kernel with more than about 26 KiB, which then
#: takes 15 times as long; a buffer takes two to four times as long as private arrays.
PRIVATE_BYTES = 24 * 1024


@dataclass(frozen=True, slots=True)
class Scratch:
    """A buffer for one memory of a loop: `type.size` elements for each work-item."""

    symbol: str
    type: Memory


@dataclass
class Arrays:
    """The arrays of one kernel, in the order in which they were asked for."""

    names: Names
    shared: bool
    fixed: Mapping[Term, str] = field(default_factory=dict)  # that stand elsewhere, and stay
    stride: str = ""
    scratch: list[Scratch] = field(default_factory=list)

    def declare(self, stem: str, type_: Memory) -> tuple[str, str]:
        """The name of a new array, and the statement that declares it: "" for a buffer."""
        name = self.names.fresh(stem)
        if not self.shared:
            return name, f"{CTYPES[type_.elem]} {name}[{max(type_.size, 1)}];"
        if not self.stride:
            self.stride = self.names.fresh("stride")
        self.scratch.append(Scratch(name, type_))
        return name, ""

    def place(self, array: str, index: str) -> str:
        """The text of one element."""
        if self.shared and array not in self.fixed.values():
            index = index if index.isidentifier() or index.isdecimal() else f"({index})"
            return f"{array}[{index} * {self.stride}]"
        return f"{array}[{index}]"


def arrays(roots: Sequence[Term], names: Names, given: Mapping[Term, str] | None = None) -> Arrays:
    """Private arrays, or buffers where those would be too large; what is `given` has a name.

    So has each table.
    """
    fixed = {**(given or {}), **{term: names.fresh("table") for term in _tables(roots)}}
    return Arrays(names, too_large([s.type for s in stored(roots)]), fixed)


def _tables(roots: Iterable[Term]) -> dict[Term, None]:
    """The tables below the roots, also those that loops read."""
    found: dict[Term, None] = {}
    for term in toposort(roots):
        if term.op == TABLE:
            found[term] = None
        elif term.op == LOOP:
            found |= _tables(term.attr.body.flat)
    return found


def too_large(memories: Sequence[Memory]) -> bool:
    """Whether memories take more than a work-item should have of its own."""
    return sum(map(size_of, memories)) > PRIVATE_BYTES


def item_parameters(found: Arrays) -> list[str]:
    """What the device function takes: one pointer per buffer, and the stride."""
    if not found.scratch:
        return []
    pointers = [f"__global {CTYPES[s.type.elem]} *{s.symbol}" for s in found.scratch]
    return [*pointers, f"const size_t {found.stride}"]
