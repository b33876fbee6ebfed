"""The best figures of other tools on the workloads: stored data, not run again.

One run on a 2-core x86-64 machine (Zen 5) on 2026-11-21, versions of that day from PyPI. Each
tool differentiated the same scalar definition; its code was checked against a high-precision
reference, then timed in one thread. Weighted costs come from running the emitted code on a
counting scalar type. The tools: plain reverse mode with sharing ("textbook"), CasADi, SymPy,
SymEngine, SymForce, wrenfold, Slang, Enzyme; for times also Dr.Jit, JAX and Warp on the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "one stored run of 2026-11-21 on a 2-core Zen 5, one thread"


@dataclass(frozen=True)
class Figure:
    """A number and the tool that reached it."""

    value: float
    tool: str


@dataclass(frozen=True)
class Best:
    """The best of all tools: weighted cost, and nanoseconds per evaluation of a batch."""

    weighted: Figure
    float32: Figure | None = None
    float64: Figure | None = None


# float32: the emitted C vectorised over a batch in cache (g++ -O3 -march=native -ffast-math), or
# Dr.Jit. float64: Dr.Jit over a batch, or the emitted C one evaluation after the other.
BEST = {
    "poly": Best(Figure(3, "CasADi"), Figure(0.03, "SymEngine"), Figure(0.4, "Dr.Jit")),
    "ggx": Best(Figure(388, "Enzyme"), Figure(2.48, "textbook"), Figure(14.7, "Dr.Jit")),
    "ba_reproj": Best(Figure(473, "CasADi"), Figure(5.74, "SymEngine"), Figure(18.3, "Dr.Jit")),
    "se3_between": Best(Figure(547, "wrenfold"), Figure(14.41, "CasADi"), Figure(24, "Dr.Jit")),
    "fk6": Best(Figure(419, "wrenfold"), Figure(5.19, "SymPy"), Figure(13.6, "Dr.Jit")),
    "sdf_raymarch": Best(Figure(1970, "Enzyme"), Figure(28.11, "textbook"), Figure(92, "Dr.Jit")),
    "mlp_small": Best(Figure(2124, "Enzyme"), Figure(242, "Dr.Jit"), Figure(442, "textbook")),
    "gaussian_splat": Best(Figure(464, "Enzyme"), Figure(3.21, "Slang"), Figure(33, "Dr.Jit")),
    "lj8": Best(Figure(1253, "Enzyme"), Figure(7.71, "textbook"), Figure(31, "Dr.Jit")),
    "neohookean": Best(Figure(206, "wrenfold"), Figure(5.39, "CasADi"), Figure(32, "wrenfold")),
    "chain10": Best(Figure(913, "Slang"), Figure(13.9, "Dr.Jit"), Figure(23, "Dr.Jit")),
    "chain100": Best(Figure(9193, "Slang"), Figure(158, "Dr.Jit"), Figure(248, "Dr.Jit")),
    "chain1000": Best(Figure(91993, "Slang"), Figure(1962, "Dr.Jit"), Figure(22207, "Enzyme")),
    "chain5000": Best(Figure(464992, "CasADi")),
}
