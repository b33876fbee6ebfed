"""Wraps emitted code in a kernel of the form of egad's own; checks and times it on a device."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from egad.codegen.devices import build, run
from egad.codegen.devices.device import Device
from egad.codegen.devices.timing import time_kernel
from egad.codegen.kernel.opencl import Kernel
from egad.terms.types import Scalar

from ..peers.protocol import Emitted
from ..workloads import Array, Workload
from .timing import Timer, columns_of
from .wrap import Shape, opencl

TYPES = {"float32": Scalar.F32, "float64": Scalar.F64}


@dataclass(frozen=True)
class Arg:
    """One buffer of a kernel."""

    name: str
    type: Scalar
    role: str
    uniform: bool = False


@dataclass(frozen=True)
class Wrapped:
    """A kernel as egad.codegen.devices.build takes it."""

    text: str
    name: str
    args: Sequence[Arg]
    scratch: Sequence[object] = ()


Timed = Wrapped | Kernel


def wrapped(emitted: Emitted, shape: Shape, dtype: str, name: str) -> Wrapped:
    type_ = TYPES[dtype]
    args = [Arg(f"a_{k}", type_, "in") for k in range(shape.n_in)]
    args += [Arg(f"r_{k}", type_, "out") for k in range(shape.n_out)]
    return Wrapped(opencl(emitted, shape, dtype, name), name, args)


def compute(kernel: Timed, rows: Array, device: Device) -> Array:
    """The results of each row."""
    outputs = run.launch(kernel, _packed(kernel, rows.T), len(rows), device)  # type: ignore[arg-type]
    return np.stack([outputs[arg.name] for arg in kernel.args if arg.role == "out"], axis=1)


def build_seconds(kernel: Timed, device: Device) -> float:
    return build.compiled(kernel, device).seconds  # type: ignore[arg-type]


def timer(kernel: Timed, workload: Workload, dtype: str, n: int, device: Device) -> Timer:
    """Nanoseconds per evaluation over a batch of n, by the device's own clock."""
    inputs = _packed(kernel, columns_of(workload, dtype, n))

    def once() -> float:
        seconds = time_kernel(kernel, inputs, n, device, 5)  # type: ignore[arg-type]
        return statistics.median(seconds) / n * 1e9

    return once


def _packed(kernel: Timed, columns: Array) -> dict[str, Array]:
    names = [arg.name for arg in kernel.args if arg.role == "in"]
    return dict(zip(names, np.ascontiguousarray(columns), strict=True))
