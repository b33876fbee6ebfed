"""What must hold of a batch of random programs, and the smallest program where it does not.

Takes samples, derives them packed into one program, and compares: the derivative program, the
extracted program and the kernel with values, gradients and second derivatives that the judge
has from mpmath alone. Knows nothing of how samples are drawn.
"""

import importlib.util
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from compile_apart import compiles
from judge import Exact, Trial, noise
from program_text import text
from random_programs import RULES, Lit, Sample, Sketch, build, slots, trimmed

import egad
from egad import reader, rewrite
from egad.api import Derived
from egad.codegen.devices import device
from egad.codegen.devices.run import launch
from egad.codegen.host.reference import evaluate
from egad.rules.show import show_expression
from egad.terms.program import Program, Slot
from egad.terms.rule import MATH_TAGS
from egad.terms.term import Term, const, large_programs, substitute
from egad.terms.types import Scalar, leaf_types, shape_of

DTYPE = {Scalar.F64: "float64", Scalar.F32: "float32"}
RELATIVE = 1e-12
ULPS = 1e-4  # times the effect of errors of 1e-10: a hundred roundings per operation
VACUOUS = 1e-6  # a tolerance above this says nothing: such a result is not counted as checked
FAST, DEFAULT = rewrite.Effort.FAST, rewrite.Effort.DEFAULT
EFFORTS = (FAST, DEFAULT, FAST, FAST)  # batches take turns
MATHS = ("safe", "strict", "fast", "safe")


class CompilerCrash(Exception):
    """The OpenCL compiler crashed, or did not come to an end."""


@dataclass(frozen=True)
class Failure:
    """One disagreement."""

    index: int  # of the program in its batch
    kind: str
    detail: str


