"""What rounding costs: the optimized derivative in float32 against the plain one in float32.

Both are computed with NumPy, at the same inputs, and compared with the plain derivative in float64.
An evaluation's error is the largest error of its derivatives, relative to the largest of them. Two
figures count: the median over many evaluations, and what one evaluation in a hundred exceeds. Means
and maxima would not do: where a residual is nearly 0, and with it all derivatives, the relative
error has no bound, and one evaluation decides. The largest of all is printed beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import egad
from egad import rules as rule_files
from egad.codegen.host.reference import evaluate
from egad.terms.program import Program
from egad.terms.rule import RuleSet

from .derivatives import derive, plain, plain_of
from .table import Table
from .workloads import Array, Workload

LIMIT = 1.5  # the error of the optimized derivative over that of the plain one, in both figures
SAMPLES = 16_384
_VALUES = 20_000_000  # of one program at once: longer programs are computed in parts
_EXACT = 2.0**-26  # an error that is no error: what the last digit of a float32 may hide


@dataclass(frozen=True)
class Errors:
    """Of one program against the reference: relative errors over many evaluations."""

    median: float
    large: float  # what one evaluation in a hundred exceeds
    largest: float


@dataclass(frozen=True)
class Rounding:
    """The errors of a workload's plain and its optimized derivative."""

    workload: str
    plain: Errors
    best: Errors

    @property
    def ratios(self) -> tuple[float, float]:
        """What the optimized derivative loses: by the median error, by large ones."""
        best, plain = self.best, self.plain
        return _ratio(best.median, plain.median), _ratio(best.large, plain.large)

    @property
    def holds(self) -> bool:
        return max(self.ratios) <= LIMIT


def _ratio(ours: float, plain: float) -> float:
    return max(ours, _EXACT) / max(plain, _EXACT)


def rounding(workload: Workload, optimize: str = "default") -> Rounding:
    """The errors of a workload, over many evaluations."""
    return rounding_of(workload, derive(workload, "float32", optimize))


def rounding_of(workload: Workload, derived: egad.Derived) -> Rounding:
    """The errors of a workload's derivative in float32."""
    rules = rule_files.load()
    rows = workload.sample(SAMPLES).astype(np.float32)
    right = results(plain(workload, "float64", rules), rules, rows)
    programs = plain_of(derived.derivative, "float32", rules), derived.program
    return Rounding(workload.name, *(_errors(right, results(p, rules, rows)) for p in programs))


def results(program: Program, rules: RuleSet, rows: Array, derived: bool = False) -> Array:
    """One row of results per row of inputs, in the program's own types."""
    names = [path for slot in program.params for path in slot.paths()]
    step = max(_VALUES // len(program.terms()), 1)
    parts = []
    for start in range(0, len(rows), step):
        columns = dict(zip(names, rows[start : start + step].T, strict=True))
        parts.append(np.stack(evaluate(program, rules, columns, derived=derived), axis=1))
    return np.concatenate(parts)


def _errors(right: Array, got: Array) -> Errors:
    """Errors relative to the largest result of a row; a NaN is infinitely wrong."""
    scale = np.maximum(np.max(np.abs(right), axis=1, keepdims=True), np.finfo(np.float32).tiny)
    relative = np.abs(got.astype(np.float64) - right) / scale
    relative[~np.isfinite(relative)] = np.inf
    each = np.max(relative, axis=1)
    median, large = np.quantile(each, (0.5, 0.99), method="higher")
    return Errors(float(median), float(large), float(np.max(each)))


def table(found: Iterable[Rounding]) -> Table:
    """One line per workload: both figures, plain and optimized, and their ratios."""
    head = (
        "workload", "median: plain", "optimized", "ratio",
        "one in a hundred: plain", "optimized", "ratio", "largest: plain", "optimized",
    )  # fmt: skip
    rows = []
    for one in found:
        median, large = one.ratios
        a, b = one.plain, one.best
        rows.append(
            (
                one.workload,
                *(f"{a.median:.1e}", f"{b.median:.1e}", f"{median:.2f}"),
                *(f"{a.large:.1e}", f"{b.large:.1e}", f"{large:.2f}"),
                *(f"{a.largest:.1e}", f"{b.largest:.1e}"),
            )
        )
    return f"Error in float32 against float64: at most {LIMIT} times the plain one", head, rows
