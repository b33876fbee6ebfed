"""Linear programs, with integers or without: the only file that knows HiGHS.

Deterministic: one thread, and a fixed seed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..terms.errors import ExtractError

if TYPE_CHECKING:
    from highspy import Highs as Highs  # for those who hold one

T = TypeVar("T")
Row = Mapping[int, float]  # variable -> coefficient

_OPTIONS: tuple[tuple[str, bool | int | str], ...] = (
    ("output_flag", False),
    ("log_to_console", False),
    ("threads", 1),
    ("parallel", "off"),
    ("random_seed", 0),
)


class _Own(threading.local):
    """The thread of a thread, and the process that it was begun in."""

    worker: ThreadPoolExecutor | None = None
    process = 0


_OWN = _Own()


@dataclass(frozen=True, slots=True)
class LinearProgram:
    """minimize costs * x where lower <= x <= upper and least <= rows * x <= most.

    The first `integral` variables are integers.
    """

    costs: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]
    rows: Sequence[Row]
    least: Sequence[float]
    most: Sequence[float]
    integral: int = 0


def apart(work: Callable[[], T]) -> T:
    """What work with HiGHS gives that is done in a thread of its own, one for each calling thread.

    HiGHS keeps one pool of threads per calling thread, with the size of its first use there: a
    thread of our own is neither disturbed by the caller's use of HiGHS nor disturbs it.
    """
    if _OWN.worker is None or _OWN.process != os.getpid():  # threads do not survive a fork
        _OWN.worker, _OWN.process = ThreadPoolExecutor(1), os.getpid()
    return _OWN.worker.submit(work).result()


def highspy() -> Any:
    """The module; ExtractError, with what to do, where it cannot be imported."""
    try:
        import highspy
    except ImportError as error:
        raise ExtractError(
            f"HiGHS cannot be imported: {error}", hint="pip install highspy"
        ) from error
    return highspy


def loaded(program: LinearProgram, options: Sequence[tuple[str, bool | float | str]] = ()) -> Highs:
    """A solver with a program; ExtractError where it is refused."""
    module = highspy()
    highs: Highs = module.Highs()
    for name, value in (*_OPTIONS, *options):
        highs.setOptionValue(name, value)
    rows, count = program.rows, len(program.costs)
    lp = module.HighsLp()
    lp.num_col_, lp.num_row_ = count, len(rows)
    lp.col_cost_, lp.col_lower_ = np.array(program.costs), np.array(program.lower)
    lp.col_upper_ = np.array(program.upper)
    lp.row_lower_, lp.row_upper_ = np.array(program.least), np.array(program.most)
    if program.integral:
        kinds = module.HighsVarType
        rest = count - program.integral
        lp.integrality_ = [kinds.kInteger] * program.integral + [kinds.kContinuous] * rest
    lp.a_matrix_.format_ = module.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int32)
    lp.a_matrix_.index_ = np.array([i for row in rows for i in row], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([v for row in rows for v in row.values()])
    if highs.passModel(lp) == module.HighsStatus.kError:
        raise ExtractError("HiGHS refused the program")
    return highs


def add_row(highs: Highs, row: Row, upper: float) -> None:
    """One more row, with its upper limit."""
    index = np.fromiter(row.keys(), dtype=np.int32)
    highs.addRow(-inf, upper, len(row), index, np.fromiter(row.values(), dtype=np.float64))


def why_ended(highs: Highs) -> str:
    """Why a solver stopped: "optimal", "budget" or "clock"; ExtractError for a failure."""
    module = highspy()
    status = highs.getModelStatus()
    known = {
        module.HighsModelStatus.kOptimal: "optimal",
        module.HighsModelStatus.kInterrupt: "budget",
        module.HighsModelStatus.kTimeLimit: "clock",
    }
    if status not in known:
        raise ExtractError(f"HiGHS ended with {highs.modelStatusToString(status)!r}")
    return known[status]
