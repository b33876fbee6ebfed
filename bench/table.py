"""Takes the figures of workloads, gives them as tables: for a terminal, Markdown and JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import egad
from egad.codegen.devices.device import Device

from .measure import Run
from .stored import Best, Figure

PHASES = ("read", "derive", "define", "check", "regroup", "saturate", "extract", "scale", "emit")
BEGIN, END = "<!-- written by python -m bench -->", "<!-- end -->"
BEGIN_LOOPS = "<!-- written by python -m bench loops -->"
BEGIN_KERNELS = "<!-- written by python -m bench kernels -->"
BEGIN_ABLATION = "<!-- written by python -m bench ablation -->"

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]


def environment(device: Device, cores: str) -> dict[str, str]:
    """Where and on what the figures were measured."""
    return {
        "date": date.today().isoformat(),
        "egad": egad.__version__,
        "python": platform.python_version(),
        "cpu": f"{_cpu()}, {os.cpu_count()} cores",
        "device": f"{device.info.label}, driver {device.info.version}, {cores}",
    }


def load() -> str:
    """The processes that wanted a core in the last minute, this one among them."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    named = {key.strip(): value.strip() for key, value in facts.items()}
    return f"{named.get('model name', '?')} (family {named.get('cpu family', '?')})"


def tables(runs: Sequence[Run], best: Mapping[str, Best]) -> list[Table]:
    """Costs, derive times and run times, beside the best figures of other tools."""
    return [_costs(runs, best), _derivation(runs), _evaluation(runs, best)]


def text(tables: Sequence[Table]) -> str:
    """The tables for a terminal."""
    blocks = []
    for title, head, rows in tables:
        every = [head, *rows]
        widths = [max(len(row[k]) for row in every) for k in range(len(head))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(r, widths, strict=True)) for r in every]
        blocks.append("\n".join([title, *lines]))
    return "\n\n".join(blocks)


def markdown(tables: Sequence[Table], about: dict[str, str]) -> str:
    """The tables in Markdown, with what they were measured on."""
    blocks = ["\n".join(f"- {key}: {value}" for key, value in about.items())]
    for title, head, rows in tables:
        ruler = ["---", *("--:" for _ in head[1:])]
        lines = ["| " + " | ".join(cells) + " |" for cells in (head, ruler, *rows)]
        blocks.append("\n".join([f"### {title}", "", *lines]))
    return "\n\n".join(blocks)


def rewrite_between_markers(path: Path, new: str, mark: str = BEGIN) -> None:
    """Replace what stands between two markers of a file; they have to be there."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(mark)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no lines {mark!r} and {END!r}")
    path.write_text(f"{before}{mark}\n\n{new}\n\n{END}{after}", encoding="utf-8")


def as_json(runs: Sequence[Run], about: dict[str, str], best: Mapping[str, Best]) -> dict[str, Any]:
    """Everything that was measured, with the peers' best figures beside it."""
    entries = [
        {**asdict(run), "peers": asdict(best[run.workload]) if run.workload in best else None}
        for run in runs
    ]
    return {"environment": about, "runs": entries}


# ---------------------------------------------------------------- the three tables


def _costs(runs: Sequence[Run], best: Mapping[str, Best]) -> Table:
    head = (
        "workload", "terms", "e-nodes", "operations", "after", "weighted", "after",
        "best peer", "ratio", "to the bound",
    )  # fmt: skip
    rows = []
    for run in _one_per_workload(runs):
        peer = best[run.workload].weighted if run.workload in best else None
        rows.append(
            (
                run.workload,
                str(run.terms),
                str(run.enodes),
                str(run.operations_before),
                str(run.operations_after),
                f"{run.weighted_before:g}",
                f"{run.weighted_after:g}",
                _figure(peer),
                _ratio(run.weighted_after, peer),
                "proven" if run.gap < 1e-9 else f"{run.gap:.1%}",
            )
        )
    return "Operations and weighted cost", head, rows


def _derivation(runs: Sequence[Run]) -> Table:
    dtypes = _dtypes(runs)
    head = ("workload", *PHASES, "in all", *(f"build {dtype}" for dtype in dtypes))
    rows = []
    for run in _one_per_workload(runs):
        phases = [f"{run.seconds.get(p, 0.0):.3f}" for p in PHASES]
        builds = [_of(runs, run.workload, dtype, "build_seconds") for dtype in dtypes]
        shown = ["–" if b is None else f"{b:.2f}" for b in builds]
        rows.append((run.workload, *phases, f"{sum(run.seconds.values()):.2f}", *shown))
    return "Seconds to derive (by phase) and to build the kernel", head, rows


def _evaluation(runs: Sequence[Run], best: Mapping[str, Best]) -> Table:
    head = ["workload"]
    for dtype in _dtypes(runs):
        head += [f"{dtype} in cache", "large batch", "best peer", "ratio", "error"]
    rows = []
    for run in _one_per_workload(runs):
        row = [run.workload]
        for dtype in _dtypes(runs):
            peer = getattr(best.get(run.workload), dtype, None)
            cached = _of(runs, run.workload, dtype, "cached_ns")
            error = _of(runs, run.workload, dtype, "error")
            row += [
                nanoseconds(cached),
                nanoseconds(_of(runs, run.workload, dtype, "large_ns")),
                _figure(peer),
                _ratio(cached, peer),
                "–" if error is None else f"{error:.0e}",
            ]
        rows.append(row)
    return "Nanoseconds per evaluation, and the largest relative error", head, rows


def _dtypes(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.dtype for run in runs))


def _one_per_workload(runs: Sequence[Run]) -> list[Run]:
    return list({run.workload: run for run in reversed(runs)}.values())[::-1]


def _of(runs: Sequence[Run], workload: str, dtype: str, name: str) -> float | None:
    found = [r for r in runs if (r.workload, r.dtype) == (workload, dtype)]
    return getattr(found[0], name) if found else None


def _figure(figure: Figure | None) -> str:
    return "–" if figure is None else f"{figure.value:g} {figure.tool}"


def _ratio(ours: float | None, peer: Figure | None) -> str:
    return "–" if ours is None or peer is None else f"{ours / peer.value:.2f}"


def nanoseconds(value: float | None) -> str:
    """A time in three digits; a dash where there is none."""
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"
