"""Two proofs in a row: from a plain program to a chosen one, and from that to the next.

Takes proofs of which the second begins where the first ends, gives one proof. The lemmas of both
stay what they are; where a derivation goes on, a lemma leads from its very start to its end.
"""

from __future__ import annotations

from dataclasses import replace

from .steps import Derivation, Lemma, Proof, Step


def chained(first: Proof, second: Proof) -> Proof:
    """One proof of what the second proof derives, from where the first one starts."""
    return _Chain(first, second).whole()


class _Chain:
    def __init__(self, first: Proof, second: Proof) -> None:
        self.first, self.second = first, second
        self.shift = len(first.lemmas)
        self.lemmas = [*first.lemmas, *(self.moved(lemma) for lemma in second.lemmas)]
        self.number: dict[tuple[int, int], int] = {}

    def whole(self) -> Proof:
        derivations = {t: self.onward(d) for t, d in self.second.derivations.items()}
        pairs = zip(self.first.results, self.second.results, strict=True)
        results = tuple([self.joined(a, b) for a, b in pairs])
        return Proof(derivations, tuple(self.lemmas), results)

    def moved(self, lemma: Lemma) -> Lemma:
        """A lemma of the second proof, among all."""
        return replace(lemma, steps=tuple([self.moved_step(step) for step in lemma.steps]))

    def moved_step(self, step: Step) -> Step:
        used = tuple([None if n is None else n + self.shift for n in step.lemmas])
        return replace(step, lemmas=used)

    def onward(self, derivation: Derivation) -> Derivation:
        """A derivation of the second proof, from where its start came from."""
        before = None
        if derivation.origin is None and derivation.start is not None:
            before = self.first.derivations.get(derivation.start)
        if before is not None:
            return self.joined(before, derivation)
        lemma = None if derivation.lemma is None else derivation.lemma + self.shift
        origin = None if derivation.origin is None else self.moved_step(derivation.origin)
        return replace(derivation, lemma=lemma, origin=origin)

    def joined(self, before: Derivation, after: Derivation) -> Derivation:
        """Two derivations in a row as one."""
        if before.lemma is None or after.lemma is None:
            problem = before.problem or after.problem
            return Derivation(after.term, None, None, None, problem)
        key = (before.lemma, after.lemma + self.shift)
        if key not in self.number:
            a, b = self.lemmas[key[0]], self.lemmas[key[1]]
            self.number[key] = len(self.lemmas)
            self.lemmas.append(Lemma(a.start, b.end, (*a.steps, *b.steps)))
        return Derivation(after.term, before.start, self.number[key], before.origin)
