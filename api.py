"""`derive`: a Python function in, a derived object out, that runs, prints and explains itself."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never, cast

from . import reader, rewrite
from .calling import Convention, arrange, convention
from .codegen.schedule.varying import Hazards, hazards, varying
from .collecting import collect
from .family import Family
from .matrices import sparsity
from .reader.tracing.positions import span
from .reading import only_for_functions, read_function
from .rules import added
from .rules.costs import CostTable
from .rules.scope import Scopes, Source, in_force
from .saving import save
from .settings import (
    REALS,
    Request,
    check_implementations,
    check_named,
    check_options,
    check_types,
    described,
    names_of,
    precision,
    switches,
    types_of,
    with_costs,
)
from .terms.errors import DeriveError, DeviceError, EgadError, EgadWarning, public
from .terms.program import Program, without_arrays
from .terms.rule import MATH_TAGS, RuleSet
from .terms.term import large_programs
from .terms.types import Scalar

if TYPE_CHECKING:
    from .explaining.account import Account, Proven, Subject


def derive(
    f: Callable[..., Any] | Derived | Any,
    mode: str = "bwd",
    *,
    wrt: Sequence[str] | str | None = None,
    rules: Source | Sequence[Source] = (),
    math: str = "safe",
    dtype: Any = "float32",
    device: Any = None,
    optimize: str = "default",
    params: Sequence[Any] | None = None,
    types: Mapping[str, Any] | None = None,
    implementations: Mapping[Any, Sequence[type]] | None = None,
    check: bool = False,
    groups: Mapping[str, bool] | None = None,
    costs: str | Path | CostTable | None = None,
    cache: bool = True,
    **unknown: Never,
) -> Derived:
    """The derivative of a function, as code.

    `mode`: "fwd" (f, J dx), "bwd" J^T y_bar, "value_and_grad" (f, grad f), "jacobian" J,
    "hessian" H, "hvp" H v, or "primal" (f itself, optimized). `f`: a `def` or `lambda`, a
    SymPy expression, Matrix or Lambda (its free symbols sorted by name, or `params`), or a
    derived object. `wrt`: the parameters to differentiate by (default: all real ones).
    `rules`: rule files, names of shipped sets, rule sets, modules with registered rules, and
    values of `egad.rules(…)`, on top of the shipped rules and those in force. `math`:
    "strict", "safe" or "fast". `dtype`: "float16", "float32" or "float64", or NumPy's types.
    `device`: where calls run, as `egad devices` lists it, or a device or queue of pyopencl.
    `optimize`: "fast", "default" or "best". `types`: the types of parameters that annotations
    leave open (`list[float]`, a protocol); without them, every call derives for the types of
    its arguments, once for each. `implementations`: the structs that a parameter annotated with
    a protocol or base class can be, by protocol; which of them it is, is decided when the
    kernel runs. `check`: every call first makes sure, with NumPy, that loops end within
    max_iters and that indices are in range. `groups`: groups of rewrites to be switched on or
    off, by the names that rule files give them. `costs`: what operators cost; by default what
    rule files say, the same on every machine; a table that comes with egad ("intel-cpu",
    "nvidia-h200"), the path of one that `egad calibrate` wrote, or "measured": that of the
    device itself. `cache`: what was derived before is loaded from disk.

    Raises TraceError where `f` leaves the language, RuleError for a rule file, DeriveError
    where a derivative has no rule to pass by.

    >>> derive(lambda a, x: a * x * x, mode="bwd").reference(2.0, 3.0, 1.0)
    Gradients(a=9.0, x=12.0)
    """
    frame = sys._getframe(1)
    try:
        check_options(unknown, derive)
        given = (mode, wrt, rules, math, dtype, device, optimize, params, types, implementations)
        return _derive(f, Request(*given, check, groups, costs, cache), frame.f_globals)
    except EgadError as error:
        kind = public(type(error))
        inside = frame.f_globals.get("__package__") == __package__
        if inside or (error.at is not None and kind is type(error)):
            raise
        at = error.at or span((frame.f_code, frame.f_lasti))
        raise kind(error.message, at, error.hint) from None


def _derive(f: Any, asked: Request, caller: Mapping[str, Any]) -> Derived:
    real = REALS[precision(asked.dtype)]
    asked.check_words()
    given = types_of(asked.types)
    check_implementations(asked.implementations)
    loaded = (scopes := in_force(asked.rules, caller)).rules
    ruleset = loaded.switched(switches(asked.groups, loaded.groups))
    ruleset = with_costs(ruleset, asked.costs, real, asked.device)
    scopes = replace(scopes, rules=ruleset)
    names = names_of("wrt", asked.wrt)

    def made(types: Mapping[str, Any]) -> Derived:
        report = rewrite.Report(
            name="", mode=asked.mode, math=asked.math, dtype=real.value, costs=ruleset.prices
        )
        about = dict(types=types, implementations=asked.implementations)
        with report.phase("read"):
            by = () if asked.mode == "primal" else names
            whole = _read(f, real, scopes, asked.params, **about, asked=by)
        check_types(types, whole.name, [param.name for param in whole.params])
        found = _derived(f, whole, asked, names, real, ruleset, report)
        found.report.note_idle(added(loaded), ruleset.rewrites, MATH_TAGS[asked.math])
        return found

    def large(types: Mapping[str, Any]) -> Derived:
        with large_programs():
            return made(types)

    try:
        return large(given)
    except reader.OpenParameters as missing:
        check_named(missing, given, names)
        return cast(Derived, Family(missing, real, lambda found: large({**given, **found})))


def _derived(
    f: Any,
    whole: Program,
    asked: Request,
    wrt: Sequence[str] | None,
    real: Scalar,
    ruleset: RuleSet,
    report: rewrite.Report,
) -> Derived:
    """The derived object of a program that has been read."""
    from .caching import remembered

    mode, device = asked.mode, asked.device
    primal = reader.select_wrt(whole, wrt)
    if mode not in ("bwd", "value_and_grad"):
        primal = without_arrays(primal)
    report.name = primal.name
    derived = mode != "primal" or isinstance(f, Derived)
    options = rewrite.Options(math=asked.math, effort=rewrite.Effort(asked.optimize))

    def work() -> tuple[Program, Program, rewrite.Report]:
        call = mode, ruleset, real, options, report, derived
        return *rewrite.differentiate(primal, *call), report

    parts = (primal, mode, real, ruleset, options, derived)
    derivative, best, told = remembered(parts, work, asked.cache)
    free = tuple(p.name for p in whole.params if p.diff)
    how = mode, asked.math, report.dtype
    return Derived(*how, primal, derivative, best, ruleset, told, free, device, asked.check)


def _read(f: Any, real: Scalar, scopes: Scopes, params: Any, **types: Any) -> Program:
    if isinstance(f, Family):
        raise DeriveError(
            "what is derived depends on the types of the arguments",
            hint="derive(g.of(…)) derives it for arguments of these types",
        )
    if isinstance(getattr(f, "__self__", None), Derived | Family):
        raise DeriveError(
            "a method of a derived object is no function to be derived",
            hint="derive the object itself: derive(d), not derive(d.reference)",
        )
    if isinstance(f, Derived) and params is None:
        said = {word: types[word] for word in ("types", "implementations")}
        only_for_functions("a derived object", **said)
        return f.differentiable()
    return read_function(f, real, scopes, params, **types)


@dataclass(frozen=True, eq=False)
class Derived:
    """A derived function: call it, print it, export it, derive it again.

    `source` is the OpenCL C text; `explain()` says what was derived and what it cost.
    Equal derivations are equal objects; derived objects can be pickled.
    """

    mode: str
    math: str
    dtype: str
    primal: Program = field(repr=False)
    derivative: Program = field(repr=False)
    program: Program = field(repr=False)
    rules: RuleSet = field(repr=False)
    report: rewrite.Report = field(repr=False)
    free: tuple[str, ...] = field(default=(), repr=False)
    device: Any = field(default=None, repr=False)
    check: bool = False

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Evaluate on the device: Python numbers, lists, NumPy or pyopencl arrays, broadcast.

        What has a default in the function may be left out. The gradient of a broadcast argument is
        summed back to its shape. Without any device the NumPy reference runs, with a warning.
        """
        from .codegen.devices import device as devices

        bound = arrange(self._convention, args, kwargs)
        try:
            target = devices.of_queue(bound.queue) if bound.queue else None
            target = target or devices.choose(self.device, **self._needs)
        except DeviceError as error:
            if self._device_is_asked_for:
                raise
            warnings.warn(f"the NumPy reference runs: {error}", EgadWarning, stacklevel=2)
            return self._reference(bound)
        from .codegen.devices.run import launch
        from .codegen.host.arrays import spread
        from .codegen.host.results import on_queue

        if self.check:
            self._watch(bound)
        bound = spread(bound, varying(self.program.params, bound.uniform_names, self._hazards))
        outputs = launch(self.kernel(bound.uniform_names), bound.inputs, bound.size, target)
        return collect(self._convention, bound, on_queue(bound, outputs))

    def reference(self, /, *args: Any, **kwargs: Any) -> Any:
        """Evaluate with NumPy, operator by operator, in the same precision.

        Raises DeviceError where a loop goes on beyond max_iters, or an index is out of range.
        """
        return self._reference(arrange(self._convention, args, kwargs))

    def _reference(self, bound: Any) -> Any:
        from .codegen.host.reference import evaluate_packed

        self._watch(bound)
        outputs = evaluate_packed(self.program, self.rules, bound.inputs, bound.size)
        return collect(self._convention, bound, outputs)

    def _watch(self, bound: Any) -> None:
        if self._checks is not None:
            from .codegen.host.watching import watch

            watch(self._checks, self.rules, bound.inputs, bound.size)

    def kernel(self, uniform: Collection[str] | str = ()) -> Any:
        """The emitted kernel in which the parameters `uniform` are one value for all items."""
        alike = frozenset(names_of("uniform", uniform) or ())
        if alike not in self._kernels:
            # Kernels for other uniform parameters, and a copy's, are no part of the derivation.
            with self.report.phase("emit", once=True):
                self._kernels[alike] = self._emitted(alike, roll=True)
        return self._kernels[alike]

    def _emitted(self, uniform: frozenset[str], *, roll: bool, order: str = "depth") -> Any:
        from .codegen.kernel.opencl import emit

        about = described(self.mode, self.primal, self.math)
        write = partial(emit, self.program, self.rules, name=self.program.name, math=self.math)
        with large_programs():
            return write(uniform=uniform, about=about, roll=roll, order=order)

    @cached_property
    def _needs(self) -> dict[str, bool]:
        """The precisions, beside single, in which the kernel computes."""
        used = {term.type for term in (*self.program.leaves(), *self.program.terms())}
        return {"fp64": Scalar.F64 in used, "fp16": Scalar.F16 in used}

    @cached_property
    def _convention(self) -> Convention:
        return convention(self.mode, self.primal, self.program, self.rules)

    @cached_property
    def _hazards(self) -> Hazards:
        return hazards(self.program, self.rules)

    @cached_property
    def _checks(self) -> Program | None:
        from .codegen.host.watching import checks_of

        found = checks_of(self.primal)
        return found and rewrite.without_requests(without_arrays(found), self.rules)

    @cached_property
    def _kernels(self) -> dict[frozenset[str], Any]:
        return {}

    @property
    def sparsity(self) -> Any:
        """Which entries of a Jacobian or Hessian can be other than 0, in the form of a result."""
        return sparsity(self._convention)

    @property
    def source(self) -> str:
        """The OpenCL C text: a device function, and the kernel that maps it over arrays."""
        return str(self.kernel().text)

    def __str__(self) -> str:
        return self.source

    def export(self, path: str | Path, *, order: str = "depth") -> Path:
        """Write the OpenCL C text to a file; returns its path.

        `order` "breadth": what is independent stands side by side; "registers": few values live.
        """
        return save(path, str(self._emitted(frozenset(), roll=True, order=order).text))

    @property
    def runs_on(self) -> str:
        """The device that calls run on, or `NumPy` where there is none."""
        from .codegen.devices import device as devices

        try:
            return str(devices.choose(self.device, **self._needs).info.label)
        except DeviceError:
            if self._device_is_asked_for:
                raise
            return "NumPy"

    @property
    def _device_is_asked_for(self) -> bool:
        from .codegen.devices import device as devices

        return self.device is not None or bool(os.environ.get(devices.VARIABLE))

    def differentiable(self) -> Program:
        """The derivative as a program of its own: `wrt` of this derivation does not bind it."""
        params = (replace(p, diff=p.diff or p.name in self.free) for p in self.derivative.params)
        return replace(self.derivative, params=tuple(params), watch=self.primal.watch)

    def explain(self, *, rules: bool = False, html: str | Path | None = None) -> str:
        """What was derived, the cost before and after, the bound, and which rules saved what.

        With `rules`, the derivation of every statement and of what nearly took part follows; with
        `html`, a page with both is written.
        """
        from .explaining.saved import saved

        self.kernel()
        shared = partial(saved, self.report, self.rules, lambda: self._proven[1])
        text = self.report.text(shared(anyway=rules or html is not None))
        if html is not None:
            from .explaining.page import page

            save(html, page(self.account))
        from .explaining.text import text_of

        return f"{text}\n\n{text_of(self.account)}" if rules else text

    @cached_property
    def account(self) -> Account:
        """Every line of the kernel (without loops of repeats) with its derivation, as values."""
        from .explaining.account import account

        return account(*self._proven)

    @cached_property
    def _proven(self) -> tuple[Subject, list[Proven]]:
        from .explaining.account import Subject, proven

        kernel = self._emitted(frozenset(), roll=False)
        about = self.primal, self.derivative, self.program, self.rules, self.report, kernel
        return (subject := Subject(self.mode, *about)), proven(subject)

    def _identity(self) -> tuple[Any, ...]:
        return self.mode, self.math, self.dtype, self.rules.prices, self.program.params, self.source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derived) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.mode, self.math, self.dtype, self.rules.prices, self.source))

    def __reduce__(self) -> tuple[Any, ...]:
        if type(self.device).__module__.partition(".")[0] == "pyopencl":
            raise DeviceError(
                "a derived object that runs on a device of pyopencl cannot be pickled",
                hint="name the device: device='gpu', or a part of its name",
            )
        return Derived, tuple([getattr(self, part.name) for part in fields(self)])
