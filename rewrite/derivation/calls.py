"""Calls in a program: substitutes, requests for derivatives, and plain calls inlined.

Takes a program with `call` terms, gives one in which only those calls are left that the
derivation has to see: functions with their own derivative, or without any.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import replace

from ...terms.loop import LOOP, Loop
from ...terms.program import Call, Differentiable, Program, Request
from ...terms.rule import RuleSet
from ...terms.term import CALL, PROJ, Term, rebuild

#: Derives the program of a request; handed in, because derivation stands on this file.
Derive = Callable[[Request, RuleSet], Program]


def resolve(
    program: Program,
    rules: RuleSet,
    derive: Derive,
    *,
    derived: bool,
    substituted: MutableMapping[str, int] | None = None,
) -> Program:
    """Expand every call that the derivation need not see.

    `derived`: the program is about to be differentiated, so substitutes stand in for their
    originals and calls with rules of their own stay; otherwise everything is inlined.
    `substituted` collects how often each substitute stood in.
    """
    counts = {} if substituted is None else substituted
    return _Resolver(rules, derive, derived, counts).program(program)


def count(counts: MutableMapping[str, int], rule: Program) -> None:
    """One more use of a rule that is a Python function, by its place and name."""
    name = f"{rule.at} {rule.name}" if rule.at else rule.name
    counts[name] = counts.get(name, 0) + 1


class _Resolver:
    def __init__(
        self, rules: RuleSet, derive: Derive, derived: bool, substituted: MutableMapping[str, int]
    ) -> None:
        self.rules = rules
        self.derive = derive
        self.derived = derived
        self.substituted = substituted
        self.bodies: dict[Call, Program] = {}
        self.rules_of: dict[Call, Call] = {}

    def program(self, program: Program) -> Program:
        terms = program.terms()
        if not any(t.op in (CALL, LOOP) for t in terms):
            return program
        done: dict[Term, Term] = {}
        inlined: dict[Term, list[Term]] = {}
        notes = dict(program.notes)
        for term in terms:
            args = tuple([done[a] for a in term.args])
            if term.op == CALL and not self.stays(term.attr):
                body = self.body(term.attr)
                placed = body.placed(args)
                inlined[term] = [placed[t] for t in body.flat]
                done[term] = term
                for inner, note in body.notes.items():
                    if inner in placed:
                        notes.setdefault(placed[inner], note)
            elif term.op == PROJ and term.args[0] in inlined:
                done[term] = inlined[term.args[0]][term.attr]
            elif term.op == LOOP:
                loop: Loop = term.attr
                looped = replace(loop, body=self.program(loop.body))
                done[term] = Term(LOOP, args, looped, term.type)
            elif term.op == CALL:
                done[term] = Term(CALL, args, self.kept(term.attr), term.type)
            else:
                done[term] = rebuild(term, args)
            if term in program.notes:
                notes.setdefault(done[term], program.notes[term])
        return program.with_flat([done[t] for t in program.flat], notes=notes)

    def stays(self, call: Call) -> bool:
        """Whether the derivation has to see the call."""
        if not self.derived or call.substitute is not None:
            return False
        own = call.fwd is not None or call.bwd is not None
        return own or call.differentiable is not Differentiable.YES

    def kept(self, call: Call) -> Call:
        """A call that stays: what its forward rule asks for is put into the rule.

        The rule may be transposed, and a derivative that is only asked for has no transpose.
        """
        if call.fwd is None:
            return call
        if call not in self.rules_of:
            inner = _OfRules(self.rules, self.derive, self.derived, self.substituted)
            self.rules_of[call] = replace(call, fwd=inner.program(call.fwd))
        return self.rules_of[call]

    def body(self, call: Call) -> Program:
        """What is put in the place of a call, itself resolved; once per call."""
        substitute = call.substitute if self.derived else None
        if substitute is not None:
            count(self.substituted, substitute)
        if call not in self.bodies:
            body = call.body if substitute is None else substitute
            if isinstance(body, Request):
                body = self.derive(body, self.rules)
            self.bodies[call] = self.program(body)
        return self.bodies[call]


class _OfRules(_Resolver):
    """In a rule only derivatives that it asks for are put in: its other calls are left."""

    def stays(self, call: Call) -> bool:
        return not isinstance(call.body, Request)
