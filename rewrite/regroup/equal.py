"""Whether two terms are one polynomial: a check that asks nothing of what regrouped them.

Takes two terms, looks at sums, differences, products and signs only, and takes all else for
unknowns. Polynomials that agree at a few points which no formula relates are the same.
"""

from __future__ import annotations

from fractions import Fraction

from ...terms.term import CONST, Term, const_value, toposort
from ...terms.types import Scalar

_POINTS = 3
_SQRT2, _GOLDEN = 0.41421356237309515, 0.6180339887498949
#: What rounding of folded constants may change, relative to the sum of all absolute values.
_ROUNDED = {Scalar.F16: 2e-2, Scalar.F32: 1e-5}
_PRECISE = 1e-12


def same_polynomial(a: Term, b: Term) -> bool:
    """Whether two terms are equal as polynomials, up to the rounding of their constants.

    >>> from ...terms.term import var
    >>> x, y, z = [var(name, Scalar.F64) for name in "xyz"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> same_polynomial(op("mul", x, op("sub", y, z)), op("sub", op("mul", y, x), op("mul", x, z)))
    True
    >>> same_polynomial(op("mul", x, y), op("mul", x, z))
    False
    """
    terms = toposort([a, b])
    allowed = _ROUNDED.get(a.type, _PRECISE)
    for point in range(_POINTS):
        values: dict[Term, tuple[Fraction, Fraction]] = {}
        for i, term in enumerate(terms):
            values[term] = _value(term, i, point, values)
        (x, size), (y, other) = values[a], values[b]
        if abs(x - y) > allowed * max(size, other):
            return False
    return True


def _value(
    term: Term, number: int, point: int, values: dict[Term, tuple[Fraction, Fraction]]
) -> tuple[Fraction, Fraction]:
    """The value of a term, and what it would be without any cancellation."""
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
    if term.op == CONST and term.type.is_real:
        constant = Fraction(float(const_value(term)))
    else:
        constant = Fraction(
            0.5 + (_GOLDEN * (number + 1) + _SQRT2 * (point + 1) * (number + 3)) % 1
        )
    return constant, abs(constant)
