"""Takes a workload, gives its derivative by egad, with results in the workload's order."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import egad
from egad import reader, rewrite
from egad import rules as rule_files
from egad.api import REALS
from egad.terms.rule import MATH_TAGS

from .workloads import Workload

MODES = {"grad": "jacobian", "jac": "jacobian", "vjp": "bwd"}
MATH = "safe"


def derive(workload: Workload, dtype: str, optimize: str) -> egad.Derived:
    """The derivative that the workload asks for, optimized and emitted."""
    if workload.kind == "gradhess":
        derived = _gradient_and_hessian(workload, dtype, optimize)
    else:
        derived = egad.derive(
            egad.traced(_flat(workload), _params(workload)),
            MODES[workload.kind],
            wrt=_wrt(workload),
            math=MATH,
            dtype=dtype,
            optimize=optimize,
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


def _gradient_and_hessian(workload: Workload, dtype: str, optimize: str) -> egad.Derived:
    """Two derivatives as one program, so that they share all they can."""
    real, rules = REALS[dtype], rule_files.load()
    report = rewrite.Report(workload.name, "gradient and hessian", MATH, dtype)
    began = time.perf_counter()
    primal = reader.trace(
        _flat(workload), real=real, rules=rules, wrt=_wrt(workload), params=_params(workload)
    )
    report.seconds["read"] = time.perf_counter() - began
    began = time.perf_counter()
    form = rewrite.substitute_primals(primal, rules, MATH_TAGS[MATH], report.substitutes)
    fired = report.derivative_rules
    first = rewrite.derive(form, "jacobian", rules, real, fired)
    second = rewrite.derive(form, "hessian", rules, real, fired)
    both = replace(
        first, results=(*first.results, *second.results), roots=(*first.roots, *second.roots)
    )
    report.terms["primal"], report.terms["derived"] = len(primal.terms()), len(both.terms())
    report.seconds["derive"] = time.perf_counter() - began
    options = rewrite.Options(math=MATH, effort=rewrite.Effort(optimize))
    best = rewrite.optimize(both, rules, real, options, report, True)
    return egad.Derived("primal", MATH, dtype, primal, both, best, rules, report)
