"""Loops: derive time by trips, backward against primal run time, kernel text against one trip.

The sphere tracer and the cloth are those of `examples/`. Takes a device, gives tables, and what
broke its limit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import egad
from egad import Array, float2, float3, normalize, sin
from egad.codegen.devices.device import Device
from egad.codegen.devices.timing import time_kernel
from egad.codegen.host.arrays import bind

from .table import Table, nanoseconds

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
cloth, tracer = import_module("cloth"), import_module("sphere_tracer")
sys.path.pop(0)

FEW, MANY = 16, 1000
ONE_AFTER_ANOTHER = 16, 160  # loops in one program
TRIPS_LIMIT = 1.1  # more trips are no more work, but for the text of segments (cloth: 1.05)
TIME_LIMIT = 15.0  # ten times the loops may take so many times as long
MODES = ("fwd", "bwd")
ATTEMPTS = 3  # at each derivation, in turns; the better one counts
ROUNDS, REPEATS = 10, 30  # primal and backward take turns: the machine changes its mood
TEXT_LIMIT = 3.0
Function = Callable[..., Any]

# ---------------------------------------------------------------- loops, and one trip of each

STEPS = FEW
COUNT, PARTICLES = tracer.COUNT, cloth.COUNT


def swing(angle: float, speed: float, stiffness: float) -> tuple[float, float]:
    """A damped pendulum, one step of semi-implicit Euler."""
    speed = 0.999 * speed - 0.01 * stiffness * sin(angle)
    return angle + 0.01 * speed, speed


def pendulum(angle: float, speed: float, stiffness: float) -> tuple[float, float]:
    for _ in range(STEPS):
        angle, speed = swing(angle, speed, stiffness)
    return angle, speed


def approach(t: float, uv: float2, centers: Array[float3, COUNT], radii: Array[float, COUNT]):
    """As far along a ray as the scene lets it go in one step, and how far that is."""
    ray = tracer.Ray(float3(0.0, 0.0, -3.0), normalize(float3(uv.x, uv.y, 1.5)))
    distance = tracer.distance_to(ray.at(t), centers, radii)
    return t + distance, distance


def march(t: float, uv: float2, centers: Array[float3, COUNT], radii: Array[float, COUNT]):
    distance = tracer.FAR
    for _ in range(STEPS):
        if distance < 1e-4 or t > tracer.FAR:
            break
        t, distance = approach(t, uv, centers, radii)
    return t, distance


def step(at: Array[float3, PARTICLES], velocity: Array[float3, PARTICLES], stiffness: float):
    strip = cloth.Cloth(at, velocity)
    strip.step(stiffness)
    return strip.at, strip.velocity


def steps(at: Array[float3, PARTICLES], velocity: Array[float3, PARTICLES], stiffness: float):
    for _ in range(STEPS):
        at, velocity = step(at, velocity, stiffness)
    return at, velocity


LOOPS = (("pendulum", pendulum, swing), ("march", march, approach), ("cloth", steps, step))


@contextmanager
def _steps(module: ModuleType, count: int) -> Iterator[None]:
    """The functions of a module with so many steps."""
    before = module.STEPS
    module.STEPS = count
    try:
        yield
    finally:
        module.STEPS = before


# ---------------------------------------------------------------- derive time


@dataclass(frozen=True)
class Growth:
    """What derivation takes and gives with few and with many trips."""

    name: str
    mode: str
    seconds: tuple[float, float]
    characters: tuple[int, int]

    @property
    def ratio(self) -> float:
        few, many = self.seconds
        return many / few


PROGRAMS = (
    ("pendulum", sys.modules[__name__], pendulum),
    ("sphere tracer", tracer, tracer.loss),
    ("cloth", cloth, cloth.fall),
)


def stages(x: float, c: float) -> float:
    """As many loops, one after another."""
    for _ in egad.force_unroll(range(STEPS)):
        for _ in range(8):
            x = x * c - 0.3 * x * x
        x = sin(x)
    return x


SEQUENCE = ("loops in sequence", sys.modules[__name__], stages)


def growth(
    name: str,
    module: ModuleType,
    function: Function,
    mode: str,
    counts: tuple[int, int] = (FEW, MANY),
) -> Growth:
    """The processor time of a derivation and the kernel's size, by the trips (or the loops)."""
    least, sizes = [np.inf, np.inf], [0, 0]
    for _ in range(ATTEMPTS):
        for i, count in enumerate(counts):
            with _steps(module, count):
                began = time.process_time()
                sizes[i] = len(egad.derive(function, mode, cache=False).source)
                least[i] = min(least[i], time.process_time() - began)
    return Growth(name, mode, (least[0], least[1]), (sizes[0], sizes[1]))


