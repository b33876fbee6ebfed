"""What a call costs: NumPy arrays in, NumPy arrays out, and all that Python does between them.

egad and JAX compute the same derivatives in float32, on all cores, in turns; their results are
compared before anything is timed.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import egad

from .derivatives import derive
from .harness.timing import columns_of
from .peers.jax import derivatives
from .table import Table
from .workloads import Array, Workload

SIZES = (1, 1024, 1 << 19)  # elements: one, a small batch, and more than a cache holds
ROUNDS, LEAST_SECONDS = 7, 0.02
TOLERANCE = 1e-3  # of the largest entry: float32


@dataclass(frozen=True)
class Called:
    """The median seconds of one call by each tool that ran."""

    workload: str
    size: int
    egad: float
    jax: float | None


def called(workload: Workload, sizes: Iterable[int] = SIZES) -> Iterator[Called]:
    """The times of a workload by size; without JAX those of egad alone."""
    found, jax = derive(workload, "float32", "default"), _jax()
    for size in sizes:
        given = list(columns_of(workload, "float32", size))
        ways: list[Callable[[], Any]] = [lambda given=given: found(*given)]
        if jax is not None:
            compute = jax.jit(lambda columns: derivatives(workload, columns))
            ways.append(
                lambda given=given, compute=compute: [np.asarray(e) for e in compute(given)]
            )
            _agree(workload, *(list(_entries(way())) for way in ways))
        times = _in_turns(ways)
        yield Called(workload.name, size, times[0], times[1] if jax is not None else None)


def _jax() -> ModuleType | None:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import jax
    except ImportError:
        return None
    return jax


def _entries(results: Any) -> Iterator[Array]:
    """The arrays of results, in order."""
    if isinstance(results, tuple | list):
        for part in results:
            yield from _entries(part)
    else:
        yield np.asarray(results)


def _agree(workload: Workload, ours: list[Array], theirs: list[Array]) -> None:
    a, b = np.array(ours), np.array(theirs)
    if not np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE * float(np.abs(b).max())):
        raise egad.EgadError(f"{workload.name}: egad and JAX give different numbers")


def _in_turns(ways: list[Callable[[], Any]]) -> list[float]:
    """The median seconds of a call, by way."""
    for way in ways:
        way()
    rounds = [[_seconds(way) for way in ways] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def _seconds(way: Callable[[], Any]) -> float:
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < LEAST_SECONDS or not count:
        way()
        count += 1
    return passed / count


def table(found: Iterable[Called]) -> Table:
    """One row per workload and size."""
    head = ["workload", "elements", "egad: microseconds", "JAX", "ratio"]
    rows = []
    for one in found:
        theirs = (
            ("–", "–") if one.jax is None else (f"{one.jax * 1e6:.0f}", f"{one.egad / one.jax:.2f}")
        )
        rows.append([one.workload, str(one.size), f"{one.egad * 1e6:.0f}", *theirs])
    return "Whole calls from Python, float32, NumPy arrays in and out", head, rows
