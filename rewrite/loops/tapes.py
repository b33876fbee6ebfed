"""Tapes: what a loop stores so that its adjoint can run backwards over it.

Every state variable gets a memory that holds its value at the start of each trip. Nobody asks
which of them are needed: the ones that nothing reads are dropped again (`prune.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...terms.errors import DeriveError
from ...terms.loop import (
    LOOP,
    MEMORY,
    STORE,
    Loop,
    Open,
    State,
    bound,
    close,
    memory,
    opened,
    store,
)
from ...terms.program import Program
from ...terms.term import Term, rebuild, toposort
from ...terms.types import Memory


def with_tapes(program: Program) -> Program:
    """The program in which every loop stores its state."""
    done: dict[Term, Term] = {}
    for term in program.terms():
        args = tuple([done[a] for a in term.args])
        done[term] = rebuild(term, args)
        if term.op == LOOP:
            loop: Loop = term.attr
            inner = replace(loop, body=with_tapes(loop.body))
            done[term] = _taped(Term(LOOP, args, inner, term.type))
    notes = {done[t]: n for t, n in program.notes.items() if t in done}
    return program.with_flat([done[t] for t in program.flat], notes=notes)


def _taped(term: Term) -> Term:
    loop = opened(term)
    known = tape_indices(term.attr)
    tapes = []
    for j, state in enumerate(loop.states):
        if j in known or isinstance(state.var.type, Memory):
            continue
        tape = memory(state.var.type, _size(loop))
        var = bound(f"{state.name}_tape", tape.type)
        tapes.append(State(f"{state.name}_tape", var, tape, store(var, loop.counter, state.var)))
    return close(replace(loop, states=(*loop.states, *tapes)))


def _size(loop: Open) -> int:
    return 0 if loop.limit is None else max(loop.limit, 1)


def tape_indices(loop: Loop) -> dict[int, int]:
    """The state variables that are stored at the start of each trip, and where."""
    where = {v: j for j, v in enumerate(loop.state)}
    found: dict[int, int] = {}
    for m, after in enumerate(loop.step):
        if after.op == STORE and after.args[0] is loop.state[m] and after.args[1] is loop.counter:
            j = where.get(after.args[2])
            if j is not None:
                found.setdefault(j, m)
    return found


def check_sizes(roots: Sequence[Term]) -> None:
    """DeriveError where a loop without a known bound has to store something."""
    for term in toposort(roots):
        if term.op != LOOP:
            continue
        if any(
            a.op == MEMORY and isinstance(a.type, Memory) and not a.type.size for a in term.args
        ):
            raise DeriveError(
                "this loop must store a value of every trip, and how many trips there are is not"
                " known",
                term.attr.at,
                "write max_iters(n) before the loop: n is the most trips it can make",
            )
        check_sizes(term.attr.body.flat)
