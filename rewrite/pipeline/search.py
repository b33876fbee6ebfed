"""The search for the cheapest program that the rules allow: rounds, from one start or several.

A round saturates a program and extracts the cheapest one; that is saturated again, its products
and sums in other groups beside it, while that gains. Takes one body of code, gives the programs on
the way and the last one, which loses no number that the first one has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from ...terms.program import Program
from ...terms.rule import MATH_TAGS, Tag
from ...terms.term import toposort
from ..egraph.canary import contradiction
from ..egraph.classes import Classes
from ..egraph.saturate import Budget, saturating
from ..extraction.extract import PROVEN, Effort
from ..phases import Phase
from ..regroup import WAYS
from .choice import Look, extracted, sound
from .report import Report, Round
from .task import Equal, Stage, Task

# One iteration may leave a budget far behind: to choose from 100,000 e-nodes takes a minute.
_FAR = 3
#: What a round has to gain, for another one to be worth its time; relative.
WORTH = 0.01
#: What multiplies factors together, the most first; see `search`.
_BOLD = (Phase.REGROUPING, Phase.SCALES, Phase.REUSE)
_EQUAL = 1e-9  # relative: a smaller gain is rounding


@dataclass(frozen=True, slots=True)
class Start:
    """Where a search begins: whether the program is there in other groups, too, and by how many
    iterations its first round and the later ones are shorter than the budget. A quick one takes
    what the least effort finds in the first round."""

    grouped: bool = False
    first: int = 0
    later: int = 0
    quick: bool = False

    def budgets(self, budget: Budget) -> tuple[Budget, Budget]:
        """The budgets of the first round and of later ones."""
        most = budget.iterations
        each = [replace(budget, iterations=max(most - n, 1)) for n in (self.first, self.later)]
        return each[0], each[1]


# Later rounds begin with programs that are cheap already, and small e-graphs. No start is best for
# every program: with the others, searches end 2 % lower than from the first alone.
_STARTS = (
    Start(later=2),
    Start(),
    Start(grouped=True, first=2, later=2),
    Start(first=1, later=1),
    Start(grouped=True),
)

# Where equal programs are compared; the search goes on from there, no worse than from the others.
_SHORT = Start(grouped=True, first=5, later=2, quick=True)


@dataclass(frozen=True, slots=True)
class Begun:
    """The first round from a start: what was chosen, or why nothing was."""

    plain: Program
    start: Start
    chosen: Program | None
    doubt: str
    equal: Equal
    report: Report


def search(task: Task, begun: Begun | None = None) -> tuple[list[Stage], tuple[Tag, ...]]:
    """The cheapest program found, as the stages that lead there, and the rewrites they are from.

    Where that loses numbers of the magnitudes of its constants, phases are left out, one by one.
    """
    stages, tags = _at_best(task, begun)
    for count in range(1, len(_BOLD) + 1):
        if task.is_strict or not task.magnitudes.lost(stages[-1].after.flat):
            return stages, tags
        careful = task.careful(*_BOLD[:count])
        stages, tags = _at_best(careful, None)
        task.report.compared(careful.report, gained=True)
    if task.magnitudes.lost(stages[-1].after.flat):
        return [Stage(task.plain, task.plain, (), task.options.budget)], tags
    return stages, tags


def _at_best(task: Task, begun: Begun | None) -> tuple[list[Stage], tuple[Tag, ...]]:
    """With the most effort also as with less: where a search ends depends on where it goes."""
    stages, tags = _searched(task, begun)
    if task.options.effort is Effort.BEST:
        usual = task.usual()
        found, others = _searched(usual, None)
        gained = task.cost(found[-1].after) < task.cost(stages[-1].after)
        task.report.compared(usual.report, gained=gained)
        if gained:
            return found, others
    return stages, tags


def _searched(task: Task, begun: Begun | None) -> tuple[list[Stage], tuple[Tag, ...]]:
    """The same, with one effort: with the most from several starts, on from the cheapest end.

    What was compared with equal programs goes on from there; `begun` is that first round, where it
    is known.
    """
    report, several = task.report, task.options.effort is Effort.BEST
    several &= task.restarts(task.plain) > 0 and not task.is_strict
    stages: list[Stage] = []
    doubt = ""
    compared = bool(report.orders) and task.restarts(task.plain) > 0
    for start in _STARTS if several else (_SHORT,) if compared else _STARTS[:1]:
        found, other, doubt = _from(task, start, begun, prove=not several)
        better = found and (not stages or task.cost(found[-1].after) < task.cost(stages[-1].after))
        report.compared(other, gained=bool(better) or not stages)
        stages = found if better else stages
    if not stages:
        # Somewhere the program divides by a number that is always 0: only bits are kept safe.
        task = replace(task, tags=MATH_TAGS["strict"])
        stages, other, _ = _from(task, Start(), None, prove=True)
        report.compared(other, gained=True)
        report.ended += f"; exact rewrites only, because others give {doubt}"
    elif several:
        stages = _restarted(task, stages, report, task.options.budget, prove=True)
    if report.bound >= task.cost(stages[-1].after):
        report.method += f", {PROVEN}"
    _written(task, stages, report)
    if _divided(task, stages, report):
        _while_gaining(task, stages, report, task.options.budget, prove=True)
        _written(task, stages, report)
    while _reformed(stages, report, task, task.reused, "values of others"):
        _written(task, stages, report)
    _reformed(stages, report, task, task.weighed, "constants that products share")
    _reformed(stages, report, task, task.turned_everywhere, "other signs")
    _reformed(stages, report, task, task.less_one, "exponentials from those less 1")
    _reformed(stages, report, task, task.exact, "rounded less often")
    return stages, task.tags


def promise(task: Task) -> tuple[float, Begun | None]:
    """What a program costs after one short round: equal programs end in about this ranking.

    With the most effort after whole searches from two starts; where a program is too large for
    that, what it costs as it is. Gives the short round, too, for a search to go on from.
    """
    if not task.is_compared(task.plain):
        return task.cost(task.plain), None
    if task.options.effort is Effort.BEST:
        ends = [_from(task, start, None, prove=False)[0] for start in (_SHORT, _STARTS[0])]
        return min(task.cost(stages[-1].after if stages else task.plain) for stages in ends), None
    begun = first_round(task)
    return task.cost(task.plain if begun.chosen is None else begun.chosen), begun


def shortly(task: Task, saved: float) -> Program | None:
    """What a few rounds make of a program, if the first of them saves so much of its cost."""
    begun = first_round(task)
    if begun.chosen is None or task.cost(begun.chosen) > task.cost(task.plain) - saved:
        return None
    return _from(task, _SHORT, begun, prove=True)[0][-1].after


def first_round(task: Task) -> Begun:
    """The round that programs are compared by, whatever the effort; a search may go on from it."""
    return _begun(task, _SHORT, prove=True)


def _begun(task: Task, start: Start, *, prove: bool) -> Begun:
    """The first round of a search."""
    plain, report, options = task.plain, task.report.fresh(), task.options
    level = Effort.FAST if start.quick else options.effort if prove else Effort.DEFAULT
    enough = inf if task.restarts(plain) or not prove else -inf
    with report.phase("regroup"):
        equal = task.beside(plain) if start.grouped else ()
    effort = Look(start.budgets(options.budget)[0], level, enough)
    chosen, doubt = _round(task, plain, equal, effort, report)
    return Begun(plain, start, chosen, doubt, equal, report)


def _from(
    task: Task, start: Start, known: Begun | None, *, prove: bool
) -> tuple[list[Stage], Report, str]:
    """A search from one start; without stages, where rules cannot be trusted, and why."""
    plain = task.plain
    if known is not None and known.start == start and known.plain.flat == plain.flat:
        begun, report = known, replace(known.report, seconds={})  # that time was counted
    else:
        begun = _begun(task, start, prove=prove)
        report = begun.report
    if begun.chosen is None:
        return [], report, begun.doubt
    chosen, (budget, later) = begun.chosen, start.budgets(task.options.budget)
    if task.cost(chosen) > task.cost(plain):  # a budget ended the search too early
        chosen = plain
        report.method += "; the plain program is cheaper and was kept"
    report.rounds = (Round(task.cost(chosen), report.nodes, report.iterations, report.ended),)
    stages = [Stage(plain, chosen, begun.equal, budget)]
    return _restarted(task, stages, report, later, prove=prove), report, ""


def _restarted(
    task: Task, stages: list[Stage], report: Report, budget: Budget, *, prove: bool
) -> list[Stage]:
    """The stages and more, each from the e-graph of the program that the last one has chosen.

    Products and sums are there in other groups, too, and each e-graph begins small again. Only of
    the last one the cheapest choice is looked for with all effort, and proven.
    """
    stages = list(stages)
    _while_gaining(task, stages, report, budget, prove=prove, multiplied=True)
    return stages


def _while_gaining(
    task: Task,
    stages: list[Stage],
    report: Report,
    budget: Budget,
    *,
    prove: bool,
    multiplied: bool = False,
) -> None:
    """More stages, while each gains; if `multiplied`, sums are multiplied apart from the second on.

    In the first of them, that would lead away from what other groups find.
    """
    worth, apart = True, False
    for _ in range(2 * task.restarts(stages[-1].after)):
        before = task.cost(stages[-1].after)
        _one_more(task, stages, report, budget, prove=prove, apart=apart, anyway=worth)
        worth = before - task.cost(stages[-1].after) > WORTH * before
        if not worth and apart == multiplied:
            break
        apart = multiplied


def _divided(task: Task, stages: list[Stage], report: Report) -> bool:
    """Whether common divisors, found in all sums together, make the last program cheaper."""
    forms = [partial(task.divided, width=width, whole=whole) for width, whole in WAYS]
    what = "sums divided by what they have in common"
    return any([_reformed(stages, report, task, form, what) for form in forms])


def _one_more(
    task: Task,
    stages: list[Stage],
    report: Report,
    budget: Budget,
    *,
    prove: bool,
    apart: bool,
    anyway: bool,
) -> None:
    """One more stage, if that is cheaper, sums multiplied `apart` in its e-graph.

    Not from the start: what else is found then is as often dearer. Without any only if `anyway`.
    """
    scaled = _rescaled(task, stages, report)
    _reformed(stages, report, task, task.known, "values that are numbers")
    last, inner = stages[-1].after, report.fresh()
    before = cost = task.cost(last)
    options = (task.options.effort, before * (1 - WORTH)) if prove else (Effort.DEFAULT, inf)
    effort = Look(budget, *options)
    with report.phase("regroup"):
        out = task.apart(last) if apart else ()
        equal = *task.beside(last), *task.again(last), *out
    if apart and not out and not anyway:
        return
    idle = report.exhausted and not scaled and not equal and report.bound >= before
    if idle or task.is_repeated(last, equal, effort):
        return  # the next e-graph would hold no more, and this one nothing cheaper
    chosen, _ = _round(task, last, equal, effort, inner)
    if chosen is not None and task.cost(chosen) < before * (1 - _EQUAL):
        cost = task.cost(chosen)
        stages.append(Stage(last, chosen, equal, budget))
    report.restarted(inner, cost)


def _written(task: Task, stages: list[Stage], report: Report) -> None:
    """The last program with the signs and the scales that are cheapest for it."""
    _reformed(stages, report, task, task.turned, "other signs")
    _rescaled(task, stages, report)


def _rescaled(task: Task, stages: list[Stage], report: Report) -> bool:
    """Whether values at other powers of two, or of factors, make the last program cheaper."""
    found = _reformed(stages, report, task, task.rescaled, "values at other powers of two")
    with report.phase("scale"):
        forms = list(task.shared(stages[-1].after))
    for form, what in forms:
        found |= _reformed(stages, report, task, form, what)
    return found


def _reformed(
    stages: list[Stage],
    report: Report,
    task: Task,
    form: Callable[[Program], Stage | None],
    what: str,
) -> bool:
    """Whether another form of the last program is cheaper: one more stage."""
    with report.phase("scale"):
        stage = form(stages[-1].after)
    if stage is not None:
        stages.append(stage)
        report.reformed(task.cost(stage.after), what)
    return stage is not None


def _round(
    task: Task, before: Program, equal: Equal, effort: Look, report: Report
) -> tuple[Program | None, str]:
    """One saturation and the cheapest choice; None where rules cannot be trusted, and why."""
    classes = _saturated(task, before, equal, effort.budget, report)
    if classes is None:
        return None, "an e-graph far above its budget"
    if task.is_strict:
        return extracted(task, before, classes, effort, report), ""
    doubt = contradiction(classes)
    return (None, doubt) if doubt else sound(task, before, classes, effort, report)


def _saturated(
    task: Task, before: Program, equal: Equal, budget: Budget, report: Report
) -> Classes | None:
    """The saturated e-graph of a program as plain data; None for a later one that exploded."""
    terms, first = len(toposort(before.flat)), before is task.plain
    made_of = () if first else task.plain.flat
    opened = saturating(task.rules, task.tags, before.flat, equal, made_of)
    with report.phase("saturate"), opened as saturation:
        growth = saturation.run(budget, terms)
        read = first or growth.nodes <= _FAR * budget.limit(terms)
        classes = saturation.read() if read else None
    report.nodes, report.iterations = growth.nodes, growth.iterations
    report.ended, report.fired = growth.ended, growth.matches
    report.dormant, report.exhausted = growth.dormant, growth.exhausted
    return classes
