"""Takes a workload, gives what egad makes of it: derive times, costs, run times, errors."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import egad
from egad.codegen.devices import build, launches, run
from egad.codegen.devices.device import Device
from egad.codegen.devices.timing import largest, time_kernel

from .accuracy import largest_error
from .costs import weighted
from .derivatives import derive
from .workloads import Array, Workload

# Beyond this many statements the OpenCL compiler takes minutes: derived, but not run.
MOST_TERMS = 20_000
CACHED_BYTES = 512 << 10  # in and out together: half of a core's L2 cache
LARGE_BYTES = 128 << 20  # several times the L3 cache
LARGE_REPEATS = 5
MOST_REPEATS = 1_000
SECONDS = 0.2  # of all runs in cache together: what else goes on for a moment changes no median
SECONDS_PER_RUN = 0.1  # of a batch in cache; a large one may take ten times as long
SECONDS_PER_DERIVATION = 10.0  # repeated up to three times within this


@dataclass(frozen=True)
class Settings:
    """What is measured: precision, effort, and how long it may take."""

    dtype: str
    optimize: str = "default"
    quick: bool = False

    @property
    def points(self) -> int:
        return 1 if self.quick else 3

    @property
    def repeats(self) -> int:
        return 10 if self.quick else 30


@dataclass
class Run:
    """The figures of one workload in one precision; None: not measured."""

    workload: str
    dtype: str
    optimize: str
    terms: int
    enodes: int
    method: str  # of the extraction
    gap: float  # how far the cost can lie above the least one of this e-graph, at most
    operations_before: int
    operations_after: int
    weighted_before: float
    weighted_after: float
    seconds: dict[str, float] = field(default_factory=dict)
    build_seconds: float | None = None
    cached_batch: int | None = None
    cached_ns: float | None = None  # median
    cached_best_ns: float | None = None
    large_batch: int | None = None
    large_ns: float | None = None
    large_best_ns: float | None = None
    error: float | None = None


def measure(workload: Workload, settings: Settings, device: Device) -> Run:
    """All figures of one workload in one precision."""
    derived, seconds = _timed_derivation(workload, settings)
    report = derived.report
    result = Run(
        workload=workload.name,
        dtype=settings.dtype,
        optimize=settings.optimize,
        terms=report.terms["primal"],
        enodes=report.nodes,
        method=report.method,
        gap=max(1 - report.bound / report.cost_after, 0.0) if report.cost_after else 0.0,
        operations_before=sum(report.counts_before.values()),
        operations_after=sum(report.counts_after.values()),
        weighted_before=weighted(report.counts_before),
        weighted_after=weighted(report.counts_after),
        seconds=seconds,
    )
    if report.terms["optimized"] <= MOST_TERMS:
        _run(result, derived, workload, settings, device)
    return result


def _timed_derivation(
    workload: Workload, settings: Settings
) -> tuple[egad.Derived, dict[str, float]]:
    """The derivative, and the median seconds of each phase over one to three derivations."""
    attempts = []
    began = time.perf_counter()
    while len(attempts) < 3:
        attempts.append(derive(workload, settings.dtype, settings.optimize))
        spent = time.perf_counter() - began
        if settings.quick or spent * (len(attempts) + 1) / len(attempts) > SECONDS_PER_DERIVATION:
            break
    phases = attempts[0].report.seconds
    medians = {p: statistics.median(a.report.seconds[p] for a in attempts) for p in phases}
    return attempts[-1], medians


def _run(
    result: Run, derived: egad.Derived, workload: Workload, settings: Settings, device: Device
) -> None:
    """Compile, check and time the kernel."""
    kernel = derived.kernel()
    result.build_seconds = build.compiled(kernel, device).seconds
    points = workload.sample(settings.points).astype(settings.dtype)
    outputs = run.launch(kernel, packed(kernel, points), len(points), device)
    result.error = largest_error(workload, points, rows(kernel, outputs))

    def timed(most: int, repeats: int) -> tuple[int, float, float]:
        """The batch, and the median and the least nanoseconds per evaluation."""
        n = largest(kernel, max(most, launches.GROUP), device)
        inputs = packed(kernel, _inputs(workload, settings.dtype, n))
        each = [s / n * 1e9 for s in time_kernel(kernel, inputs, n, device, repeats)]
        return n, statistics.median(each), min(each)

    bytes_each = (workload.n_in + workload.n_results) * points.itemsize
    _, _, rough = timed(launches.GROUP, 3)
    affordable = int(SECONDS_PER_RUN * 1e9 / rough)
    most = min(CACHED_BYTES // bytes_each, affordable)
    repeats = settings.repeats
    if not settings.quick:
        repeats = min(max(repeats, int(SECONDS * 1e9 / (most * rough))), MOST_REPEATS)
    result.cached_batch, result.cached_ns, result.cached_best_ns = timed(most, repeats)
    if not settings.quick:
        most = min(LARGE_BYTES // bytes_each, 10 * affordable)
        result.large_batch, result.large_ns, result.large_best_ns = timed(most, LARGE_REPEATS)


def _inputs(workload: Workload, dtype: str, n: int) -> Array:
    """A batch of inputs; large ones repeat 4096 samples."""
    return np.resize(workload.sample(min(n, 4096)).astype(dtype), (n, workload.n_in))


def packed(kernel: Any, inputs: Array) -> dict[str, Array]:
    """One contiguous array per kernel argument; the columns of `inputs` are in their order."""
    names = [arg.name for arg in kernel.args if arg.role == "in"]
    return dict(zip(names, np.ascontiguousarray(inputs.T), strict=True))


def rows(kernel: Any, outputs: dict[str, Array]) -> Array:
    """The results of each evaluation as one row, in the order of the kernel."""
    return np.stack([outputs[arg.name] for arg in kernel.args if arg.role == "out"], axis=1)
