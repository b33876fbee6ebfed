"""Kernels on a whole device, over batches from its memory: egad's beside the code of other tools.

    python -m bench kernels --device gpu

Every tool's code is wrapped into the same kernel, checked against 50 digits, and timed in turns by
the device's own clock. egad's is there twice: by the costs of the rule files, and by the costs of
the device where a table of them comes with egad.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from egad.codegen.devices.device import Device
from egad.terms.errors import EgadError

from .accuracy import error_against, reference
from .compare import POINTS, WRONG
from .derivatives import costs_of, derive
from .harness import kernels, wrap
from .harness.timing import LARGE_BYTES, in_turns
from .harness.wrap import Shape
from .peers import EMITTERS, NAMES
from .peers.protocol import OPENCL, Refused
from .peers.worker import LIMIT, Worker
from .table import Table
from .workloads import Workload

OWN, PRICED = "egad", "egad, by the device's costs"
ROUNDS = 3


@dataclass
class Found:
    """What was measured of a workload in a dtype: nanoseconds by tool; why tools are left out."""

    workload: str
    dtype: str
    bytes_each: int
    nanoseconds: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> float | None:
        """egad's time, by the device's costs where they are known."""
        return self.nanoseconds.get(PRICED, self.nanoseconds.get(OWN))

    @property
    def best(self) -> str | None:
        """The fastest of the other tools."""
        others = {name: t for name, t in self.nanoseconds.items() if name not in (OWN, PRICED)}
        return min(others, key=lambda name: others[name]) if others else None


def measured(
    workloads: Sequence[Workload],
    dtypes: Sequence[str],
    peers: Sequence[str],
    optimize: str,
    device: Device,
) -> list[Found]:
    """All workloads in all dtypes."""
    workers = [Worker(peer, LIMIT) for peer in peers if peer in EMITTERS]
    try:
        return [_found(w, d, workers, optimize, device) for w in workloads for d in dtypes]
    finally:
        for worker in workers:
            worker.stop()


def _found(
    workload: Workload, dtype: str, workers: Sequence[Worker], optimize: str, device: Device
) -> Found:
    found = Found(workload.name, dtype, Shape.of(workload).bytes_each[dtype])
    points = np.ascontiguousarray(workload.sample(POINTS).astype(dtype))
    expected = reference(workload, points)
    timers = {}
    n = LARGE_BYTES // found.bytes_each // 64 * 64
    for name, kernel in _kernels(workload, dtype, workers, optimize, device, found):
        try:
            got = kernels.compute(kernel, points, device)
            error = found.errors[name] = error_against(expected, got)
            if error < WRONG[dtype]:
                timers[name] = kernels.timer(kernel, workload, dtype, n, device)
            else:
                found.left_out[name] = f"wrong by {error:.1g}"
        except EgadError as failure:
            found.left_out[name] = str(failure).splitlines()[0]
    found.nanoseconds = {name: time.median for name, time in in_turns(timers, ROUNDS).items()}
    told = ", ".join(f"{name} {time:.4f}" for name, time in found.nanoseconds.items())
    print(f"{workload.name} {dtype}: {told}", file=sys.stderr, flush=True)
    return found


def _kernels(
    workload: Workload,
    dtype: str,
    workers: Sequence[Worker],
    optimize: str,
    device: Device,
    found: Found,
) -> Iterator[tuple[str, kernels.Timed]]:
    """Every tool's kernel; those that have none are noted with their reason."""
    yield OWN, derive(workload, dtype, optimize).kernel()
    if costs := costs_of(device):
        yield PRICED, derive(workload, dtype, optimize, costs).kernel()
    for worker in workers:
        name = NAMES[worker.peer]
        try:
            text = wrap.in_dtype(worker.ask("emit", workload.name, dtype), dtype)
        except Refused as refusal:
            found.left_out[name] = str(refusal)
            continue
        if text.language == OPENCL:
            label = f"{workload.name}_{worker.peer}"
            yield name, kernels.wrapped(text, Shape.of(workload), dtype, label)
        else:
            found.left_out[name] = "its code is no OpenCL"


def table(found: Sequence[Found], device: Device) -> Table:
    """One line for each workload and dtype; the last has the geometric means of the ratios."""
    rows, gains, ratios = [], [], []
    for one in (one for one in found if one.ours is not None):
        ours, plain, best = one.ours or 0.0, one.nanoseconds[OWN], one.best
        gains.append(ours / plain)
        ratios += [ours / one.nanoseconds[best]] if best else []
        error = one.errors.get(PRICED, one.errors[OWN])
        rows.append(
            [
                one.workload,
                one.dtype,
                f"{plain:.4f}",
                f"{ours:.4f}",
                f"{one.nanoseconds[best]:.4f} {best}" if best else "",
                f"{ratios[-1]:.2f}" if best else "",
                f"{one.bytes_each / ours:.0f}",
                f"{error:.1e}",
            ]
        )
    means = ["", f"{_mean(gains):.3f} of egad", "", f"{_mean(ratios):.3f}" if ratios else ""]
    rows.append(["geometric mean", "", *means, "", ""])
    head = ["", "", "egad", "by its costs", "best peer", "ratio", "GB/s", "error"]
    return f"Nanoseconds per evaluation on {device.info.label}, from memory", head, rows


def _mean(ratios: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))
