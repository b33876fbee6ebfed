"""Tapes: what a loop stores so that its adjoint can run backwards over it.

Every state variable gets a memory that holds its value at the start of each trip. Nobody asks
which of them are needed: the ones that nothing reads are dropped again (`prune.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...terms.errors import DeriveError
from ...terms.loop import (
    KEEP,
    LOAD,
    LOOP,
    MEMORY,
    SAVE,
    STORE,
    Loop,
    Open,
    State,
    bound,
    close,
    memory,
    opened,
    save,
    store,
    varying,
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
        if j in known:
            continue
        if isinstance(state.var.type, Memory):
            tapes += _saved(loop, state)
            continue
        tape = memory(state.var.type, _size(loop))
        var = bound(f"{state.name}_tape", tape.type)
        tapes.append(State(f"{state.name}_tape", var, tape, store(var, loop.counter, state.var)))
    names = {t: note.name for t, note in loop.notes.items()}
    moving = varying(loop.roots, [s.var for s in loop.states if isinstance(s.var.type, Memory)])
    for term in loop.terms():
        # What is read from a memory that the loop changes cannot be read again on the way back.
        if term.op == KEEP or (term.op == LOAD and term.args[0] in moving):
            tape = memory(term.type, _size(loop))
            plain = "read" if term.op == LOAD else "kept"
            name = f"{names.get(term, names.get(term.args[0], plain))}_tape"
            var = bound(name, tape.type)
            tapes.append(State(name, var, tape, store(var, loop.counter, term)))
    return close(replace(loop, states=(*loop.states, *tapes)))


def _saved(loop: Open, state: State) -> list[State]:
    """A memory that a loop changes is stored whole, should its contents be needed."""
    assert isinstance(state.var.type, Memory)
    if _is_tape(loop, state):
        return []
    tape = memory(state.var.type.elem, _size(loop) * state.var.type.size)
    var = bound(f"{state.name}_tape", tape.type)
    return [State(f"{state.name}_tape", var, tape, save(var, loop.counter, state.var))]


def _is_tape(loop: Open, state: State) -> bool:
    after = state.next
    return (
        after.op in (STORE, SAVE) and after.args[0] is state.var and after.args[1] is loop.counter
    )


def _size(loop: Open) -> int:
    return 0 if loop.limit is None else max(loop.limit, 1)


def tape_indices(loop: Loop) -> dict[int, int]:
    """The state variables that are stored at the start of each trip, and where."""
    where = {v: j for j, v in enumerate(loop.state)}
    return {where[term]: m for term, m in taped_terms(loop).items() if term in where}


def taped_terms(loop: Loop) -> dict[Term, int]:
    """The terms of the body that every trip stores at its own place, and where."""
    found: dict[Term, int] = {}
    for m, after in enumerate(loop.step):
        taped = after.op in (STORE, SAVE) and after.args[0] is loop.state[m]
        if taped and after.args[1] is loop.counter:
            found.setdefault(after.args[2], m)
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
