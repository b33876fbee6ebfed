"""Loops as terms, and memory: an array that is one term, read and written at a running index.

A loop is one term with a body of its own. Its arguments are the number of trips, the initial
state, and every value that the body uses from outside; `proj` terms pick its results:

    k = 0
    while k < min(trips, limit) and go(k, state, inputs):
        state = step(k, state, inputs)
        k = k + 1
    proj 0 = k,  proj 1 + j = state[j]

`Open` is a loop that is being changed: its body speaks of outside terms as they are, and of
bound variables of its own. `close` gives the term: what does not change in the loop becomes
an input, so it is computed once, before. Knows nothing of what operators mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

from .errors import Span
from .program import Note, Program, Slot
from .term import (
    CONST,
    CONSTANT,
    PROJ,
    VAR,
    BoundName,
    Term,
    const,
    const_value,
    is_const,
    rebuild,
    replaced,
    toposort,
    var,
)
from .types import Memory, Scalar, ScalarType

LOOP = "loop"
MEMORY = "memory"
TABLE = "table"  # a memory that holds known numbers: its attribute, as constants hold theirs
LOAD = "load"
STORE = "store"
SAVE = "save"  # a whole memory put into a larger one, at a place that counts in its size
RESTORE = "restore"  # and taken out again
KEEP = "keep"  # a value that a loop is to store for its adjoint, or not to: its attribute says
CHECKPOINT, RECOMPUTE = "checkpoint", "recompute"

_serial = count()  # tells bound variables apart while loops are open; closing renames them


@dataclass(frozen=True, slots=True)
class Loop:
    """The attribute of a `loop` term.

    `body` has the parameters (counter, `carried` state variables, inputs), each one scalar or
    memory, and the results (go), (next state). `limit` bounds the trips; None: only `trips`
    does.
    """

    body: Program
    carried: int
    limit: int | None = None
    at: Span | None = field(default=None, compare=False)

    @property
    def go(self) -> Term:
        """The condition under which a trip begins."""
        return self.body.roots[0][0]

    @property
    def step(self) -> tuple[Term, ...]:
        """The next state."""
        return tuple([group[0] for group in self.body.roots[1:]])

    @property
    def counter(self) -> Term:
        """The bound variable that counts the trips."""
        return self.body.params[0].leaves()[0]

    @property
    def state(self) -> list[Term]:
        """The bound variables of the state."""
        return self.body.leaves()[1 : 1 + self.carried]

    @property
    def inputs(self) -> list[Term]:
        """The bound variables of the inputs."""
        return self.body.leaves()[1 + self.carried :]


@dataclass(frozen=True, slots=True)
class State:
    """One variable that a loop carries: its name, its bound variable, first and next value."""

    name: str
    var: Term
    first: Term
    next: Term


@dataclass(frozen=True)
class Open:
    """A loop whose body refers to outside terms directly."""

    counter: Term
    trips: Term
    go: Term
    states: tuple[State, ...]
    limit: int | None = None
    at: Span | None = None
    notes: Mapping[Term, Note] = field(default_factory=dict)

    @property
    def own(self) -> list[Term]:
        """Its bound variables: the counter and the state."""
        return [self.counter, *(s.var for s in self.states)]

    @property
    def roots(self) -> list[Term]:
        """The condition of a trip and the next state."""
        return [self.go, *(s.next for s in self.states)]

    def terms(self) -> list[Term]:
        """The terms of its body, and what is from outside but as new as its variables."""
        return toposort(self.roots, _floor(self.own))


def bound(name: str, type_: ScalarType) -> Term:
    """A variable that no other term uses."""
    return var(BoundName(name, next(_serial)), type_)


def memory(elem: Scalar, size: int) -> Term:
    """Memory that holds zeros; size 0 says that its size is not known."""
    return Term(MEMORY, (), None, Memory(elem, size))


def table_of(numbers: Sequence[Term]) -> Term:
    """Memory that holds constants of one type; zeros where all of them are."""
    type_ = Memory(numbers[0].type, len(numbers))
    if all(is_const(t, 0) for t in numbers):
        return memory(type_.elem, type_.size)
    return Term(TABLE, (), tuple([t.attr for t in numbers]), type_)


@lru_cache(maxsize=32)
def held(source: Term) -> tuple[float | int | bool, ...]:
    """The numbers of a table."""
    type_ = source.type.elem
    return tuple([const_value(Term(CONST, (), attr, type_)) for attr in source.attr])


def load(source: Term, index: Term) -> Term:
    """The element of a memory at an index."""
    assert isinstance(source.type, Memory)
    if source.op == MEMORY:
        return const(0, source.type.elem)
    if source.op == TABLE and index.op == CONST and 0 <= index.attr < source.type.size:
        return Term(CONST, (), source.attr[index.attr], source.type.elem)
    return Term(LOAD, (source, index), None, source.type.elem)


def store(target: Term, index: Term, value: Term) -> Term:
    """The memory with another element at an index; itself where that is there already."""
    there = target.op == STORE and target.args[1:] == (index, value)
    if there or (value.op == LOAD and value.args == (target, index)):
        return target
    return Term(STORE, (target, index, value), None, target.type)


def save(target: Term, place: Term, source: Term) -> Term:
    """The memory `target` with all of `source` at `place`."""
    return Term(SAVE, (target, place, source), None, target.type)


def restore(source: Term, place: Term, type_: Memory) -> Term:
    """What was saved at `place`."""
    return Term(RESTORE, (source, place), None, type_)


def zero(type_: ScalarType) -> Term:
    """The constant 0 of a type; of a memory, one that is all zeros."""
    if isinstance(type_, Memory):
        return memory(type_.elem, type_.size)
    return const(0.0, type_)


def final(loop: Term, index: int) -> Term:
    """The value of state variable `index` after the loop."""
    return Term(PROJ, (loop,), index + 1, loop.attr.step[index].type)


def trips_run(loop: Term) -> Term:
    """How often the loop's body ran; known where nothing else can end the loop."""
    attr: Loop = loop.attr
    trips = loop.args[0]
    if is_const(attr.go, True) and trips.op == CONST:
        run = max(int(trips.attr), 0)
        return const(run if attr.limit is None else min(run, attr.limit), Scalar.I32)
    return Term(PROJ, (loop,), 0, Scalar.I32)


