"""Takes the entries of a comparison, gives how egad stands: tables, ratios, geometric means.

Only right numbers count for the best: an entry whose results differ from the reference by more
than rounding keeps its figures, marked as wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .compare import DTYPES, Entry
from .peers import NAMES, OWN, RUNTIMES
from .stored import Best, Figure
from .table import Table, nanoseconds
from .workloads import BY_NAME

Value = Callable[[Entry], float | None]
REACHED = 0.85  # of the copy bandwidth: nobody is much faster from memory


@dataclass(frozen=True)
class Measure:
    """A figure of an entry that is compared; less is better."""

    title: str
    key: str
    value: Value
    text: Callable[[float], str] = lambda value: f"{value:g}"


def _time(name: str) -> Value:
    return lambda entry: entry.times[name].median if name in entry.times else None


def _kernel_or_batch(dtype: str, place: str) -> Value:
    """Of a runtime its own time, of an emitter the time of its code in the OpenCL kernel."""
    return lambda e: _time(f"OpenCL {dtype}, {place}")(e) or _time(f"batch {dtype}, {place}")(e)


#: How a batch can be computed: as a C loop that g++ vectorises, in a tool's own runtime, in OpenCL.
_WITHOUT_OPENCL = ("C batch", "batch")
_ANY_WAY = (*_WITHOUT_OPENCL, "OpenCL")


def _fastest_of(ways: Sequence[str], place: str) -> Value:
    """The least time of some ways, in float32."""
    names = [f"{way} float32, {place}" for way in ways]
    return lambda e: min((t for n in names if (t := _time(n)(e)) is not None), default=None)


MEASURES = (
    Measure("Weighted cost", "weighted", lambda e: e.weighted, lambda v: f"{v:.5g}"),
    Measure(
        "Weighted cost, sin and cos of one angle counted as a pair for all",
        "paired", lambda e: e.paired, lambda v: f"{v:.5g}",
    ),
    Measure("Operations", "operations", lambda e: e.operations, lambda v: f"{v:.5g}"),
    Measure(
        "C, float64, one evaluation after the other, -ffast-math: nanoseconds",
        "c64", _time("C float64"), nanoseconds,
    ),
    Measure(
        "C, float64, without -ffast-math: nanoseconds",
        "c64 strict", _time("C float64, strict"), nanoseconds,
    ),
    *(
        Measure(
            f"C, float32, vectorised over a batch in {place}: nanoseconds",
            f"c32 {place}", _time(f"C batch float32, {place}"), nanoseconds,
        )
        for place in ("cache", "memory")
    ),
    *(
        Measure(
            f"OpenCL or own runtime, {dtype}, batch in {place}: nanoseconds",
            f"cl {dtype} {place}", _kernel_or_batch(dtype, place), nanoseconds,
        )
        for dtype in ("float32", "float64")
        for place in ("cache", "memory")
    ),
)  # fmt: skip
# The way of egad (its kernel) against the fastest way of each peer.
BEST_BATCH = {
    place: Measure(
        f"Batch in {place}, float32", f"batch {place}", _fastest_of(_ANY_WAY, place), nanoseconds
    )
    for place in ("cache", "memory")
}


@dataclass(frozen=True)
class Standing:
    """egad's figure on a workload, and the best figure of a peer."""

    workload: str
    own: float
    best: float
    peer: str

    @property
    def ratio(self) -> float:
        return self.own / self.best


def standings(entries: Sequence[Entry], value: Value, own: Value | None = None) -> list[Standing]:
    """One per workload on which egad and some peer have right figures."""
    found = []
    for workload in dict.fromkeys(e.workload for e in entries):
        figures = _figures(entries, workload, value)
        mine = _figures(entries, workload, own or value).get(OWN)
        peers = {peer: figure for peer, figure in figures.items() if peer != OWN}
        if mine is not None and peers:
            best = min(peers, key=lambda peer: peers[peer])
            found.append(Standing(workload, mine, peers[best], best))
    return found


def _figures(entries: Sequence[Entry], workload: str, value: Value) -> Mapping[str, float]:
    values = {e.peer: value(e) for e in entries if e.workload == workload and e.right}
    return {peer: figure for peer, figure in values.items() if figure is not None}


