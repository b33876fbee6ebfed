"""Proofs one after another: from the plain program over programs on the way to the chosen one.

Takes proofs, each of which begins with the program that the one before ends with; gives one proof
from the first program to the last. What rests on lemmas of one of them rests on the same lemmas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .steps import Derivation, Lemma, Proof, Step


def joined(proofs: Sequence[Proof]) -> Proof:
    """The proofs as one; a single one stays as it is."""
    whole, *rest = proofs
    for proof in rest:
        whole = _Joined(whole, proof).proof()
    return whole


class _Joined:
    """Two proofs; lemmas of the second come after those of the first."""

    def __init__(self, first: Proof, second: Proof) -> None:
        self.first, self.second = first, second
        shift = len(first.lemmas)
        self.lemmas = [*first.lemmas, *(_shifted(lemma, shift) for lemma in second.lemmas)]
        self.shift = shift
        self.known: dict[tuple[int, int], int] = {}

    def proof(self) -> Proof:
        derivations = {
            term: self._from(found, None if found.start is None else self._before(found))
            for term, found in self.second.derivations.items()
        }
        results = [
            self._from(after, before)
            for before, after in zip(self.first.results, self.second.results, strict=True)
        ]
        return Proof(derivations, tuple(self.lemmas), tuple(results))

    def _before(self, found: Derivation) -> Derivation | None:
        """How the term came about that a derivation of the second proof begins with."""
        if found.origin is not None or found.start is None:
            return None  # a rule brought it in
        return self.first.derivations.get(found.start)

    def _from(self, found: Derivation, before: Derivation | None) -> Derivation:
        """A derivation of the second proof, continued backwards."""
        if found.lemma is None:
            return found
        number = found.lemma + self.shift
        if before is None:
            origin = None if found.origin is None else _later(found.origin, self.shift)
            return replace(found, lemma=number, origin=origin)
        if before.lemma is None:
            return replace(before, term=found.term)
        return replace(before, term=found.term, lemma=self._chain(before.lemma, number))

    def _chain(self, one: int, other: int) -> int:
        """The lemma that leads where two lead one after the other."""
        a, b = self.lemmas[one], self.lemmas[other]
        if not b.steps:
            return one
        if not a.steps:
            return other
        if (one, other) not in self.known:
            self.known[one, other] = len(self.lemmas)
            self.lemmas.append(Lemma(a.start, b.end, (*a.steps, *b.steps)))
        return self.known[one, other]


def _shifted(lemma: Lemma, by: int) -> Lemma:
    return replace(lemma, steps=tuple([_later(step, by) for step in lemma.steps]))


def _later(step: Step, by: int) -> Step:
    if not step.lemmas:
        return step
    return replace(step, lemmas=tuple([None if n is None else n + by for n in step.lemmas]))
