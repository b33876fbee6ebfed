"""Calls in a program: substitutes, requests for derivatives, and plain calls inlined.

Takes a program with `call` terms, gives one in which only those calls are left that the
derivation has to see: functions with their own derivative, or without any.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from ...terms.loop import LOOP, Loop, varying, zero
from ...terms.program import Call, Differentiable, Program, Request
from ...terms.rule import RuleSet
from ...terms.term import CALL, PROJ, Term, is_zero, rebuild

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


class _Calls:
    """Programs with some of their calls inlined, and the others changed."""

    def __init__(self) -> None:
        self.bodies: dict[Call, Program] = {}
        self.changed: dict[Call, Call] = {}

    def stays(self, term: Term) -> bool:
        """Whether a call is not inlined."""
        return True

    def kept(self, call: Call) -> Call:
        """What a call that stays has become."""
        return call

    def body(self, call: Call) -> Program:
        """What is put in the place of a call; once per call."""
        if call not in self.bodies:
            assert isinstance(call.body, Program)
            self.bodies[call] = self.inner(call.body)
        return self.bodies[call]

    def inner(self, program: Program) -> Program:
        """The body of a call or of a loop."""
        return self.program(program)

    def program(self, program: Program) -> Program:
        terms = program.terms()
        if not any(t.op in (CALL, LOOP) for t in terms):
            return program
        done: dict[Term, Term] = {}
        inlined: dict[Term, list[Term]] = {}
        notes = dict(program.notes)
        for term in terms:
            args = tuple([done[a] for a in term.args])
            if term.op == CALL and not self.stays(term):
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
                looped = replace(loop, body=self.inner(loop.body))
                done[term] = Term(LOOP, args, looped, term.type)
            elif term.op == CALL:
                done[term] = Term(CALL, args, self.kept(term.attr), term.type)
            else:
                done[term] = rebuild(term, args)
            if term in program.notes:
                notes.setdefault(done[term], program.notes[term])
        return program.with_flat([done[t] for t in program.flat], notes=notes)


def with_calls(program: Program, change: Callable[[Call], Call]) -> Program:
    """The program with every call changed."""
    return _Changed(change).program(program)


class _Changed(_Calls):
    def __init__(self, change: Callable[[Call], Call]) -> None:
        super().__init__()
        self.change = change

    def kept(self, call: Call) -> Call:
        if call not in self.changed:
            self.changed[call] = self.change(call)
        return self.changed[call]


class _Resolver(_Calls):
    def __init__(
        self, rules: RuleSet, derive: Derive, derived: bool, substituted: MutableMapping[str, int]
    ) -> None:
        super().__init__()
        self.rules = rules
        self.derive = derive
        self.derived = derived
        self.substituted = substituted

    def stays(self, term: Term) -> bool:
        """Whether the derivation has to see the call."""
        call: Call = term.attr
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
        if call not in self.changed:
            inner = _OfRules(self.rules, self.derive, self.derived, self.substituted)
            self.changed[call] = replace(call, fwd=inner.program(call.fwd))
        return self.changed[call]

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

    def stays(self, term: Term) -> bool:
        return not isinstance(term.attr.body, Request)


@lru_cache(maxsize=1000)
def of_rule(rule: Program, call: Call) -> Program:
    """A rule of a call, as it is put in: what it calls of its own function has the same rules.

    Without a forward rule it has none: derivatives of derivatives are taken forwards.
    """
    return _Own(call).program(rule)


class _Own(_Calls):
    """A call's own function inside its rules, and inside (`within`) what these call."""

    def __init__(self, call: Call, *, within: bool = False) -> None:
        super().__init__()
        self.call = call
        self.within = within

    def is_own(self, call: Call) -> bool:
        """Whether it is of the same function, at arguments of the same types."""
        return call.again and (call.name, call.body) == (self.call.name, self.call.body)

    def stays(self, term: Term) -> bool:
        if self.is_own(term.attr):
            return self.call.fwd is not None
        return self.within or not term.attr.again

    def kept(self, call: Call) -> Call:
        if self.is_own(call):
            return self.call
        if call not in self.changed:
            inner = _Own(self.call, within=True)
            body = inner.program(call.body) if isinstance(call.body, Program) else call.body
            parts = call.fwd, call.bwd, call.substitute
            fwd, bwd, substitute = [p and inner.program(p) for p in parts]
            self.changed[call] = replace(call, body=body, fwd=fwd, bwd=bwd, substitute=substitute)
        return self.changed[call]


def put_in(rule: Program, args: Sequence[Term | None]) -> list[Term]:
    """The results of a rule over its arguments; None is a (co)tangent of which there is nothing.

    What is multiplied by that is left out, infinite or not, as if it had not been written; and so
    is what is multiplied by zeros of the rule beside it.
    """
    given = dict(zip(rule.leaves(), args, strict=True))
    if None not in given.values():
        return rule.inline([arg for arg in args if arg is not None])
    done: dict[Term, Term] = {}
    nothing = set[Term]()
    for term in rule.terms():
        here = [a in nothing for a in term.args]
        if is_zero(term) or given.get(term, term) is None or _vanishes(term.op, here):
            done[term] = term if is_zero(term) else zero(term.type)
            nothing.add(term)
        elif (term.op in ("add", "sub") and here[1]) or (term.op == "add" and here[0]):
            done[term] = done[term.args[here.index(False)]]
        else:
            done[term] = given.get(term) or rebuild(term, tuple([done[a] for a in term.args]))
    return [done[t] for t in rule.flat]


def _vanishes(op: str, nothing: Sequence[bool]) -> bool:
    """Whether an operator is exactly 0, given which of its arguments are."""
    match op:
        case "mul":
            return any(nothing)
        case "div" | "neg":
            return nothing[0]
        case "add" | "sub":
            return all(nothing)
        case "select":
            return all(nothing[1:])
    return False


def with_free_calls(rule: Program, tangents: Sequence[Term]) -> Program:
    """A rule with the body of its own function in it, where that is called with (co)tangents.

    The transpose of such a call would be the one that is looked for.
    """
    return _Free(set(rule.terms()) - varying(rule.flat, tangents)).program(rule)


class _Free(_Calls):
    """Of the calls of a function in its rule only the `free` ones stay; in loops there are none."""

    def __init__(self, free: Set[Term]) -> None:
        super().__init__()
        self.free = free

    def stays(self, term: Term) -> bool:
        return not term.attr.again or term in self.free

    def inner(self, program: Program) -> Program:
        return _Free(frozenset()).program(program)