def is_unlimited(loop: Loop) -> bool:
    """Whether nothing bounds the trips of a loop, or of a loop inside of it."""
    inner = (t.attr for t in loop.body.terms() if t.op == LOOP)
    return loop.limit is None or any(map(is_unlimited, inner))


def varying(roots: Iterable[Term], start: Iterable[Term]) -> set[Term]:
    """The terms below `roots` that depend on one of `start`, those included."""
    found = set(start)
    for term in toposort(roots, _floor(found)):
        if any(a in found for a in term.args):
            found.add(term)
    return found


def close(loop: Open) -> Term:
    """The `loop` term: what the body uses from outside becomes its inputs."""
    own, roots = loop.own, loop.roots
    inner = varying(roots, own)
    used = [*roots, *(a for t in loop.terms() if t in inner for a in t.args)]
    # `1 / 0.25` as an input would be a number that the algebra of the body cannot see.
    outside = [t for t in dict.fromkeys(used) if t not in inner and t.scope > CONSTANT]
    names = _Names()
    slots = [Slot(names.fresh(stem(loop.counter)), loop.counter.type)]
    slots += [Slot(names.fresh(s.name), s.var.type) for s in loop.states]
    for term in outside:
        note = loop.notes.get(term)
        plain = stem(term) if term.op == VAR else "v"
        slots.append(Slot(names.fresh(note.name if note else plain), term.type))
    table = {old: var(s.name, old.type) for old, s in zip([*own, *outside], slots, strict=True)}
    done = replaced(roots, table)
    results = [
        Slot("go", Scalar.BOOL),
        *(replace(s, name=f"{s.name}_next") for s in slots[1 : len(own)]),
    ]
    notes = {
        new: loop.notes[old] for old, new in done.items() if old in loop.notes and old not in table
    }
    groups = tuple((done.get(root, root),) for root in roots)
    body = Program("loop", tuple(slots), tuple(results), groups, notes, loop.at)
    attr = Loop(body, len(loop.states), loop.limit, loop.at)
    args = (loop.trips, *(s.first for s in loop.states), *outside)
    return Term(LOOP, args, attr, Scalar.I32)


