"""Draws a comparison as bars: one panel per measure, one group per workload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .compare import Entry
from .peers import NAMES, OWN
from .standing import MEASURES, Measure, standings

SHOWN = ("operations", "weighted", "c64", "c32 cache", "cl float32 cache", "cl float64 cache")
EXTRA = (
    Measure("Seconds to derive and emit", "seconds", lambda e: e.seconds),
    Measure("Seconds to build the float32 kernel", "build", lambda e: e.build.get("float32")),
)


def draw(entries: Sequence[Entry], path: Path) -> None:
    """Write the picture; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    measures = [m for key in SHOWN for m in MEASURES if m.key == key] + list(EXTRA)
    workloads = list(dict.fromkeys(e.workload for e in entries))
    peers = [p for p in NAMES if any(e.peer == p for e in entries)]
    figure, axes = pyplot.subplots(
        len(measures) + 1, 1, figsize=(14, 2.6 * (len(measures) + 1)), layout="constrained"
    )
    colours = dict(zip(peers, pyplot.get_cmap("tab20").colors, strict=False)) | {OWN: "black"}
    for axis, measure in zip(axes, measures, strict=False):
        _bars(axis, entries, measure, workloads, peers, colours)
        axis.set_yscale("log")
        axis.set_title(measure.title, fontsize=10, loc="left")
    names = [NAMES[p] for p in peers]
    figure.legend(*_patches(axes[0], names), ncol=len(peers), loc="outside upper center")
    _ratios(axes[-1], entries, measures[: len(SHOWN)], workloads)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


def _patches(axis: Any, names: Sequence[str]) -> tuple[list[Any], Sequence[str]]:
    """One bar of each tool, for the legend."""
    return [container[0] for container in axis.containers], names


def _bars(
    axis: Any, entries: Sequence[Entry], measure: Measure, workloads: Sequence[str],
    peers: Sequence[str], colours: dict[str, object],
) -> None:  # fmt: skip
    width = 0.85 / len(peers)
    for k, peer in enumerate(peers):
        values = {e.workload: measure.value(e) for e in entries if e.peer == peer and e.right}
        heights = [values.get(workload) or float("nan") for workload in workloads]
        places = [i + (k - len(peers) / 2 + 0.5) * width for i in range(len(workloads))]
        axis.bar(places, heights, width, color=colours[peer])
    axis.set_xticks(range(len(workloads)), workloads, rotation=30, fontsize=8)


def _ratios(
    axis: Any, entries: Sequence[Entry], measures: Sequence[Measure], workloads: Sequence[str]
) -> None:
    """egad's figure over the best peer's: below the line is ahead."""
    for k, measure in enumerate(measures):
        ratios = {s.workload: s.ratio for s in standings(entries, measure.value)}
        here = [(i, ratios[w]) for i, w in enumerate(workloads) if w in ratios]
        if here:
            axis.plot(*zip(*here, strict=True), "o^sDvP"[k], label=measure.title)
    axis.axhline(1.0, color="grey", lw=1)
    axis.set_yscale("log")
    axis.set_xticks(range(len(workloads)), workloads, rotation=30, fontsize=8)
    axis.set_title("egad / best peer: below 1 is ahead", fontsize=10, loc="left")
    axis.legend(fontsize=7, ncol=3)
