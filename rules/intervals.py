"""What integers can be: the smallest and the largest value of a term.

Takes terms and the ranges of some variables; knows what the operators on integers mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from ..terms.loop import LOAD, TABLE
from ..terms.term import CAST, CONST, Term, toposort
from ..terms.types import Scalar

Range = tuple[int, int | None]  # the smallest and the largest value, where it is known
Interval = tuple[float, float]


def interval(term: Term, ranges: Mapping[Term, Range]) -> Interval:
    """The smallest and the largest value of an integer, given the ranges of some variables."""
    bounds: dict[Term, Interval] = {}
    for t in toposort([term]):
        bounds[t] = of_operation(t, [bounds[a] for a in t.args], ranges)
    return bounds[term]


def of_operation(term: Term, args: Sequence[Interval], ranges: Mapping[Term, Range]) -> Interval:
    """The same of one operation, given the intervals of its arguments."""
    if term.op == CONST and term.type is Scalar.I32:
        return term.attr, term.attr
    if term.op == LOAD and term.args[0].op == TABLE and term.type is Scalar.I32:
        return min(term.args[0].attr), max(term.args[0].attr)
    if term in ranges:
        low, high = ranges[term]
        return low, inf if high is None else high
    match term.op, args:
        case "min", [(a, b), (c, d)]:
            return min(a, c), min(b, d)
        case "max", [(a, b), (c, d)]:
            return max(a, c), max(b, d)
        case "select", [_, (a, b), (c, d)]:
            return min(a, c), max(b, d)
        case "clamp" | "min_max", [_, (a, _), (_, d)]:
            return a, d
        case "fmod", [(a, _), (c, d)] if c == d and c > 0 and term.type is Scalar.I32:
            return 0 if a >= 0 else 1 - c, c - 1
        case "bit_and", [(a, b), (c, d)] if a >= 0 or c >= 0:
            return 0, min(high for low, high in ((a, b), (c, d)) if low >= 0)
    if term.op == CAST and term.type is Scalar.I32 and term.args[0].type is Scalar.BOOL:
        return 0, 1
    if term.type is Scalar.I32 and all(-inf < v < inf for pair in args for v in pair):
        match term.op, args:
            case "add", [(a, b), (c, d)]:
                return a + c, b + d
            case "sub", [(a, b), (c, d)]:
                return a - d, b - c
            case "mul", [(a, b), (c, d)]:
                ends = (a * c, a * d, b * c, b * d)
                return min(ends), max(ends)
            case "neg", [(a, b)]:
                return -b, -a
            case "quotient", [(a, b), (c, d)] if c == d and c > 0:
                return int(a / c), int(b / c)
    return -inf, inf
