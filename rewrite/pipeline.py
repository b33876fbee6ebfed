"""All stages of a derivation in order: substitutes, derivative, algebra, the cheapest program.

Takes a program that was read, gives the program of its derivative as it was built and as it is to
be computed; the report is filled in.
"""

from __future__ import annotations

import time

from ..terms.program import Program, without_arrays
from ..terms.rule import MATH_TAGS, RuleSet
from ..terms.types import Scalar
from .derive import derive
from .optimize import optimize
from .report import Report
from .search import Options
from .substitutes import substitute_primals


def differentiate(
    primal: Program,
    mode: str,
    rules: RuleSet,
    real: Scalar,
    options: Options,
    report: Report,
    derived: bool,
) -> tuple[Program, Program]:
    """The derivative, and the cheapest program found that equals it.

    `derived` says that definitions made for derivatives stand in, also in mode "primal".
    """
    began = time.perf_counter()
    form, tags = primal, MATH_TAGS[options.math]
    if mode != "primal":
        form = substitute_primals(primal, rules, tags, report.substitutes)
    derivative = derive(form, mode, rules, real, report.derivative_rules, report.substitutes)
    derivative = without_arrays(derivative)
    report.terms["primal"] = len(primal.terms())
    report.terms["derived"] = len(derivative.terms())
    report.seconds["derive"] = time.perf_counter() - began
    return derivative, optimize(derivative, rules, real, options, report, derived)
