"""What the runtimes have in common: a batch goes in, they run it themselves, on one core."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..harness.timing import LEAST_SECONDS, ROUNDS, batch_size, columns_of
from ..workloads import Array, Workload

POINTS = 3
TRIED = 4096  # evaluations of the run that the size of the others follows from


@dataclass(frozen=True)
class Started:
    """A batch in place: `run` gives the seconds that it takes, `results` one row per result."""

    run: Callable[[], float]
    results: Callable[[], Array]


Start = Callable[[Workload, str, Array], Started]


def one_core() -> None:
    """This process and the threads that it starts stay on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.environ["OMP_NUM_THREADS"] = "1"


def measured(workload: Workload, dtype: str, start: Start) -> dict[str, Any]:
    """Seconds until the first result, the results at the checked points, times per place."""
    began = time.perf_counter()
    points = columns_of(workload, dtype, POINTS)
    few = start(workload, dtype, points)
    few.run()
    results = few.results().T.copy()
    seconds = time.perf_counter() - began
    bytes_each = points.itemsize * (workload.n_in + workload.n_results)
    rough = _timed(start(workload, dtype, columns_of(workload, dtype, TRIED)), TRIED, 2)[1]
    times = {}
    for place, rounds in ROUNDS.items():
        n = batch_size(bytes_each, place, rough)
        times[place] = _timed(start(workload, dtype, columns_of(workload, dtype, n)), n, rounds)
    return {"seconds": seconds, "results": results, "times": times}


def _timed(started: Started, n: int, rounds: int) -> tuple[float, float]:
    """The median and the least nanoseconds per evaluation; the first run is not counted."""
    once = started.run()
    once = min(once, started.run())
    repeats = max(int(LEAST_SECONDS / max(once, 1e-7)), 1)
    found = [sum(started.run() for _ in range(repeats)) / (repeats * n) for _ in range(rounds)]
    return statistics.median(found) * 1e9, min(found) * 1e9


def clocked(run: Callable[[], Any]) -> Callable[[], float]:
    """A run timed by the clock of this process."""

    def timed() -> float:
        began = time.perf_counter()
        run()
        return time.perf_counter() - began

    return timed
