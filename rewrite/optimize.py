"""From a derivative program to the cheapest program that the rules allow.

Takes a program in primitives and functions, gives an equal program of least cost, and says
how it got there: definitions are put in, the e-graph is saturated with the rewrites that
`math` admits, and one e-node per class is chosen for all results together.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..terms.loop import has_loops, map_loops
from ..terms.program import Note, Program
from ..terms.rule import MATH_TAGS, RuleSet, Tag
from ..terms.term import Term, toposort
from ..terms.types import Scalar
from .calls import resolve
from .canary import contradiction
from .classes import Classes, build
from .cost import operation_counts, operator_cost, program_cost
from .define import define
from .derive import requested
from .extract import PROVEN, Effort, extract
from .graph import EGraphTable
from .joint import with_shared_costs
from .leaks import leaking, lost, points, without
from .loops.parts import part_of, wholes
from .loops.prune import pruned
from .loops.storage import stored
from .loops.unrolling import unrolled
from .regroup import in_other_groups
from .report import Report, Round
from .saturate import SATURATED, Budget, saturating

# A choice that leaks is made again, so often, without what leaks at so many points.
_ROUNDS, _PLACES = 6, 4
# How often what was extracted is saturated again at most, and up to how many terms.
_RESTARTS = {Effort.FAST: (0, 0), Effort.DEFAULT: (3, 2_000), Effort.BEST: (10, 20_000)}
_EQUAL = 1e-9  # relative: a smaller gain is rounding


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is optimized; every field takes part in what comes out."""

    math: str = "safe"
    effort: Effort = Effort.DEFAULT
    budget: Budget = field(default_factory=Budget)