def opened(term: Term) -> Open:
    """The loop of a `loop` term, ready to be changed."""
    loop: Loop = term.attr
    body = loop.body
    leaves = body.leaves()
    own = leaves[: loop.carried + 1]
    fresh = [bound(leaf.attr, leaf.type) for leaf in own]
    inputs = term.args[1 + loop.carried :]
    table = dict(zip(leaves, [*fresh, *inputs], strict=True))
    done = replaced(body.flat, table)
    go, *following = [done.get(t, t) for t in body.flat]
    states = tuple(
        State(leaf.attr, new, first, after)
        for leaf, new, first, after in zip(
            own[1:], fresh[1:], term.args[1 : 1 + loop.carried], following, strict=True
        )
    )
    notes = {done[t]: n for t, n in body.notes.items() if t in done}
    return Open(fresh[0], term.args[0], go, states, loop.limit, loop.at, notes)


def map_loops(roots: Sequence[Term], change: Callable[[Program], Program]) -> dict[Term, Term]:
    """Every term below `roots`, with the body of every loop replaced by a changed one.

    The changed body has the same parameters and results; loops inside it are its own affair.
    """
    bodies: dict[Loop, Loop] = {}
    done: dict[Term, Term] = {}
    for term in toposort(roots):
        args = tuple([done[a] for a in term.args])
        if term.op == LOOP:
            loop: Loop = term.attr
            if loop not in bodies:
                bodies[loop] = replace(loop, body=change(loop.body))
            done[term] = Term(LOOP, args, bodies[loop], term.type)
        else:
            done[term] = rebuild(term, args)
    return done


def accesses(
    terms: Iterable[Term],
) -> tuple[dict[Term, list[Term]], dict[Term, list[Term]]]:
    """For each version of a memory, the terms that read it, and those that make a next one.

    A loop that carries a memory makes a next version; one that has it as an input reads it.
    """
    reads: dict[Term, list[Term]] = {}
    writes: dict[Term, list[Term]] = {}
    for term in terms:
        if term.op in (STORE, SAVE):
            writes.setdefault(term.args[0], []).append(term)
        if term.op in (LOAD, RESTORE):
            reads.setdefault(term.args[0], []).append(term)
        if term.op == SAVE:
            reads.setdefault(term.args[2], []).append(term)
        if term.op == LOOP:
            for i, arg in enumerate(term.args):
                if isinstance(arg.type, Memory):
                    kind = writes if i <= term.attr.carried else reads
                    kind.setdefault(arg, []).append(term)
    return reads, writes


def has_loops(roots: Iterable[Term]) -> bool:
    """Whether there is any loop below the roots."""
    return any(t.op == LOOP for t in toposort(roots))


def _floor(terms: Iterable[Term]) -> int:
    """The scope below which nothing depends on one of the terms."""
    return min([t.scope for t in terms], default=CONSTANT)


def stem(term: Term) -> str:
    """The name of a variable, without what tells it apart while its loop is open."""
    return term.attr.stem if isinstance(term.attr, BoundName) else str(term.attr)


class _Names:
    """Names that are given once."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.numbers: dict[str, int] = {}  # the last one of each stem: all below it are taken

    def fresh(self, stem: str) -> str:
        stem = "".join(c if c.isalnum() or c == "_" else "_" for c in stem).strip("_") or "v"
        number = self.numbers.get(stem, 1)
        name = stem if number == 1 else f"{stem}_{number}"
        while name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        self.numbers[stem] = number
        return name


def scalar_types(roots: Iterable[Term]) -> set[Scalar]:
    """The scalar types that occur below the roots, also inside loops and memories."""
    found: set[Scalar] = set()
    for term in toposort(roots):
        found.add(term.type.elem if isinstance(term.type, Memory) else term.type)
        if term.op == LOOP:
            found |= scalar_types([*term.attr.body.flat, *term.attr.body.leaves()])
    return found
