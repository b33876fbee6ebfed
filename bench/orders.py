"""What the order of statements is worth: values alive, values fetched again, nanoseconds.

The same kernel is written in each order and run in turns, float32, on one core, over a batch that
stays in the cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from egad import Derived
from egad.codegen.devices.device import Device
from egad.codegen.devices.timing import largest, time_kernel
from egad.codegen.kernel.opencl import Kernel, emit
from egad.codegen.schedule.orders import ORDERS, REGISTERS, alive, refetched
from egad.codegen.schedule.schedule import schedule
from egad.codegen.schedule.statement import Define

from .derivatives import derive
from .measure import CACHED_BYTES, packed
from .table import Table
from .workloads import Workload

TURNS, REPEATS = 7, 20


@dataclass
class Ordered:
    """A workload's kernel in one order: its statements, and the least time of an evaluation."""

    workload: str
    order: str
    alive: int  # values at once, at most
    refetched: int  # by a processor that keeps the best REGISTERS of them
    seconds: list[float] = field(default_factory=list)

    @property
    def ns(self) -> float:
        return min(self.seconds, default=float("nan")) * 1e9


def ordered(workload: Workload, device: Device | None) -> list[Ordered]:
    """The figures of one workload in all orders; without a device, no times."""
    derived = derive(workload, "float32", "default")
    found = [_of(workload.name, order, derived) for order in ORDERS]
    if device is not None:
        kernels = [emit(derived.program, derived.rules, name="f", order=o) for o in ORDERS]
        for _ in range(TURNS):
            for one, kernel in zip(found, kernels, strict=True):
                one.seconds.append(_seconds(workload, kernel, device))
    return found


def _of(name: str, order: str, derived: Derived) -> Ordered:
    plan = schedule(derived.program, derived.rules, order=order)
    terms = [s.term for s in plan.statements if isinstance(s, Define)]
    return Ordered(name, order, alive(terms), refetched(terms, REGISTERS))


def _seconds(workload: Workload, kernel: Kernel, device: Device) -> float:
    """Of one evaluation: the least of some runs."""
    bytes_each = 4 * (workload.n_in + workload.n_results)
    n = largest(kernel, CACHED_BYTES // bytes_each, device)
    inputs = np.resize(workload.sample(min(n, 4096)).astype("float32"), (n, workload.n_in))
    return min(time_kernel(kernel, packed(kernel, inputs), n, device, REPEATS)) / n


def table(found: Iterable[Ordered]) -> Table:
    """One row per workload, the orders side by side."""
    rows: dict[str, list[str]] = {}
    for one in found:
        figures = (str(one.alive), str(one.refetched), f"{one.ns:.3g}")
        rows.setdefault(one.workload, [one.workload]).extend(figures)
    head = [f"{o}: {what}" for o in ORDERS for what in ("alive", "again", "ns")]
    title = f"Orders of statements: values alive, fetched again with {REGISTERS} registers, time"
    return title, ["workload", *head], list(rows.values())
