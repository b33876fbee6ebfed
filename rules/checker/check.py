"""`egad check`: every rule is tried with numbers.

Takes a rule set, gives one result per rule, with a counterexample where the rule is wrong.
The judge is mpmath, with 50 digits and more. Knows nothing of derivation.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, Rewrite, RuleSet, Tag
from ..loader.load import documents, load
from ..loader.places import ON_REQUEST, shipped
from .compare import Tally
from .derivatives import check_derivative
from .operators import check_definition, check_meaning, check_range
from .report import Result
from .rewrites import check_fact, check_rewrite

_HERE = Path(__file__).parent.parent
#: A check of rewrites that stands in a later stage: where rules grow in an e-graph.
RewriteCheck = Callable[[Rewrite, RuleSet, Tally], None]


def check_rules(rules: RuleSet, only: Sequence[str] | None = None) -> list[Result]:
    """Try every rule, or those of the files `only`; one result per check, in file order.

    >>> from .. import loads
    >>> text = "def double(x) -> y:\\n    y = 2 * x\\n    dy_dx = 3"
    >>> print(check_rules(loads(text, "demo.rules"), ["demo.rules"])[-1].problem.message)
    [double dy_dx] disagrees with central differences at x=0: expected 2.0, rule gives 3.0
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
    for rules, names in _levels([_set_name(file) for file in files] or list(shipped())):
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


def _set_name(file: str) -> str:
    """The name of the shipped set that a path leads to; otherwise the path."""
    path = Path(file)
    inside = path.suffix == ".rules" and path.parent.resolve() == _HERE.resolve()
    return path.stem if inside or (path.stem in shipped() and not path.exists()) else file


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
    unchecked: str = ""


def _run(job: _Job) -> Result:
    start = time.perf_counter()
    tally, problem = Tally(), None
    if not job.unchecked:
        try:
            job.check(tally)
        except RuleError as error:
            problem = error
    seconds = time.perf_counter() - start
    return Result(
        job.rule, job.kind, job.at, tally.samples, tally.worst, seconds, problem, job.unchecked
    )


def _listed(file: str, only: Sequence[str]) -> bool:
    names = {name for entry in only for name in (str(entry), f"{entry}.rules")}
    return file in names


def _jobs(rules: RuleSet, growth: RewriteCheck | None) -> Iterator[_Job]:
    places = _Places(rules)
    for overloads in rules.operators.values():
        for operator in overloads:
            yield from _operator_jobs(operator, rules, places)
    for rewrite in rules.rewrites:
        check = partial(check_rewrite, rewrite, rules)
        kind = "primal" if rewrite.primal else "rewrite"
        yield _Job(rewrite.name, kind, rewrite.at, check, rewrite.unchecked)
        if growth is not None and not rewrite.primal:
            check = partial(growth, rewrite, rules)
            yield _Job(rewrite.name, "growth", rewrite.at, check, rewrite.unchecked)
    for fact in rules.facts:
        yield _Job(fact.name, "fact", fact.at, partial(check_fact, fact, rules))


def _operator_jobs(operator: Operator, rules: RuleSet, places: _Places) -> Iterator[_Job]:
    name, at, why = operator.name, operator.at, operator.unchecked
    if operator.numpy and not operator.is_composite:
        yield _Job(name, "numpy", at, partial(check_meaning, operator, rules))
    if operator.definition is not None:
        yield _Job(name, "definition", at, partial(check_definition, operator, rules))
    if operator.range is not None:
        yield _Job(name, "range", at, partial(check_range, operator, rules))
    if operator.primal is not None and operator.definition is not None:
        place = places.primal(operator)
        rewrite = Rewrite(
            f"{name} primal", operator.definition, operator.primal, Tag.REAL, place, operator.params
        )
        if not operator.is_composite:
            check = partial(check_rewrite, rewrite, rules)
            yield _Job(name, "primal", place, check, operator.primal_unchecked)
    if operator.has_derivative:
        place = places.derivative(operator, "")
        check = partial(check_derivative, operator, rules, where=places.derivative)
        yield _Job(name, "derivative", place, check, why)


class _Places:
    """Where the lines of a block stand: found again in the text of the rule files."""

    def __init__(self, rules: RuleSet) -> None:
        self.files = [(source, _lines(source)) for source in reversed(rules.sources)]

    def derivative(self, operator: Operator, line: str) -> Span:
        """The expression of a derivative line, or of the first one in the block.

        A forward line `dy = …` states the partials dy_dx; an overlay may use other names.
        """
        for file, lines in self.files:
            name = operator.name.partition(".")[0]  # of several results, one operator for each
            for start in _blocks(lines, name, ("@derivative", "@op", "")):
                for stated in filter(None, (line, "d\\w+|\\w+_bar")):
                    if found := _find(file, lines, start, stated):
                        return found
        return operator.at

    def primal(self, operator: Operator) -> Span:
        """The definition in a `@primal` block."""
        for file, lines in self.files:
            for start in _blocks(lines, operator.name, ("@primal",)):
                if found := _find(file, lines, start, "\\w+"):
                    return found
        return operator.at


def _lines(source: str) -> list[str]:
    path = Path(source)
    try:
        if not path.is_file():
            path = _HERE / source
        return path.read_text("utf-8-sig").splitlines() if path.is_file() else []
    except (OSError, ValueError):
        return []


def _blocks(lines: Sequence[str], name: str, kinds: Sequence[str]) -> Iterator[int]:
    """The indices of the `def` lines of the blocks for an operator."""
    head = re.compile(rf"def {re.escape(name)}\s*\(")
    for index, line in enumerate(lines):
        if head.match(line):
            above = lines[index - 1] if index and lines[index - 1].startswith("@") else ""
            if re.split(r"[(\s]", above)[0] in kinds:
                yield index


def _find(file: str, lines: Sequence[str], start: int, name: str) -> Span | None:
    """The place of the expression in `name = expression`, in the block that starts there."""
    line = re.compile(rf"\s+(?:{name})\s*=\s*(?=[^\s=])")
    for index in range(start + 1, len(lines)):
        text = lines[index]
        if text and not text[0].isspace() and not text.startswith("#"):
            return None
        if found := line.match(text):
            end = len(text.split("#")[0].rstrip())
            return Span(file, index + 1, found.end() + 1, end + 1, text)
    return None
