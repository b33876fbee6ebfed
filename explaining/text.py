"""An account as text: each statement of the kernel with its derivation, then the rules."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, MutableMapping

from ..rewrite.proofs.steps import Derivation, Step, instance
from ..terms.program import Program
from .account import Account, Line
from .naming import Naming

#: Lines of one derivation that a panel shows.
_LONG = 200


def text_of(account: Account) -> str:
    """Every statement with its derivation; what fired, what nearly did, what never."""
    writer = Writer(account)
    lines = [*writer.head(), ""]
    for line in account.lines:
        lines += writer.statement(line)
    lines += ["", *rules_of(account)]
    return "\n".join(lines)


def coverage_of(account: Account) -> str:
    """How many statements are derived, in one sentence."""
    total = len(account.lines)
    good = round(account.coverage * total)
    steps = sum(len(lemma.steps) for b in account.bodies for lemma in b.proof.lemmas)
    tried = sum(b.trial.tried for b in account.bodies)
    by_rules = tried + sum(b.trial.untried for b in account.bodies)
    wrong = sum(len(b.trial.differing) for b in account.bodies)
    return (
        f"{good} of {total} statements are derived completely; {steps} steps, each matched again; "
        f"{tried} of {by_rules} applications of rules tried with numbers, {wrong} differ"
    )


def rules_of(account: Account) -> list[str]:
    """What fired, what would have but for a condition, what never did."""
    tally = account.tally
    lines = ["rewrites (matches in the e-graph, steps in the derivations above):"]
    ranked = sorted(tally.fired, key=lambda n: (-tally.used.get(n, 0), -tally.fired[n], n))
    width = max((len(str(n)) for n in tally.fired.values()), default=1)
    for name in ranked:
        counts = f"{tally.fired[name]:>{width}} {tally.used.get(name, 0):>{width}}"
        lines.append(f"  {counts}  {name}: {tally.shown.get(name, '')}")
    if tally.near:
        lines.append("rewrites that could have fired but for a condition:")
        for name in sorted(tally.near):
            for condition, count in tally.near[name].items():
                lines.append(f"  {count:>{width}}  {name}: not known that {condition}")
    lines.append(f"{len(tally.never)} rewrites never matched:")
    places: dict[str, list[str]] = {}
    for name in tally.never:
        place, _, rule = name.partition(" ")
        group = places.setdefault(place.partition(":")[0], [])
        if rule not in group:
            group.append(rule)
    lines += [f"  {file}: {', '.join(names)}" for file, names in places.items()]
    return lines


class Writer:
    """Writes derivations; a lemma that has been written is referred to."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.naming = [Naming(account, i) for i in range(len(account.bodies))]
        self.told: MutableMapping[tuple[int, int], str] = {}  # lemmas, as what
        self._others = [self._by_name(i) for i in range(len(account.bodies))]

    def _by_name(self, body: int) -> dict[tuple[int, int], str]:
        """The derivations of statements, by the names that these have in the kernel."""
        named = self.naming[body].kernel
        derivations = self.account.bodies[body].proof.derivations
        return {
            (body, d.lemma): named[t]
            for t, d in derivations.items()
            if d.lemma is not None and t in named
        }

    def alone(self, line: Line) -> list[str]:
        """The derivation of one statement by itself; others that it rests on have their own."""
        self.told = ChainMap({}, self._others[line.body])
        lines = list(self.statement(line))[1:]
        left = len(lines) - _LONG
        return [*lines[:_LONG], f"    … and {left} lines more"] if left > 0 else lines

    def head(self) -> Iterator[str]:
        """The plain program, body by body."""
        subject = self.account.subject
        yield f"{subject.report.name}: {coverage_of(self.account)}"
        for i, body in enumerate(self.account.bodies):
            yield f"the plain program{f', the loop at {body.at}' if body.at else ''}:"
            yield from self._plain(i, body.plain)
        yield "the kernel's statements, each from a term of the plain program:"

    def _plain(self, number: int, program: Program) -> Iterator[str]:
        naming = self.naming[number]
        for term, name in naming.plain.items():
            note, made = program.notes.get(term), self.account.made.get(term)
            why = f"  # {note.at}" if note and note.at else f"  # {made.rule}" if made else ""
            yield f"  {name} = {naming.text(term)}{why}"

    def statement(self, line: Line) -> Iterator[str]:
        """The statement, and the derivations of what it computes."""
        yield "  " + line.written.text.split("  //")[0]
        for problem in self.account.bodies[line.body].faults:
            yield f"    NOT CHECKED: {problem}"
        for derivation in line.derivations:
            told = self.told.get((line.body, -1 if derivation.lemma is None else derivation.lemma))
            if line.is_result and told in line.written.names:
                yield f"    {told}"
            else:
                yield from self._derivation(line.body, derivation)
        if not line.derivations:
            yield "    an input or a constant"

    def _derivation(self, body: int, derivation: Derivation) -> Iterator[str]:
        naming, proof = self.naming[body], self.account.bodies[body].proof
        if derivation.lemma is None or derivation.start is None:
            yield f"    NOT DERIVED: {naming.text(derivation.term)}: {derivation.problem}"
            return
        for number in proof.below(derivation.lemma, lambda n: (body, n) in self.told):
            if number != derivation.lemma:
                self.told[body, number] = f"L{number}"
                yield f"    L{number}: {naming.text(proof.lemmas[number].start)}"
                yield from self._steps(body, number)
        start = naming.text(derivation.start)
        if derivation.origin is not None:
            yield f"    {start}  brought in by {self._origin(body, derivation.origin)}"
        else:
            plain = naming.plain.get(derivation.start)
            same = "" if plain in (None, naming.kernel.get(derivation.term)) else f"{plain} "
            yield f"    {start}  {same}of the plain program"
        name = naming.kernel.get(derivation.term, "above")
        self.told.setdefault((body, derivation.lemma), name)
        yield from self._steps(body, derivation.lemma)

    def _steps(self, body: int, number: int) -> Iterator[str]:
        naming, proof = self.naming[body], self.account.bodies[body].proof
        for step in proof.lemmas[number].steps:
            yield f"      = {naming.text(step.after)}  {self._why(body, step)}"

    def _why(self, body: int, step: Step) -> str:
        if step.kind in ("constants", "groups"):
            return "computed" if step.kind == "constants" else "the same function in another form"
        if step.rule is not None:
            way = "" if step.forwards else ", right to left"
            return f"by {step.rule.name}{way}{self.conditions(body, step)}"
        naming, proof = self.naming[body], self.account.bodies[body].proof
        used = []
        for number in dict.fromkeys(step.lemmas):
            if number is not None:
                lemma = proof.lemmas[number]
                before, after = naming.name(lemma.start), naming.name(lemma.end)
                told = self.told[body, number]
                used.append(f"{before} = {after}" + (f" ({told})" if told != after else ""))
        return "since " + ", ".join(used)

    def _origin(self, body: int, step: Step) -> str:
        naming = self.naming[body]
        if step.rule is None:
            return "other groups" if step.groups else "computing with constants"
        left, right = naming.text(step.before), naming.text(step.after)
        return f"{step.rule.name}: {left} = {right}{self.conditions(body, step)}"

    def conditions(self, body: int, step: Step) -> str:
        """The conditions of a rewrite over the terms of a step."""
        rule = step.rule
        assert rule is not None
        placed = [instance(c, rule.names, step.bound) for c in rule.conditions]
        return "".join(f", where {self.naming[body].text(c)}" for c in placed)