# ---------------------------------------------------------------- run time


@dataclass(frozen=True)
class Workload:
    """A function to run backwards, and how much longer than itself that may take.

    `inputs` are its arguments, and the cotangent of its result.
    """

    name: str
    function: Function
    wrt: tuple[str, ...]
    inputs: Callable[[], list[Any]]
    limit: float


def _image() -> list[Any]:
    """128 x 128 pixels of one scene."""
    y, x = np.mgrid[1:-1:128j, -1:1:128j]
    scene = tracer.moved(tracer.CENTERS[tracer.LOST] + [0.35, -0.25, 0.3])
    seen, bar = np.full((128, 128), 0.5), np.ones((128, 128))
    return [np.stack([x, y], axis=-1), scene, np.array(tracer.RADII), seen, bar]


def _strips() -> list[Any]:
    """1024 strips of cloth, each with a start of its own."""
    random = np.random.default_rng(0)
    flat = cloth.SPACING * np.array([[column, 0.0, row] for row, column in cloth.GRID])
    at = flat + random.normal(0.0, 0.01, (1024, PARTICLES, 3))
    return [at, np.zeros_like(at), random.uniform(150.0, 250.0, 1024), np.ones((1024, 3))]


WORKLOADS = (
    Workload("sphere tracer", tracer.loss, ("centers", "radii"), _image, 4.0),
    Workload("cloth", cloth.fall, ("at", "velocity", "stiffness"), _strips, 6.0),
)


@dataclass(frozen=True)
class Pace:
    """Nanoseconds per evaluation, primal and backward, and the bytes that loops keep."""

    workload: Workload
    dtype: str
    primal: float
    backward: float
    stored: int

    @property
    def ratio(self) -> float:
        return self.backward / self.primal


def pace(workload: Workload, dtype: str, device: Device) -> Pace:
    """The least time of each kernel over many runs: those that nothing else slowed down."""
    *inputs, bar = workload.inputs()
    primal = egad.derive(workload.function, "primal", dtype=dtype, cache=False)
    wrt = workload.wrt
    backward = egad.derive(workload.function, "bwd", wrt=wrt, dtype=dtype, cache=False)
    least = [np.inf, np.inf]
    for _ in range(ROUNDS):
        for i, (derived, given) in enumerate(((primal, inputs), (backward, [*inputs, bar]))):
            bound = bind(derived.program.params, given)
            kernel = derived.kernel(bound.uniform_names)
            seconds = time_kernel(kernel, bound.inputs, bound.size, device, REPEATS)
            least[i] = min(least[i], min(seconds) / bound.size * 1e9)
    stored = sum(memory.bytes for memory in backward.report.storage or ())
    return Pace(workload, dtype, *least, stored)


# ---------------------------------------------------------------- text


@dataclass(frozen=True)
class Text:
    """The characters of a device function: of one trip, and of the loop."""

    name: str
    mode: str
    trip: int
    loop: int

    @property
    def ratio(self) -> float:
        return self.loop / self.trip


