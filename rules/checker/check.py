"""`egad check`: every rule is tried with numbers.

Takes a rule set, gives one result per rule, with a counterexample where the rule is wrong.
The judge is mpmath, with 50 digits and more. Knows nothing of derivation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, Rewrite, RuleSet, Tag
from ..loader.load import documents, load
from ..loader.places import ON_REQUEST, set_name, shipped
from .aliases import check_aliases
from .circles import check_circle
from .compare import Tally
from .derivatives import check_derivative
from .faults import MeaningError, Unknown
from .operators import check_definition, check_meaning, check_range
from .places import Places
from .report import Result
from .rewrites import check_fact, check_rewrite
from .shapes import check_definition_shape, check_primal_shape
from .spellings import check_spelling, spelled

#: A check of rewrites that stands in a later stage: where rules grow in an e-graph.
RewriteCheck = Callable[[Rewrite, RuleSet, Tally], None]


def check_rules(rules: RuleSet, only: Sequence[str] | None = None) -> list[Result]:
    """Try every rule, or those of the files `only`; one result per check, in file order.

    >>> from .. import loads
    >>> text = "def twice(x) -> y:\\n    y = 2 * x\\n    dy_dx = 3"
    >>> print(check_rules(loads(text, "demo.rules"), ["demo.rules"])[-1].problem.message)
    [twice dy_dx] disagrees with central differences at x=0: expected 2.0, rule gives 3.0
    """
    return _run_all(rules, only, lambda _: None)


def check_files(
    files: Sequence[str] = (),
    step: Callable[[str], None] | None = None,
    growth: RewriteCheck | None = None,
) -> list[Result]:
    """Load rule files (paths, or names of shipped sets; none: all shipped sets) and try them.

    `step` is told the name of every rule before it is tried; `growth` is asked about every
    rewrite, too.
    """
    told = step or (lambda _: None)
    results = []
    for rules, names in _levels([set_name(file) for file in files] or list(shipped())):
        results += _run_all(rules, names, told, growth)
    return results


def _levels(names: Sequence[str]) -> Iterator[tuple[RuleSet, list[str]]]:
    """What is checked together: shipped sets as they ship, then files on top of what is named.

    A set on request changes rules of the others: they are judged without it.
    """
    requested = [name for name in names if name in ON_REQUEST]
    plain = [name for name in names if name in shipped() and name not in requested]
    own = [name for name in names if name not in plain and name not in requested]
    if plain:
        yield load(), plain
    for name in requested:
        yield load([name]), [name]
    if own:
        read = [document.source.file for document in documents(own)]  # what they include, too
        yield load([*requested, *own]), read


def _run_all(
    rules: RuleSet,
    only: Sequence[str] | None,
    step: Callable[[str], None],
    growth: RewriteCheck | None = None,
) -> list[Result]:
    results = []
    for job in _jobs(rules, growth):
        if only is None or _listed(job.at.file, only):
            step(job.rule)
            results.append(_run(job))
    return results


@dataclass(frozen=True)
class _Job:
    rule: str
    kind: str
    at: Span
    check: Callable[[Tally], None]
    places: Places
    unchecked: str = ""


def _run(job: _Job) -> Result:
    start = time.perf_counter()
    tally, problem = Tally(), None
    if not job.unchecked:
        try:
            job.check(tally)
        except MeaningError as error:
            at = job.places.line(error.operator, "mpmath")
            problem = RuleError(error.message, at, error.hint)
        except RuleError as error:
            problem = error
        except Unknown as error:  # of what is called, which is at fault itself
            problem = RuleError(f"[{job.rule}] it cannot be computed: {error}", job.at)
    seconds = time.perf_counter() - start
    return Result(
        job.rule, job.kind, job.at, tally.samples, tally.worst, seconds, problem, job.unchecked
    )


def _listed(file: str, only: Sequence[str]) -> bool:
    names = {name for entry in only for name in (str(entry), f"{entry}.rules")}
    return file in names


def _jobs(rules: RuleSet, growth: RewriteCheck | None) -> Iterator[_Job]:
    places = Places(rules)
    for overloads in rules.operators.values():
        for operator in overloads:
            yield from _operator_jobs(operator, rules, places)
    for rewrite in rules.rewrites:
        check = partial(_check_pattern if rewrite.primal else check_rewrite, rewrite, rules)
        kind = "primal" if rewrite.primal else "rewrite"
        yield _Job(rewrite.name, kind, rewrite.at, check, places, rewrite.unchecked)
        if growth is not None and not rewrite.primal:
            check = partial(growth, rewrite, rules)
            yield _Job(rewrite.name, "growth", rewrite.at, check, places, rewrite.unchecked)
    for fact in rules.facts:
        yield _Job(fact.name, "fact", fact.at, partial(check_fact, fact, rules), places)


def _operator_jobs(operator: Operator, rules: RuleSet, places: Places) -> Iterator[_Job]:
    name, at, why = operator.name, operator.at, operator.unchecked
    if operator.numpy and not operator.is_composite:
        place = places.line(operator, "numpy")
        yield _Job(name, "numpy", at, partial(check_meaning, operator, rules, place), places)
    for text, meant in spelled(operator):
        place = places.spelling(operator, text)
        check = partial(check_spelling, operator, text, meant, rules, place)
        yield _Job(name, "opencl", place, check, places)
    at_aliases, stated = places.aliases(operator)
    if stated:
        yield _Job(
            name, "aliases", at_aliases, partial(check_aliases, name, stated, at_aliases), places
        )
    if operator.definition is not None:
        place = places.line(operator, operator.result.name)
        yield _Job(
            name, "definition", at, partial(_check_definition, operator, rules, place), places
        )
    if operator.range is not None:
        place = places.line(operator, "range")
        yield _Job(name, "range", at, partial(check_range, operator, rules, place), places)
    if operator.primal is not None and operator.definition is not None:
        place = places.primal(operator)
        rewrite = Rewrite(
            f"{name} primal",
            operator.definition,
            operator.primal,
            Tag.REAL,
            place,
            operator.params,
            conditions=() if operator.domain is None else (operator.domain,),
        )
        check = partial(_check_primal, operator, rewrite, rules)
        yield _Job(name, "primal", place, check, places, operator.primal_unchecked)
    if operator.has_derivative:
        place = places.derivative(operator, "")
        check = partial(check_derivative, operator, rules, where=places.derivative)
        yield _Job(name, "derivative", place, check, places, why)


def _check_definition(operator: Operator, rules: RuleSet, place: Span, tally: Tally) -> None:
    check_definition_shape(operator, rules, place)
    check_definition(operator, rules, place, tally)


def _check_pattern(rewrite: Rewrite, rules: RuleSet, tally: Tally) -> None:
    """A `@primal` pattern: nobody else sees whether it comes to an end."""
    check_rewrite(rewrite, rules, tally)
    check_circle(rewrite, rules)


def _check_primal(operator: Operator, rewrite: Rewrite, rules: RuleSet, tally: Tally) -> None:
    check_primal_shape(operator, rules, rewrite.at)
    check_rewrite(rewrite, rules, tally)
