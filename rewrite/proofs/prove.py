"""From a body of code to the derivations of all its chosen terms.

Takes the plain and the chosen terms, replays the e-graph's matches, and reads the chains of
reasons out of the closure as lemmas; where programs on the way were saturated again, one after
another. What could not be proven is there too, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...terms.rule import RuleSet, Tag
from ...terms.term import Term, toposort
from ..pipeline.optimize import Solved
from .closure import Edge
from .join import joined
from .replay import COMPUTED, GOAL, GROUPED, PROGRAM, Applied, Replay
from .steps import Derivation, Lemma, Proof, Step
from .witness import Witnessed, witnessed


def prove(solved: Solved, rules: RuleSet) -> tuple[Proof, list[tuple[Witnessed, Proof]]]:
    """The derivation of every term of the chosen program, and the e-graphs that it is from.

    There is one e-graph for each program that was saturated, each with its own part of the proof.
    """
    parts: list[tuple[Witnessed, Proof]] = []
    for stage in solved.stages:
        before, after = stage.before.flat, stage.after.flat
        found = witnessed(stage, rules, solved.tags)
        replay = Replay(stage, found, rules, solved.tags == (Tag.EXACT,))
        replay.run(list(zip(before, after, strict=True)))
        replay.finish(after)
        parts.append((found, _Reader(replay).read(before, after)))
    return joined([proof for _, proof in parts]), parts


@dataclass
class _Reader:
    """Reads lemmas out of a closure; each pair of terms has one."""

    replay: Replay
    wanted: dict[tuple[int, int], list[Edge]] = field(default_factory=dict)
    number: dict[tuple[int, int], int] = field(default_factory=dict)
    lemmas: list[Lemma] = field(default_factory=list)

    def read(self, plain: Sequence[Term], chosen: Sequence[Term]) -> Proof:
        derivations = {}
        for term in toposort(chosen):
            if term.args:
                derivations[term] = self.derivation(term)
        results = [self.result(p, b) for p, b in zip(plain, chosen, strict=True)]
        return Proof(derivations, tuple(self.lemmas), tuple(results))

    def result(self, plain: Term, chosen: Term) -> Derivation:
        """From a result of the plain program to that of the chosen one."""
        closure = self.replay.closure
        start, end = closure.index[plain], closure.index[chosen]
        if closure.equal(start, end):
            return Derivation(chosen, plain, self.lemma(start, end))
        return Derivation(chosen, plain, None, None, self.missing())

    def missing(self) -> str:
        return f"no chain of rules was found ({self.replay.ended})"

    def derivation(self, term: Term) -> Derivation:
        """From the oldest term that is equal: of the program, or brought in by a rule."""
        closure, born = self.replay.closure, self.replay.born
        here = closure.index[term]
        first = closure.first[closure.root[here]]
        if closure.home[here] >= 0 and born[here] == PROGRAM:
            first = here
        cause = born[first]
        start = closure.terms[first]
        if cause == GOAL:
            return Derivation(term, None, None, None, self.missing())
        origin = None if cause == PROGRAM else self.step(self.replay.applied[cause], True)
        return Derivation(term, start, self.lemma(first, here), origin)

    def lemma(self, start: int, end: int) -> int:
        """The lemma about two equal terms; those that it rests on come before it."""
        closure = self.replay.closure
        stack = [(start, end)]
        while stack:
            pair = stack[-1]
            if pair in self.number:
                stack.pop()
                continue
            if pair not in self.wanted:
                self.wanted[pair] = closure.path(*pair)
                for a, b, reason in self.wanted[pair]:
                    if reason is None:
                        stack += [p for p in self.inner(a, b) if p not in self.number]
                continue
            stack.pop()
            steps = tuple([self.edge(edge) for edge in self.wanted.pop(pair)])
            self.number[pair] = len(self.lemmas)
            terms = closure.terms
            self.lemmas.append(Lemma(terms[pair[0]], terms[pair[1]], steps))
        return self.number[start, end]

    def inner(self, a: int, b: int) -> list[tuple[int, int]]:
        """The arguments in which two terms differ."""
        args = self.replay.closure.args
        return [(x, y) for x, y in zip(args[a], args[b], strict=True) if x != y]

    def edge(self, edge: Edge) -> Step:
        a, b, reason = edge
        if reason is not None:
            applied = self.replay.applied[reason]
            return self.step(applied, applied.left == a)
        closure = self.replay.closure
        lemmas = tuple(
            None if x == y else self.number[x, y]
            for x, y in zip(closure.args[a], closure.args[b], strict=True)
        )
        return Step(closure.terms[a], closure.terms[b], lemmas=lemmas)

    def step(self, applied: Applied, forwards: bool) -> Step:
        terms = self.replay.closure.terms
        ends = (applied.left, applied.right) if forwards else (applied.right, applied.left)
        before, after = terms[ends[0]], terms[ends[1]]
        if applied.rule in (COMPUTED, GROUPED):
            return Step(before, after, forwards=forwards, groups=applied.rule == GROUPED)
        bound = tuple([terms[b] for b in applied.bound])
        return Step(before, after, self.replay.typed[applied.rule], forwards, bound)
