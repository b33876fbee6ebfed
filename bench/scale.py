"""Measurements beside the table: how time and memory grow with a program, what importing costs."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .derivatives import derive
from .workloads import chain

IMPORT_LIMIT = 0.3
SERIES = (10, 100, 1_000, 5_000, 20_000)
#: The largest exponents allowed over the series, and the seconds allowed for so many links.
TIME_EXPONENT, MEMORY_EXPONENT = 1.15, 1.1
SECONDS = {5_000: 12.0}


@dataclass(frozen=True)
class Chain:
    """The figures of one chain of `links` steps, six terms each, derived in its own process."""

    links: int
    seconds: dict[str, float]  # by phase
    total: float
    megabytes: float | None  # the most that the process had; None where nobody knows
    terms: dict[str, int]
    cost: float
    bound: float
    method: str


def measure_chain(links: int, dtype: str, optimize: str) -> Chain:
    """Derives a chain in this process, after a short one that loads rules and libraries."""
    derive(chain(2), dtype, optimize)
    began = time.perf_counter()
    derived = derive(chain(links), dtype, optimize)
    total = time.perf_counter() - began
    report = derived.report
    return Chain(
        links,
        dict(report.seconds),
        total,
        _peak_megabytes(),
        dict(report.terms),
        report.cost_after,
        report.bound,
        report.method,
    )


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
    """Derives chains, tells the figures of each and how they grow; gives the limits broken."""
    tell(f"chains, {dtype}, optimize={optimize!r}; seconds by phase, each in its own process")
    phases = ("read", "derive", "define", "saturate", "extract", "emit")
    tell(f"{'links':>7} {'terms':>9} {'in all':>8} {'MB':>6}  " + _columns(phases))
    runs = []
    for links in series:
        run = in_own_process(links, dtype, optimize)
        runs.append(run)
        memory = "-" if run.megabytes is None else f"{run.megabytes:.0f}"
        each = _columns([f"{run.seconds.get(p, 0.0):.2f}" for p in phases])
        terms = run.terms["optimized"]
        tell(f"{links:>7} {terms:>9} {run.total:>8.2f} {memory:>6}  {each}  {run.method}")
    broken = [
        f"{run.links} links take {run.total:.1f} s, allowed are {SECONDS[run.links]:g} s"
        for run in runs
        if run.total > SECONDS.get(run.links, math.inf)
    ]
    if len(runs) < 2:
        return broken
    grown = exponent(runs, lambda run: run.total)
    tell(f"time grows as links ** {grown:.2f} (limit {TIME_EXPONENT})")
    if grown > TIME_EXPONENT:
        broken.append(f"time grows as links ** {grown:.2f}")
    if all(run.megabytes for run in runs):
        grown = exponent(runs, lambda run: run.megabytes or 0.0)
        tell(f"memory grows as links ** {grown:.2f} (limit {MEMORY_EXPONENT})")
        if grown > MEMORY_EXPONENT:
            broken.append(f"memory grows as links ** {grown:.2f}")
    last = exponent(runs[-2:], lambda run: run.total)
    tell(f"time between the last two grows as links ** {last:.2f}")
    return broken


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