@dataclass
class Tally:
    """What has been checked."""

    programs: int = 0
    exact_only: int = 0  # programs whose real rewrites contradict each other (a divisor that is 0)
    ill: int = 0  # programs of which every derivative was too ill-conditioned to judge
    compared: Counter = field(default_factory=Counter)
    skipped: Counter = field(default_factory=Counter)
    operators: Counter = field(default_factory=Counter)
    seconds: Counter = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Count what another batch has checked, too."""
        for name in ("programs", "exact_only", "ill"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("compared", "skipped", "operators", "seconds"):
            getattr(self, name).update(getattr(other, name))


# ---------------------------------------------------------------------------- one program


def renamed(program: Program, prefix: str) -> Program:
    """The program with other names for its parameters."""
    params = tuple(replace(p, name=f"{prefix}_{p.name}") for p in program.params)
    pairs = zip(program.params, params, strict=True)
    table = {a: b for old, new in pairs for a, b in zip(old.leaves(), new.leaves(), strict=True)}
    flat = substitute(program.flat, table)
    return replace(program, params=params, notes={}).with_flat(flat)


def packed(programs: list[Program]) -> Program:
    """Several programs as one, side by side."""
    own = [renamed(p, f"p{k}") for k, p in enumerate(programs)]
    return Program(
        "f",
        tuple(slot for p in own for slot in p.params),
        tuple(Slot(f"r{k}", p.results[0].type) for k, p in enumerate(own)),
        tuple(p.roots[0] for p in own),
    )


def weighted(program: Program, real: Scalar) -> Program:
    """sum of w*f over all results, the weights being parameters without derivative."""
    weights = [Slot(f"w{k}", s.type, diff=False) for k, s in enumerate(program.results)]
    total: Term = const(0.5, real)
    leaves = [leaf for slot in weights for leaf in slot.leaves()]
    for weight, root in zip(leaves, program.flat, strict=True):
        total = Term("add", (total, Term("mul", (weight, root), None, real)), None, real)
    params = (*program.params, *weights)
    return Program("f", params, (Slot("out", real),), ((total,),))


@lru_cache(maxsize=2)
def substituted(program: Program, math: str) -> Program:
    """The program with its primal substitutes, once for all modes."""
    return rewrite.substitute_primals(program, RULES, MATH_TAGS[math], {})


@large_programs()
def derived(
    program: Program,
    mode: str,
    math: str,
    real: Scalar,
    again: bool = False,
    effort: rewrite.Effort = FAST,
) -> Derived:
    """What `egad.derive` does with a program."""
    report = rewrite.Report(name="f", mode=mode, math=math, dtype=DTYPE[real])
    form = program if mode == "primal" else substituted(program, math)
    derivative = rewrite.derive(form, mode, RULES, real, report.derivative_rules)
    options = rewrite.Options(math=math, effort=effort)
    best = rewrite.optimize(derivative, RULES, real, options, report, mode != "primal" or again)
    return Derived(mode, math, DTYPE[real], program, derivative, best, RULES, report)


@large_programs()
def forward_over_backward(
    program: Program, math: str, real: Scalar, effort: rewrite.Effort
) -> Derived:
    """The derivative of the backward program along a direction of the parameters."""
    back = rewrite.derive(substituted(program, math), "bwd", RULES, real)
    names = [p.name for p in program.params if any(t.is_real for t in leaf_types(p.type))]
    return derived(reader.select_wrt(back, names), "fwd", math, real, True, effort)


def kernel_results(d: Derived, inputs: dict) -> list:
    """The flat results of the kernel, one array each."""
    size = len(next(iter(inputs.values())))
    arrays = {}
    for slot in d.program.params:
        shape = (size, *shape_of(slot.type))
        dtype = np.int32 if leaf_types(slot.type)[0] is Scalar.I32 else d.dtype
        columns = [inputs[path] for path in slot.paths()]
        arrays[slot.name] = np.ascontiguousarray(np.stack(columns, -1), dtype).reshape(shape)
    double = d.dtype == "float64"
    if not compiles(d.kernel(frozenset()), double):
        raise CompilerCrash(d.source)
    target = device.choose(None, fp64=double)
    outputs = launch(d.kernel(frozenset()), arrays, size, target)
    return [
        outputs[slot.name].reshape(size, -1)[:, k]
        for slot in d.program.results
        for k in range(len(slot.paths()))
    ]


# ---------------------------------------------------------------------------- one batch


@dataclass(frozen=True)
class Way:
    """How a batch is checked: in which math mode, with which effort, over its text too, and
    whether second derivatives are taken. The seed draws directions and weights."""

    math: str
    seed: int = 0
    texts: bool = True
    second: bool = True
    effort: rewrite.Effort = FAST


def check(samples: list[Sample], way: Way) -> tuple[list[Failure], Tally]:
    """All checks of a batch: (failures, tally)."""
    run = _Run(samples, way)
    try:
        run.go()
    except _Contradiction:
        # One program would turn the rewrites off for all others: each half on its own.
        half = len(samples) // 2
        first, tally = check(samples[:half], way)
        rest, more = check(samples[half:], way)
        tally.add(more)
        return first + [replace(f, index=f.index + half) for f in rest], tally
    return run.failures, run.tally


class _Contradiction(Exception):
    """The rewrites were turned off for a batch of several programs."""


class _Run:
    def __init__(self, samples: list[Sample], way: Way):
        self.samples, self.way, self.math = samples, way, way.math
        self.rng = np.random.default_rng(way.seed)
        self.failures: list[Failure] = []
        self.tally = Tally()
        self.good = [0] * len(samples)
        self.real = Scalar.F64

    def over(self, program: Program) -> Derived:
        return forward_over_backward(program, self.math, self.real, self.way.effort)

    def derived(self, program: Program, mode: str, real: Scalar = Scalar.F64) -> Derived:
        return derived(program, mode, self.math, real, effort=self.way.effort)

    def fail(self, index: int, kind: str, detail: str) -> None:
        if not any(f.index == index for f in self.failures):
            self.failures.append(Failure(index, kind, detail))

    def timed(self, what: str, job):
        began = time.perf_counter()
        value = job()
        self.tally.seconds[what] += time.perf_counter() - began
        return value

    def go(self) -> None:
        built = [build(s.sketch, self.real) for s in self.samples]
        self.programs = list(built)
        self.judges = self.timed("judge", lambda: self._judges(built))
        if self.way.texts:
            self.timed("read", self._read)
        whole = packed(self.programs)
        self.inputs = {
            f"p{k}_{name}": values
            for k, s in enumerate(self.samples)
            for name, values in s.inputs.items()
        }
        self.size = len(next(iter(self.inputs.values())))
        self.results = [[f"r{k}{p}" for p in _tails(b)] for k, b in enumerate(built)]
        self.direction = {
            f"{slot.name}{tail}": np.round(self.rng.uniform(-1, 1), 2)
            for slot in whole.params
            for tail, t in zip(_paths(slot), leaf_types(slot.type), strict=True)
            if t.is_real
        }
        self.weights = {
            name: np.round(self.rng.uniform(0.5, 1.5), 2)
            for names in self.results
            for name in names
        }
        self.first_order(whole)
        if self.way.second:
            self.second_order(whole)
        if self.math == "strict":
            self.single(built)
        for k, sample in enumerate(self.samples):
            self.tally.programs += 1
            self.tally.operators.update(sample.sketch.operators())
            self.tally.ill += not self.good[k]

    def _judges(self, built):
        judges = []
        for sample, program in zip(self.samples, built, strict=True):
            wrt = [
                path
                for slot in program.params
                for path, t in zip(slot.paths(), leaf_types(slot.type), strict=True)
                if t.is_real
            ]
            count = len(next(iter(sample.inputs.values())))
            points = [{k: v[j] for k, v in sample.inputs.items()} for j in range(count)]
            judges.append([Exact(program, RULES, point, wrt) for point in points])
        return judges

    def _read(self) -> None:
        """Where a program can be written down: its text, read, stands for it."""
        for k, sample in enumerate(self.samples):
            if not sample.text:
                continue
            source = text(sample.sketch)
            f = load_function(source)
            self.programs[k] = reader.read(f, real=self.real, rules=RULES)
            for j, judge in enumerate(self.judges[k]):
                args = _arguments(sample, j)
                try:
                    value = _flat(f(*args))
                except ZeroDivisionError:  # Python raises in an arm that is computed for both
                    self.tally.skipped["python"] += 1
                    continue
                self.tally.compared["python"] += 1
                for found, want in zip(value, judge.centre, strict=True):
                    if not abs(found - want) <= 1e-7 * (1 + abs(want)):
                        self.fail(k, "python", f"Python gives {found}, the judge {_show(want)}")

    # -- float64, against the judge

    def first_order(self, whole: Program) -> None:
        judge = self.judges
        directions = [self._own(k, self.direction) for k in range(len(judge))]
        weights = [[self.weights[n] for n in names] for names in self.results]
        exact: dict[str, list] = {}

        def work() -> None:
            for k, points in enumerate(judge):
                tangents = [e.tangent(directions[k]) for e in points]
                gradients = [e.gradient(weights[k]) for e in points]
                for i, name in enumerate(self.results[k]):
                    exact[name] = [e.centre[i] for e in points]
                    exact[f"d_{name}"] = [t[i] for t in tangents]
                for i, name in enumerate(points[0].wrt):
                    exact[_bar(f"p{k}_{name}")] = [g[i] for g in gradients]

        self.timed("judge", work)
        inputs = dict(self.inputs)
        for name, value in self.direction.items():
            inputs[f"d_{name}"] = np.full(self.size, value)
        forward = self.three_ways(whole, "fwd", inputs, exact)
        inputs = dict(self.inputs)
        for name, value in self.weights.items():
            inputs[_bar(name)] = np.full(self.size, value)
        backward = self.three_ways(whole, "bwd", inputs, exact)
        self._inner_product(forward, backward, exact)

    def _own(self, k: int, table: dict) -> dict:
        prefix = f"p{k}_"
        return {n.removeprefix(prefix): v for n, v in table.items() if n.startswith(prefix)}

    def _inner_product(self, forward: dict, backward: dict, exact: dict) -> None:
        """<w, J v> = <J^T w, v>, by the kernels."""
        for k, names in enumerate(self.results):
            pairs = [(forward[f"d_{n}"], self.weights[n], f"d_{n}") for n in names]
            others = [
                (backward[_bar(f"p{k}_{n}")], v, _bar(f"p{k}_{n}"))
                for n, v in self._own(k, self.direction).items()
            ]
            left = sum(found[0] * w for found, w, _ in pairs)
            right = sum(found[0] * v for found, v, _ in others)
            slack = sum(abs(w) * found[1] for found, w, _ in [*pairs, *others])
            for j in range(self.size):
                if not slack[j] < VACUOUS * max(1.0, abs(left[j])):
                    continue
                self.tally.compared["inner product"] += 1
                if not abs(left[j] - right[j]) <= 2 * slack[j] + 1e-300:
                    detail = f"<w, J v> = {left[j]}, <J^T w, v> = {right[j]}, point {j}"
                    self.fail(k, "inner product", detail)

    def second_order(self, whole: Program) -> None:
        exact: dict[str, list] = {}
        over = bool(self.rng.integers(3) == 0)

        def work() -> None:
            for k, points in enumerate(self.judges):
                weights = [self.weights[n] for n in self.results[k]]
                direction = self._own(k, self.direction)
                rows = [e.second(weights, direction) for e in points]
                for i, name in enumerate(points[0].wrt):
                    key = f"d_{_bar(f'p{k}_{name}')}" if over else _suffix(f"p{k}_{name}", "hvp")
                    exact[key] = [row[i] for row in rows]

        self.timed("judge", work)
        inputs = dict(self.inputs)
        for name, value in self.weights.items():
            inputs[_bar(name) if over else f"w{name[1:]}"] = np.full(self.size, value)
        for name, value in self.direction.items():
            inputs[f"d_{name}" if over else f"v_{name}"] = np.full(self.size, value)
        if over:
            d = self.timed("derive", lambda: self.over(whole))
            self.compare(d, "fwd over bwd", inputs, exact)
        else:
            self.three_ways(weighted(whole, self.real), "hvp", inputs, exact)

    def three_ways(self, program: Program, mode: str, inputs: dict, exact: dict) -> dict:
        d = self.timed("derive", lambda: self.derived(program, mode))
        if "exact rewrites only" in d.report.ended:
            if len(self.samples) > 1:
                raise _Contradiction
            self.tally.exact_only = 1
        return self.compare(d, mode, inputs, exact)

    def compare(self, d: Derived, mode: str, inputs: dict, exact: dict) -> dict:
        """Judge the three ways; the kernel's results with their tolerances, by name."""
        used = {p: inputs[p] for slot in d.program.params for p in slot.paths()}

        def work():
            moved = noise(d.derivative, RULES, used)
            if self.math == "fast":  # any real identity: it may lose digits, never the value
                extra = noise(d.program, RULES, used)
                moved = [a + b for a, b in zip(moved, extra, strict=True)]
            return (
                moved,
                evaluate(d.derivative, RULES, used, derived=True),
                evaluate(d.program, RULES, used),
            )

        moved, plain, extracted = self.timed("numpy", work)
        kernel = self.timed("kernel", lambda: kernel_results(d, used))
        if self.math == "strict":
            self._same_bits(d, mode, plain, extracted)
        paths = [p for slot in d.program.results for p in slot.paths()]
        found = {}
        for i, path in enumerate(paths):
            if path not in exact:
                continue
            ways = {"derivative": plain[i], "extracted": extracted[i], "kernel": kernel[i]}
            slack = self._judge(path, mode, ways, exact[path], moved[i])
            found[path] = (kernel[i].astype(float), slack)
        return found

    def _judge(self, path: str, mode: str, ways: dict, exact: list, moved) -> np.ndarray:
        k = _program_of(path)
        slack = np.full(len(exact), np.inf)
        for j, want in enumerate(exact):
            number = float(want)
            if not np.isfinite(number) or abs(number) > 1e12:
                self.tally.skipped[mode] += 1
                continue
            slack[j] = RELATIVE * abs(number) + ULPS * moved[j] + 1e-20
            if not slack[j] <= VACUOUS * max(1.0, abs(number)):
                slack[j] = np.inf
                self.tally.skipped[mode] += 1
                continue
            self.good[k] += mode in ("fwd", "bwd")
            self.tally.compared[mode] += 1
            for way, values in ways.items():
                room = slack[j] * (10 if way == "kernel" else 1)
                if not abs(float(values[j]) - number) <= room:
                    rest = ", ".join(f"{w} {float(v[j])!r}" for w, v in ways.items())
                    detail = (
                        f"{mode} {path} at point {j}: exact {number!r}, {rest}; room {room:.1e}"
                    )
                    self.fail(k, f"{mode} {way}", detail)
                    break
        return slack * 10

    def _same_bits(self, d: Derived, mode: str, plain: list, extracted: list) -> None:
        paths = [p for slot in d.program.results for p in slot.paths()]
        for path, a, b in zip(paths, plain, extracted, strict=True):
            self.tally.compared[f"bits {d.dtype}"] += 1
            if not _bits_equal(a, b):
                detail = f"{mode} {path}: {a} and {b} differ in strict mode ({d.dtype})"
                self.fail(_program_of(path), f"{mode} bits {d.dtype}", detail)

    def single(self, built: list[Program]) -> None:
        """In float32, strict: the same bits before and after extraction."""
        programs = packed([build(s.sketch, Scalar.F32) for s in self.samples])
        inputs = dict(self.inputs)
        for name, value in self.weights.items():
            inputs[_bar(name)] = np.full(self.size, value)
        for name, value in self.direction.items():
            inputs[f"d_{name}"] = np.full(self.size, value)
        mode = "bwd" if self.rng.integers(2) else "fwd"
        d = self.timed("derive", lambda: self.derived(programs, mode, Scalar.F32))
        used = {p: inputs[p] for slot in d.program.params for p in slot.paths()}
        plain = evaluate(d.derivative, RULES, used, derived=True)
        self._same_bits(d, mode, plain, evaluate(d.program, RULES, used))


