"""The order of reads and writes: what is read from a memory is read before it is written over."""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.loop import accesses
from ...terms.term import Term, toposort
from ...terms.walk import Cyclic, postorder


def reads_first(roots: Sequence[Term]) -> list[Term]:
    """The terms below the roots; where it can be, reads stand before the write that follows.

    It cannot where what is read follows from the write: a copy from before the write is read.
    """
    order = toposort(roots)
    reads, writes = accesses(order)
    before: dict[Term, list[Term]] = {}
    for version, writers in writes.items():
        for writer in writers:
            before.setdefault(writer, []).extend(reads.get(version, ()))
    try:
        return postorder(order, lambda term: [*term.args, *before.get(term, ())])
    except Cyclic:
        return order