def geometric_mean(ratios: Sequence[float]) -> float:
    """The root of the product.

    >>> round(geometric_mean([0.5, 2.0, 1.0]), 6)
    1.0
    """
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def best(entries: Sequence[Entry]) -> dict[str, Best]:
    """The best figures of the peers of this run, per workload."""
    found = {}
    batch64 = _kernel_or_batch("float64", "cache")
    for workload in dict.fromkeys(e.workload for e in entries):
        figures = [
            _best_figure(entries, workload, value)
            for value in (lambda e: e.weighted, BEST_BATCH["cache"].value, batch64)
        ]
        if figures[0] is not None:
            found[workload] = Best(figures[0], figures[1], figures[2])
    return found


def _best_figure(entries: Sequence[Entry], workload: str, value: Value) -> Figure | None:
    figures = _figures(entries, workload, value)
    peers = {peer: figure for peer, figure in figures.items() if peer != OWN}
    if not peers:
        return None
    name = min(peers, key=lambda peer: peers[peer])
    return Figure(round(peers[name], 4), NAMES[name])


def as_json(entries: Sequence[Entry], bandwidth: Mapping[str, float]) -> dict[str, Any]:
    """Every entry, whether its numbers are right, and the speed of copying."""
    shown = [{**asdict(entry), "right": entry.right} for entry in entries]
    return {"peers": shown, "bandwidth": dict(bandwidth)}


# ---------------------------------------------------------------- tables


def tables(entries: Sequence[Entry], bandwidth: Mapping[str, float]) -> list[Table]:
    """The summary, one table per measure, derive and build times, errors, refusals."""
    measured = [_measured(entries, m) for m in MEASURES]
    found = [_summary(entries, bandwidth), *(t for t in measured if t)]
    if any(what.startswith("OpenCL") for what in bandwidth):
        found.append(_shares(entries, bandwidth))
    return [*found, _seconds(entries), _errors(entries), _refusals(entries)]


def _measured(entries: Sequence[Entry], measure: Measure) -> Table | None:
    peers = [p for p in NAMES if any(e.peer == p and measure.value(e) is not None for e in entries)]
    if OWN not in peers:
        return None
    best = {s.workload: s for s in standings(entries, measure.value)}
    rows = []
    for workload in dict.fromkeys(e.workload for e in entries):
        row = [workload]
        for peer in peers:
            entry = next((e for e in entries if (e.workload, e.peer) == (workload, peer)), None)
            value = measure.value(entry) if entry else None
            text = "–" if value is None else measure.text(value)
            row.append(text if entry is None or entry.right or value is None else f"({text})")
        standing = best.get(workload)
        row += [NAMES[standing.peer], f"{standing.ratio:.2f}"] if standing else ["–", "–"]
        rows.append(row)
    if best:
        mean = geometric_mean([s.ratio for s in best.values()])
        rows.append(["geometric mean", *[""] * len(peers), "", f"{mean:.2f}"])
    return measure.title, ["workload", *(NAMES[p] for p in peers), "best peer", "ratio"], rows


def _summary(entries: Sequence[Entry], bandwidth: Mapping[str, float]) -> Table:
    """egad against the best peer of each workload, in all that is compared."""
    head = ["measure", "workloads", "geometric mean", "worst ratio", "behind on"]
    rows = []
    pairs = [(m.title, m.value, None) for m in MEASURES]
    for place, measure in BEST_BATCH.items():
        kernel, own = "egad's kernel by the device's costs", _time(f"kernel float32, {place}")
        without = f"{kernel}, every peer's fastest way but OpenCL, float32, {place}"
        pairs.append((without, _fastest_of(_WITHOUT_OPENCL, place), own))
        pairs.append((f"{kernel}, every peer's fastest way, float32, {place}", measure.value, own))
    for title, value, own in pairs:
        found = standings(entries, value, own)
        if not found:
            continue
        behind = [s for s in found if s.ratio > 1.005]
        worst = max(found, key=lambda s: s.ratio)
        rows.append(
            [
                title,
                str(len(found)),
                f"{geometric_mean([s.ratio for s in found]):.3f}",
                f"{worst.ratio:.2f} {worst.workload}",
                ", ".join(f"{s.workload} ({NAMES[s.peer]} {s.ratio:.2f})" for s in behind) or "–",
            ]
        )
    rows += [
        [f"copying: {what}", "", f"{speed:.1f} GB/s", "", ""] for what, speed in bandwidth.items()
    ]
    return "egad and the best peer", head, rows


