"""Dr.Jit: traces over whole arrays, reverse mode, compiles with LLVM, vectorises over the batch.

Needs a shared library of LLVM on the machine (Debian: libllvm19), which it loads by name. Times
are those of its kernels by its own history.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..workloads import Array, Workload
from .batches import Started, measured, one_core
from .protocol import Refused


def load() -> None:
    one_core()
    if newest := _newest_llvm():
        os.environ.setdefault("DRJIT_LIBLLVM_PATH", newest)
    import drjit

    drjit.set_thread_count(1)
    drjit.set_flag(drjit.JitFlag.KernelHistory, True)
    if not drjit.has_backend(drjit.JitBackend.LLVM):
        raise Refused("finds no LLVM (Debian: apt-get install libllvm19)")


def _newest_llvm() -> str | None:
    """The library of the highest version: old ones do not know new processors."""
    found = {}
    for file in sorted(Path("/usr/lib").glob("*-linux-gnu/libLLVM*.so*")):
        if number := re.search(r"libLLVM(?:-|\.so\.)(\d+)", file.name):
            found[int(number[1])] = str(file)
    return found[max(found)] if found else None


def measure(workload: Workload, dtype: str) -> dict[str, Any]:
    if workload.kind == "gradhess":
        raise Refused("has no second derivatives")
    return measured(workload, dtype, _start)


def _start(workload: Workload, dtype: str, columns: Array) -> Started:
    import drjit
    from drjit.llvm import ad

    real = {"float32": ad.Float32, "float64": ad.Float64}[dtype]
    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2", "erf")
    m = SimpleNamespace(
        min=drjit.minimum, max=drjit.maximum, **{name: getattr(drjit, name) for name in names}
    )
    given = [real(np.ascontiguousarray(column)) for column in columns]
    drjit.eval(*given)
    kept: list[Any] = []

    def run() -> float:
        drjit.kernel_history_clear()
        kept[:] = _derivatives(workload, m, given)
        drjit.eval(*kept)
        drjit.sync_thread()
        return sum(float(entry["execution_time"]) for entry in drjit.kernel_history()) * 1e-3

    def results() -> Array:
        n = columns.shape[1]
        return np.stack([np.broadcast_to(np.array(entry), (n,)) for entry in kept])

    return Started(run, results)


def _derivatives(workload: Workload, m: Any, given: list[Any]) -> list[Any]:
    import drjit

    p = [type(x)(x) for x in given[: workload.n_p]]
    c = given[workload.n_p : workload.n_p + workload.n_c]
    cotangents = given[workload.n_p + workload.n_c :]
    drjit.enable_grad(*p)
    found = workload.function(m, p, c)
    seeds = [list(zip(found, cotangents, strict=True))] if cotangents else [[(f, 1)] for f in found]
    entries: list[Any] = []
    for pairs in seeds:
        drjit.clear_grad(p)
        for out, seed in pairs:
            if isinstance(out, type(p[0])) and drjit.grad_enabled(out):
                drjit.set_grad(out, seed)
                drjit.enqueue(drjit.ADMode.Backward, out)
        drjit.traverse(drjit.ADMode.Backward, drjit.ADFlag.ClearInterior)
        entries += [drjit.grad(x) for x in p]
    return entries
