"""Two measurements beside the table: a program of 100,000 terms, and what importing costs."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from .derivatives import derive
from .workloads import chain

IMPORT_LIMIT = 0.3


def chain_report(links: int, dtype: str, optimize: str) -> str:
    """Derives a chain of `links` steps, six terms each; says how long and how much memory."""
    began = time.perf_counter()
    derived = derive(chain(links), dtype, optimize)
    total = time.perf_counter() - began
    report = derived.report
    phases = report.seconds
    optimized = sum(phases[p] for p in ("define", "saturate", "extract"))
    return "\n".join(
        [
            f"chain of {links} links, {dtype}, optimize={optimize!r}",
            "  terms    " + ", ".join(f"{k} {v}" for k, v in report.terms.items()),
            f"  cost     {report.cost_before:g} before, {report.cost_after:g} after "
            f"(bound {report.bound:g}; {report.method})",
            f"  seconds  read {phases['read']:.1f}, derive {phases['derive']:.1f}, "
            f"optimize {optimized:.1f} (saturate {phases['saturate']:.1f}, "
            f"extract {phases['extract']:.1f}), emit {phases['emit']:.1f}, in all {total:.1f}",
            f"  memory   {_peak_megabytes()}",
        ]
    )


def _peak_megabytes() -> str:
    try:
        import resource
    except ImportError:  # Windows
        return "not known here"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kilobytes = peak / 1024 if sys.platform == "darwin" else peak
    return f"{kilobytes / 1024:.0f} MB at most"


def import_seconds(statement: str = "import egad", attempts: int = 5) -> float:
    """The median seconds that a statement takes in a fresh interpreter."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    outputs = [subprocess.check_output(command, text=True) for _ in range(attempts)]
    return statistics.median(float(text) for text in outputs)
