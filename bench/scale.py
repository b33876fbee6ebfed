"""Measurements beside the table: how time and memory grow with a program, what importing costs."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from egad.codegen.devices.build import compiled
from egad.codegen.devices.device import choose
from egad.codegen.devices.launches import GROUP
from egad.codegen.devices.run import launch
from egad.codegen.devices.timing import one_core, time_kernel
from egad.codegen.host.reference import evaluate_packed
from egad.terms.errors import DeviceError

from .derivatives import derive
from .measure import packed
from .workloads import chain

IMPORT_LIMIT = 0.3
SERIES = (10, 100, 1_000, 5_000, 20_000)
#: The largest exponents allowed over the series, and the seconds allowed for so many links.
TIME_EXPONENT, MEMORY_EXPONENT = 1.15, 1.1
SECONDS = {5_000: 12.0}
#: The seconds allowed for building one kernel, and the elements that it is timed over.
BUILD_SECONDS, BATCH = 20.0, 512


@dataclass(frozen=True)
class Chain:
    """The figures of one chain of `links` steps, six terms each, derived in its own process."""

    links: int
    seconds: dict[str, float]  # by phase
    total: float  # by the clock
    processor: float  # seconds of work, whatever else the machine does
    megabytes: float | None  # the most that the process had; None where nobody knows
    terms: dict[str, int]
    method: str
    build_seconds: float | None = None  # of the kernel; None where there is no device
    ns: float | None = None  # per evaluation: the least of a few runs, on one core
    error: float | None = None  # between the kernel and the NumPy reference, relative


def measure_chain(links: int, dtype: str, optimize: str) -> Chain:
    """Derives a chain in this process, after a short one that loads rules and libraries."""
    derive(chain(2), dtype, optimize)
    began, worked = time.perf_counter(), time.process_time()
    derived = derive(chain(links), dtype, optimize)
    took = time.perf_counter() - began, time.process_time() - worked
    report = derived.report
    about = _peak_megabytes(), dict(report.terms), report.method
    run = Chain(links, dict(report.seconds), *took, *about)
    try:
        return replace(run, **_on_device(derived, links, dtype))
    except DeviceError as error:
        print(f"no kernel is run: {error}", file=sys.stderr)
        return run


def _on_device(derived: Any, links: int, dtype: str) -> dict[str, float]:
    """Build the kernel, compare it with the NumPy reference, and time it."""
    device = one_core(choose(None, fp64=dtype == "float64"))
    kernel = derived.kernel()
    built = compiled(kernel, device).seconds
    points = chain(links).sample(GROUP).astype(dtype)
    given = packed(kernel, points)
    wanted = evaluate_packed(derived.program, derived.rules, given, GROUP)
    found = launch(kernel, given, GROUP, device)
    error = max(float(np.max(np.abs(found[k] - w) / np.abs(w))) for k, w in wanted.items())
    many = {name: np.resize(values, BATCH) for name, values in given.items()}
    seconds = min(time_kernel(kernel, many, BATCH, device, 5))
    return {"build_seconds": built, "ns": seconds / BATCH * 1e9, "error": error}


def in_own_process(links: int, dtype: str, optimize: str) -> Chain:
    """The same in a fresh process: the peak of its memory is the chain's."""
    code = (
        f"import json, {__name__} as s; from dataclasses import asdict;"
        f"print(json.dumps(asdict(s.measure_chain({links}, {dtype!r}, {optimize!r}))))"
    )
    command = [sys.executable, "-c", code]
    text = subprocess.check_output(command, text=True, cwd=Path(__file__).parents[1])
    return Chain(**json.loads(text.splitlines()[-1]))


def exponent(runs: Sequence[Chain], figure: Callable[[Chain], float]) -> float:
    """The p of figure = c * links ** p that fits best, by least squares over the logarithms."""
    points = [(math.log(run.links), math.log(figure(run))) for run in runs]
    fit: float = statistics.linear_regression(*zip(*points, strict=True)).slope
    return fit


def chain_report(
    series: Sequence[int], dtype: str, optimize: str, tell: Callable[[str], Any]
) -> list[str]:
    """Derives chains, tells the figures of each and how they grow; gives the limits broken.

    Limits are on seconds of work: others that use the machine do not make them longer.
    """
    tell(f"chains, {dtype}, optimize={optimize!r}; seconds by phase, each in its own process")
    phases = ("read", "derive", "define", "saturate", "extract", "scale", "emit")
    names = ("in all", "work", "MB", *phases, "build", "ns", "error")
    tell(f"{'links':>7} {'terms':>9} " + _columns(names))
    runs = []
    for links in series:
        run = in_own_process(links, dtype, optimize)
        runs.append(run)
        each = [f"{run.seconds.get(p, 0.0):.2f}" for p in phases]
        kernel = (_text(run.build_seconds, ".2f"), _text(run.ns, ".0f"), _text(run.error, ".0e"))
        row = (
            f"{run.total:.2f}",
            f"{run.processor:.2f}",
            _text(run.megabytes, ".0f"),
            *each,
            *kernel,
        )
        tell(f"{links:>7} {run.terms['optimized']:>9} {_columns(row)}  {run.method}")
    broken = [
        f"{run.links} links take {run.processor:.1f} s, allowed are {SECONDS[run.links]:g} s"
        for run in runs
        if run.processor > SECONDS.get(run.links, math.inf)
    ]
    broken += [
        f"the kernel of {run.links} links builds in {run.build_seconds:.1f} s"
        for run in runs
        if run.build_seconds and run.build_seconds > BUILD_SECONDS
    ]
    if len(runs) < 2:
        return broken
    grown = exponent(runs, lambda run: run.processor)
    tell(f"time grows as links ** {grown:.2f} (limit {TIME_EXPONENT})")
    if grown > TIME_EXPONENT:
        broken.append(f"time grows as links ** {grown:.2f}")
    if all(run.megabytes for run in runs):
        grown = exponent(runs, lambda run: run.megabytes or 0.0)
        tell(f"memory grows as links ** {grown:.2f} (limit {MEMORY_EXPONENT})")
        if grown > MEMORY_EXPONENT:
            broken.append(f"memory grows as links ** {grown:.2f}")
    last = exponent(runs[-2:], lambda run: run.processor)
    tell(f"time between the last two grows as links ** {last:.2f}")
    return broken


def _text(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)


def _columns(texts: Sequence[str]) -> str:
    return " ".join(f"{text:>8}" for text in texts)


def _peak_megabytes() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kilobytes = peak / 1024 if sys.platform == "darwin" else peak
    return kilobytes / 1024


def import_seconds(statement: str = "import egad", attempts: int = 5) -> float:
    """The median seconds that a statement takes in a fresh interpreter."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    outputs = [subprocess.check_output(command, text=True) for _ in range(attempts)]
    return statistics.median(float(text) for text in outputs)
