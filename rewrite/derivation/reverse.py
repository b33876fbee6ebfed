"""Transposition: the cotangents of a program's variables.

Takes a program and a cotangent for each of some results, gives cotangent terms of variables,
with local derivative nodes still to be expanded. The adjoint of a term is the sum over its
uses; what an arm of a branch contributes stays behind the arm's condition until it leaves the
arm, so that a derivative of the arm not taken never meets one that counts:

    y = c ? f(x) : g(x)    x_bar = c ? f'(x) y_bar : g'(x) y_bar
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from ...terms.apply import apply
from ...terms.loop import (
    KEEP,
    LOAD,
    LOOP,
    RESTORE,
    SAVE,
    STORE,
    Loop,
    load,
    restore,
    save,
    store,
    zero,
)
from ...terms.program import Call, Differentiable, Program, Slot, grouped, renamed
from ...terms.term import CALL, CAST, PROJ, SELECT, VAR, Term, const, substitute
from ...terms.trips import ran
from ...terms.types import Memory, ScalarType, is_differentiable
from ...terms.value import cast, scalar
from ..egraph.cost import term_cost
from ..guards import Guard, Parts, accumulate, guards, shared
from ..loops.adjoints import Rules, added, loop_adjoint
from ..loops.order import reads_first
from .activity import active_terms, needs
from .calls import count, of_rule, put_in, with_free_calls
from .forward import no_derivative
from .linear import check_linear, is_linear
from .local import PULL, Setting, check_differentiable, expand, flows, local


def pullback(
    program: Program,
    seeds: Sequence[tuple[Term, Term]],
    wrt: Iterable[Term],
    setting: Setting,
) -> list[Term | None]:
    """The cotangents of the variables `wrt`, given (result term, cotangent) pairs.

    x_bar = sum over uses y of x of (dy/dx) y_bar; None is a structural zero.
    Raises DeriveError where a derivative has no rule to pass by.
    """
    found = _Reverse(program, setting).run(seeds, list(wrt), {})
    bars = iter(setting.in_segments(t for t in found if t is not None))
    return [None if t is None else next(bars) for t in found]


class _Reverse:
    def __init__(self, program: Program, setting: Setting) -> None:
        self.program = program
        self.setting = setting
        self.rules = setting.rules
        self.real = setting.real
        self.parts: dict[Term, Parts] = {}
        self.guard: dict[Term, Guard] = {}
        self.needed: dict[Term, Guard] = {}
        self.active: set[Term] = set()
        self.memory: dict[Term, Term] = {}  # the cotangents of memories, collected in place

    def run(
        self, seeds: Sequence[tuple[Term, Term]], wrt: list[Term], begun: Mapping[Term, Term]
    ) -> list[Term | None]:
        roots = [root for root, _ in seeds]
        order = reads_first(roots)
        # A variable's adjoint is wanted everywhere, also where only one arm needs its value.
        self.guard = guards([*roots, *wrt], shared)
        self.active = active_terms(self.rules, order, frozenset(wrt))
        self.needed = needs(self.rules, [*roots, *wrt], order, self.guard, self.active)
        for root, seed in [*begun.items(), *seeds]:
            if isinstance(root.type, Memory):
                self.collect(root, seed)
            elif root in self.guard:
                self.give(root, self.guard[root], seed)
        for term in reversed(order):
            if term not in self.active or term.op == VAR:
                continue
            if term.op == CALL:
                self.call(term)
            elif term.op == LOOP:
                self.loop(term)
            elif term.op == STORE:
                self.store(term)
            elif term.op == SAVE:
                self.save(term)
            elif term.op == RESTORE:
                self.restore(term)
            elif term.op != PROJ and (bar := self.adjoint(term)) is not None:
                self.operator(term, bar)
        return [self.adjoint(v) if v in self.active or v in begun else None for v in wrt]

    def give(self, term: Term, guard: Guard, bar: Term) -> None:
        self.parts.setdefault(term, []).append((guard, bar))

    def adjoint(self, term: Term) -> Term | None:
        """The sum of what all uses contributed, at the guard of the term."""
        if isinstance(term.type, Memory):
            return self.memory.get(term)
        parts = self.parts.get(term)
        if not parts:
            return None
        return accumulate(parts, self.guard[term], self.add)

    def result_bar(self, term: Term, index: int, type_: ScalarType) -> Term | None:
        """The adjoint of one result of a call or a loop, at the guard of the whole."""
        result = Term(PROJ, (term,), index, type_)
        bar = self.adjoint(result)
        if bar is None or isinstance(type_, Memory):
            return bar
        return accumulate([(self.guard[result], bar)], self.guard[term], self.add)

    @cached_property
    def read_results(self) -> dict[Term, list[int]]:
        """Of each loop the numbers of those results that the program reads."""
        found: dict[Term, list[int]] = {}
        for term in self.program.terms():
            if term.op == PROJ:
                found.setdefault(term.args[0], []).append(term.attr)
        return found

    def add(self, a: Term, b: Term) -> Term:
        return apply(self.rules, "add", [scalar(a), scalar(b)], self.real).term

    def operator(self, term: Term, bar: Term) -> None:
        """Hand the adjoint of a term on to its arguments."""
        guard = self.guard[term]
        if term.op == SELECT:
            condition, then, other = term.args
            for arm, holds in ((then, True), (other, False)):
                if arm in self.active:
                    self.give(arm, guard.under(condition, holds), bar)
            return
        if term.op == CAST:
            self.give(term.args[0], guard, cast(bar, term.args[0].type))
            return
        if term.op == KEEP:
            self.give(term.args[0], guard, bar)
            return
        if term.op == LOAD:
            self.load(term, bar)
            return
        note = self.program.notes.get(term)
        check_differentiable(self.rules, term, PULL, note.at if note else None)
        guard = self.needed.get(term, guard)
        # What one use gives together stays together: 2x s of x*x, beside all other uses.
        given: dict[Term, Term] = {}
        for i, arg in enumerate(term.args):
            if arg in self.active and flows(self.rules, term, i):
                part = local(PULL, term, i, bar)
                given[arg] = self.add(given[arg], part) if arg in given else part
        for arg, part in given.items():
            self.give(arg, guard, part)

    def load(self, term: Term, bar: Term) -> None:
        """The reverse of a read is an addition at the same place."""
        source, index = term.args
        if source not in self.active:
            return
        there = self.memory.get(source, zero(source.type))
        # One memory collects what all arms contribute: it is under no condition.
        always = self.guard[term]
        while always.parent is not None:
            always = always.parent
        here = accumulate([(self.guard[term], bar)], always, self.add)
        self.memory[source] = store(there, index, self.add(load(there, index), here))

    def store(self, term: Term) -> None:
        """The reverse of a write takes what is there and leaves a zero."""
        bar = self.memory.get(term)
        if bar is None:
            return
        target, index, value = term.args
        if value in self.active:
            self.give(value, self.guard[term], load(bar, index))
        if target in self.active:
            self.collect(target, store(bar, index, zero(value.type)))

    def save(self, term: Term) -> None:
        """The reverse of a whole memory's way into a larger one takes it out again."""
        bar = self.memory.get(term)
        if bar is None:
            return
        target, place, source = term.args
        if source in self.active:
            self.collect(source, restore(bar, place, source.type))
        if target in self.active:
            self.collect(target, save(bar, place, zero(source.type)))

    def restore(self, term: Term) -> None:
        """The reverse of taking a whole memory out of a larger one adds it at its place."""
        bar = self.memory.get(term)
        if bar is None:
            return
        source, place = term.args
        there = self.memory.get(source, zero(source.type))
        total = added(restore(there, place, term.type), bar, self.add)
        self.memory[source] = save(there, place, total)

    def collect(self, term: Term, bar: Term) -> None:
        """The cotangent of a whole memory; a second one is added element by element."""
        total = self.memory.get(term)
        self.memory[term] = bar if total is None else added(total, bar, self.add)

    def where(self, guard: Guard, trips: Term) -> Term:
        """A number of trips, or none where a guard does not hold."""
        none = const(0, trips.type)
        while guard.parent is not None:
            assert guard.condition is not None
            arms = (trips, none) if guard.holds else (none, trips)
            trips = Term(SELECT, (guard.condition, *arms), None, trips.type)
            guard = guard.parent
        return trips

    def loop(self, term: Term) -> None:
        """Hand the adjoints of a loop's final state on to its arguments: a loop in reverse."""
        loop: Loop = term.attr
        bars = {}
        for j, var in enumerate(loop.state):
            bar = self.result_bar(term, 1 + j, var.type)
            if bar is not None:
                bars[j] = bar
        if not bars:
            return
        wanted = [a in self.active and a.type.is_real for a in term.args]
        begun = {i: self.memory[a] for i, a in enumerate(term.args) if a in self.memory}
        cost = partial(term_cost, self.rules)
        rules = Rules(
            self.body_bars,
            self.body_active,
            self.add,
            self.arithmetic,
            self.expanded,
            cost,
            self.setting.undoing,
            self.setting.split,
        )
        run = ran(term, self.rules)
        if any(on and isinstance(a.type, Memory) for on, a in zip(wanted, term.args, strict=True)):
            # What memories collect is under no condition: in an arm not taken, nothing runs.
            run = self.where(self.guard[term], run)
        found = loop_adjoint(term, run, bars, wanted, begun, self.read_results[term], rules)
        for i, bar in reversed(found.items()):  # inputs first: they went on from `begun`
            if isinstance(bar.type, Memory) and i <= loop.carried:
                self.collect(term.args[i], bar)
            elif isinstance(bar.type, Memory):
                self.memory[term.args[i]] = bar
            else:
                self.give(term.args[i], self.guard[term], bar)

    def body_bars(
        self,
        body: Program,
        seeds: list[tuple[Term, Term]],
        wrt: list[Term],
        begun: Mapping[Term, Term],
    ) -> list[Term | None]:
        return _Reverse(body, self.setting).run(seeds, wrt, begun)

    def body_active(self, body: Program, wrt: list[Term]) -> set[Term]:
        return active_terms(self.rules, body.terms(), frozenset(wrt))

    def arithmetic(self, op: str, a: Term, b: Term) -> Term:
        return apply(self.rules, op, [scalar(a), scalar(b)], self.real).term

    def expanded(self, roots: Sequence[Term]) -> list[Term]:
        return expand(self.setting, roots)

    def call(self, term: Term) -> None:
        """Hand the adjoints of a call's results on to its arguments, by the call's own rule."""
        call: Call = term.attr
        body = call.body
        assert isinstance(body, Program)
        bars: list[Term | None] = []
        for i, leaf in enumerate(body.flat):
            bars.append(self.result_bar(term, i, leaf.type))
        if all(bar is None for bar in bars):
            return
        if call.differentiable is Differentiable.NO:
            note = self.program.notes.get(term)
            raise no_derivative(call, note.at if note else call.at)
        taken = [
            carries(s) for s, group in zip(body.results, body.roots, strict=True) for _ in group
        ]
        filled = [bar for bar, on in zip(bars, taken, strict=True) if on]
        # Cotangents have as many components as what they belong to; those of integers are zero.
        results = iter(put_in(self.rule(call, body), [*term.args, *filled]))
        given = [carries(p) for p in body.params for _ in p.paths()]
        for arg, on, carry in zip(term.args, given, call.carries(), strict=True):
            bar = next(results) if on else None
            if carry and bar is not None and arg in self.active:
                self.give(arg, self.guard[term], bar)

    def rule(self, call: Call, body: Program) -> Program:
        """The backward rule of a call: its own, or its forward rule transposed."""
        if call.bwd is not None:
            count(self.setting.fired, call.bwd)
            again = any(t.op == CALL and t.attr.again for t in call.bwd.terms())
            return of_rule(call.bwd, with_forward(call, self.setting) if again else call)
        assert call.fwd is not None
        count(self.setting.fired, call.fwd)
        fwd = with_free_calls(call.fwd, call.fwd.leaves()[len(body.leaves()) :])
        check_linear(replace(call, fwd=fwd), body, self.rules, self.real)
        return of_rule(transpose(fwd, body, self.setting), call)


