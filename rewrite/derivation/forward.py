"""Linearization: the tangents of a program's results.

Takes a program and a tangent for each of some variables, gives primal and tangent terms of
the results, with local derivative nodes still to be expanded. A tangent that is structurally
zero is None and costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...terms.apply import apply
from ...terms.errors import DeriveError, Span
from ...terms.loop import (
    KEEP,
    LOAD,
    LOOP,
    MEMORY,
    RESTORE,
    SAVE,
    STORE,
    load,
    restore,
    save,
    store,
    varying,
    zero,
)
from ...terms.program import Call, Differentiable, Program
from ...terms.term import CALL, CAST, PROJ, SELECT, VAR, Term, is_const, rebuild
from ...terms.types import Memory, is_differentiable
from ...terms.value import cast, scalar
from ..loops.tangents import loop_tangent
from .calls import count, of_rule, put_in
from .local import PUSH, Setting, check_differentiable, expand, flows, local

Pushed = tuple[list[Term], list[Term | None]]


def pushforward(program: Program, tangents: Mapping[Term, Term], setting: Setting) -> Pushed:
    """Flat results, and their tangents: dy = sum over arguments of (dy/dx_i) dx_i.

    A custom forward rule gives both the value and the tangent of its call, so values are
    rebuilt over it. Raises DeriveError where a derivative has no rule to pass by.
    """
    return _Forward(program, setting).run(tangents)


class _Forward:
    def __init__(self, program: Program, setting: Setting) -> None:
        self.program = program
        self.rules = setting.rules
        self.fired = setting.fired
        self.real = setting.real
        self.setting = setting
        self.value: dict[Term, Term] = {}
        self.tangent: dict[Term, Term | None] = {}
        self.calls: dict[Term, Pushed] = {}
        self.loops: dict[Term, dict[int, Term]] = {}  # tangents of the final state
        self.wanted: set[Term] = set()

    def run(self, tangents: Mapping[Term, Term]) -> Pushed:
        terms = self.program.terms()
        self.wanted = self.read_by_results(terms)
        for term in terms:
            args = tuple([self.value[a] for a in term.args])
            self.value[term] = rebuild(term, args)
            if term.op == VAR:
                self.tangent[term] = tangents.get(term)
            elif term.op == CALL:
                self.tangent[term] = None
                self.call(term)
            elif term.op == LOOP:
                self.tangent[term] = None
                self.loop(term)
            elif term.op == PROJ and term.args[0] in self.loops:
                self.tangent[term] = self.loops[term.args[0]].get(term.attr - 1)
            elif term.op == PROJ and term.args[0] in self.calls:
                values, derivatives = self.calls[term.args[0]]
                self.value[term] = values[term.attr]
                self.tangent[term] = derivatives[term.attr]
            else:
                self.tangent[term] = self.operator(term)
        flat = self.program.flat
        return [self.value[t] for t in flat], [self.tangent[t] for t in flat]

    def read_by_results(self, terms: list[Term]) -> set[Term]:
        """The terms whose tangents those of the results can depend on."""
        found = set(self.program.flat)
        for term in reversed(terms):
            if term not in found:
                continue
            for i, arg in enumerate(term.args):
                if term.op in (CALL, LOOP, PROJ) or flows(self.rules, term, i):
                    found.add(arg)
        return found

    def operator(self, term: Term) -> Term | None:
        """The tangent of an ordinary operator's result."""
        if not term.type.is_real or term not in self.wanted:
            return None
        value = self.value[term]
        if term.op == SELECT:
            return self.branch(term)
        if term.op == KEEP:
            return self.tangent[term.args[0]]
        if term.op in (MEMORY, LOAD, STORE, SAVE, RESTORE):
            return self.access(term)
        seeds = [
            (i, seed)
            for i, a in enumerate(term.args)
            if (seed := self.tangent[a]) is not None and flows(self.rules, term, i)
        ]
        if not seeds:
            return None
        if term.op == CAST:
            return cast(seeds[0][1], term.type)
        note = self.program.notes.get(term)
        check_differentiable(self.rules, term, PUSH, note.at if note else None)
        total: Term | None = None
        for i, seed in seeds:
            part = local(PUSH, value, i, seed)
            total = part if total is None else self.add(total, part)
        return total

    def access(self, term: Term) -> Term | None:
        """Memory is linear in what it holds."""
        seeds = [self.tangent[a] for a in term.args]
        if term.op == LOAD:
            return None if seeds[0] is None else load(seeds[0], self.value[term.args[1]])
        if term.op == RESTORE:
            assert isinstance(term.type, Memory)
            return (
                None if seeds[0] is None else restore(seeds[0], self.value[term.args[1]], term.type)
            )
        if term.op == MEMORY or (seeds[0] is None and seeds[2] is None):
            return None
        target = zero(term.type) if seeds[0] is None else seeds[0]
        value = zero(term.args[2].type) if seeds[2] is None else seeds[2]
        put = store if term.op == STORE else save
        return put(target, self.value[term.args[1]], value)

    def loop(self, term: Term) -> None:
        """The loop that carries tangents, where an argument has one or its body makes one."""
        tangents = [self.tangent[a] for a in term.args]
        if all(t is None for t in tangents) and not has_sources(term.attr.body):
            return
        self.value[term], self.loops[term] = loop_tangent(
            self.value[term], tangents, self.body, self.setting.steps
        )

    def body(self, body: Program, tangents: dict[Term, Term]) -> Pushed:
        """The results of a loop's body with their tangents, expanded."""
        values, derivatives = pushforward(body, tangents, self.setting)
        done = iter(expand(self.setting, [*values, *(d for d in derivatives if d is not None)]))
        values = [next(done) for _ in values]
        return values, [None if d is None else next(done) for d in derivatives]

    def add(self, a: Term, b: Term) -> Term:
        return apply(self.rules, "add", [scalar(a), scalar(b)], self.real).term

    def branch(self, term: Term) -> Term | None:
        """The derivative of a branch is a branch: d(c ? a : b) = c ? da : db."""
        _, then, other = (self.tangent[a] for a in term.args)
        if then is None and other is None:
            return None
        arms = tuple(zero(term.type) if arm is None else arm for arm in (then, other))
        return Term(SELECT, (self.value[term.args[0]], *arms), None, term.type)

    def call(self, term: Term) -> None:
        """The values and tangents of a call with a rule of its own."""
        call: Call = term.attr
        args = [self.value[a] for a in term.args]
        seeds = [
            self.tangent[a] if carry else None
            for a, carry in zip(term.args, call.carries(), strict=True)
        ]
        if call.differentiable is Differentiable.ZERO or term not in self.wanted:
            return
        if all(seed is None for seed in seeds) and not is_source(call):
            return
        self.refuse(call, term)
        assert call.fwd is not None
        body = call.body
        assert isinstance(body, Program)
        inputs: list[Term | None] = list(args)
        # Tangents have as many components as what they belong to; those of integers are zero.
        given = [p.diff and is_differentiable(p.type) for p in body.params for _ in p.paths()]
        inputs += [seed for seed, on in zip(seeds, given, strict=True) if on]
        count(self.fired, call.fwd)
        results = put_in(of_rule(call.fwd, call), inputs)
        values = len(body.flat)
        derivatives: list[Term | None] = []
        rest = iter(results[values:])
        for slot, group in zip(body.results, body.roots, strict=True):
            for leaf in group:
                carries = slot.diff and is_differentiable(slot.type)
                tangent = next(rest) if carries else None
                derivatives.append(tangent if leaf.type.is_real else None)
        self.calls[term] = results[:values], derivatives

    def refuse(self, call: Call, term: Term) -> None:
        """DeriveError for a call through which no tangent can pass."""
        if call.differentiable is Differentiable.NO:
            raise no_derivative(call, self.at(term))
        if call.fwd is None:
            raise DeriveError(
                f"{call.name!r} has only a backward rule: no forward derivative",
                self.at(term),
                "add @custom_fwd, or derive with mode='bwd'",
            )

    def at(self, term: Term) -> Span | None:
        note = self.program.notes.get(term)
        return note.at if note else term.attr.at


def is_source(call: Call) -> bool:
    """Whether a forward rule gives a tangent that follows from none: of a texture, a table."""
    if call.fwd is None or not isinstance(call.body, Program):
        return False
    given = call.fwd.leaves()[len(call.body.leaves()) :]
    tangents = [t for t in call.fwd.flat[len(call.body.flat) :] if not is_const(t, 0.0)]
    over = varying(tangents, given) if given else set()
    return any(t not in over for t in tangents)


def has_sources(program: Program) -> bool:
    """Whether a program has a tangent also where none of its parameters has one."""
    return any(
        (t.op == CALL and is_source(t.attr)) or (t.op == LOOP and has_sources(t.attr.body))
        for t in program.terms()
    )


def no_derivative(call: Call, at: Span | None) -> DeriveError:
    """The error for a derivative that would have to pass through a call without one."""
    return DeriveError(
        f"{call.name!r} is not differentiable, and the result's derivative depends on it",
        at,
        f"write no_diff({call.name}(...)) if its derivative is to be zero, mark it"
        " @treat_as_differentiable, or give it a rule with @custom_fwd / @custom_bwd",
    )
