"""Every tool's code of a workload in one harness: checked, counted, timed; in one run.

A tool that is not installed, does not do a workload, or computes wrong numbers has a line that
says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from egad.codegen.devices.device import Device
from egad.terms.errors import EgadError

from .accuracy import error_against, reference
from .costs import weighted
from .derivatives import costs_of, derive
from .harness import compiler, kernels, wrap
from .harness.compiler import FAST, PLAIN, VECTOR, Compiled, CompileFailure
from .harness.timing import (
    LAUNCHES,
    ROUNDS,
    Time,
    Timer,
    batch_size,
    columns_of,
    in_turns,
    least,
    repeated,
    rows_of,
)
from .harness.wrap import Shape
from .peers import EMITTERS, OWN, RUNTIMES, version
from .peers.protocol import OPENCL, Emitted, Refused
from .peers.worker import Worker
from .workloads import Array, Workload

POINTS = 3  # inputs at which results are compared with the reference
WRONG = {"float64": 1e-8, "float32": 1e-2}  # relative errors that are not rounding
DTYPES = ("float32", "float64")
# What is timed: a name, the dtype, where it runs.
SCALAR, SCALAR_PLAIN = "C float64", "C float64, strict"
PLACES = ("cache", "memory")
#: A tool, and what of it is timed.
Key = tuple[str, str]
TRIED = 1024  # evaluations of the run that the size of the others follows from


@dataclass
class Entry:
    """What one tool reaches on one workload; `refused`: why there is nothing."""

    workload: str
    peer: str
    version: str
    refused: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float | None = None  # to derive and emit
    counts: dict[str, float] = field(default_factory=dict)
    operations: float | None = None
    weighted: float | None = None
    paired: float | None = None  # sin and cos of one angle count 24, whoever calls them
    errors: dict[str, float] = field(default_factory=dict)
    build: dict[str, float] = field(default_factory=dict)
    times: dict[str, Time] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether its numbers are right wherever they were looked at."""
        return not self.refused and all(
            error < WRONG["float32" if "float32" in where else "float64"]
            for where, error in self.errors.items()
        )


@dataclass
class Code:
    """A tool's code in all the forms that are measured."""

    entry: Entry
    texts: dict[str, Emitted] = field(default_factory=dict)  # by dtype
    alone: Emitted | None = None  # what it writes for one evaluation at a time, where that differs
    compiled: dict[str, Compiled] = field(default_factory=dict)  # by what is timed
    kernels: dict[str, kernels.Timed] = field(default_factory=dict)  # by what is timed