def with_forward(call: Call, setting: Setting) -> Call:
    """A call that has only a backward rule with the transpose of that, for second derivatives,
    which are taken forwards; as it is where the rule is not linear in cotangents.
    """
    body = call.body
    if call.bwd is None or call.fwd is not None or not isinstance(body, Program):
        return call
    bars = call.bwd.leaves()[len(body.leaves()) :]
    bwd = with_free_calls(call.bwd, bars)
    if not is_linear(bwd.flat, bars, setting.rules, setting.real):
        return call
    return replace(call, fwd=_forward_of(call, bwd, body, setting))


def _forward_of(call: Call, bwd: Program, body: Program, setting: Setting) -> Program:
    """The forward rule that belongs to a linear backward rule."""
    slots = renamed([p for p in body.params if carries(p)], "d_{}", body.params)
    seeds = [leaf for slot in slots for leaf in slot.leaves()]
    bars = bwd.leaves()[len(body.leaves()) :]
    given = [pair for pair in zip(bwd.flat, seeds, strict=True) if pair[1].type.is_real]
    found = pullback(bwd, given, bars, setting)
    flat = [zero(t.type) if bar is None else bar for bar, t in zip(found, bars, strict=True)]
    flat = substitute(expand(setting, flat), {t: const(1, t.type) for t in bars})
    own = Call(call.name, body, at=call.at, again=True)
    term = Term(CALL, tuple(body.leaves()), own, body.flat[0].type)
    values = [Term(PROJ, (term,), i, leaf.type) for i, leaf in enumerate(body.flat)]
    outputs = [slot for slot in body.results if carries(slot)]
    results = (*body.results, *renamed(outputs, "d_{}", body.results))
    roots = (*grouped(body.results, values), *grouped(outputs, flat))
    params = (*body.params, *slots)
    return Program(f"{bwd.name}_fwd", params, results, roots, at=bwd.at)


def transpose(fwd: Program, body: Program, setting: Setting) -> Program:
    """The backward rule that belongs to a forward rule.

    A forward rule is linear in its tangents, so its derivative by them is the same at every
    tangent; it is taken at 1 and not at 0, where rules like to branch.
    """
    tangents = fwd.leaves()[len(body.leaves()) :]
    outputs = fwd.flat[len(body.flat) :]
    slots = tuple(replace(s, name=f"{s.name}_bar") for s in body.results if carries(s))
    seeds = [leaf for slot in slots for leaf in slot.leaves()]
    pairs = zip(outputs, seeds, strict=True)
    bars = pullback(fwd, [pair for pair in pairs if pair[1].type.is_real], tangents, setting)
    flat = [zero(t.type) if bar is None else bar for bar, t in zip(bars, tangents, strict=True)]
    flat = substitute(expand(setting, flat), {t: const(1, t.type) for t in tangents})
    results = tuple(p for p in body.params if carries(p))
    params = (*body.params, *slots)
    return Program(f"{fwd.name}_bwd", params, results, grouped(results, flat))


def carries(slot: Slot) -> bool:
    """Whether a result takes a cotangent."""
    return slot.diff and is_differentiable(slot.type)
