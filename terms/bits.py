"""Operations on 32 bits, as terms over integers with a sign. Takes terms and gives terms."""

from __future__ import annotations

from .term import CONST, SELECT, Term, const, const_value
from .types import Scalar

COUNT = 2**32
LARGEST = 2**31 - 1
_I32 = Scalar.I32


def signed(number: int) -> int:
    """The integer with a sign that has the same low 32 bits.

    >>> signed(2**32 - 1), signed(5)
    (-1, 5)
    """
    return (number + 2**31) % COUNT - 2**31


def divided(a: Term, b: Term, by: int | None) -> tuple[Term, Term]:
    """The quotient and the remainder of bits without a sign; `by` is b where it is known."""
    if by and by & (by - 1) == 0:
        return shifted(a, by.bit_length() - 1), masked(a, by - 1)
    one = const(1, _I32)
    if by and by > LARGEST:
        quotient = where(below(a, b), const(0, _I32), one)
        return quotient, difference(a, product(quotient, b))
    # Half of a has room for a sign; twice its quotient is the quotient of a, or one less.
    half = Term("quotient", (shifted(a, 1), b), None, _I32)
    if by is None:
        positive = Term("gt", (b, const(0, _I32)), None, Scalar.BOOL)
        half = where(positive, half, const(0, _I32))
    twice = moved("shl", half, one)
    rest = difference(a, product(twice, b))
    more = below(rest, b)
    return (
        where(more, twice, Term("add", (twice, one), None, _I32)),
        where(more, rest, difference(rest, b)),
    )


def below(a: Term, b: Term) -> Term:
    """a < b of bits that are read without a sign."""
    return Term("lt", (turned(a), turned(b)), None, Scalar.BOOL)


def turned(a: Term) -> Term:
    """What keeps its order when bits without a sign are read as ones with it."""
    if a.op == CONST:
        return const(int(const_value(a)) ^ -(2**31), _I32)
    return Term("bit_xor", (a, const(-(2**31), _I32)), None, _I32)


def shifted(a: Term, count: int) -> Term:
    """Bits moved to the right by a known count, zeros behind them."""
    if count == 0:
        return a
    if a.op == CONST:
        return const((int(const_value(a)) % COUNT) >> count, _I32)
    return masked(moved("shr", a, const(count, _I32)), COUNT - 1 >> count)


def masked(a: Term, mask: int) -> Term:
    """The bits of a that are set in a mask."""
    return Term("bit_and", (a, const(signed(mask), _I32)), None, _I32)


def moved(name: str, a: Term, count: Term) -> Term:
    """a << count or a >> count: `shl` or `shr`."""
    return Term(name, (a, count), None, _I32)


def difference(a: Term, b: Term) -> Term:
    """a - b in 32 bits."""
    return Term("sub", (a, b), None, _I32)


def product(a: Term, b: Term) -> Term:
    """a * b in 32 bits."""
    return Term("mul", (a, b), None, _I32)


def equal(a: Term, b: Term) -> Term:
    """a == b."""
    return Term("eq", (a, b), None, Scalar.BOOL)


def where(condition: Term, then: Term, other: Term) -> Term:
    """One integer or the other."""
    return Term(SELECT, (condition, then, other), None, _I32)
