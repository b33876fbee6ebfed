"""Takes things that run, gives how long they take: in turns, so that all meet the same noise."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..workloads import Array, Workload

CACHED_BYTES = 512 << 10  # in and out together: half of a core's L2 cache
LARGE_BYTES = 128 << 20  # several times the L3 cache
# What disturbs comes and goes for many milliseconds, and the best of many tools is never the one
# that was disturbed: with few rounds it would be the luckiest.
ROUNDS = {"cache": 41, "memory": 7}
LAUNCHES = {"cache": 15, "memory": 3}  # rounds of kernels, of five launches each
LEAST_SECONDS = 1e-3  # of one measurement: shorter runs are repeated within it
MOST_SECONDS = 0.5  # of one measurement: batches are cut to it

Timer = Callable[[], float]  # nanoseconds per evaluation, measured once
K = TypeVar("K")


@dataclass(frozen=True)
class Time:
    """Nanoseconds per evaluation: the median and the least of all rounds."""

    median: float
    least: float


def in_turns(timers: Mapping[K, Timer], rounds: int) -> dict[K, Time]:
    """Every timer once per round; the first round is not counted."""
    found: dict[K, list[float]] = {name: [] for name in timers}
    for turn in range(rounds + 1):
        for name, timer in timers.items():
            value = timer()
            if turn:
                found[name].append(value)
    return {name: Time(statistics.median(v), min(v)) for name, v in found.items()}


def repeated(run: Callable[[], None], n: int) -> Timer:
    """A timer of a run over n evaluations, by the clock of this process."""
    began = time.perf_counter()
    run()
    once = max(time.perf_counter() - began, 1e-9)
    repeats = max(int(LEAST_SECONDS / once), 1)

    def timer() -> float:
        began = time.perf_counter()
        for _ in range(repeats):
            run()
        return (time.perf_counter() - began) / (repeats * n) * 1e9

    return timer


def least(timer: Timer, times: int = 3) -> float:
    """The least of a few measurements: what is not noise."""
    return min(timer() for _ in range(times))


def batch_size(bytes_each: int, place: str, rough_ns: float) -> int:
    """Evaluations per run: what fits the place, a multiple of 64, within a bearable time.

    Large ones are no multiple of a page, so that arrays laid one after the other do not all begin
    at the same place of the first cache.
    """
    most = (CACHED_BYTES if place == "cache" else LARGE_BYTES) // bytes_each
    most = min(most, int(MOST_SECONDS * 1e9 / rough_ns))
    if most > 1024 + 192:
        return most - (most - 192) % 1024
    return max(most - most % 64, 64)


def rows_of(workload: Workload, dtype: str, n: int) -> Array:
    """A batch of inputs, one per row; large ones repeat 4096 samples."""
    samples = workload.sample(min(n, 4096)).astype(dtype)
    return np.ascontiguousarray(np.resize(samples, (n, workload.n_in)))


def columns_of(workload: Workload, dtype: str, n: int) -> Array:
    """The same, one array per input."""
    return np.ascontiguousarray(rows_of(workload, dtype, n).T)