#: Terms of a program, and others that equal them.
Equal = tuple[tuple[Term, Term], ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A program, what was chosen from its e-graph, and what was in that beside the program."""

    before: Program
    after: Program
    equal: Equal


@dataclass(frozen=True, slots=True)
class Solved:
    """One body of code that was made cheap: the program itself, or that of a loop."""

    plain: Program
    best: Program
    tags: tuple[Tag, ...]  # of the rewrites that took part
    through: tuple[Program, ...] = ()  # programs on the way, each saturated anew
    parts: list[Program] = field(default_factory=list)  # bodies that are a part of `best`

    @property
    def stages(self) -> list[Stage]:
        """What was saturated, one after another."""
        programs = pairwise([self.plain, *self.through, self.best])
        return [
            Stage(a, b, _beside(self.tags, a) if i else ()) for i, (a, b) in enumerate(programs)
        ]


def optimize(
    program: Program,
    rules: RuleSet,
    real: Scalar,
    options: Options,
    report: Report,
    derived: bool,
    solved: list[Solved] | None = None,
) -> Program:
    """The cheapest program found that equals `program`; the report is filled in.

    `solved` collects each body of code with what became of it, those of loops first.
    """
    report.effort, report.derived = options.effort.value, derived
    began = time.perf_counter()
    plain = resolve(program, rules, requested, derived=False)
    plain = unrolled(plain.with_flat(define(rules, plain.flat, real, derived=derived)), rules)
    plain = plain.with_flat(pruned(plain.flat))
    report.terms["plain"] = len(plain.terms())
    report.cost_before = program_cost(rules, plain.flat)
    report.counts_before = operation_counts(rules, plain.flat)
    report.seconds["define"] = time.perf_counter() - began
    shared = _Shared(wholes(plain.flat), [] if solved is None else solved)
    result = _cheapest(plain, rules, options, report, shared)
    report.cost_after = program_cost(rules, result.flat)
    report.counts_after = operation_counts(rules, result.flat)
    report.terms["optimized"] = len(result.terms())
    if has_loops(result.flat):
        report.storage = tuple(stored(result.flat))
    return result


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


@dataclass(frozen=True, slots=True)
class _Task:
    """One body of code to be made cheap: its result terms, and what they are called."""

    flat: Sequence[Term]
    notes: Mapping[Term, Note]
    rules: RuleSet
    options: Options
    report: Report
    equal: Equal = ()


def _beside(tags: Sequence[Tag], program: Program) -> Equal:
    """What a chosen program computes, in other groups, for its own e-graph."""
    return () if tags == MATH_TAGS["strict"] else tuple(in_other_groups(program.flat))


def _cheapest(
    plain: Program,
    rules: RuleSet,
    options: Options,
    report: Report,
    shared: _Shared,
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
            known[program] = _cheapest(program, rules, options, bodies[-1], shared)
        return known[program]

    flat = plain.flat
    if has_loops(flat):
        done = map_loops(flat, body)
        kept = {done[t]: n for t, n in plain.notes.items() if t in done}
        flat = [done[t] for t in flat]
        plain = plain.with_flat(flat, notes=kept)
    task = _Task(flat, plain.notes, rules, options, report)
    tags = MATH_TAGS[options.math]
    classes, doubt = _saturated(task, tags)
    best: list[Term] | None = None
    if not doubt or options.math == "strict":
        best, notes, doubt = _sound(task, classes, tags)
    if best is None:
        # Somewhere the program divides by a number that is always 0: only bits are kept safe.
        tags = MATH_TAGS["strict"]
        classes, _ = _saturated(task, tags)
        report.ended += f"; exact rewrites only, because others give {doubt}"
        best, notes = _extracted(task, classes)
    cost = program_cost(rules, best)
    if cost > program_cost(rules, flat):
        # A budget may end the search before it finds the start again.
        best, notes = flat, dict(plain.notes)
        cost = program_cost(rules, flat)
        report.method += "; the plain program is cheaper and was kept"
    report.rounds = (Round(cost, report.nodes, report.iterations, report.ended),)
    stages = [plain.with_flat(best, notes=notes)]
    while (better := _restarted(task, tags, stages)) is not None:
        stages.append(better)
    if report.bound >= program_cost(rules, stages[-1].flat):
        report.method += f", {PROVEN}"
    for inner in bodies:
        report.include(inner)
    *through, result = stages
    shared.is_solved(Solved(plain, result, tags, tuple(through)))
    return result


def _restarted(task: _Task, tags: tuple[Tag, ...], stages: Sequence[Program]) -> Program | None:
    """A cheaper program from the e-graph of the last stage, if there is one.

    Products and sums are there in other groups, too, and the e-graph begins small again. One in
    which nothing changed any more, and nothing is new, has it all.
    """
    last = stages[-1]
    most, largest = _RESTARTS[task.options.effort]
    if len(stages) > most or not 0 < len(last.terms()) <= largest:
        return None
    equal = _beside(tags, last)
    if task.report.rounds[-1].ended == SATURATED and not equal:
        return None
    report = Report(*(getattr(task.report, name) for name in ("name", "mode", "math", "dtype")))
    again = replace(task, flat=last.flat, notes=last.notes, report=report, equal=equal)
    before = program_cost(task.rules, last.flat)
    classes, doubt = _saturated(again, tags)
    best, notes, doubt = (None, {}, doubt) if doubt else _sound(again, classes, tags)
    cost = before if best is None else program_cost(task.rules, best)
    gained = best is not None and cost < before * (1 - _EQUAL) and _agrees(task, tags, best)
    task.report.restarted(report, cost if gained else before, gained)
    return last.with_flat(best, notes=notes) if gained and best is not None else None


def _agrees(task: _Task, tags: Sequence[Tag], best: Sequence[Term]) -> bool:
    """Whether a program loses no number that the plain one has."""
    if tags == MATH_TAGS["strict"]:
        return True
    at = points(task.flat, special=task.options.math == "safe")
    return not lost(task.rules, task.flat, best, at)


def _saturated(task: _Task, tags: Sequence[Tag]) -> tuple[Classes, str]:
    """The saturated e-graph as plain data, and why it cannot be trusted, if so."""
    began = time.perf_counter()
    flat, report = task.flat, task.report
    with saturating(task.rules, tags, flat, task.equal) as saturation:
        growth = saturation.run(task.options.budget, len(toposort(flat)))
        classes = saturation.graph.read()
    report.nodes, report.iterations = growth.nodes, growth.iterations
    report.ended, report.fired = growth.ended, growth.matches
    report.dormant = growth.dormant
    report.seconds["saturate"] = time.perf_counter() - began
    return classes, contradiction(classes)


def _sound(
    task: _Task, classes: Classes, tags: Sequence[Tag]
) -> tuple[list[Term] | None, dict[Term, Note], str]:
    """The cheapest choice that loses no number; without one, the reason in words."""
    flat, strict = task.flat, tags == MATH_TAGS["strict"]
    at = points(flat, special=task.options.math == "safe")
    roots = [classes.loaded[t] for t in flat]
    left = len(classes.nodes)
    for _ in range(_ROUNDS):
        best, named = _extracted(task, classes)
        places = [] if strict else lost(task.rules, flat, best, at)
        if not places:
            if left > len(classes.nodes):
                task.report.method += f"; without {left - len(classes.nodes)} e-nodes that leak"
            return best, named, ""
        found = leaking(task.rules, classes, flat, at, places[:_PLACES])
        smaller = without(classes, found, roots) if found else None
        if smaller is None:
            break
        classes = smaller
    return None, {}, "another number than the program, or none"


def _extracted(task: _Task, classes: Classes) -> tuple[list[Term], dict[Term, Note]]:
    """The cheapest choice as terms; names follow the classes they named."""
    began = time.perf_counter()
    roots = [classes.loaded[t] for t in task.flat]
    table = to_table(classes, roots, task.rules)
    found = extract(table, effort=task.options.effort)
    report = task.report
    report.bound, report.method = found.bound, found.how
    own = found.choice.items()  # and those of what is shared by several e-nodes
    chosen = {c: classes.nodes[n] for c, n in own if n < len(classes.nodes)}
    built: dict[int, Term] = {}
    best = [build(chosen, root, built) for root in roots]
    named: dict[Term, Note] = {}
    for term, note in task.notes.items():
        owner = classes.loaded.get(term)
        if owner in built:
            named.setdefault(built[owner], note)
    spent = report.seconds.get("extract", 0.0)
    report.seconds["extract"] = spent + time.perf_counter() - began
    return best, named


def to_table(classes: Classes, roots: Sequence[int], rules: RuleSet) -> EGraphTable:
    """The e-graph as the extraction sees it: nodes with costs."""
    costs: dict[object, float] = {}
    for node in classes.nodes:
        op, attr, operands, type_ = node.head
        if node.head not in costs:
            costs[node.head] = operator_cost(rules, op, type_, operands, attr)
    table = EGraphTable(
        heads=[(n.head[0], n.head[1], n.head[3]) for n in classes.nodes],
        children=[n.args for n in classes.nodes],
        owner=[n.owner for n in classes.nodes],
        classes=classes.count,
        costs=[costs[n.head] for n in classes.nodes],
        roots=list(roots),
    )
    return with_shared_costs(table, rules)
