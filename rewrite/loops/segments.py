"""Segments: a loop that would keep too much keeps the start of every segment only.

    for k in range(n): s = step(k, s)

becomes a loop over segments of b trips each, about sqrt(n) of them. Its adjoint keeps the
state at the start of each segment, and runs a segment again when its turn comes: 2 sqrt(n)
states instead of n, for one more run of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isqrt

from ...terms.loop import LOOP, Loop, Open, State, bound, close, final, opened, trips_run
from ...terms.program import Program
from ...terms.term import CONST, PROJ, Term, const, is_const, rebuild, substitute
from ...terms.types import Scalar
from .storage import SIZES, stored

#: What the adjoint of one loop keeps in full; above, it keeps segments.
SEGMENT_BYTES = 16 * 1024

Arithmetic = Callable[[str, Term, Term], Term]


def segmented(program: Program, wanted: Callable[[Loop], bool], apply: Arithmetic) -> Program:
    """The program in which loops are split into segments where that is wanted."""
    done: dict[Term, Term] = {}
    split: dict[Term, list[Term]] = {}
    for term in program.terms():
        args = tuple([done[a] for a in term.args])
        if term.op == LOOP:
            loop: Loop = term.attr
            inner = replace(loop, body=segmented(loop.body, wanted, apply))
            done[term] = Term(LOOP, args, inner, term.type)
            if wanted(loop):
                split[term] = _split(done[term], apply)
        elif term.op == PROJ and term.args[0] in split:
            done[term] = split[term.args[0]][term.attr]
        else:
            done[term] = rebuild(term, args)
    notes = {done[t]: n for t, n in program.notes.items() if t in done}
    return program.with_flat([done[t] for t in program.flat], notes=notes)


def keeps_too_much(roots: Iterable[Term]) -> bool:
    """Whether a loop below the roots keeps more than a segment's worth of one variable."""
    return sum(s.bytes for s in stored(roots)) > SEGMENT_BYTES


def is_large(loop: Loop) -> bool:
    """Whether the adjoint of a loop might keep more than it should."""
    state = sum(SIZES[v.type] for v in loop.state if isinstance(v.type, Scalar))
    return loop.limit is not None and loop.limit * state > SEGMENT_BYTES


def _split(term: Term, apply: Arithmetic) -> list[Term]:
    """The number of trips and the final state, by a loop over segments."""
    loop: Loop = term.attr
    assert loop.limit is not None
    size = isqrt(loop.limit - 1) + 1
    segment = bound("segment", Scalar.I32)
    length = const(size, Scalar.I32)
    start = apply("mul", segment, length)
    inner = opened(term)
    own = [bound(s.name, s.var.type) for s in inner.states]
    begun = tuple(replace(s, first=v) for s, v in zip(inner.states, own, strict=True))
    # Inside a segment the counter goes on from where the segment starts.
    trip = bound(str(loop.counter.attr), Scalar.I32)
    here = apply("add", start, trip)
    go, *nexts = substitute(inner.roots, {inner.counter: here})
    left = apply("sub", inner.trips, start)
    body = close(
        Open(
            trip,
            apply("min", left, length),
            go,
            tuple(replace(s, next=n) for s, n in zip(begun, nexts, strict=True)),
            size,
            inner.at,
            inner.notes,
        )
    )
    run = Term(PROJ, (body,), 0, Scalar.I32)
    count = bound("run", Scalar.I32)
    states = [State("run", count, const(0, Scalar.I32), apply("add", count, run))]
    states += [
        State(s.name, v, s.first, final(body, j))
        for j, (s, v) in enumerate(zip(inner.states, own, strict=True))
    ]
    going = const(True, Scalar.BOOL)
    if not is_const(loop.go, True):
        going = apply("eq", count, start)  # no earlier segment was left before its end
    number = (loop.limit + size - 1) // size
    segments = apply("quotient", apply("add", inner.trips, const(size - 1, Scalar.I32)), length)
    outer = close(Open(segment, segments, going, tuple(states), number, inner.at, inner.notes))
    known = trips_run(term)
    count = known if known.op == CONST else final(outer, 0)
    return [count, *(final(outer, 1 + j) for j in range(loop.carried))]
