"""How fast memory is copied, in the same run: the limit of batches that do not fit a cache."""

from __future__ import annotations

import numpy as np

from egad.codegen.devices.device import Device

from ..functions import poly
from ..peers.protocol import Emitted
from ..workloads import Workload
from . import compiler, kernels, wrap
from .timing import LARGE_BYTES, ROUNDS, in_turns, repeated

_COPY = Workload(
    "copy", poly, 1, 0, 1, "grad", lambda r, n: (r.normal(size=(n, 1)), np.zeros((n, 0)))
)


def gigabytes_per_second(device: Device | None) -> dict[str, float]:
    """Bytes read and bytes written, both counted, over the median time."""
    n = LARGE_BYTES // 8  # one float32 in, one out
    given, results = np.ones(n, np.float32), np.zeros(n, np.float32)
    run = compiler.shared(wrap.copying("float32"), compiler.FAST)
    timers = {"memcpy of one thread": repeated(lambda: run(n, given, results), n)}
    if device is not None:
        text = Emitted("out_0 = in_0;")
        for dtype, size in (("float32", 8), ("float64", 16)):
            kernel = kernels.wrapped(text, wrap.Shape(1, 1), dtype, f"copy_{dtype}")
            timer = kernels.timer(kernel, _COPY, dtype, LARGE_BYTES // size, device)
            timers[f"OpenCL {dtype}"] = timer
    found = in_turns(timers, ROUNDS["memory"])
    return {what: (16 if "64" in what else 8) / time.median for what, time in found.items()}
