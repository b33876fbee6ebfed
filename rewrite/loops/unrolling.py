"""Short loops written out, where that is cheaper: constants fold, and nothing is carried.

    for i in range(3): s = s + a[i] * i    becomes    s + a[0] * 0 + a[1] * 1 + a[2] * 2

Takes a program, gives one in which such loops are gone. Memories that are only read and
written at known places vanish with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ...terms.loop import LOAD, LOOP, STORE, Loop, load
from ...terms.program import Note, Program
from ...terms.rule import RuleSet
from ...terms.term import CAST, CONST, PROJ, SELECT, Term, const, is_const, rebuild, toposort
from ...terms.types import Memory, Scalar
from ...terms.value import cast
from ...terms.walk import postorder
from ..egraph.cost import loop_cost, terms_cost
from ..fold import whole

#: Loops of at most so many trips are tried, if they come to at most so many terms: beyond, the
#: text of a kernel grows, and with it what a device's compiler has to do. One trip is no longer
#: than its loop.
TRIPS, TERMS = 4, 512
#: Loops that are asked for are of at most so many trips and terms, whatever they cost.
ASKED_TRIPS, ASKED_TERMS = 32, 1024

Notes = Mapping[Term, Note]


def unrolled(program: Program, rules: RuleSet) -> Program:
    """The program with its short loops written out, where they cost less so.

    In the others, too, what is over constants of integers and truth values is computed.
    """
    has_loops = any(t.op == LOOP for t in program.terms())
    return _Unroller(rules).program(program) if has_loops else program


def written_out(program: Program, loops: Collection[Term], rules: RuleSet) -> Program:
    """The program with these of its loops written out, where they are not too long."""
    return _Unroller(rules, loops).program(program) if loops else program


class _Unroller:
    def __init__(self, rules: RuleSet, asked: Collection[Term] | None = None) -> None:
        self.rules, self.asked = rules, asked
        self.finals: dict[Term, list[Term]] = {}  # of a loop that is gone: what its results are
        self.notes: dict[Term, Note] = {}  # on terms of bodies that are written out

    def program(self, program: Program) -> Program:
        terms = program.terms()
        outer, self.notes = self.notes, {}
        done = self.placed(terms, {v: v for v in program.leaves()})
        self.note(program.notes, done)
        flat = [done[t] for t in program.flat]
        notes = {t: self.notes[t] for t in toposort(flat) if t in self.notes}
        self.notes = outer
        return program.with_flat(flat, notes=notes)

    def note(self, notes: Notes, done: Mapping[Term, Term]) -> None:
        """Keep the notes of terms on what they have become."""
        for term, note in notes.items():
            if term in done and done[term].op != CONST:
                self.notes.setdefault(done[term], note)

    def placed(self, terms: Sequence[Term], table: Mapping[Term, Term]) -> dict[Term, Term]:
        """What each of the terms becomes where keys of `table` become their values."""
        done = dict(table)
        for term in terms:
            if term in done:
                continue
            args = tuple([done[a] for a in term.args])
            if term.op == LOOP:
                done[term] = self.loop(term, args)
            elif term.op == PROJ and args[0] in self.finals:
                done[term] = self.finals[args[0]][term.attr]
            else:
                done[term] = self.folded(term, args)
        return done

    def loop(self, term: Term, args: tuple[Term, ...]) -> Term:
        """A loop over other arguments; `finals` holds its results if it is gone."""
        if self.asked is not None and term not in self.asked:
            return Term(LOOP, args, term.attr, term.type)
        inner = replace(term.attr, body=self.program(term.attr.body))
        loop = Term(LOOP, args, inner, term.type)
        finals = self.written_out(loop)
        if finals is not None:
            self.finals[loop] = finals
        return loop

    def written_out(self, term: Term) -> list[Term] | None:
        """The number of trips and the final state; None where the loop is to stay."""
        loop: Loop = term.attr
        most = _most_trips(term)
        body = loop.body.terms()
        trips, terms = (TRIPS, TERMS) if self.asked is None else (ASKED_TRIPS, ASKED_TERMS)
        if most is None or most > trips or (most > 1 and most * len(body) > terms):
            return None
        state, inputs = term.args[1 : 1 + loop.carried], term.args[1 + loop.carried :]
        run, alive = const(0, Scalar.I32), const(True, Scalar.BOOL)
        for number in range(most):
            trip = const(number, Scalar.I32)
            table = dict(zip(loop.body.leaves(), [trip, *state, *inputs], strict=True))
            done = self.placed(body, table)
            self.note(loop.body.notes, done)
            alive = _where(alive, done[loop.go], const(False, Scalar.BOOL))
            if is_const(alive, False):
                break
            after = [done[t] for t in loop.step]
            if alive.op != CONST and any(isinstance(t.type, Memory) for t in after):
                return None  # which memory a choice gives is not known
            run = _where(alive, const(number + 1, Scalar.I32), run)
            state = tuple([_where(alive, a, b) for a, b in zip(after, state, strict=True)])
        finals = [run, *state]
        if self.asked is not None:
            return finals
        cheaper = self.cost(finals, term.args) <= loop_cost(self.rules, loop)
        return finals if cheaper else None

    def cost(self, roots: Iterable[Term], given: Iterable[Term]) -> float:
        """What the terms below the roots cost; what is given is there, and constants fold."""
        there = set(given)
        terms = postorder(
            [t for t in roots if t not in there], lambda t: [a for a in t.args if a not in there]
        )
        return terms_cost(self.rules, [t for t in terms if any(a.op != CONST for a in t.args)])

    def folded(self, term: Term, args: tuple[Term, ...]) -> Term:
        """A term over other arguments: a constant, where it is one without rounding."""
        if term.op == SELECT and args[0].op == CONST:
            return args[1] if is_const(args[0], True) else args[2]
        if term.op == LOAD:
            return _read(*args)
        if term.op == CAST and args[0].op == CONST and isinstance(term.type, Scalar):
            return cast(args[0], term.type)
        return whole(self.rules, rebuild(term, args))


def _most_trips(term: Term) -> int | None:
    """The most trips that a loop makes, where that is known as it stands."""
    trips, limit = term.args[0], term.attr.limit
    if trips.op != CONST:
        return None
    most = max(int(trips.attr), 0)
    return most if limit is None else min(most, limit)


def _where(condition: Term, then: Term, other: Term) -> Term:
    if is_const(condition, True) or then is other:
        return then
    if is_const(then, True) and is_const(other, False):
        return condition
    return Term(SELECT, (condition, then, other), None, then.type)


def _read(source: Term, index: Term) -> Term:
    """What a memory holds at an index, where it was written at known places."""
    while source.op == STORE and index.op == CONST and source.args[1].op == CONST:
        if source.args[1] is index:
            return source.args[2]
        source = source.args[0]
    return load(source, index)
