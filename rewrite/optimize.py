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
from math import inf

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
from .leaks import Witness, leaking, points, without
from .loops.parts import part_of, wholes
from .loops.prune import pruned
from .loops.storage import stored
from .loops.unrolling import unrolled
from .phases import Phase
from .regroup import in_other_groups
from .report import Report, Round
from .saturate import Budget, saturating

# A choice that leaks is made again, so often, without what leaks at so many points.
_ROUNDS, _PLACES = 6, 4
# How often what was extracted is saturated again at most, and up to how many terms.
_RESTARTS = {Effort.FAST: (0, 0), Effort.DEFAULT: (6, 2_000), Effort.BEST: (20, 20_000)}
# What integer programs may use of their budget: by then rounds have found what they would find.
_PROOF = {Effort.FAST: 0.0, Effort.DEFAULT: 0.1, Effort.BEST: 1.0}
_WORTH = 0.005  # relative: what a round has to gain, for another one to be worth its time
_EQUAL = 1e-9  # relative: a smaller gain is rounding


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is optimized; every field takes part in what comes out."""

    math: str = "safe"
    effort: Effort = Effort.DEFAULT
    budget: Budget = field(default_factory=Budget)
    without: tuple[Phase, ...] = ()  # to see what they win


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
    grouped: bool = False  # the plain program was in other groups, too
    regrouped: bool = True  # so were those on the way
    parts: list[Program] = field(default_factory=list)  # bodies that are a part of `best`

    @property
    def stages(self) -> list[Stage]:
        """What was saturated, one after another."""
        programs = pairwise([self.plain, *self.through, self.best])
        return [
            Stage(a, b, _beside(self.tags, a) if (self.regrouped if i else self.grouped) else ())
            for i, (a, b) in enumerate(programs)
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
    witness: Witness
    equal: Equal = ()
    made_of: Sequence[Term] = ()  # what the rules made the results of
    enough: float = -inf  # what no integer program is solved below


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
    tags = MATH_TAGS[options.math]
    witness = Witness(rules, flat, points(flat, special=options.math == "safe"))
    enough = inf if _again(options, plain) else -inf
    task = _Task(flat, plain.notes, rules, options, report, witness, enough=enough)
    stages, doubt = _stages(task, plain, tags)
    if doubt:
        # Somewhere the program divides by a number that is always 0: only bits are kept safe.
        tags = MATH_TAGS["strict"]
        classes, _ = _saturated(task, tags)
        report.ended += f"; exact rewrites only, because others give {doubt}"
        best, notes = _extracted(replace(task, enough=-inf), classes)
        stages = [_not_dearer(task, plain, best, notes)]
    other = _from_other_groups(task, plain, tags, stages[-1])
    if report.bound >= program_cost(rules, (other or stages)[-1].flat):
        report.method += f", {PROVEN}"
    for inner in bodies:
        report.include(inner)
    *through, result = other or stages
    regrouped = Phase.REGROUPING not in options.without
    shared.is_solved(Solved(plain, result, tags, tuple(through), bool(other), regrouped))
    return result


def _stages(task: _Task, plain: Program, tags: tuple[Tag, ...]) -> tuple[list[Program], str]:
    """What was chosen, and cheaper programs on from there; or why rules cannot be trusted."""
    classes, doubt = _saturated(task, tags)
    if doubt and task.options.math != "strict":
        return [], doubt
    best, notes, doubt = _sound(task, classes, tags)
    if best is None:
        return [], doubt
    return _restarted(task, tags, _not_dearer(task, plain, best, notes)), ""


def _not_dearer(task: _Task, plain: Program, best: list[Term], notes: dict[Term, Note]) -> Program:
    """The choice; or the plain program, where a budget ended the search too early."""
    report, cost = task.report, program_cost(task.rules, best)
    if cost > (before := program_cost(task.rules, plain.flat)):
        best, notes, cost = plain.flat, dict(plain.notes), before
        report.method += "; the plain program is cheaper and was kept"
    report.rounds = (Round(cost, report.nodes, report.iterations, report.ended),)
    return plain.with_flat(best, notes=notes)


def _from_other_groups(
    task: _Task, plain: Program, tags: tuple[Tag, ...], best: Program
) -> list[Program] | None:
    """A cheaper program, found from the plain one in other groups; with the most effort only."""
    equal = _regrouped(task, tags, plain) if task.options.effort is Effort.BEST else ()
    if not equal or not _again(task.options, plain):
        return None
    report = Report(*(getattr(task.report, name) for name in ("name", "mode", "math", "dtype")))
    stages, _ = _stages(replace(task, report=report, equal=equal), plain, tags)
    costs = [program_cost(task.rules, p.flat) for p in (best, *stages[-1:])]
    gained = costs[-1] < costs[0] * (1 - _EQUAL)
    task.report.compared(report, gained)
    return stages if gained else None


def _regrouped(task: _Task, tags: tuple[Tag, ...], program: Program) -> Equal:
    """What a program computes, in other groups; nothing where that phase is left out."""
    return () if Phase.REGROUPING in task.options.without else _beside(tags, program)


def _again(options: Options, program: Program) -> int:
    """How often a chosen program may be put into an e-graph once more."""
    most, largest = _RESTARTS[options.effort]
    if Phase.ROUNDS in options.without:
        return 0
    return most if 0 < len(program.terms()) <= largest else 0


def _restarted(task: _Task, tags: tuple[Tag, ...], first: Program) -> list[Program]:
    """The chosen program and cheaper ones, each from the e-graph of the one before.

    Products and sums are there in other groups, too, and each e-graph begins small again. Only of
    the last one the cheapest choice is looked for with all effort, and proven.
    """
    stages = [first]
    for _ in range(_again(task.options, first)):
        last = stages[-1]
        report = Report(*(getattr(task.report, name) for name in ("name", "mode", "math", "dtype")))
        before = cost = program_cost(task.rules, last.flat)
        again = replace(
            task,
            flat=last.flat,
            notes=last.notes,
            report=report,
            equal=_regrouped(task, tags, last),
            made_of=task.made_of or task.flat,
            enough=before * (1 - _WORTH),
        )
        classes, doubt = _saturated(again, tags)
        best, notes, _ = (None, {}, "") if doubt else _sound(again, classes, tags)
        if best is not None and program_cost(task.rules, best) < before * (1 - _EQUAL):
            cost = program_cost(task.rules, best)
            stages.append(last.with_flat(best, notes=notes))
        task.report.restarted(report, cost)
        if cost >= before * (1 - _WORTH):
            break
    return stages


def _saturated(task: _Task, tags: Sequence[Tag]) -> tuple[Classes, str]:
    """The saturated e-graph as plain data, and why it cannot be trusted, if so."""
    began = time.perf_counter()
    flat, report = task.flat, task.report
    with saturating(task.rules, tags, flat, task.equal, task.made_of) as saturation:
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
    roots = [classes.loaded[t] for t in flat]
    left = len(classes.nodes)
    for _ in range(_ROUNDS):
        best, named = _extracted(task, classes)
        places = [] if strict else task.witness.lost(best)
        if not places:
            if left > len(classes.nodes):
                task.report.method += f"; without {left - len(classes.nodes)} e-nodes that leak"
            return best, named, ""
        found = leaking(task.rules, classes, flat, task.witness.at, places[:_PLACES])
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
    options = task.options
    effort, without = options.effort, options.without
    found = extract(table, effort=effort, enough=task.enough, share=_PROOF[effort], without=without)
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
