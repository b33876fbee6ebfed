"""How often loops run, as a number that none of them has to count."""

from __future__ import annotations

from .apply import apply
from .loop import trips_run
from .rule import RuleSet
from .term import CONST, Term, const, is_const
from .types import Scalar
from .value import scalar


def ran(loop: Term, rules: RuleSet) -> Term:
    """How often the body of a loop ran; counted only where a condition may have ended it."""
    run, limit = trips_run(loop), loop.attr.limit
    if run.op == CONST or not is_const(loop.attr.go, True):
        return run
    run = _integer(rules, "max", loop.args[0], 0)
    return run if limit is None else _integer(rules, "min", run, limit)


def _integer(rules: RuleSet, op: str, a: Term, b: int) -> Term:
    return apply(rules, op, [scalar(a), scalar(const(b, Scalar.I32))], Scalar.F32).term
