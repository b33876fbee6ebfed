"""What the symbolic generators have in common: which entries a workload asks them for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..workloads import Workload


def entries(
    workload: Workload, m: Any, given: Sequence[Any], diff: Callable[[Any, Any], Any]
) -> list[Any]:
    """All results as expressions over `given`, by differentiating one entry after the other."""
    p, c = given[: workload.n_p], given[workload.n_p : workload.n_p + workload.n_c]
    found = workload.function(m, p, c)
    if workload.kind == "vjp":
        cotangents = given[workload.n_p + workload.n_c :]
        found = [sum(ct * out for ct, out in zip(cotangents, found, strict=True))]
    results = [diff(out, x) for out in found for x in p]
    if workload.kind == "gradhess":
        results += [diff(results[i], p[j]) for i in range(len(p)) for j in range(i, len(p))]
    return results
