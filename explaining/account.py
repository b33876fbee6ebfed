"""The account of a derivation: every line of its kernel, and the derivations of what it computes.

Takes a derivation's programs and its kernel, derives once more with witnesses, and ties the
lines of the kernel to derivations, these to terms of the plain program, and those to lines of
the source. Knows nothing of how an account is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import rewrite
from ..codegen.kernel.opencl import Kernel
from ..codegen.schedule.statement import Written
from ..rewrite.derivation.local import Made
from ..rewrite.proofs.numbers import Trial, trial
from ..rewrite.proofs.prove import prove
from ..rewrite.proofs.steps import Derivation, Proof, Step, faults
from ..rewrite.proofs.tally import Tally, tally
from ..rewrite.proofs.witness import Witnessed
from ..terms.errors import DeriveError, Span
from ..terms.program import Program
from ..terms.rule import MATH_TAGS, RuleSet, Tag
from ..terms.term import Term
from ..terms.types import Scalar


@dataclass(frozen=True)
class Subject:
    """What is to be explained: the programs of a derivation, its rules, report and kernel."""

    mode: str
    primal: Program
    derivative: Program
    program: Program
    rules: RuleSet
    report: rewrite.Report
    kernel: Kernel


@dataclass(frozen=True)
class Body:
    """One body of code, the program's own or a loop's: its proof, and what checks say of it."""

    plain: Program
    best: Program
    proof: Proof
    faults: tuple[str, ...]
    trial: Trial
    at: Span | None = None  # of the loop
    parts: tuple[Program, ...] = ()  # bodies of loops that do a part of it


@dataclass(frozen=True)
class Line:
    """A line of the kernel, and the derivations of the terms that it computes."""

    written: Written
    body: int
    derivations: tuple[Derivation, ...]

    @property
    def is_result(self) -> bool:
        """Whether it puts a result in its place."""
        return self.written.result >= 0

    @property
    def proven(self) -> bool:
        """Whether everything that it computes is derived."""
        return bool(self.derivations) and all(d.lemma is not None for d in self.derivations)


@dataclass(frozen=True)
class Account:
    """Everything that is known of a derivation; `made` says which derivative rule made a term."""

    subject: Subject
    bodies: tuple[Body, ...]
    lines: tuple[Line, ...]
    made: Mapping[Term, Made]
    tally: Tally

    @property
    def coverage(self) -> float:
        """The part of the kernel's statements that have a complete derivation, checked."""
        good = [line for line in self.lines if line.proven and not self.bodies[line.body].faults]
        return len(good) / len(self.lines) if self.lines else 1.0

    def steps(self, line: Line) -> list[Step]:
        """Every step that a line needs."""
        proof = self.bodies[line.body].proof
        found = {s: None for d in line.derivations for s in proof.steps(d)}
        found |= {d.origin: None for d in line.derivations if d.origin is not None}
        return list(found)


@dataclass(frozen=True)
class Proven:
    """One body of code, how it was made cheap, and the proof; and the e-graphs that it is from."""

    solved: rewrite.Solved
    proof: Proof
    stages: Sequence[tuple[Witnessed, Proof]]


def proven(subject: Subject) -> list[Proven]:
    """Derive once more, and prove what comes out, body by body: those of loops first.

    Raises DeriveError where the derivation does not give the program that is to be explained.
    """
    report = subject.report
    real = Scalar(report.dtype)
    options = rewrite.Options(math=report.math, effort=rewrite.Effort(report.effort))
    again = rewrite.Report(report.name, report.mode, report.math, report.dtype)
    again.orders = report.orders  # a search that compared them begins as it did
    solved: list[rewrite.Solved] = []
    program = rewrite.optimize(
        subject.derivative, subject.rules, real, options, again, report.derived, solved
    )
    if program.flat != subject.program.flat:
        raise DeriveError(
            f"{report.name}: deriving it again gives another program",
            hint="explain it with the version of egad that derived it",
        )
    return [Proven(one, *prove(one, subject.rules)) for one in solved]


def account(subject: Subject, found: Sequence[Proven]) -> Account:
    """For every line of the kernel, how it came about; by what is `proven` of the subject."""
    bodies: list[Body] = []
    witnesses: list[tuple[Witnessed, Proof]] = []
    for body in found:
        one, proof = body.solved, body.proof
        wrong = faults(proof, subject.rules, strict=one.tags == (Tag.EXACT,))
        tried = trial(proof, subject.rules, one.plain.flat)
        at = one.plain.at if body is not found[-1] else None
        about = Body(one.plain, one.best, proof, tuple(wrong), tried, at, tuple(one.parts))
        bodies.append(about)
        witnesses += body.stages
    counted = tally(witnesses, subject.rules, MATH_TAGS[subject.report.math])
    lines = tuple(_lines(subject.kernel, bodies))
    made = _made(subject, Scalar(subject.report.dtype))
    return Account(subject, tuple(bodies), lines, made, counted)


def _made(subject: Subject, real: Scalar) -> dict[Term, Made]:
    """Which derivative rule each term of the derivative is from."""
    made: dict[Term, Made] = {}
    if subject.mode != "primal":
        tags = MATH_TAGS[subject.report.math]
        form = rewrite.substitute_primals(subject.primal, subject.rules, tags, {})
        report = subject.report
        options = rewrite.Options(math=report.math, effort=rewrite.Effort(report.effort))
        form = rewrite.in_form(report.form, form, subject.mode, subject.rules, real, options)
        order = report.order
        rewrite.derive(form, subject.mode, subject.rules, real, made=made, order=order)
    return made


def _lines(kernel: Kernel, bodies: Sequence[Body]) -> Iterator[Line]:
    """The kernel's lines; what is written inside of a statement belongs to its line."""
    number = {b: i for i, body in enumerate(bodies) for b in (body.best, *body.parts)}
    named = {(w.body, t) for w in kernel.written for t in w.terms}
    for written in kernel.written:
        place = len(bodies) - 1 if written.body is None else number[written.body]
        known = bodies[place].proof.derivations
        if written.result >= 0:
            yield Line(written, place, (bodies[place].proof.results[written.result],))
            continue
        found: dict[Term, Derivation] = {}
        stack = list(reversed(written.terms))
        while stack:
            term = stack.pop()
            if not term.args or term in found:
                continue
            found[term] = known.get(term) or Derivation(
                term, None, None, problem="it is no term of the optimized program"
            )
            stack += [a for a in term.args if (written.body, a) not in named]
        yield Line(written, place, tuple(found.values()))
