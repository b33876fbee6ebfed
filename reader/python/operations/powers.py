"""Powers of integers whose exponent is known only when the kernel runs.

    (-1) ** k, 2 ** k, n ** k    are integers where k is never negative and the power has 32 bits

In Python a power of integers is an integer unless the exponent is negative. What is not known
to be one here stays a real, which holds larger numbers, and fractions, too. Takes a base and an
exponent with what is known of their ranges, gives the power.
"""

from __future__ import annotations

from ....rules.intervals import interval
from ....terms.apply import apply
from ....terms.bits import LARGEST, where
from ....terms.errors import Span
from ....terms.operators import bitwise
from ....terms.term import CONST, const
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ..values.scope import Session

_BITS = 5  # of an exponent: all larger powers of 2 have more than 32 bits


def whole_power(session: Session, base: Value, exponent: Value, at: Span | None) -> Value | None:
    """`base ** exponent` as an integer; None where it may be none of 32 bits."""
    if base.type is not Scalar.I32 or exponent.type is not Scalar.I32:
        return None
    least, most = interval(exponent.term, session.ranges)
    size = max(map(abs, interval(base.term, session.ranges)))
    if exponent.term.op == CONST or least < 0 or not _fits(size, most):
        return None
    rules, real = session.rules, session.real

    def bit(k: int) -> Value:
        place = scalar(const(1 << k, Scalar.I32))
        part = bitwise(rules, "bit_and", [exponent, place], real, at)
        return apply(rules, "ne", [part, scalar(const(0, Scalar.I32))], real, at)

    one = const(1, Scalar.I32)
    if size <= 1:  # also of larger exponents only whether they are 0, and odd
        square = apply(rules, "mul", [base, base], real, at).term
        some = apply(rules, "ne", [exponent, scalar(const(0, Scalar.I32))], real, at).term
        return scalar(where(bit(0).term, base.term, where(some, square, one)))
    result, square_ = one, base
    for k in range(int(most).bit_length()):
        product = apply(rules, "mul", [scalar(result), square_], real, at).term
        result = where(bit(k).term, product, result)
        square_ = apply(rules, "mul", [square_, square_], real, at)
    return scalar(result)


def _fits(size: float, most: float) -> bool:
    """Whether all powers of so large a number up to an exponent have 32 bits."""
    return size <= 1 or (
        size <= LARGEST and most < 1 << _BITS and int(size) ** int(most) <= LARGEST
    )
