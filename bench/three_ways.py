"""Three ways to the same numbers, for every effort and every mode of mathematics.

    python -m bench ways                               # 20 workloads, 9 ways to derive: minutes
    python -m bench ways --only ggx --optimize default

The derivative, the program that was found for it, both with NumPy, and the kernel: in float64, at a
few inputs, each compared with the first. Long chains are left out: they are ten links, repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import egad
from egad import rewrite
from egad import rules as rule_files
from egad.codegen.devices import run
from egad.codegen.devices.device import Device
from egad.terms.rule import MATH_TAGS

from .accuracy import error_against
from .derivatives import Optimized, optimized
from .measure import packed, rows
from .rounding import results
from .table import Table
from .workloads import Workload

POINTS = 2
LIMIT = 1e-12  # relative to the largest derivative of an evaluation
MODES = tuple(MATH_TAGS)
EFFORTS = tuple(effort.value for effort in rewrite.Effort)


@dataclass(frozen=True)
class Difference:
    """How far two ways are from the derivative as it was built, relative to its largest."""

    workload: str
    math: str
    effort: str
    program: float
    kernel: float

    @property
    def holds(self) -> bool:
        return max(self.program, self.kernel) <= LIMIT


def difference(workload: Workload, math: str, effort: str, device: Device) -> Difference:
    """Derive, evaluate in all three ways, and compare."""
    rules = rule_files.load()
    options = rewrite.Options(math, rewrite.Effort(effort))
    found = optimized(workload, "float64", rules, options)
    points = workload.sample(POINTS)
    right = results(found.derivative, rules, points, derived=True)
    program = results(found.best, rules, points)
    got = _by_kernel(found, math, points, device)
    errors = error_against(right, program), error_against(right, got)
    return Difference(workload.name, math, effort, *errors)


def _by_kernel(found: Optimized, math: str, points: np.ndarray, device: Device) -> np.ndarray:
    """The results as the device computes them."""
    programs = found.primal, found.derivative, found.best
    derived = egad.Derived("primal", math, "float64", *programs, rule_files.load(), found.report)
    kernel = derived.kernel()
    return rows(kernel, run.launch(kernel, packed(kernel, points), len(points), device))


def differences(
    workloads: Sequence[Workload], efforts: Sequence[str], device: Device
) -> Iterator[Difference]:
    """All ways to derive each workload."""
    for workload, effort, math in product(workloads, efforts, MODES):
        yield difference(workload, math, effort, device)


def table(found: Sequence[Difference]) -> Table:
    """A row per workload and effort; of each mode the larger difference."""
    by = {(d.workload, d.effort, d.math): max(d.program, d.kernel) for d in found}
    keys = dict.fromkeys((d.workload, d.effort) for d in found)
    lines = [[*key, *(f"{by[(*key, math)]:.0e}" for math in MODES)] for key in keys]
    title = "Largest difference from the derivative as it was built, program and kernel, float64"
    return title, ["workload", "effort", *MODES], lines
