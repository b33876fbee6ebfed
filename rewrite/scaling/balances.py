"""Which exponents of values go together: one condition for each operator that scaling can save.

A value v of a program may be computed as v * 2**k(v). Sums want their summands at their own
exponent, products one that is the sum of their factors'; where that does not hold, somebody pays
for a product by a power of two. What is no operator here, is computed as it is: k = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import frexp, isfinite

from ...terms.term import CONST, Term, const_value, toposort
from ...terms.types import Scalar

#: How far up or down: further lie overflow and underflow.
FURTHEST = 3
#: Operators that have the exponent of these arguments.
_ALONG: Mapping[str, tuple[int, ...]] = {
    "add": (0, 1),
    "sub": (0, 1),
    "min": (0, 1),
    "max": (0, 1),
    "neg": (0,),
    "abs": (0,),
    "select": (1, 2),
}
#: Operators that have a multiple of the exponent of their argument; it has this one of theirs.
POWERS: Mapping[str, int] = {"sqrt": 2, "rsqrt": -2}
_FACTORS = ("mul", "div", "rcp")
_KINDS = (Scalar.F32, Scalar.F64)  # half precision has no room
_LARGEST = 1e30  # constants that are scaled stay far from where numbers end

Exponents = Mapping[Term, int]


@dataclass(frozen=True, slots=True)
class Balance:
    """sum of factor * k(value) = shift: the exponent that a reader wants is the one there is."""

    parts: tuple[tuple[Term, int], ...]
    shift: int = 0

    def missed_by(self, exponents: Exponents) -> int:
        """By how many powers of two it does not hold."""
        return sum([f * exponents.get(v, 0) for v, f in self.parts]) - self.shift


#: Conditions about one value: who wants the same multiple of it, shares that.
Group = tuple[Balance, ...]


def paid(group: Group, exponents: Exponents) -> int:
    """How many products by powers of two a value needs."""
    return len({balance.missed_by(exponents) for balance in group} - {0})


def is_scaled(term: Term) -> bool:
    """Whether a value may have an exponent."""
    return (
        (term.op in _ALONG or term.op in _FACTORS or term.op in POWERS)
        and term.type in _KINDS
        and all(arg.type in (term.type, Scalar.BOOL) for arg in term.args)
    )


def is_free(term: Term) -> bool:
    """Whether a value is there at any exponent: a constant of ordinary size."""
    if term.op != CONST or term.type not in _KINDS:
        return False
    size = abs(float(const_value(term)))
    return size == 0 or 1 / _LARGEST <= size <= _LARGEST


def along(term: Term) -> tuple[Term, ...]:
    """The arguments that a value takes its exponent from."""
    return tuple([term.args[i] for i in _ALONG.get(term.op, ())])


def multiple(term: Term) -> tuple[float, Term] | None:
    """A constant, and what the term is that multiple of; None where it is no multiple."""
    if term.op == "add" and term.args[0] is term.args[1]:
        return 2.0, term.args[0]
    if term.op == "mul":
        for factor, other in (term.args, term.args[::-1]):
            if is_free(factor) and not is_free(other):
                return float(const_value(factor)), other
    return None


def power_of_two(number: float) -> int | None:
    """The exponent of a power of two; None for another number: of -2 the sign would be left.

    >>> power_of_two(0.5), power_of_two(3.0), power_of_two(-2.0)
    (-1, None, None)
    """
    mantissa, exponent = frexp(number)
    return exponent - 1 if isfinite(number) and mantissa == 0.5 else None


def groups(flat: Sequence[Term]) -> list[Group]:
    """All conditions of a program; none where it has no product by a power of two."""
    reads: dict[Term, dict[Balance, None]] = {}
    found: list[Group] = []
    saves = False
    for term in toposort(flat):
        if not is_scaled(term):
            for arg in term.args:
                if is_scaled(arg):
                    reads.setdefault(arg, {})[Balance(((arg, -1),))] = None
            continue
        own = [(balance,) for balance in _own(term)]
        found += own
        saves |= bool(own) and multiple(term) is not None
        for arg in along(term) if multiple(term) is None else ():
            if not is_free(arg):
                parts = ((term, 1), (arg, -1)) if is_scaled(arg) else ((term, 1),)
                reads.setdefault(arg, {})[Balance(parts)] = None
    for root in flat:
        if is_scaled(root):
            reads.setdefault(root, {})[Balance(((root, -1),))] = None
    return [*found, *(tuple(each) for each in reads.values())] if saves else []


def _own(term: Term) -> Iterator[Balance]:
    """What an operator wants that multiplies, divides or takes roots."""
    times = multiple(term)
    if times is not None:
        power = power_of_two(times[0])
        if power is not None:
            yield _balance([(times[1], 1), (term, -1)], power)
    elif term.op in POWERS:
        yield _balance([(term.args[0], 1), (term, -POWERS[term.op])])
    elif term.op in ("mul", "div") and not any(map(is_free, term.args)):
        a, b = term.args
        yield _balance([(term, 1), (a, -1), (b, -1 if term.op == "mul" else 1)])


def balanced(parts: Sequence[tuple[Term, int]], shift: int = 0) -> Balance:
    """A condition about some values; of one that comes twice, once."""
    factors: dict[Term, int] = {}
    for value, factor in parts:
        factors[value] = factors.get(value, 0) + factor
    return Balance(tuple((v, f) for v, f in factors.items() if f), shift)


def _balance(parts: Sequence[tuple[Term, int]], shift: int = 0) -> Balance:
    """A condition about the values that may have exponents."""
    return balanced([(value, factor) for value, factor in parts if is_scaled(value)], shift)