class Comparison:
    """The peers' processes and the devices of one run."""

    def __init__(
        self, peers: Sequence[str], device: Device | None, limit: float, optimize: str
    ) -> None:
        self.workers = {peer: Worker(peer, limit) for peer in (OWN, *peers)}
        self.workers[OWN].limit = max(limit, 600.0)  # egad is asked for its result, not its time
        self.device, self.optimize = device, optimize

    def close(self) -> None:
        for worker in self.workers.values():
            worker.stop()

    def entries(self, workload: Workload, timed: bool) -> list[Entry]:
        """All tools on one workload."""
        emitters = [peer for peer in self.workers if peer in EMITTERS or peer == OWN]
        codes = [self._emitted(peer, workload, timed) for peer in emitters]
        present = [code for code in codes if not code.entry.refused]
        expected = {d: reference(workload, _points(workload, d)) for d in DTYPES} if timed else {}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [job for code in present for job in _compilations(code, workload, timed)]
            for note in pool.map(lambda job: job(), jobs):
                _say(note)
        if timed:
            for code in present:
                self._check(code, workload, expected)
            _time_scalar(present, workload)
            for place in PLACES:
                _time_batch(present, workload, place)
                if self.device is not None:
                    _time_kernels(present, workload, place, self.device)
        found = [code.entry for code in codes]
        return found + [self._runtime(p, workload, timed) for p in self.workers if p in RUNTIMES]

    def _emitted(self, peer: str, workload: Workload, timed: bool) -> Code:
        code = Code(Entry(workload.name, peer, version(peer)))
        more = (self.optimize,) if peer == OWN else ()
        for dtype in reversed(DTYPES if timed else DTYPES[1:]):
            _say(f"{workload.name}: {peer} {dtype} …")
            try:
                text = self.workers[peer].ask("emit", workload.name, dtype, *more)
                code.texts[dtype] = wrap.in_dtype(text, dtype)
            except Refused as refusal:
                if not code.texts:
                    code.entry.refused = str(refusal)
                else:
                    code.entry.notes.append(f"{dtype}: {refusal}")
                break
            code.entry.seconds = code.texts["float64"].seconds
        if timed and peer == OWN and "float64" in code.texts:
            text = self.workers[peer].ask("emit", workload.name, "float64", *more, "breadth")
            code.alone = wrap.in_dtype(text, "float64")
        return code

    def _check(self, code: Code, workload: Workload, expected: dict[str, Array]) -> None:
        """Compare what it computes with the reference, in C and on the device."""
        for what, compiled in code.compiled.items():
            dtype = "float32" if "float32" in what else "float64"
            points = _points(workload, dtype)
            got = np.zeros((POINTS, workload.n_results), dtype)
            if "batch" in what:
                given, results = np.ascontiguousarray(points.T), np.ascontiguousarray(got.T)
                compiled(POINTS, given, results)
                got = results.T
            else:
                compiled(POINTS, points, got)
            code.entry.errors[what] = error_against(expected[dtype], got)
        for dtype, text in code.texts.items() if self.device is not None else ():
            self._build(code, text, workload, dtype, expected[dtype])

    def _build(
        self, code: Code, text: Emitted, workload: Workload, dtype: str, expected: Array
    ) -> None:
        assert self.device is not None
        if text.language != OPENCL:
            return code.entry.notes.append("no OpenCL: its code is C++")
        kernel = kernels.wrapped(
            text, Shape.of(workload), dtype, f"{workload.name}_{code.entry.peer}"
        )
        try:
            code.entry.build[dtype] = kernels.build_seconds(kernel, self.device)
            got = kernels.compute(kernel, _points(workload, dtype), self.device)
        except EgadError as error:
            return code.entry.notes.append(f"OpenCL {dtype}: {str(error).splitlines()[0]}")
        self._keep(code, f"OpenCL {dtype}", kernel, got, expected)
        if code.entry.peer == OWN:  # a runtime, too: its kernel as users have it
            own = derive(workload, dtype, self.optimize, costs_of(self.device)).kernel()
            got = kernels.compute(own, _points(workload, dtype), self.device)
            self._keep(code, f"kernel {dtype}", own, got, expected)

    def _keep(
        self, code: Code, what: str, kernel: kernels.Timed, got: Array, expected: Array
    ) -> None:
        code.entry.errors[what] = error_against(expected, got)
        code.kernels[what] = kernel

    def _runtime(self, peer: str, workload: Workload, timed: bool) -> Entry:
        entry = Entry(workload.name, peer, version(peer))
        if not timed:
            entry.refused = "not run: the program is too large to compile"
        for dtype in DTYPES if timed else ():
            _say(f"{workload.name}: {peer} {dtype} …")
            try:
                found = self.workers[peer].ask("measure", workload.name, dtype)
            except Refused as refusal:
                entry.notes.append(f"{dtype}: {refusal}")
                continue
            entry.seconds = entry.seconds or found["seconds"]
            entry.errors[f"batch {dtype}"] = error_against(
                reference(workload, _points(workload, dtype)), found["results"]
            )
            for place, times in found["times"].items():
                entry.times[f"batch {dtype}, {place}"] = Time(*times)
        if timed and not entry.times:
            entry.refused = "; ".join(entry.notes)
        return entry


def _points(workload: Workload, dtype: str) -> Array:
    return np.ascontiguousarray(workload.sample(POINTS).astype(dtype))


