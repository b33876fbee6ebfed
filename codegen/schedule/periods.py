"""Repeated structure in long lists of operations; knows nothing of terms.

Takes a list in which operation i is of a kind and reads earlier operations, gives stretches in
which the same operations come again and again:

    kind[i + P] = kind[i],   reads[k][i + P] = reads[k][i] + step of (k, i mod P)

so that one trip of a loop can stand for each P of them: what it reads lies a fixed distance
behind (step P), stays where it is (step 0), or moves through what an earlier stretch computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.int64]]

#: Periods of up to `LONGEST` operations are looked for, and stretches of at least so many trips
#: that are at least one part in `LEAST_PART` of all operations.
LONGEST, LEAST_TRIPS, LEAST_PART = 400, 8, 50


class Stretch(NamedTuple):
    """`trips` times the same `period` operations, from operation `start` on."""

    start: int
    period: int
    trips: int

    @property
    def stop(self) -> int:
        """The first operation after it."""
        return self.start + self.period * self.trips


def stretches(kinds: Sequence[int], reads: Sequence[Sequence[int]]) -> list[Stretch]:
    """Repeats that do not overlap, in order; `reads[k][i]` is -1 where there is no operand.

    The longest come first, and of equally long ones those with the shortest period.

    >>> stretches([0, 1, 2] * 10, [[-1, *range(29)]])
    [Stretch(start=1, period=3, trips=9)]
    """
    kind, read = np.asarray(kinds, np.int64), np.asarray(reads, np.int64)
    free = np.ones(len(kind), bool)
    found: list[Stretch] = []
    runs = [run for p in range(1, _most(len(kind)) + 1) for run in _runs(kind, read, p)]
    for run in sorted(runs, key=lambda run: (-run.period * run.trips, run.period, run.start)):
        begin, end = _widest(free, run.start, run.stop)
        trips = (end - begin) // run.period
        if _is_long(trips, run.period, len(kind)):
            found.append(Stretch(begin, run.period, trips))
            free[begin : found[-1].stop] = False
    return sorted(found)


def _most(size: int) -> int:
    return min(LONGEST, size // LEAST_TRIPS)


def _is_long(trips: int, period: int, size: int) -> bool:
    return trips >= LEAST_TRIPS and trips * period * LEAST_PART >= size


def _runs(kind: Array, read: Array, period: int) -> list[Stretch]:
    """The stretches of one period, each as long as it can be."""
    whole = len(kind) - 2 * period
    alike = kind[period:] == kind[:-period]
    good = alike[:whole] & alike[period:]
    for row in read:
        step = np.where(row[:-period] >= 0, row[period:] - row[:-period], 0)
        good &= step[:whole] == step[period:]
    begins, ends = _edges(good)
    trips = (ends + 2 * period - begins) // period
    least = max(LEAST_TRIPS, -(-len(kind) // (LEAST_PART * period)))  # as in `_is_long`
    long = np.flatnonzero(trips >= least)  # few: most places repeat by chance
    return [Stretch(int(begins[i]), period, int(trips[i])) for i in long]


def _widest(free: Any, start: int, stop: int) -> tuple[int, int]:
    """The longest part between `start` and `stop` that no other stretch has taken."""
    ranges = _ranges(free[start:stop])
    begin, end = max(ranges, key=lambda pair: pair[1] - pair[0], default=(0, 0))
    return start + begin, start + end


def _ranges(true: Any) -> list[tuple[int, int]]:
    """Where a mask holds, as (begin, end)."""
    return [(int(begin), int(end)) for begin, end in zip(*_edges(true), strict=True)]


def _edges(true: Any) -> tuple[Any, Any]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], true.astype(np.int8), [0]])))
    return edges[::2], edges[1::2]
