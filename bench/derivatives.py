"""Takes a workload, gives its derivative by egad, with results in the workload's order."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import egad
from egad import reader, rewrite
from egad import rules as rule_files
from egad.api import REALS
from egad.codegen.devices.device import Device
from egad.rewrite.pipeline.optimize import plain_program
from egad.rules.costs import priced, shipped_tables, table_named
from egad.terms.program import Program
from egad.terms.rule import MATH_TAGS, RuleSet

from .workloads import Workload

MODES = {"grad": "jacobian", "jac": "jacobian", "vjp": "bwd"}
MATH = "safe"


def derive(workload: Workload, dtype: str, optimize: str, costs: str | None = None) -> egad.Derived:
    """The derivative that the workload asks for, optimized and emitted."""
    if workload.kind == "gradhess":
        derived = _gradient_and_hessian(workload, dtype, optimize, costs)
    else:
        derived = egad.derive(
            egad.traced(_flat(workload), _params(workload)),
            MODES[workload.kind],
            wrt=_wrt(workload),
            math=MATH,
            dtype=dtype,
            optimize=optimize,
            costs=costs,
            cache=False,
        )
    derived.kernel()
    return derived


def _flat(workload: Workload) -> Callable[..., Any]:
    """The function over separate scalars; egad itself is the namespace of mathematics."""

    def function(*args: Any) -> list[Any]:
        return workload.function(egad, args[: workload.n_p], args[workload.n_p :])

    function.__name__ = workload.name
    return function


def _wrt(workload: Workload) -> list[str]:
    return [f"p{i}" for i in range(workload.n_p)]


def _params(workload: Workload) -> list[tuple[str, str]]:
    names = [*_wrt(workload), *(f"c{i}" for i in range(workload.n_c))]
    return [(name, "float") for name in names]


def costs_of(device: Device) -> str | None:
    """The name of the table of costs that comes with egad for a device."""
    label = device.info.label
    return next((name for name in shipped_tables() if table_named(name).device == label), None)


def _gradient_and_hessian(
    workload: Workload, dtype: str, optimize: str, costs: str | None
) -> egad.Derived:
    """Two derivatives as one program, so that they share all they can."""
    rules = rule_files.load()
    if costs is not None:
        rules = priced(rules, table_named(costs))
    found = optimized(workload, dtype, rules, rewrite.Options(MATH, rewrite.Effort(optimize)))
    programs = found.primal, found.derivative, found.best
    return egad.Derived("primal", MATH, dtype, *programs, rules, found.report)


@dataclass(frozen=True)
class Optimized:
    """A workload's programs: the function, its derivative, that by plain rules, the cheapest."""

    primal: Program
    derivative: Program
    plain: Program
    best: Program
    report: rewrite.Report


def optimized(
    workload: Workload, dtype: str, rules: RuleSet, options: rewrite.Options
) -> Optimized:
    """What the stages of egad make of a workload, by these rules, one after another."""
    report = rewrite.Report(workload.name, workload.kind, options.math, dtype)
    primal, whole = _built(workload, dtype, rules, options, report)
    solved: list[rewrite.Solved] = []
    best = rewrite.optimize(whole, rules, REALS[dtype], options, report, True, solved)
    return Optimized(primal, whole, solved[-1].plain, best, report)


def plain(workload: Workload, dtype: str, rules: RuleSet) -> Program:
    """The derivative by plain rules: what a search would begin with."""
    options = rewrite.Options(MATH, rewrite.Effort.FAST)
    report = rewrite.Report(workload.name, workload.kind, MATH, dtype)
    _, whole = _built(workload, dtype, rules, options, report)
    return plain_of(whole, dtype, rules)


def plain_of(derivative: Program, dtype: str, rules: RuleSet) -> Program:
    """A derivative as it was built, by plain rules."""
    return plain_program(derivative, rules, REALS[dtype], derived=True)


def _built(
    workload: Workload, dtype: str, rules: RuleSet, options: rewrite.Options, report: rewrite.Report
) -> tuple[Program, Program]:
    """The function, and its derivative as it is built."""
    real = REALS[dtype]
    began = time.perf_counter()
    primal = reader.trace(
        _flat(workload), real=real, rules=rules, wrt=_wrt(workload), params=_params(workload)
    )
    report.seconds["read"] = time.perf_counter() - began
    began = time.perf_counter()
    tags = MATH_TAGS[options.math]
    form = rewrite.substitute_primals(primal, rules, tags, report.substitutes)
    whole = None
    for mode in ("jacobian", "hessian") if workload.kind == "gradhess" else (MODES[workload.kind],):
        one, _ = rewrite.derivative_of(form, mode, rules, real, options, report)
        whole = one if whole is None else _beside(whole, one)
    assert whole is not None
    report.terms["primal"], report.terms["derived"] = len(primal.terms()), len(whole.terms())
    report.seconds["derive"] = time.perf_counter() - began
    return primal, whole


def _beside(one: Program, other: Program) -> Program:
    """Two programs of the same parameters as one."""
    results, roots = (*one.results, *other.results), (*one.roots, *other.roots)
    return replace(one, results=results, roots=roots)
