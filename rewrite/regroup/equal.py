"""Whether two terms are one function: a check that asks nothing of what regrouped or scaled them.

Takes two terms, looks at sums, products, quotients, signs, choices and square roots only, and takes
all else for unknowns. Functions that agree at a few points which no formula relates are the same.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, isqrt

from ...terms.term import CONST, Term, const_value, toposort
from ...terms.types import Scalar

_POINTS, _MOST = 3, 12  # those that have to agree, and those that are tried
_SQRT2, _GOLDEN = 0.41421356237309515, 0.6180339887498949
#: What rounding of folded constants may change, relative to the sum of all absolute values.
_ROUNDED = {Scalar.F16: 2e-2, Scalar.F32: 1e-5}
_PRECISE = 1e-12
_ROOTS = ("sqrt", "rsqrt")
_ROOT_BITS = 400  # of a square root

#: The value of a term, and what it would be without any cancellation.
_Value = tuple[Fraction, Fraction]


def same_function(a: Term, b: Term) -> bool:
    """Whether two terms are equal as functions of all unknowns, up to the rounding of constants.

    >>> from ...terms.term import const, var
    >>> x, y, z = [var(name, Scalar.F64) for name in "xyz"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> same_function(op("mul", x, op("sub", y, z)), op("sub", op("mul", y, x), op("mul", x, z)))
    True
    >>> same_function(op("div", op("mul", x, y), z), op("div", x, op("div", z, y)))
    True
    >>> same_function(op("mul", x, y), op("mul", x, z))
    False
    >>> two, four = const(2.0, Scalar.F64), const(4.0, Scalar.F64)
    >>> same_function(op("sqrt", op("mul", four, x)), op("mul", two, op("sqrt", x)))
    True

    Where there is no root, the difference of two functions says nothing:

    >>> below = op("sub", x, y)
    >>> same_function(op("mul", below, op("rsqrt", below)), op("sqrt", below))
    True
    """
    terms = toposort([a, b])
    allowed, agreed = _ROUNDED.get(a.type, _PRECISE), 0
    for point in range(_MOST):
        values: dict[Term, _Value] = {}
        for i, term in enumerate(terms):
            values[term] = _value(term, i, point, values)
        (x, size), (y, other) = values[a], values[b]
        if abs(x - y) <= allowed * max(size, other):
            agreed += 1
        elif not any(t.op in _ROOTS and values[t.args[0]][0] < 0 for t in terms):
            return False
        if agreed == _POINTS:
            break
    return agreed > 0


def _value(term: Term, number: int, point: int, values: dict[Term, _Value]) -> _Value:
    args = [values[a] for a in term.args]
    match term.op:
        case "add":
            return args[0][0] + args[1][0], args[0][1] + args[1][1]
        case "sub":
            return args[0][0] - args[1][0], args[0][1] + args[1][1]
        case "mul":
            return args[0][0] * args[1][0], args[0][1] * args[1][1]
        case "neg":
            return -args[0][0], args[0][1]
        case "abs":
            return abs(args[0][0]), args[0][1]
        case "min" | "max":
            return (min if term.op == "min" else max)(args, key=lambda value: value[0])
        case "select":
            return args[1] if args[0][0] > 1 else args[2]
        case "div" | "rcp" if args[-1][0] != 0:
            below, size = args[-1]
            above, other = args[0] if term.op == "div" else (Fraction(1), Fraction(1))
            return above / below, other * size / below**2
        case "sqrt" | "rsqrt" if args[0][0] != 0:
            root = _root(abs(args[0][0])) * (1 if args[0][0] > 0 else 3)  # none where there is none
            value = root if term.op == "sqrt" else 1 / root
            return value, abs(value) * args[0][1] / abs(args[0][0])
        case "hypot":
            return _root(args[0][0] ** 2 + args[1][0] ** 2), args[0][1] + args[1][1]
    if term.op == CONST and term.type.is_real and isfinite(const_value(term)):
        constant = Fraction(float(const_value(term)))
    else:
        constant = Fraction(
            0.5 + (_GOLDEN * (number + 1) + _SQRT2 * (point + 1) * (number + 3)) % 1
        )
    return constant, abs(constant)


def _root(value: Fraction) -> Fraction:
    """The square root of a positive number, to very many digits: sqrt(4*x) is 2*sqrt(x) in all."""
    above, below = value.numerator, value.denominator
    shift = max(0, _ROOT_BITS - above.bit_length() + below.bit_length()) // 2
    return Fraction(isqrt((above << 2 * shift) // below), 1 << shift)
