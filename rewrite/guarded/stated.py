"""What a condition says of values: of what it compares with a number, and of what that is made of.

sqrt(s) > 1e-8    says that s > 0, too
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from ...terms.conditions import EXCHANGED, Assumption
from ...terms.term import CONST, Term, const_value
from ...terms.types import Scalar
from .numbers import ANY, IMAGES, NONNEGATIVE, Numbers, among, only, square, union, where

_NEGATIVE, _ROOT, _QUOTIENT = IMAGES["neg"], IMAGES["sqrt"], IMAGES["div"]


def stated(fact: Assumption) -> Iterator[tuple[Term, Numbers]]:
    """Values, and the numbers that they can be where a condition has this outcome."""
    said = _with_number(fact)
    while said is not None and said[1] != ANY:
        yield said
        said = _argument(*said)


def _with_number(fact: Assumption) -> tuple[Term, Numbers] | None:
    """What a comparison with a constant compares, and the numbers that it is."""
    condition, holds = fact
    if condition.op not in EXCHANGED:
        return None
    op, (left, right) = condition.op, condition.args
    if left.op == CONST:
        op, left, right = EXCHANGED[op], right, left
    if left.op == CONST or right.op != CONST or left.type is Scalar.BOOL:
        return None
    return left, where(op, const_value(right), holds, left.type)


def _argument(term: Term, numbers: Numbers) -> tuple[Term, Numbers] | None:
    """The argument of a value that is computed of one, and what that is where the value is one of
    these numbers."""
    kind, args = term.type, [a for a in term.args if a.op != CONST]
    if not isinstance(kind, Scalar) or not kind.is_real or not args:
        return None
    nonzero = ANY if numbers.has(0) else where("ne", 0, True, kind)
    match term.op:
        case "neg":
            return args[0], _NEGATIVE(kind, [numbers])
        case "abs":
            return args[0], _either_sign(numbers & NONNEGATIVE, kind, nan=numbers.nan)
        case "sqrt" if not numbers.nan:
            return args[0], square(kind, numbers & NONNEGATIVE) & NONNEGATIVE & nonzero
        case "mul" if term.args[0] is term.args[1]:
            size = _ROOT(kind, [_rounded_to(numbers & NONNEGATIVE, kind)])
            return args[0], _either_sign(size, kind, nan=numbers.nan) & nonzero
        case "mul" if len(args) == 1:
            factor = const_value(next(a for a in term.args if a.op == CONST))
            if factor and abs(factor) < inf:
                numbers = _rounded_to(numbers, kind)
                return args[0], _QUOTIENT(kind, [numbers, only(factor)]) & nonzero
    return None


def _either_sign(size: Numbers, kind: Scalar, *, nan: bool) -> Numbers:
    both = union([size, _NEGATIVE(kind, [size])])
    return Numbers(both.parts, nan)


def _rounded_to(numbers: Numbers, kind: Scalar) -> Numbers:
    """What may have become these numbers: too large for the type it is infinite, and what is too
    small loses digits, or is 0."""
    limits = np.finfo(np.dtype(kind.value))
    tiny, most = float(limits.tiny), float(limits.max)
    wide = [
        (
            min(low, most) if low >= tiny else 0.0 if low > 0 else min(low, -tiny),
            max(high, -most) if high <= -tiny else 0.0 if high < 0 else max(high, tiny),
        )
        for low, high in numbers.parts
    ]
    return among(wide, nan=numbers.nan)