def _compilations(code: Code, workload: Workload, timed: bool) -> Iterator[Any]:
    """Jobs that compile a tool's code in each of its forms; each gives a line on what it did."""
    shape = Shape.of(workload)

    def counted() -> str:
        try:
            rows = workload.sample(16)
            _, counts = compiler.tallied(wrap.counting(code.texts["float64"], shape), rows)
        except CompileFailure as failure:
            code.entry.notes.append(f"counting: {failure}")
            return f"{workload.name}: {code.entry.peer} not counted: {failure}"
        _put_counts(code.entry, dict(counts))
        return f"{workload.name}: {code.entry.peer} counted"

    def compiled(what: str, text: str, flags: tuple[str, ...]) -> str:
        try:
            code.compiled[what] = compiler.shared(text, flags)
        except CompileFailure as failure:
            code.entry.notes.append(f"{what}: {failure}")
            return f"{workload.name}: {code.entry.peer} {what}: {failure}"
        return f"{workload.name}: {code.entry.peer} {what} {code.compiled[what].seconds:.1f} s"

    yield counted
    if not timed:
        return
    text = wrap.scalar(code.alone or code.texts["float64"], shape, "float64")
    yield lambda: compiled(SCALAR, text, FAST)
    yield lambda: compiled(SCALAR_PLAIN, text, PLAIN)
    if "float32" in code.texts:
        vector = wrap.batch(code.texts["float32"], shape, "float32")
        yield lambda: compiled("C batch float32", vector, VECTOR)


def _put_counts(entry: Entry, counts: dict[str, float]) -> None:
    pairs = counts.pop("pairs")
    entry.counts = counts
    entry.operations = sum(counts.values())
    entry.weighted = weighted(counts)
    entry.paired = entry.weighted - 16 * pairs  # 20 + 20 become 24


def _time_scalar(codes: Sequence[Code], workload: Workload) -> None:
    for what in (SCALAR, SCALAR_PLAIN):
        here = [code for code in codes if what in code.compiled]
        if not here:
            continue
        n = _affordable(
            [code.compiled[what] for code in here], workload, "float64", "cache", rows_of
        )
        given, results = rows_of(workload, "float64", n), np.zeros((n, workload.n_results))
        _timed(here, what, what, n, given, results, ROUNDS["cache"])


def _time_batch(codes: Sequence[Code], workload: Workload, place: str) -> None:
    what, dtype = "C batch float32", "float32"
    here = [code for code in codes if what in code.compiled]
    if not here:
        return
    n = _affordable([code.compiled[what] for code in here], workload, dtype, place, columns_of)
    given = columns_of(workload, dtype, n)
    results = np.zeros((workload.n_results, n), dtype)
    _timed(here, what, f"{what}, {place}", n, given, results, ROUNDS[place])


def _timed(
    codes: Sequence[Code], what: str, name: str, n: int, given: Array, results: Array, rounds: int
) -> None:
    timers: dict[str, Timer] = {}
    for code in codes:
        run = code.compiled[what]
        timers[code.entry.peer] = repeated(lambda run=run: run(n, given, results), n)  # type: ignore[misc]
    for peer, found in in_turns(timers, rounds).items():
        next(c for c in codes if c.entry.peer == peer).entry.times[name] = found


def _affordable(
    found: Sequence[Compiled], workload: Workload, dtype: str, place: str, layout: Any
) -> int:
    """The batch for a place, less where one of the codes is slow: all run the same batch."""
    n = TRIED
    given, results = layout(workload, dtype, n), np.zeros(n * workload.n_results, dtype)
    rough = max(least(repeated(lambda run=run: run(n, given, results), n)) for run in found)  # type: ignore[misc]
    return batch_size(Shape.of(workload).bytes_each[dtype], place, rough)


def _time_kernels(codes: Sequence[Code], workload: Workload, place: str, device: Device) -> None:
    for dtype in DTYPES:
        here = {
            (code.entry.peer, what): kernel
            for code in codes
            for what, kernel in code.kernels.items()
            if what.endswith(dtype)
        }
        if not here:
            continue
        rough = max(map(least, _timers(here, workload, dtype, TRIED, device).values()))
        n = batch_size(Shape.of(workload).bytes_each[dtype], place, rough)
        timers = _timers(here, workload, dtype, n, device)
        for (peer, what), found in in_turns(timers, LAUNCHES[place]).items():
            entry = next(c for c in codes if c.entry.peer == peer).entry
            entry.times[f"{what}, {place}"] = found


def _timers(
    here: Mapping[Key, kernels.Timed], workload: Workload, dtype: str, n: int, device: Device
) -> dict[Key, Timer]:
    return {key: kernels.timer(k, workload, dtype, n, device) for key, k in here.items()}


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
