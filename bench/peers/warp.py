"""Warp: a kernel in Python, its adjoint by source transformation, on the CPU by its own LLVM."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..workloads import BY_NAME, Array, Workload
from .batches import Started, clocked, measured, one_core
from .protocol import Refused
from .trace import name_of, statements, traced

_FUNCTIONS = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "atan2", "erf")


def load() -> None:
    one_core()
    import warp

    warp.config.quiet = True
    warp.config.verbose = False
    warp.init()


def measure(workload: Workload, dtype: str) -> dict[str, Any]:
    if workload.kind == "gradhess":
        raise Refused("has no second derivatives")
    return measured(workload, dtype, _start)


def _start(workload: Workload, dtype: str, columns: Array) -> Started:
    import warp

    kernel, n = _kernel(workload.name, dtype), columns.shape[1]
    real = {"float32": warp.float32, "float64": warp.float64}[dtype]
    count = workload.n_p + workload.n_c
    place = {"dtype": real, "device": "cpu"}
    x, y = warp.array(columns[:count], **place), warp.zeros((workload.n_out, n), **place)
    vjp = workload.kind == "vjp"
    seeds = [columns[count:]] if vjp else [
        np.repeat(row, n).reshape(workload.n_out, n) for row in np.eye(workload.n_out, dtype=dtype)
    ]  # fmt: skip
    given = [warp.array(seed, **place) for seed in seeds]
    bars = [warp.zeros((count, n), **place) for _ in seeds]

    def run() -> None:
        for seed, bar in zip(given, bars, strict=True):
            bar.zero_()
            warp.launch(
                kernel, dim=n, inputs=[x], outputs=[y], adj_inputs=[bar], adj_outputs=[seed],
                adjoint=True, device="cpu",
            )  # fmt: skip

    def results() -> Array:
        return np.concatenate([bar.numpy()[: workload.n_p] for bar in bars])

    return Started(clocked(run), results)


@cache
def _kernel(name: str, dtype: str) -> Any:
    """The kernel, from a file: Warp reads the source of functions."""
    text = _source(BY_NAME[name], dtype)
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(f"workload_{name}_{dtype}", file.name)
    if spec is None or spec.loader is None:
        raise Refused("its kernel cannot be imported")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        module.kernel.module.load("cpu")
    finally:
        Path(file.name).unlink()
    return module.kernel


def _source(workload: Workload, dtype: str) -> str:
    graph, _, found = traced(workload)
    count = workload.n_p + workload.n_c
    lines = [
        "import warp as wp",
        f"REAL = wp.{dtype}",
        "@wp.kernel",
        "def kernel(x: wp.array2d(dtype=REAL), y: wp.array2d(dtype=REAL)):",
        "    i = wp.tid()",
        *(f"    in_{k} = x[{k}, i]" for k in range(count)),
    ]
    for n, text in statements(graph, found, lambda value: f"wp.{dtype}({value!r})"):
        text = re.sub(r"\bf(min|max)\(", r"wp.\1(", text)
        lines.append(f"    t{n} = " + re.sub(rf"\b({'|'.join(_FUNCTIONS)})\(", r"wp.\1(", text))
    lines += [f"    y[{k}, i] = {name_of(out)}" for k, out in enumerate(found)]
    return "\n".join(lines) + "\n"
