"""JAX: whole arrays, reverse mode, compiled by XLA for the CPU, on one thread."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..workloads import Array, Workload
from .batches import Started, clocked, measured, one_core


def load() -> None:
    one_core()
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    jax.config.update("jax_enable_x64", True)


def measure(workload: Workload, dtype: str) -> dict[str, Any]:
    return measured(workload, dtype, _start)


def _start(workload: Workload, dtype: str, columns: Array) -> Started:
    import jax

    compute = jax.jit(lambda given: derivatives(workload, given))
    given = [jax.device_put(column) for column in columns]
    kept: list[Any] = []

    def run() -> None:
        kept[:] = jax.block_until_ready(compute(given))

    return Started(clocked(run), lambda: np.stack([np.asarray(entry) for entry in kept]))


def derivatives(workload: Workload, given: list[Any]) -> list[Any]:
    """Element by element over whole arrays: every sum over a batch has one term per element."""
    import jax
    import jax.numpy as jnp

    names = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt")
    m = SimpleNamespace(
        min=jnp.minimum, max=jnp.maximum, atan2=jnp.arctan2, erf=jax.scipy.special.erf,
        **{name: getattr(jnp, name) for name in names},
    )  # fmt: skip
    p, c = given[: workload.n_p], given[workload.n_p : workload.n_p + workload.n_c]
    cotangents = given[workload.n_p + workload.n_c :]

    def outputs(*p: Any) -> list[Any]:
        return [f + 0 * p[0] for f in workload.function(m, list(p), c)]

    found, pull = jax.vjp(outputs, *p)
    zero, one = jnp.zeros_like(p[0]), jnp.ones_like(p[0])
    seeds = [cotangents] if cotangents else [
        [one if j == k else zero for j in range(len(found))] for k in range(len(found))
    ]  # fmt: skip
    entries = [entry for seed in seeds for entry in pull(list(seed))]
    if workload.kind == "gradhess":
        entries += _upper_hessian(lambda *p: jax.vjp(outputs, *p)[1]([one]), p, one)
    return entries


def _upper_hessian(gradient: Any, p: list[Any], one: Any) -> list[Any]:
    """Forward over reverse, one direction after the other."""
    import jax
    import jax.numpy as jnp

    entries: list[Any] = []
    for i in range(len(p)):
        direction = [one if j == i else jnp.zeros_like(one) for j in range(len(p))]
        _, row = jax.jvp(gradient, tuple(p), tuple(direction))
        entries += row[i:]
    return entries