def text(name: str, loop: Function, trip: Function, mode: str) -> Text:
    """The sizes of what is emitted, without the comment above and the kernel below."""
    sizes = []
    for function in (trip, loop):
        source = egad.derive(function, mode, cache=False).source
        sizes.append(source.index("__kernel") - source.index("static inline"))
    return Text(name, mode, *sizes)


# ---------------------------------------------------------------- all of it


@dataclass(frozen=True)
class Figures:
    """Everything that is measured about loops."""

    growth: Sequence[Growth]
    sequence: Sequence[Growth]
    pace: Sequence[Pace]
    text: Sequence[Text]

    @property
    def broken(self) -> list[str]:
        """The limits that do not hold."""
        grown = [
            f"{g.name} {g.mode}: {MANY} trips take {g.ratio:.2f} times as long to derive as {FEW}"
            for g in self.growth
            if g.ratio > TRIPS_LIMIT
        ]
        steep = [
            f"{g.name} {g.mode}: ten times the loops take {g.ratio:.1f} times as long"
            for g in self.sequence
            if g.ratio > TIME_LIMIT
        ]
        slow = [
            f"{p.workload.name} {p.dtype}: backward takes {p.ratio:.1f} times the primal's time"
            for p in self.pace
            if p.ratio > p.workload.limit
        ]
        long = [
            f"{t.name} {t.mode}: the loop's text is {t.ratio:.1f} times its body's"
            for t in self.text
            if t.ratio > TEXT_LIMIT
        ]
        return grown + steep + slow + long

    def tables(self) -> list[Table]:
        """Derive times, run times, sizes."""
        trips = "Processor seconds to derive and emit a loop, by its trips"
        loops = "Processor seconds to derive and emit loops one after another, by their number"
        return [
            _growth_table(trips, [f"{n} trips" for n in (FEW, MANY)], self.growth),
            _growth_table(loops, [f"{n} loops" for n in ONE_AFTER_ANOTHER], self.sequence),
            _pace_table(self.pace),
            _text_table(self.text),
        ]


def measure(dtypes: Sequence[str], device: Device) -> Figures:
    """All figures; the first derivation, which loads rules and libraries, is not among them."""
    egad.derive(swing)
    return Figures(
        [growth(*program, mode) for program in PROGRAMS for mode in MODES],
        [growth(*SEQUENCE, mode, ONE_AFTER_ANOTHER) for mode in MODES],
        [pace(workload, dtype, device) for workload in WORKLOADS for dtype in dtypes],
        [text(*loop, mode) for loop in LOOPS for mode in ("primal", *MODES)],
    )


def _growth_table(title: str, counts: Sequence[str], figures: Sequence[Growth]) -> Table:
    head = ("program", "mode", *counts, "ratio", *(f"{c}: characters" for c in counts))
    rows = []
    for g in figures:
        few, many = g.seconds
        sizes = [str(size) for size in g.characters]
        rows.append((g.name, g.mode, f"{few:.2f}", f"{many:.2f}", f"{g.ratio:.2f}", *sizes))
    return title, head, rows


def _pace_table(figures: Sequence[Pace]) -> Table:
    head = ("program", "precision", "primal", "backward", "ratio", "at most", "kept, bytes")
    rows = []
    for p in figures:
        times = (nanoseconds(p.primal), nanoseconds(p.backward), f"{p.ratio:.2f}")
        rows.append((p.workload.name, p.dtype, *times, f"{p.workload.limit:g}", str(p.stored)))
    return "Nanoseconds per evaluation of a loop, forwards and backwards", head, rows


def _text_table(figures: Sequence[Text]) -> Table:
    head = ("loop", "mode", "one trip", "the loop", "ratio", "at most")
    rows = [
        (t.name, t.mode, str(t.trip), str(t.loop), f"{t.ratio:.2f}", f"{TEXT_LIMIT:g}")
        for t in figures
    ]
    return "Characters of a loop, and of its body alone", head, rows
