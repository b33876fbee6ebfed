"""Kernels written by hand for three workloads, as opponents of what egad writes for them.

    python -m bench hand                  # part of `python -m bench`, too

They are in bench/opponents: OpenCL in float32 for the same buffers, worked out on paper and tuned
on the CPU runtime; they use nothing less exact than egad does, but fuse products with sums wherever
that saves an operation. egad writes by the costs of the device, with the most effort. Checked
against 50 digits first; then both run on the same device over the same batches, in turns, and the
medians of the ratios of neighbouring runs count.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from egad.codegen.devices import run
from egad.codegen.devices.device import Device
from egad.terms.types import Scalar

from .accuracy import error_against, reference
from .derivatives import costs_of, derive
from .harness import kernels
from .harness.kernels import Arg, Wrapped
from .harness.timing import batch_size, least
from .measure import packed, rows
from .table import Table, nanoseconds
from .workloads import BY_NAME, Workload

FOLDER = Path(__file__).with_name("opponents")
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.cl")))
DTYPE, POINTS, TRIED, ROUNDS = "float32", 64, 4096, 31
PLACES = ("cache", "memory")
#: egad's kernel and that of the opponent.
Pair = tuple[kernels.Timed, kernels.Timed]


@dataclass(frozen=True)
class Duel:
    """Both kernels of a workload: egad's figure first, the opponent's second."""

    workload: str
    errors: tuple[float, float]  # mean error, relative to the largest derivative of an evaluation
    nanoseconds: dict[str, tuple[float, float]]  # by place, medians
    speed: dict[str, float]  # by place: egad's over the opponent's


def by_hand(workload: Workload) -> Wrapped:
    """The opponent: one buffer per input, then one per result."""
    args = [Arg(f"a_{k}", Scalar.F32, "in") for k in range(workload.n_in)]
    args += [Arg(f"r_{k}", Scalar.F32, "out") for k in range(workload.n_results)]
    text = (FOLDER / f"{workload.name}.cl").read_text(encoding="utf-8")
    return Wrapped(text, f"{workload.name}_by_hand", args)


def pair(workload: Workload, device: Device) -> Pair:
    """What egad writes with the most effort, by the costs of the device, and the opponent."""
    return derive(workload, DTYPE, "best", costs_of(device)).kernel(), by_hand(workload)


def errors(workload: Workload, both: Pair, device: Device) -> tuple[float, float]:
    """The mean errors of both kernels against 50 digits."""
    points = workload.sample(POINTS).astype(DTYPE)
    right = reference(workload, points)
    found = []
    for kernel in both:
        got = rows(kernel, run.launch(kernel, packed(kernel, points), POINTS, device))
        each = [error_against(r[None], g[None]) for r, g in zip(right, got, strict=True)]
        found.append(float(np.mean(each)))
    return found[0], found[1]


def duel(workload: Workload, device: Device) -> Duel:
    """Check and time both kernels of a workload."""
    both = pair(workload, device)
    wrong = errors(workload, both, device)
    bytes_each = 4 * (workload.n_in + workload.n_results)
    rough = max(least(kernels.timer(k, workload, DTYPE, TRIED, device)) for k in both)
    times, speed = {}, {}
    for place in PLACES:
        n = batch_size(bytes_each, place, rough)
        own, other = (kernels.timer(k, workload, DTYPE, n, device) for k in both)
        found = [(own(), other()) for _ in range(ROUNDS if place == "cache" else ROUNDS // 3)]
        times[place] = tuple(statistics.median(side) for side in zip(*found, strict=True))
        speed[place] = statistics.median(b / a for a, b in found)
    return Duel(workload.name, wrong, times, speed)


def duels(names: Sequence[str], device: Device) -> list[Duel]:
    """All workloads that have an opponent, of those named."""
    return [duel(BY_NAME[name], device) for name in NAMES if name in names]


def table(found: Sequence[Duel]) -> Table:
    """Nanoseconds of both, and which part of the opponent's speed egad reaches."""
    head = ["workload"]
    for place in PLACES:
        head += [f"{place}: egad", "by hand", "egad's speed"]
    lines = []
    for one in found:
        cells = [one.workload]
        for place in PLACES:
            own, other = one.nanoseconds[place]
            cells += [nanoseconds(own), nanoseconds(other), f"{one.speed[place]:.0%}"]
        lines.append([*cells, *(f"{error:.1e}" for error in one.errors)])
    head += ["mean error: egad", "by hand"]
    return "Kernels written by hand, float32, one core: nanoseconds per evaluation", head, lines