def _bits_equal(a, b) -> bool:
    same = np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return same or bool(
        np.all((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b))
    )


def _program_of(path: str) -> int:
    """The index of the program in names such as `r3.x`, `d_p12_x_bar`, `p2_v_hvp.y`."""
    head = path.removeprefix("d_")[1:]
    digits = head[: next((i for i, c in enumerate(head) if not c.isdigit()), len(head))]
    return int(digits)


def _split(name: str) -> tuple[str, str]:
    """`p0_v.x` to its parameter and the rest: ('p0_v', '.x')."""
    cut = min((i for i in (name.find("."), name.find("[")) if i >= 0), default=len(name))
    return name[:cut], name[cut:]


def _suffix(name: str, ending: str) -> str:
    base, rest = _split(name)
    return f"{base}_{ending}{rest}"


def _bar(name: str) -> str:
    return _suffix(name, "bar")


def _paths(slot: Slot) -> list[str]:
    return [path.removeprefix(slot.name) for path in slot.paths()]


def _tails(program: Program) -> list[str]:
    return _paths(program.results[0])


def _show(value) -> str:
    return repr(float(value)) if not isinstance(value, bool) else str(value)


# ------------------------------------------------------------------------------- texts


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="egad-programs-")


_COUNT = iter(range(1 << 60))


