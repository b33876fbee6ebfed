"""Choices that are made before: of which the guard around them knows the outcome.

    if (r > 1e-8) { x = r == 0 ? 1 : sin(r)/r; … }    =>    if (r > 1e-8) { x = sin(r)/r; … }

Takes a program over primitives, gives it without these. Functions are defined for all numbers,
and who uses one has often looked at the number already.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import product

from ...terms.conditions import Assumption, few_facts
from ...terms.loop import has_loops, map_loops
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.term import SELECT, Term, const_value, rebuild, toposort
from ...terms.types import Scalar
from ...terms.walk import postorder
from ..guards import Guard, guards, shared
from .images import Images, nearest
from .numbers import ANY, Numbers
from .stated import stated

_EVERYWHERE = Guard(None, None, True)
_FAR = 32  # conditions of a guard, the innermost first, that are looked at

#: How two values that are compared lie to each other: below, equal, above, or with NaN.
_LIES = {"lt": "<", "le": "<=", "gt": ">", "ge": "=>", "eq": "=", "ne": "<>?"}
_TURNED = str.maketrans("<>", "><")


def decided(program: Program, rules: RuleSet) -> Program:
    """The program without choices of which the outcome is certain where they matter."""
    if has_loops(program.flat):
        inner = map_loops(program.flat, lambda body: decided(body, rules))
        program = program.with_terms(inner)
    terms = toposort(program.flat)
    if not any(t.op == SELECT for t in terms):
        return program
    found, certain = guards(program.flat, shared), Certain(Images(rules))
    done: dict[Term, Term] = {}
    made: set[Term] = set()
    for term in terms:
        outcome = certain.outcome(term.args[0], found[term]) if term.op == SELECT else None
        if outcome is None:
            outcome = _implied(term, certain, done, made)
        if outcome is None:
            done[term] = rebuild(term, tuple([done[a] for a in term.args]))
        else:
            done[term] = done[term.args[1 if outcome else 2]]
            made.add(term)
    return program.with_terms(done)


def _implied(
    term: Term, certain: Certain, done: Mapping[Term, Term], made: Collection[Term]
) -> bool | None:
    """Which arm of a choice makes it as well: another choice with the same alternative.

    x >= 0 ? (x > 0 ? a : b) : b    =>    x > 0 ? a : b

    Not one that is `made` already, nor one of which something in the condition is: that may hold
    only because of the choice around it.
    """
    for arm, other in ((1, 2), (2, 1)) if term.op == SELECT else ():
        inner = term.args[arm]
        there = inner.op == SELECT and inner not in made and done[inner.args[0]] is inner.args[0]
        for same in (1, 2) if there else ():
            if inner.args[same] is term.args[other]:
                within = Guard(_EVERYWHERE, inner.args[0], same == 2)
                if certain.outcome(term.args[0], within) is (arm == 1):
                    return arm == 1
    return None


@dataclass
class _Known:
    """What is known of conditions, of numbers, and of how two values lie to each other."""

    holds: dict[Term, bool] = field(default_factory=dict)
    numbers: dict[Term, Numbers] = field(default_factory=dict)
    lies: dict[tuple[Term, Term], frozenset[str]] = field(default_factory=dict)

    def learn(self, other: _Known, of: Collection[Term]) -> None:
        """What another one knows of some terms, too."""
        self.holds.update({t: v for t, v in other.holds.items() if t in of})
        for term, numbers in other.numbers.items():
            if term in of:
                self.numbers[term] = self.numbers.get(term, ANY) & numbers
        for pair, lies in other.lies.items():
            if pair[0] in of and pair[1] in of:
                self.lies[pair] = self.lies.get(pair, lies) & lies

    def __bool__(self) -> bool:
        return bool(self.holds or self.numbers or self.lies)


def _said(condition: Term, holds: bool) -> _Known:
    """What the outcome of one condition says."""
    known = _Known()
    for fact in few_facts(condition, holds):
        known.holds[fact[0]] = fact[1]
        for term, numbers in stated(fact):
            known.numbers[term] = known.numbers.get(term, ANY) & numbers
        if fact[0].op in _LIES:
            (a, b), how = fact[0].args, _lies(fact[0].op, holds=fact[1])
            for pair, lies in (((a, b), how), ((b, a), _turned(how))):
                known.lies[pair] = known.lies.get(pair, lies) & lies
    return known


def _lies(op: str, *, holds: bool) -> frozenset[str]:
    return frozenset(_LIES[op]) if holds else frozenset("<=>?") - frozenset(_LIES[op])


def _turned(lies: frozenset[str]) -> frozenset[str]:
    return frozenset([how.translate(_TURNED) for how in lies])


@dataclass
class Certain:
    """What conditions and values are, under guards or by what they can be at all."""

    images: Images
    said: dict[Assumption, _Known] = field(default_factory=dict)

    def outcome(self, condition: Term, guard: Guard) -> bool | None:
        """What a condition is under a guard; None where that is not certain."""
        return self._below(condition, guard)[0].get(condition)

    def numbers(self, value: Term, guard: Guard) -> Numbers:
        """What a value can be under a guard."""
        return self._below(value, guard)[1][value]

    def _below(self, whole: Term, guard: Guard) -> tuple[dict[Term, bool], dict[Term, Numbers]]:
        """What conditions and values are from which one is computed, and that itself."""
        near = nearest(whole)
        known = self.known(guard, near)
        numbers: dict[Term, Numbers] = {}
        holds = known.holds
        for term in postorder([whole], lambda t: [a for a in t.args if a in near]):
            if term.type is Scalar.BOOL:
                found = holds.get(term, _condition(term, numbers, known))
                holds.update({} if found is None else {term: found})
            else:
                numbers[term] = known.numbers.get(term, ANY) & self.images.of(term, numbers)
        return holds, numbers

    def known(self, guard: Guard, of: Collection[Term]) -> _Known:
        """What a guard says of some terms, by its innermost conditions."""
        found = _Known()
        around: Guard | None = guard
        for _ in range(_FAR):
            if around is None or around.condition is None:
                break
            fact = around.condition, around.holds
            if fact not in self.said:
                self.said[fact] = _said(*fact)
            found.learn(self.said[fact], of)
            around = around.parent
        return found


def _condition(term: Term, numbers: Mapping[Term, Numbers], known: _Known) -> bool | None:
    """The outcome of a condition, by what it is computed from."""
    parts = [known.holds.get(a) for a in term.args]
    match term.op:
        case "const":
            return bool(const_value(term))
        case "logical_not":
            return None if parts[0] is None else not parts[0]
        case "logical_and":
            return False if False in parts else True if None not in parts else None
        case "logical_or":
            return True if True in parts else False if None not in parts else None
    if term.op not in _LIES:
        return None
    (a, b), yes = term.args, _lies(term.op, holds=True)
    lies = known.lies.get((a, b))
    if lies is not None and (lies <= yes or lies.isdisjoint(yes)):
        return lies <= yes
    return _apart(numbers.get(a, ANY), numbers.get(b, ANY), yes)


def _apart(a: Numbers, b: Numbers, yes: frozenset[str]) -> bool | None:
    """How two sets lie to each other, where that decides a comparison."""
    lies = {"?"} if a.nan or b.nan else set()
    for (low, high), (c, d) in product(a.parts, b.parts):
        lies |= {"<"} if low < d else set()
        lies |= {">"} if high > c else set()
        lies |= {"="} if low <= d and c <= high else set()
    return lies <= yes if lies and (lies <= yes or lies.isdisjoint(yes)) else None
