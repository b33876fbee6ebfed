"""The order of reads and writes: what is read from a memory is read before it is written over.

Takes terms in a topological order, gives one in which every read of a version of a memory
stands before the write that makes the next version of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...terms.errors import DeriveError
from ...terms.loop import LOAD, LOOP, MEMORY, STORE
from ...terms.term import Term
from ...terms.types import Memory


def reads_before(terms: Sequence[Term]) -> dict[Term, list[Term]]:
    """For every term that writes over a memory, the terms that read what it overwrites."""
    writers: dict[Term, list[Term]] = {}
    for term in terms:
        if term.op == STORE:
            writers.setdefault(term.args[0], []).append(term)
        elif term.op == LOOP:
            for first in term.args[1 : 1 + term.attr.carried]:
                if isinstance(first.type, Memory):
                    writers.setdefault(first, []).append(term)
    found: dict[Term, list[Term]] = {}
    for term in terms:
        if term.op == LOAD and term.args[0].op != MEMORY:
            for writer in writers.get(term.args[0], ()):
                found.setdefault(writer, []).append(term)
    return found


def reads_first(order: Sequence[Term]) -> list[Term]:
    """The terms in an order in which reads come before the write that follows."""
    before = reads_before(order)
    return ordered(order, before) if before else list(order)


def ordered(order: Sequence[Term], before: Mapping[Term, Sequence[Term]]) -> list[Term]:
    """A topological order in which `before[t]` stands before `t`.

    Raises DeriveError where a value is read after it was overwritten.
    """
    state: dict[Term, bool] = {}
    result: list[Term] = []
    stack = list(order)[::-1]
    known = set(order)
    while stack:
        term = stack[-1]
        if term in state:
            stack.pop()
            if not state[term]:
                state[term] = True
                result.append(term)
            continue
        state[term] = False
        for arg in reversed([*term.args, *before.get(term, ())]):
            if arg not in known:
                continue
            if state.get(arg) is False:
                raise DeriveError(
                    "an element is read after it was changed, and the old value is needed",
                    None,
                    "copy the list before it is changed: old = copy(list)",
                )
            if arg not in state:
                stack.append(arg)
    return result
