"""Loops side by side become one: all columns of a Jacobian run through the same values.

Every sweep has a loop of its own, and each of them carries the same primal state, or reads the same
tapes. Loops that make the same trips, of which none needs another one and which compute something
alike, are one loop that carries what they carry; state variables that are always equal are one.

Takes result terms, gives equal ones over fewer loops.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...terms.loop import (
    LOAD,
    LOOP,
    RESTORE,
    Loop,
    Open,
    State,
    close,
    has_loops,
    map_loops,
    opened,
    varying,
)
from ...terms.program import Note, Program, Slot
from ...terms.term import PROJ, Term, rebuild, replaced, substitute, toposort, var
from ...terms.types import Memory, Scalar
from .prune import first_of, needed

#: What one loop carries at most, in numbers.
WORDS = 1_024


def joined(roots: Sequence[Term]) -> list[Term]:
    """The roots over loops that do together what they would repeat."""
    return _Joining().roots(roots)


class _Joining:
    """Joins loops level by level: those of one level never need each other."""

    def __init__(self) -> None:
        self.bodies: dict[Program, Program] = {}

    def roots(self, roots: Sequence[Term]) -> list[Term]:
        """The loops of one body, then those inside of what they have become."""
        if not has_loops(roots):
            return list(roots)
        done: dict[Term, Term] = {}
        results: dict[Term, Sequence[Term]] = {}  # of loops that are joined, by projection
        for level in _levels(roots):
            loops = [t for t in level if t.op == LOOP]
            now = {t: rebuild(t, tuple([done[a] for a in t.args])) for t in loops}
            found = _joined(list(dict.fromkeys(now.values())))
            results |= {t: found[loop] for t, loop in now.items() if loop in found}
            for term in level:
                if term.op == LOOP:
                    done[term] = now[term]
                elif term.op == PROJ and term.args[0] in results:
                    done[term] = results[term.args[0]][term.attr]
                else:
                    done[term] = rebuild(term, tuple([done[a] for a in term.args]))
        flat = [done[t] for t in roots]
        inner = map_loops(flat, self.body)
        return [inner[t] for t in flat]

    def body(self, body: Program) -> Program:
        """The body of a loop, with the loops in it joined."""
        if body not in self.bodies:
            self.bodies[body] = body.with_flat(self.roots(body.flat))
        return self.bodies[body]


def _levels(roots: Iterable[Term]) -> Iterator[list[Term]]:
    """The terms below the roots, by how many loops are before them; loops first of their level."""
    levels: list[tuple[list[Term], list[Term]]] = [([], [])]
    number: dict[Term, int] = {}
    for term in toposort(roots):
        number[term] = level = max([number[a] for a in term.args], default=0) + (term.op == LOOP)
        if level == len(levels):
            levels.append(([], []))
        levels[level][term.op != LOOP].append(term)
    for loops, others in levels:
        yield [*loops, *others]


def _joined(loops: Sequence[Term]) -> dict[Term, list[Term]]:
    """By loop the terms of its projections, where it is joined with another one."""
    alike: dict[Hashable, list[Term]] = {}
    for loop in loops:
        alike.setdefault((loop.args[0], loop.attr.limit), []).append(loop)
    found: dict[Term, list[Term]] = {}
    for group in alike.values():
        for members in _groups(_members(group)):
            for portion in _portions(members):
                found |= _one(portion)
    return found


@dataclass(frozen=True)
class _Member:
    """A loop that may be joined, open, its counter the same as of the others.

    `compared` are its condition and its steps, each over the smallest loops that give it.
    """

    term: Term
    open: Open
    compared: list[Term]


def _members(loops: Sequence[Term]) -> list[_Member]:
    if len(loops) < 2:
        return []
    opens, apart = [opened(loop) for loop in loops], _Apart()
    counter = opens[0].counter
    members = []
    for term, loop in zip(loops, opens, strict=True):
        go, *steps = substitute(loop.roots, {loop.counter: counter})
        states = tuple([replace(s, next=step) for s, step in zip(loop.states, steps, strict=True)])
        same = replace(loop, counter=counter, go=go, states=states)
        members.append(_Member(term, same, apart.terms(same.roots, same.own)))
    return members


class _Apart:
    """Terms of bodies with every result of a loop from a loop that gives nothing else.

    So what two sweeps have in common is the same term, whatever their inner loops carry beside it.
    """

    def __init__(self) -> None:
        self.bodies: dict[Program, Program] = {}
        self.alone: dict[tuple[Loop, int], tuple[Loop, list[int]]] = {}

    def terms(self, roots: Sequence[Term], own: Sequence[Term]) -> list[Term]:
        """The roots, over own variables of a body; what is from outside stays as it is."""
        done: dict[Term, Term] = {}
        for term in toposort(roots, min(v.scope for v in own)):
            now = rebuild(term, tuple([done.get(a, a) for a in term.args]))
            if term.op == LOOP:
                now = Term(LOOP, now.args, replace(now.attr, body=self.body(now.attr.body)))
            elif term.op == PROJ and now.args[0].op == LOOP:
                now = self.result(now)
            done[term] = now
        return [done.get(t, t) for t in roots]

    def body(self, body: Program) -> Program:
        """The body of a loop, with the loops in it apart."""
        if body not in self.bodies:
            self.bodies[body] = body.with_flat(self.terms(body.flat, body.leaves()))
        return self.bodies[body]

    def result(self, term: Term) -> Term:
        """A result of a loop, as the last one of a loop of its own."""
        (whole,) = term.args
        key = whole.attr, term.attr
        if key not in self.alone:
            self.alone[key] = _alone(*key)
        loop, places = self.alone[key]
        alone = Term(LOOP, tuple([whole.args[i] for i in places]), loop)
        return Term(PROJ, (alone,), loop.carried, term.type)


def _alone(loop: Loop, index: int) -> tuple[Loop, list[int]]:
    """What gives one result of a loop, that last, and the places of its arguments.

    Names are those of places, so that equal loops have equal terms.
    """
    states = [j for j in needed(loop, index) if j != index - 1] + [index - 1] * (index > 0)
    flat = [loop.go, *(loop.step[j] for j in states)]
    own = [loop.counter, *(loop.state[j] for j in states)]
    inputs = {v: 1 + i for i, v in enumerate(loop.inputs, loop.carried)}
    read = [t for t in toposort(flat) if t in inputs]
    slots = [Slot(f"v{i}", v.type) for i, v in enumerate([*own, *read])]
    table = {v: var(f"v{i}", v.type) for i, v in enumerate([*own, *read])}
    results = [Slot("go", Scalar.BOOL), *slots[1 : len(own)]]
    groups = tuple([(t,) for t in substitute(flat, table)])
    body = Program("loop", tuple(slots), tuple(results), groups)
    places = [0, *(1 + j for j in states), *(inputs[v] for v in read)]
    return Loop(body, len(states), loop.limit), places


def _groups(members: Sequence[_Member]) -> Iterator[list[_Member]]:
    """The members that go on under the same condition and compute something alike."""
    if len(members) < 2:
        return
    table = _same(members)
    ways: dict[Term, list[_Member]] = {}
    for member in members:
        ways.setdefault(substitute(member.compared[:1], table)[0], []).append(member)
    if len(ways) > 1:
        for way in ways.values():
            yield from _groups(way)
        return
    groups = _connected([_work(member, table) for member in members])
    for group in groups:
        if len(group) == len(members):
            yield list(members)
        else:
            yield from _groups([members[i] for i in group])


def _same(members: Sequence[_Member]) -> dict[Term, Term]:
    """For state variables the first one, of any member, that is always equal.

    Two are: they begin equal, and step alike where those that are held to be equal are one.
    """
    states = [s for m in members for s in m.open.states]
    steps = [step for m in members for step in m.compared[1:]]
    same = first_of([s.first for s in states])
    while True:
        table = {s.var: states[same[j]].var for j, s in enumerate(states) if same[j] != j}
        finer = first_of(zip(same.values(), substitute(steps, table), strict=True))
        if finer == same:
            return table
        same = finer


def _work(member: _Member, table: Mapping[Term, Term]) -> set[Term]:
    """What a member computes of its state, and of what it reads."""
    roots = substitute(member.compared, table)
    own = [table.get(v, v) for v in member.open.own]
    moving = varying(roots, own)
    start = [*own[1:], *(t for t in moving if t.op in (LOAD, RESTORE))]
    return {t for t in varying(roots, start) if t.args}


def _connected(sets: Sequence[set[Term]]) -> list[list[int]]:
    """The indices of sets that have a term in common, or are so connected by others."""
    leader = list(range(len(sets)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = i = leader[leader[i]]
        return i

    holder: dict[Term, int] = {}
    for i, terms in enumerate(sets):
        for term in terms:
            one, other = sorted((find(holder.setdefault(term, i)), find(i)))
            leader[other] = one
    groups: dict[int, list[int]] = {}
    for i in range(len(sets)):
        groups.setdefault(find(i), []).append(i)
    return list(groups.values())


def _portions(members: Sequence[_Member]) -> Iterator[list[_Member]]:
    """The members in portions that do not carry too much; those of one member are left out."""
    table = _same(members)
    portion: list[_Member] = []
    carried = 0
    for member in members:
        own = sum(_words(s.var.type) for s in member.open.states if s.var not in table)
        if portion and carried + own > WORDS:
            if len(portion) > 1:
                yield portion
            portion, carried = [], 0
        portion.append(member)
        carried += own
    if len(portion) > 1:
        yield portion


def _words(type_: Any) -> int:
    return max(type_.size, 1) if isinstance(type_, Memory) else 1


def _one(members: Sequence[_Member]) -> dict[Term, list[Term]]:
    """The loop that does what the members do, as the projections of each."""
    table = _same(members)
    whole: dict[Term, State] = {}
    notes: dict[Term, Note] = {}
    for member in reversed(members):
        done = replaced(member.open.roots, table)
        notes |= {done.get(t, t): note for t, note in member.open.notes.items()}
    for member in members:
        steps = substitute([s.next for s in member.open.states], table)
        for state, step in zip(member.open.states, steps, strict=True):
            if state.var not in table:
                whole[state.var] = replace(state, next=step)
    first = members[0].open
    go = substitute([first.go], table)[0]
    loop = close(replace(first, go=go, states=tuple(whole.values()), notes=notes))
    place = {v: i for i, v in enumerate(whole, 1)}
    result = {}
    for member in members:
        chosen = [0, *(place[table.get(s.var, s.var)] for s in member.open.states)]
        types = [loop.type, *(s.var.type for s in member.open.states)]
        result[member.term] = [
            Term(PROJ, (loop,), i, type_) for i, type_ in zip(chosen, types, strict=True)
        ]
    return result
