"""What came of a check: as text for people, as JSON for tools.

Takes results, gives text. Knows nothing of how rules are tried.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...terms.errors import RuleError, Span


@dataclass(frozen=True)
class Result:
    """What came of one rule: how often it was tried, the worst error, and what is wrong.

    `kind` is what was tried: "numpy", "opencl", "aliases", "definition", "range", "primal",
    "derivative", "rewrite", "growth", "fact", or "load" for a file that could not be read at all.
    Of "growth", `samples` are the rounds that rules ran in an e-graph, and `worst` is the part of
    the budget of e-nodes that was used.
    """

    rule: str
    kind: str
    at: Span
    samples: int
    worst: float
    seconds: float
    problem: RuleError | None = None
    unchecked: str = ""  # the reason that the rule gives for not being checked

    def __str__(self) -> str:
        if self.problem is not None:
            return str(self.problem)
        return f"{self.at}: [{self.rule} {self.kind}] {self._what()}"

    def _what(self) -> str:
        if self.unchecked:
            return f"unchecked: {self.unchecked}"
        if self.kind == "growth":
            return f"{self.samples} rounds, {self.worst:.1%} of the budget, {self.seconds:.2f} s"
        return f"{self.samples} samples, worst error {self.worst:.1e}, {self.seconds:.2f} s"


def summary(results: Sequence[Result], verbose: bool = False) -> str:
    """The errors, then one line of totals; with `verbose` one line for every check."""
    wrong = [r for r in results if r.problem]
    skipped = [r for r in results if r.unchecked]
    shown = results if verbose else [*skipped, *wrong]
    seconds, samples = sum(r.seconds for r in results), sum(r.samples for r in results)
    rules = len({(r.at.file, r.rule) for r in results})
    total = f"{rules} rules, {len(results)} checks, {samples} samples, {seconds:.1f} s: "
    total += f"{len(wrong)} wrong" if wrong else "all right" if results else "nothing to check"
    total += f", {len(skipped)} unchecked" if skipped else ""
    texts = dict.fromkeys(map(str, shown))  # what several checks find is said once
    return "\n".join([*texts, total])


def as_json(results: Sequence[Result]) -> str:
    """The results as a JSON array, one object for every check of a rule.

    Keys: `file`, `line`, `column` (of the rule, from 1), `rule`, `kind`, `samples`, `worst` (null
    where it is no number), `seconds`, `unchecked` (the reason, or null), `problem` (null, or
    `message`, `hint`, `file`, `line`, `column`). Keys may be added, none will go.

    >>> print(as_json([Result("f", "fact", Span("a.rules", 3), 7, 0.0, 0.5)]))
    [
      {"file": "a.rules", "line": 3, "column": 1, "rule": "f", "kind": "fact", "samples": 7, \
"worst": 0.0, "seconds": 0.5, "unchecked": null, "problem": null}
    ]
    """
    lines = ",\n".join(f"  {json.dumps(_record(r))}" for r in results)
    return f"[\n{lines}\n]" if results else "[]"


def failed_to_load(error: RuleError) -> Result:
    """The result of a file that cannot be read as rules."""
    return Result("", "load", error.at or Span("", 1), 0, 0.0, 0.0, error)


def _record(result: Result) -> dict[str, object]:
    problem = None
    if result.problem is not None:
        at = result.problem.at or result.at
        problem = {
            "message": result.problem.message,
            "hint": result.problem.hint,
            "file": at.file,
            "line": at.line,
            "column": at.column,
        }
    return {
        "file": result.at.file,
        "line": result.at.line,
        "column": result.at.column,
        "rule": result.rule,
        "kind": result.kind,
        "samples": result.samples,
        "worst": result.worst if math.isfinite(result.worst) else None,
        "seconds": round(result.seconds, 4),
        "unchecked": result.unchecked or None,
        "problem": problem,
    }
