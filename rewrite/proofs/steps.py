"""Derivations as values: start, steps, end; and checks that ask nothing of what made them.

A lemma says that two terms are equal, by a chain of steps. A step applies a rewrite to the
whole term, in either direction, computes an operator over constants, or puts equals for
equals below an operator, each by an earlier lemma. Terms are never walked recursively, and
what two derivations have in common is one lemma.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.rule import RuleSet
from ...terms.term import CONST, VAR, Term, toposort
from ..fold import evaluate
from ..regroup.equal import same_function
from .witness import Typed


@dataclass(frozen=True, slots=True)
class Step:
    """From a term to an equal one.

    With `rule`, an instance of it over `bound`, left to right where `forwards`; with
    `lemmas`, one per argument (None: the argument stays); with `groups`, the same function in
    other brackets; else a constant was computed.
    """

    before: Term
    after: Term
    rule: Typed | None = None
    forwards: bool = True
    bound: tuple[Term, ...] = ()
    lemmas: tuple[int | None, ...] = ()
    groups: bool = False

    @property
    def kind(self) -> str:
        """`rule`, `groups`, `arguments` or `constants`."""
        if self.rule is not None:
            return "rule"
        if self.groups:
            return "groups"
        return "arguments" if self.lemmas else "constants"


@dataclass(frozen=True, slots=True)
class Lemma:
    """Two equal terms, and the steps from one to the other; without steps they are one term."""

    start: Term
    end: Term
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one chosen term came about.

    `start` is a term of the plain program; or, where `origin` is a step, one that this rule
    brought in on the way of another derivation. `lemma` leads from there to the term; where
    there is none, `problem` says why.
    """

    term: Term
    start: Term | None
    lemma: int | None
    origin: Step | None = None
    problem: str = ""


@dataclass(frozen=True)
class Proof:
    """The derivations of all terms of one body of code, and of its results, over common lemmas."""

    derivations: Mapping[Term, Derivation]
    lemmas: tuple[Lemma, ...]
    results: tuple[Derivation, ...] = ()  # each from the plain program's own result

    def steps(self, derivation: Derivation) -> list[Step]:
        """Every step that a derivation needs, those of its lemmas first."""
        if derivation.lemma is None:
            return []
        below = self.below(derivation.lemma, lambda _: False)
        return [step for number in below for step in self.lemmas[number].steps]

    def below(self, lemma: int, known: Callable[[int], bool]) -> list[int]:
        """The lemmas that one rests on, itself included, in order; without what is known."""
        seen = {lemma}
        stack = [lemma]
        while stack:
            for step in self.lemmas[stack.pop()].steps:
                for number in step.lemmas:
                    if number is not None and number not in seen and not known(number):
                        seen.add(number)
                        stack.append(number)
        return sorted(seen)


def instance(side: Term, names: Sequence[Term], bound: Sequence[Term]) -> Term:
    """One side of a rewrite with terms for its variables."""
    done = dict(zip(names, bound, strict=True))
    for term in toposort([side]):
        if term not in done:
            done[term] = Term(term.op, tuple([done[a] for a in term.args]), term.attr, term.type)
    return done[side]


def faults(proof: Proof, rules: RuleSet, *, strict: bool) -> list[str]:
    """What is wrong with a proof, in words; an empty list where every step holds.

    Nothing of what found the proof is asked: rules are matched again, symbol by symbol.
    """
    wrong = []
    for number, lemma in enumerate(proof.lemmas):
        here = lemma.start
        for i, step in enumerate(lemma.steps):
            problem = "it begins with another term" if step.before is not here else ""
            problem = problem or _fault(proof, number, step, rules, strict)
            if problem:
                wrong.append(f"lemma {number}, step {i}: {problem}")
            here = step.after
        if here is not lemma.end:
            wrong.append(f"lemma {number} does not end where it says")
    for derivation in (*proof.derivations.values(), *proof.results):
        wrong += _unfounded(proof, derivation)
    return wrong


def _fault(proof: Proof, number: int, step: Step, rules: RuleSet, strict: bool) -> str:
    before, after = step.before, step.after
    if step.rule is not None:
        left, right = (before, after) if step.forwards else (after, before)
        rule = step.rule
        if instance(rule.lhs, rule.names, step.bound) is not left:
            return f"{rule.name} does not match"
        if instance(rule.rhs, rule.names, step.bound) is not right:
            return f"{rule.name} gives another term"
        return ""
    if step.groups:
        return "" if same_function(before, after) else "another function"
    if step.lemmas:
        if (before.op, before.attr, before.type) != (after.op, after.attr, after.type):
            return "another operator"
        if not len(before.args) == len(after.args) == len(step.lemmas):
            return "another number of arguments"
        for a, b, used in zip(before.args, after.args, step.lemmas, strict=True):
            if used is None and a is b:
                continue
            if used is None or used >= number:
                return "an argument changes without an earlier lemma"
            if proof.lemmas[used].start is not a or proof.lemmas[used].end is not b:
                return "a lemma about other terms"
        return ""
    constants, value = (before, after) if after.op == CONST else (after, before)
    if value.op != CONST or not all(a.op == CONST for a in constants.args):
        return "not a computation with constants"
    computed = evaluate(rules, constants.op, constants.type, constants.args, strict)
    return "" if computed is value else f"{constants!r} is not {value!r}"


def _unfounded(proof: Proof, derivation: Derivation) -> list[str]:
    if derivation.lemma is None:
        return []
    lemma = proof.lemmas[derivation.lemma]
    if lemma.start is not derivation.start or lemma.end is not derivation.term:
        return [f"the derivation of {derivation.term!r} is about other terms"]
    origin = derivation.origin
    if origin is not None:
        made = origin.after if origin.rule is None or origin.forwards else origin.before
        if lemma.start not in _around(made, origin):
            return [f"{lemma.start!r} is not what {origin.rule and origin.rule.name} makes"]
    return []


def _around(made: Term, origin: Step) -> set[Term]:
    """The terms that an application of a rule brings in: between its result and what it binds."""
    stop, found, stack = set(origin.bound), set(), [made, origin.before]
    while stack:
        term = stack.pop()
        if term not in found and term.op != VAR:
            found.add(term)
            stack += [a for a in term.args if a not in stop]
    return found