def load_function(source: str):
    """The function `f` of a text, from a file of its own."""
    name = f"program{next(_COUNT)}"
    path = Path(_folder().name) / f"{name}.py"
    path.write_text(f"from egad import *\n\n\n{source}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def _arguments(sample: Sample, point: int) -> list:
    args = []
    params = sample.sketch.params
    for slot, (_, kind) in zip(slots(params, Scalar.F64), params, strict=True):
        parts = [sample.inputs[path][point].item() for path in slot.paths()]
        args.append(parts[0] if len(parts) == 1 else getattr(egad, kind)(*parts))
    return args


def _flat(value) -> list[float]:
    return [float(v) for v in np.ravel(np.asarray(value, dtype=float))]


# ---------------------------------------------------------------------------- minimizing


def minimal(sample: Sample, kind: str, way: Way, limit: float = 60.0):
    """The smallest sample found that still fails in the same way, and how it fails."""
    began = time.perf_counter()
    failure = _fails(sample, kind, way)
    if failure is None:
        return sample, None
    shrunk = True
    while shrunk and time.perf_counter() - began < limit:
        shrunk = False
        for smaller in _smaller(sample):
            if time.perf_counter() - began > limit:
                break
            found = _fails(smaller, kind, way) if _tame(smaller) else None
            if found is not None:
                sample, failure, shrunk = smaller, found, True
                break
    return sample, failure


def _fails(sample: Sample, kind: str, way: Way):
    try:
        failures, _ = check([sample], replace(way, second="hvp" in kind or "over" in kind))
    except Exception as error:
        failures = [Failure(0, type(error).__name__, str(error))]
    return next((f for f in failures if f.kind == kind), None)


def _tame(sample: Sample) -> bool:
    try:
        program = build(sample.sketch, Scalar.F64)
    except Exception:
        return False
    trial = Trial(RULES, sample.inputs)
    return all(bool(np.all(trial.at(t)[1])) for t in program.flat)


def _smaller(sample: Sample):
    """Samples with one step less or a simpler argument, the boldest first."""
    sketch = sample.sketch
    start = len(sketch.params)
    for index in range(start, sketch.result):
        yield _with(sample, Sketch(sketch.params, sketch.steps, index))
    for at, step in enumerate(sketch.steps):
        for place, arg in enumerate(step.args):
            if not isinstance(arg, int):
                continue
            simpler = [Lit(1.0), Lit(2.0)] if arg < start else [*range(start), Lit(1.0), Lit(2.0)]
            if arg >= start:
                simpler += [a for a in sketch.steps[arg - start].args if isinstance(a, int)]
            for new in dict.fromkeys(simpler):
                args = (*step.args[:place], new, *step.args[place + 1 :])
                steps = (*sketch.steps[:at], replace(step, args=args), *sketch.steps[at + 1 :])
                yield _with(sample, Sketch(sketch.params, steps, sketch.result))


def _with(sample: Sample, sketch: Sketch) -> Sample:
    return replace(sample, sketch=trimmed(sketch))


def reproduction(sample: Sample, failure: Failure, way: Way) -> str:
    """The report of a failure: program, point, and what was found."""
    program = build(sample.sketch, Scalar.F64)
    shown = "; ".join(show_expression(t) for t in program.flat)
    points = {k: [v.item() for v in values] for k, values in sample.inputs.items()}
    lines = [
        f"{failure.kind}, math={way.math!r}, {way.effort.value}: {failure.detail}",
        f"out = {shown}",
        text(sample.sketch).rstrip(),
        f"points {points}",
        f"sketch {sample.sketch!r}",
    ]
    return "\n".join(lines)


def checked(samples: list[Sample], way: Way) -> tuple[list[str], Tally]:
    """Check a batch; a report with a minimal program for every failure."""
    try:
        failures, tally = check(samples, way)
    except Exception as error:
        return [_crash(samples, way, error)], Tally()
    reports = []
    for failure in failures[:4]:
        sample, again = minimal(samples[failure.index], failure.kind, way)
        reports.append(reproduction(sample, again or failure, way))
        if again is None:
            reports[-1] += "\nIt fails only in this company:\n"
            reports[-1] += "\n".join(text(s.sketch) for s in samples)
    return reports, tally


def _crash(samples, way, error) -> str:
    kind = type(error).__name__
    for sample in samples:
        if _fails(sample, kind, way):
            small, failure = minimal(sample, kind, way)
            return reproduction(small, failure or Failure(0, kind, str(error)), way)
    raise error
