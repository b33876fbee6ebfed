"""The cheapest choice from a saturated e-graph that loses no number.

Takes an e-graph as plain data, gives a program. What another number than the program's comes from
is left out, and the choice is made again. Far out, where squares overflow, and at infinity, many
programs as they are written have no number, and those that have one would often have to be dearer
to keep it: there a choice that keeps more of them is taken where it costs no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.program import Note, Program
from ...terms.rule import RuleSet
from ...terms.term import Term
from ..egraph.classes import Classes, build
from ..egraph.cost import operator_cost
from ..egraph.graph import EGraphTable
from ..egraph.joint import with_shared_costs
from ..egraph.leaks import Witness, leaking, without
from ..egraph.saturate import Budget
from ..extraction.extract import Effort, extract
from .report import Report
from .task import Task

# A choice that leaks is made again, so often, without what leaks at so many points.
_ROUNDS, _PLACES = 6, 4
# What integer programs may use of their budget: by then rounds have found what they would find.
_PROOF = {Effort.FAST: 0.0, Effort.DEFAULT: 0.03, Effort.BEST: 1.0}


@dataclass(frozen=True, slots=True)
class Look:
    """How one round looks: what it saturates with, and how hard it chooses.

    No integer program is solved where a choice costs `enough` or less.
    """

    budget: Budget
    level: Effort
    enough: float


def sound(
    task: Task, before: Program, classes: Classes, look: Look, report: Report
) -> tuple[Program | None, str]:
    """The cheapest choice that loses no number; without one, the reason in words."""
    left = len(classes.nodes)
    for _ in range(_ROUNDS):
        best = extracted(task, before, classes, look, report)
        with report.phase("check"):
            places = task.witness.lost(best.flat)
        if not places:
            if left > len(classes.nodes):
                report.method += f"; without {left - len(classes.nodes)} e-nodes that leak"
            return _kept_far_out(task, before, classes, look, best, report), ""
        report.exhausted = False  # what leaks here is not in the e-graph of another program
        with report.phase("check"):
            smaller = _without_leaks(task, before, classes, task.witness, places)
        if smaller is None:
            break
        classes = smaller
    return None, "another number than the program, or none"


def _without_leaks(
    task: Task, before: Program, classes: Classes, witness: Witness, places: Sequence[int]
) -> Classes | None:
    """The e-graph less what leaks at the first places; None where nothing does, or all would go."""
    found = leaking(task.rules, classes, before.flat, witness.at, places[:_PLACES])
    roots = [classes.loaded[t] for t in before.flat]
    return without(classes, found, roots) if found else None


def _kept_far_out(
    task: Task, before: Program, classes: Classes, look: Look, best: Program, report: Report
) -> Program:
    """A choice that keeps more numbers of where a variable is far out, if it is as cheap."""
    with report.phase("check"):
        places = task.far.lost(best.flat)
        smaller = _without_leaks(task, before, classes, task.far, places)
    if smaller is None:
        return best
    kept = report.bound, report.method
    other = extracted(task, before, smaller, look, report)
    with report.phase("check"):
        good = task.cost(other) <= task.cost(best) and not task.witness.lost(other.flat)
        good = good and len(task.far.lost(other.flat)) < len(places)
    report.bound, report.method = kept
    return other if good else best


def extracted(task: Task, before: Program, classes: Classes, look: Look, report: Report) -> Program:
    """The cheapest choice as a program; names follow the classes they named."""
    with report.phase("extract"):
        roots = [classes.loaded[t] for t in before.flat]
        table = to_table(classes, roots, task.rules)
        found = extract(
            table,
            effort=look.level,
            enough=look.enough,
            share=_PROOF[look.level],
            without=task.options.without,
        )
        report.bound, report.method = found.bound, found.how
        own = found.choice.items()  # and those of what is shared by several e-nodes
        chosen = {c: classes.nodes[n] for c, n in own if n < len(classes.nodes)}
        built: dict[int, Term] = {}
        best = [build(chosen, root, built) for root in roots]
        named: dict[Term, Note] = {}
        for term, note in before.notes.items():
            owner = classes.loaded.get(term)
            if owner in built:
                named.setdefault(built[owner], note)
    return before.with_flat(best, notes=named)


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