def _shares(entries: Sequence[Entry], bandwidth: Mapping[str, float]) -> Table:
    """How near egad's kernel comes to copying its inputs and outputs, and what that means."""
    found = {
        dtype: {s.workload: s.ratio for s in standings(entries, _fastest(dtype), own)}
        for dtype in DTYPES
        if (own := _time(f"OpenCL {dtype}, memory"))
    }
    rows = []
    for entry in entries:
        cells = [entry.workload]
        for dtype, size in (("float32", 4), ("float64", 8)):
            nanoseconds_each = _time(f"OpenCL {dtype}, memory")(entry)
            if entry.peer == OWN and nanoseconds_each is not None:
                workload = BY_NAME[entry.workload]
                speed = size * (workload.n_in + workload.n_results) / nanoseconds_each
                share = speed / bandwidth[f"OpenCL {dtype}"]
                ratio = found[dtype].get(entry.workload)
                beside = "–" if ratio is None else f"{ratio:.2f}"
                cells += [f"{speed:.1f}", f"{share:.0%}", beside, verdict(share, ratio)]
        if len(cells) == 9:
            rows.append(cells)
    head = ["workload"]
    for dtype in DTYPES:
        head += [f"{dtype}: GB/s", "of copying", "to best peer", "verdict"]
    return "egad's kernel, batch in memory: bytes in and out", head, rows


def _fastest(dtype: str) -> Value:
    """The least time of a batch in memory, in whichever way it was run."""
    if dtype == "float32":
        return BEST_BATCH["memory"].value
    return _kernel_or_batch(dtype, "memory")


def verdict(share: float, ratio: float | None) -> str:
    """How a kernel stands that reaches a share of the copy bandwidth, by its ratio to the best.

    >>> verdict(0.5, 0.9), verdict(0.9, 1.2), verdict(0.5, 1.2), verdict(0.5, None)
    ('ahead', 'at the bandwidth', 'behind', 'alone')
    """
    if ratio is not None and ratio <= 1.0:
        return "ahead"
    if share >= REACHED:
        return "at the bandwidth"
    return "alone" if ratio is None else "behind"


def _seconds(entries: Sequence[Entry]) -> Table:
    """Milliseconds to derive and emit (of a runtime: until the first result), and to build."""
    peers = [p for p in NAMES if any(e.peer == p and e.seconds is not None for e in entries)]
    rows = []
    for workload in dict.fromkeys(e.workload for e in entries):
        row = [workload]
        for peer in peers:
            entry = next((e for e in entries if (e.workload, e.peer) == (workload, peer)), None)
            if entry is None or entry.seconds is None:
                row.append("–")
                continue
            built = entry.build.get("float32")
            text = _milliseconds(entry.seconds)
            row.append(text if peer in RUNTIMES else f"{text} + {_milliseconds(built)}")
        rows.append(row)
    title = "Milliseconds to derive and emit + to build the float32 kernel; until the first result"
    return title, ["workload", *(NAMES[p] for p in peers)], rows


def _milliseconds(seconds: float | None) -> str:
    return (
        "–"
        if seconds is None
        else f"{seconds * 1e3:.3g}"
        if seconds < 1
        else f"{seconds * 1e3:.0f}"
    )


def _errors(entries: Sequence[Entry]) -> Table:
    peers = [p for p in NAMES if any(e.peer == p and e.errors for e in entries)]
    rows = []
    for workload in dict.fromkeys(e.workload for e in entries):
        row = [workload]
        for peer in peers:
            entry = next((e for e in entries if (e.workload, e.peer) == (workload, peer)), None)
            row.append(_error(entry) if entry else "–")
        rows.append(row)
    title = "Largest relative error against 50 digits: float64, float32"
    return title, ["workload", *(NAMES[p] for p in peers)], rows


def _error(entry: Entry) -> str:
    texts = []
    for dtype in ("float64", "float32"):
        found = [error for where, error in entry.errors.items() if dtype in where]
        texts.append(f"{max(found):.0e}" if found else "–")
    return ", ".join(texts) + ("" if entry.right else " wrong")


def _refusals(entries: Sequence[Entry]) -> Table:
    """What is missing, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        wrong = [] if entry.right or entry.refused else ["wrong numbers"]
        for note in [entry.refused] if entry.refused else [*entry.notes, *wrong]:
            reasons.setdefault((entry.peer, note), []).append(entry.workload)
    rows = [
        [NAMES[peer], ", ".join(dict.fromkeys(names)), note.replace("|", "/")]
        for (peer, note), names in reasons.items()
    ]
    return "What is missing", ["tool", "workloads", "why"], rows
