"""Takes a device and rules, gives what each operator costs there, in additions of its type.

    cost(f) = 8 (time with f - time without) / (time with 8 additions - time without)

Each kernel is a mixture as in real ones: four chains of dependent additions and products beside
each other, and in every step of every chain one evaluation of f, which depends on the chain: long
enough that launching does not count. (Beside additions alone products would seem to be free,
because many processors compute them in other units.) The three kernels run in turns, so that a
machine that changes its speed changes it for all of them; the cost is the median over the turns.
A GPU runs so many of them at once that memory and launch were all that is timed: there the chains
go on in a loop.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...rules.costs import CostTable
from ...terms.errors import DeviceError
from ...terms.loop import Open, State, bound, close, final, stem
from ...terms.program import Program, Slot
from ...terms.rule import Joint, Operator, RuleSet
from ...terms.term import SELECT, Term, const, var
from ...terms.types import Scalar
from ..host.reference import evaluate
from ..kernel.layout import dtype_of
from ..kernel.opencl import Kernel, emit
from .device import Device
from .launches import LANES
from .timing import time_kernel

CHAINS, UNITS = 4, 8
TURNS, RUNS = 41, 3  # of each kernel in a turn the fastest run counts
BYTES = 256 << 10  # of all arrays together: they stay in a core's cache
LEAST = 0.5  # a cost of 0 would make more of an operator as good as less
_ADD, _MUL = "add", "mul"
_KINDS = frozenset({"real", "number", "any"})
# Where functions are tried: the first interval in which all values are finite.
_INTERVALS = ((-3.0, 3.0), (0.1, 3.0), (-0.9, 0.9), (1.1, 4.0), (0.1, 0.9))

Measured = Callable[[Kernel, Mapping[str, Any], int], float]  # the seconds of one run
Step = Callable[[Term, Term, Term], Term]  # the value and its two neighbours: what is added


@dataclass(frozen=True)
class Priced:
    """The cost of one operator, and between which quartiles single turns lie."""

    name: str
    cost: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.name:12} {self.cost:6g}  ({self.low:.1f} to {self.high:.1f})"


def calibrate(
    device: Device, rules: RuleSet, kind: Scalar, seconds: Measured | None = None
) -> Iterator[Priced]:
    """The cost of every operator over reals of a type, one after the other, in the rules' order.

    `seconds` measures one run of a kernel; by default on the device. Operators that give truth
    values are measured by a choice between two values, less the choice itself. Raises
    DeviceError where the device does not compute in this type, or its clock shows no difference.
    """
    _require(device, kind)
    bench = _Bench(rules, kind, seconds or _timer(device), _Work.on(device, kind))
    choice = 0.0
    for name, step, others in _steps(rules, kind):
        prices = bench.prices(step)
        if prices is None:
            continue
        less = others + (choice if _gives_truth(rules, name) else 0.0)
        low, middle, high = (price - less for price in prices)
        if name == SELECT:
            choice = middle
        yield Priced(name, 1.0 if name == _ADD else rounded(middle), low, high)


def rounded(cost: float) -> float:
    """What a measurement is good for: half an addition, one, then halves, then whole numbers.

    What is nearly an addition is one, or noise would choose between `a + b` and `a - (-b)`.

    >>> rounded(-0.1), rounded(0.7), rounded(1.4), rounded(2.7), rounded(18.4)
    (0.5, 1.0, 1.0, 2.5, 18.0)
    """
    if cost < 1.5:
        return 1.0 if cost >= LEAST else LEAST
    return round(cost * 2) / 2 if cost < 10 else float(round(cost))


def table_of(
    prices: Mapping[Scalar, Sequence[Priced]], name: str, device: Device, day: str
) -> CostTable:
    """What was measured as a table."""
    costs = {kind: {p.name: p.cost for p in found} for kind, found in prices.items()}
    return CostTable(name, device.info.label, device.info.version, day, costs)


def _require(device: Device, kind: Scalar) -> None:
    has = {Scalar.F64: device.info.fp64, Scalar.F16: device.info.fp16}.get(kind, True)
    if not has:
        raise DeviceError(
            f"{device.info.label} does not compute in {kind.value}",
            hint="leave the type out, or calibrate another device: `egad devices` lists them",
        )


def _steps(rules: RuleSet, kind: Scalar) -> Iterator[tuple[str, Step, float]]:
    """What is measured: operators with a step each, and how many additions are in it besides.

    The choice comes first: what gives truth values is measured with one.
    """
    primitives = [ops[0] for ops in rules.operators.values() if _is_measured(ops[0], kind)]
    for operator in sorted(primitives, key=lambda op: op.name != SELECT):
        yield operator.name, _step(operator, kind), 0.0
    for joint in dict.fromkeys(rules.joints.values(), None):
        if kind in joint.spellings and len(joint.params) == 1:
            yield joint.name, _together(joint, kind), len(joint.parts) - 1.0


def _is_measured(operator: Operator, kind: Scalar) -> bool:
    if not operator.is_primitive or operator.is_composite or kind not in operator.opencl:
        return False
    if operator.name == SELECT:
        return True
    whole = operator.result.kind in {*_KINDS, "bool"}
    return whole and bool(operator.params) and all(p.kind in _KINDS for p in operator.params)


def _gives_truth(rules: RuleSet, name: str) -> bool:
    return rules.operator(name).result.kind == "bool"


def _step(operator: Operator, kind: Scalar) -> Step:
    """One evaluation of the operator; of its result as a number, where it is a truth value."""
    count = len(operator.params)

    def step(x: Term, y: Term, z: Term) -> Term:
        if operator.name == SELECT:
            return Term(SELECT, (var("go", Scalar.BOOL), x, y), None, kind)
        if operator.result.kind == "bool":
            test = Term(operator.name, (x, y, z)[:count], None, Scalar.BOOL)
            return Term(SELECT, (test, y, z), None, kind)
        return Term(operator.name, (x, y, z)[:count], None, kind)

    return step


def _together(joint: Joint, kind: Scalar) -> Step:
    def step(x: Term, y: Term, z: Term) -> Term:
        parts = [Term(part, (x,), None, kind) for part in joint.parts]
        total = parts[0]
        for part in parts[1:]:
            total = Term(_ADD, (total, part), None, kind)
        return total

    return step


@dataclass(frozen=True)
class _Work:
    """How much is timed at once: `items` work-items, each of `rounds` times `steps` steps."""

    items: int
    rounds: int
    steps: int
    turns: int

    @staticmethod
    def on(device: Device, kind: Scalar) -> _Work:
        """On a GPU the work-items that it holds; its clock is steady, so in fewer turns."""
        if device.info.kind == "gpu":
            return _Work(2048 * int(device.cl_device.max_compute_units), 64, 4, max(2, TURNS // 6))
        size = dtype_of(kind).itemsize
        return _Work(BYTES // (size * (2 * CHAINS + 3)) // (4 * LANES) * (4 * LANES), 1, 16, TURNS)


class _Bench:
    """The kernels of one type, with the two that every operator is compared with."""

    def __init__(self, rules: RuleSet, kind: Scalar, seconds: Measured, work: _Work) -> None:
        self.rules, self.kind, self.seconds, self.work = rules, kind, seconds, work
        self.without = self._kernel("without", lambda x, y, z: x)
        self.units = self._kernel("units", self._eight)

    def prices(self, step: Step) -> tuple[float, float, float] | None:
        """The quartiles of the cost of a step; None where it is finite nowhere."""
        interval = self._interval(step)
        if interval is None:
            return None
        inputs = self._inputs(*interval)
        kernels = (self.without, self.units, self._kernel("with_it", step))
        found = []
        for _ in range(self.work.turns):
            base, eight, own = (self.seconds(k, inputs, self.work.items) for k in kernels)
            if eight > base:
                found.append(UNITS * (own - base) / (eight - base))
        if len(found) <= self.work.turns // 2:
            raise DeviceError(
                "the device's clock shows no difference between more additions and fewer",
                hint="the machine may be too busy: calibrate again",
            )
        low, middle, high = statistics.quantiles(found, n=4)
        return low, middle, high

    def _eight(self, x: Term, y: Term, z: Term) -> Term:
        for other in (y, z) * (UNITS // 2):
            x = Term(_ADD, (x, other), None, self.kind)
        return x

    def _program(self, step: Step) -> Program:
        """The chains; in every step of each a value moves on, and what `step` gives is added."""
        kind = self.kind
        values = [var(f"x{j}", kind) for j in range(CHAINS)]
        sums = self._rounds(values, step)
        slots = [Slot(f"x{j}", kind) for j in range(CHAINS)]
        params = (*slots, Slot("move", kind), Slot("fade", kind), Slot("go", Scalar.BOOL))
        results = tuple(Slot(f"sum{j}", kind) for j in range(CHAINS))
        return Program("calibrated", params, results, tuple((s,) for s in sums))

    def _rounds(self, values: list[Term], step: Step) -> list[Term]:
        """The sums after all rounds; every other round goes back, so values stay where they are."""
        move = var("move", self.kind)
        if self.work.rounds == 1:
            return self._round(values, values, move, step)[1]
        way = bound("way", self.kind)
        inner = [bound(f"x{j}", self.kind) for j in range(CHAINS)]
        sums = [bound(f"sum{j}", self.kind) for j in range(CHAINS)]
        moved, added = self._round(inner, sums, way, step)
        back = Term(_MUL, (way, const(-1.0, self.kind)), None, self.kind)
        states = [State("way", way, move, back)]
        for own, first, after in zip(inner + sums, values * 2, moved + added, strict=True):
            states.append(State(stem(own), own, first, after))
        trips, go = const(self.work.rounds, Scalar.I32), const(True, Scalar.BOOL)
        loop = close(Open(bound("k", Scalar.I32), trips, go, tuple(states)))
        return [final(loop, 1 + CHAINS + j) for j in range(CHAINS)]

    def _round(
        self, values: list[Term], sums: list[Term], move: Term, step: Step
    ) -> tuple[list[Term], list[Term]]:
        kind, fade = self.kind, var("fade", self.kind)
        for _ in range(self.work.steps):
            values = [Term(_ADD, (x, move), None, kind) for x in values]
            inner = [Term(_MUL, (x, fade), None, kind) for x in values]
            given = [step(inner[j], *_beside(inner, j)) for j in range(CHAINS)]
            faded = [Term(_MUL, (result, fade), None, kind) for result in given]
            sums = [Term(_ADD, pair, None, kind) for pair in zip(sums, faded, strict=True)]
        return values, sums

    def _kernel(self, name: str, step: Step) -> Kernel:
        return emit(self._program(step), self.rules, name=name, math="strict")

    def _inputs(self, low: float, high: float) -> dict[str, Any]:
        """Values all over the interval; moving on, they stay in it."""
        random = np.random.default_rng(0)
        dtype = dtype_of(self.kind)
        n, margin = self.work.items, 0.05 * (high - low)
        far = margin / (2 * self.work.steps)
        inputs: dict[str, Any] = {
            f"x{j}": random.uniform(low + margin, high - margin, n).astype(dtype)
            for j in range(CHAINS)
        }
        inputs["move"] = random.uniform(-far, far, n).astype(dtype)
        inputs["fade"] = random.uniform(0.99, 1.01, n).astype(dtype)
        inputs["go"] = random.uniform(size=n) < 0.5
        return inputs

    def _interval(self, step: Step) -> tuple[float, float] | None:
        program = self._program(step)
        for interval in _INTERVALS:
            few = {name: values[:256] for name, values in self._inputs(*interval).items()}
            if all(np.isfinite(r).all() for r in evaluate(program, self.rules, few)):
                return interval
        return None


def _beside(values: Sequence[Term], j: int) -> tuple[Term, Term]:
    return values[(j + 1) % CHAINS], values[(j + 2) % CHAINS]


def _timer(device: Device) -> Measured:
    def seconds(kernel: Kernel, inputs: Mapping[str, Any], n: int) -> float:
        return min(time_kernel(kernel, inputs, n, device, RUNS))

    return seconds
