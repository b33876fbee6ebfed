"""Tapes: what a loop stores so that its adjoint can run backwards over it.

Every state variable gets a memory that holds its value at the start of each trip, and so does
every number that follows from the state or the number of the trip. Which of them the adjoint
reads is its choice (`choosing.py`); those that nothing reads are dropped again (`prune.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...terms.errors import DeriveError
from ...terms.loop import (
    KEEP,
    LOAD,
    LOOP,
    MEMORY,
    RECOMPUTE,
    SAVE,
    STORE,
    Loop,
    Open,
    State,
    bound,
    close,
    load,
    memory,
    opened,
    restore,
    save,
    stem,
    store,
    varying,
)
from ...terms.program import Program
from ...terms.term import CALL, VAR, Term, rebuild, toposort
from ...terms.types import Memory, Scalar, ScalarType


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
    return program.with_terms(done)


def _taped(term: Term) -> Term:
    loop = opened(term)
    done = {s.next.args[2] for s in loop.states if _is_tape(loop, s)}
    names = {t: note.name for t, note in loop.notes.items()}
    tapes = []
    for state in loop.states:
        if state.var in done:
            continue
        if not (isinstance(state.var.type, Memory) and _is_tape(loop, state)):
            tapes.append(tape_of(state.name, state.var, loop.counter, _size(loop)))
    moving = varying(loop.roots, loop.own)
    for value in loop.terms():
        if value.op == KEEP and value.attr == RECOMPUTE:
            done |= {value, *value.args}
    for value in loop.terms():
        if value in moving and value not in done and _is_keepable(value):
            tapes.append(tape_of(_name(value, names), value, loop.counter, _size(loop)))
    return close(replace(loop, states=(*loop.states, *tapes)))


def _name(value: Term, names: Mapping[Term, str]) -> str:
    """What a value is called: as in the source, or after its operator and what it is of."""
    if value in names:
        return names[value]
    known = (names.get(a) or (stem(a) if a.op == VAR else "") for a in value.args)
    of = next(filter(None, known), "")
    return of if of and value.op == LOAD else f"{value.op}_{of}" if of else value.op


def _is_keepable(term: Term) -> bool:
    """Whether a value that is no state may be kept: a number that may not be computed again."""
    if term.op in (LOOP, CALL):
        return False  # only their results are numbers
    return bool(term.args) and isinstance(term.type, Scalar)


def tape_of(name: str, value: Term, place: Term, size: int) -> State:
    """The state that stores a value of each trip at its place; a memory is stored whole."""
    whole = value.type if isinstance(value.type, Memory) else None
    tape = memory(whole.elem, size * whole.size) if whole else memory(value.type, size)
    var = bound(f"{name}_tape", tape.type)
    put = save if whole else store
    return State(f"{name}_tape", var, tape, put(var, place, value))


def taken(tape: Term, place: Term, type_: ScalarType) -> Term:
    """What a tape holds at a place."""
    return restore(tape, place, type_) if isinstance(type_, Memory) else load(tape, place)


def _is_tape(loop: Open, state: State) -> bool:
    after = state.next
    return (
        after.op in (STORE, SAVE) and after.args[0] is state.var and after.args[1] is loop.counter
    )


def _size(loop: Open) -> int:
    return 0 if loop.limit is None else max(loop.limit, 1)


def taped_terms(loop: Loop) -> dict[Term, int]:
    """The terms of the body that every trip stores at its own place, and where."""
    found: dict[Term, int] = {}
    for m, after in enumerate(loop.step):
        taped = after.op in (STORE, SAVE) and after.args[0] is loop.state[m]
        if taped and after.args[1] is loop.counter:
            found.setdefault(after.args[2], m)
    return found


def without_size(roots: Sequence[Term]) -> Loop | None:
    """A loop that stores something, and nothing bounds its trips."""
    for term in toposort(roots):
        if term.op != LOOP:
            continue
        if any(
            a.op == MEMORY and isinstance(a.type, Memory) and not a.type.size for a in term.args
        ):
            return term.attr  # type: ignore[no-any-return]
        found = without_size(term.attr.body.flat)
        if found is not None:
            return found
    return None


def unknown_trips(loop: Loop) -> DeriveError:
    """The error for such a loop."""
    return DeriveError(
        "this loop must store a value of every trip, and how many trips there are is not known",
        loop.at,
        "write max_iters(n) before the loop: n is the most trips it can make",
    )
