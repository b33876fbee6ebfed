"""From a derivative program to the cheapest program that the rules allow.

Takes a program in primitives and functions, gives an equal program of least cost, and says
how it got there: definitions are put in, the e-graph is saturated with the rewrites that
`math` admits, and one e-node per class is chosen for all results together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...terms.loop import has_loops, map_loops
from ...terms.program import Program
from ...terms.rule import MATH_TAGS, RuleSet, Tag
from ...terms.types import Scalar
from ..derivation.calls import resolve
from ..derivation.define import define
from ..derivation.derive import requested
from ..derivation.series import shortened
from ..egraph.cost import operation_counts, program_cost
from ..guarded import decided, without_vanishing
from ..loops.joining import joined
from ..loops.parts import part_of, wholes
from ..loops.prune import pruned, without_idle
from ..loops.storage import stored
from ..loops.unrolling import unrolled
from ..substitutes.gaps.equals import where_results_are_equal
from .passing import passes_on
from .report import Report
from .search import WORTH, Begun, search
from .task import Options, Stage, Task


@dataclass(frozen=True, slots=True)
class Solved:
    """One body of code that was made cheap: the program itself, or that of a loop."""

    stages: tuple[Stage, ...]  # what was saturated, one after another
    tags: tuple[Tag, ...]  # of the rewrites that took part
    parts: list[Program] = field(default_factory=list)  # bodies that are a part of `best`

    @property
    def plain(self) -> Program:
        """What the search began with."""
        return self.stages[0].before

    @property
    def best(self) -> Program:
        """What it ended with."""
        return self.stages[-1].after


def optimize(
    program: Program,
    rules: RuleSet,
    real: Scalar,
    options: Options,
    report: Report,
    derived: bool,
    solved: list[Solved] | None = None,
    begun: Begun | None = None,
) -> Program:
    """The cheapest program found that equals `program`; the report is filled in.

    `solved` collects each body of code with what became of it, those of loops first; `begun` is the
    first round, where the program was compared with equal ones.
    """
    report.effort, report.derived = options.effort.value, derived
    with report.phase("define"):
        strict = options.math == "strict"
        plain = plain_program(program, rules, real, derived=derived, strict=strict)
        report.terms["plain"] = len(plain.terms())
        report.cost_before = program_cost(rules, plain.flat)
        report.counts_before = operation_counts(rules, plain.flat)
    shared = _Shared(wholes(plain.flat), [] if solved is None else solved)
    result = _cheapest(plain, rules, options, report, shared, begun)
    report.cost_after = program_cost(rules, result.flat)
    report.counts_after = operation_counts(rules, result.flat)
    report.terms["optimized"] = len(result.terms())
    if has_loops(result.flat):
        report.storage = tuple(stored(result.flat))
    return result


def plain_program(
    program: Program, rules: RuleSet, real: Scalar, *, derived: bool, strict: bool = False
) -> Program:
    """What a search begins with: requests and definitions are put in, and nothing idle is left.

    Choices that are certain where they matter are made, what is 0 where it matters is 0, and series
    are as long as their types are precise: that is not `strict`, since it was computed with
    rounding, and neither are the values of quotients that are 0/0 as they are written.
    """
    if derived and not strict:
        program = where_results_are_equal(program, rules)
    plain = resolve(program, rules, requested, derived=False)
    plain = unrolled(plain.with_flat(define(rules, plain.flat, real, derived=derived)), rules)
    plain = plain.with_flat(pruned(joined(pruned(plain.flat, rules)), rules))
    if strict:
        return decided(plain, rules)
    return shortened(decided(without_vanishing(plain, rules), rules))


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the bodies of a program share: a sweep and its repetition have loops in common.

    `wholes` gives for a body one that has all its results, `begun` are those that may be inside of
    each other, `known` holds what is done.
    """

    wholes: Mapping[Program, Program]
    solved: list[Solved]
    begun: dict[Program, None] = field(default_factory=dict)
    known: dict[Program, Program] = field(default_factory=dict)
    within: dict[Program, Solved] = field(default_factory=dict)

    def is_solved(self, one: Solved) -> None:
        """One more body is done."""
        self.solved.append(one)
        self.within[one.best] = one

    def is_part(self, part: Program, whole: Program) -> None:
        """A body is done with another one."""
        self.within[part] = self.within[whole]
        self.within[part].parts.append(part)


def _cheapest(
    plain: Program,
    rules: RuleSet,
    options: Options,
    report: Report,
    shared: _Shared,
    begun: Begun | None = None,
    is_body: bool = False,
) -> Program:
    """The cheapest program found, loop bodies first: each is a program of its own."""
    bodies: list[Report] = []
    known = shared.known

    def body(program: Program) -> Program:
        whole = shared.wholes.get(program)
        if program not in known and whole is not None and whole not in shared.begun:
            part = part_of(whole, body(whole), program)
            if part is not None and program not in known:
                shared.is_part(part, known[whole])
                known[program] = part
        if program not in known:
            bodies.append(Report(report.name, report.mode, report.math, report.dtype))
            shared.begun[program] = None
            known[program] = _cheapest(program, rules, options, bodies[-1], shared, is_body=True)
        return known[program]

    flat = plain.flat
    if has_loops(flat):
        inner = map_loops(flat, body)
        left = without_idle([inner[t] for t in flat], rules)
        done = {t: left[now] for t, now in inner.items() if now in left}
        kept = {done[t]: n for t, n in plain.notes.items() if t in done}
        flat = [done[t] for t in flat]
        plain = plain.with_flat(flat, notes=kept)
    if is_body and passes_on(plain, rules, WORTH):
        stages, tags = [Stage(plain, plain, (), options.budget)], MATH_TAGS[options.math]
    else:
        with report.phase("check"):
            task = Task.of(plain, rules, options, report)
        stages, tags = search(task, begun)
    for one_body in bodies:
        report.include(one_body)
    one = Solved(tuple(stages), tags)
    shared.is_solved(one)
    return one.best
