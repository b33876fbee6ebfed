"""Sums multiplied out, and written again: polynomials as derivatives leave them in Horner's form.

Takes result terms, gives pairs of equal terms: a sum as the program computes it, and with factors
outside of all summands that have them, those of sums inside of products too:

    c + (b*x + x*(a*x) + x*b)    as    c + x*(2*b + a*x)

Of two sums that are factors of one product only one is multiplied out. And none where that loses
digits: both forms have a bound of their rounding errors, and these are compared for numbers of many
magnitudes, and where what has a constant added is 0 then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeVar

from ...terms.term import CONST, Term, const_value, toposort
from ..fold import has
from ..uses import alone, new_in, uses_of
from .bounds import Bounds
from .summands import Summand, is_given
from .sums import factored

_DEGREE = 16  # of a product
_MOST = 24  # summands
_SUMS = ("add", "sub")
_COUNTED = (*_SUMS, "mul")

#: Numbers of terms, each with how often it is a factor, in order.
_Powers = tuple[tuple[int, int], ...]
K = TypeVar("K")


def multiplied_out(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a sum of the program and an equal one in Horner's form.

    >>> from ...terms.term import const, var
    >>> from ...terms.types import Scalar
    >>> x = var("x", Scalar.F32)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> one, two, three = [const(number, Scalar.F32) for number in (1.0, 2.0, 3.0)]
    >>> inner = op("add", two, op("mul", three, x))
    >>> total = op("add", one, op("add", op("mul", two, x), op("mul", x, inner)))
    >>> [(_, new)] = multiplied_out([total])
    >>> four = const(4.0, Scalar.F32)
    >>> new is op("add", one, op("mul", x, op("add", four, op("mul", three, x))))
    True
    """
    terms = toposort(flat)
    reading = _Reading(terms, uses_of(terms, flat))
    read, bounds = reading.all(), Bounds(terms)
    for term in _outer(terms, flat):
        saved = reading.saved(term)
        new = reading.written(term, read[term]) if read[term].summands_but_one <= saved else None
        if new is None or new is term:
            continue
        if reading.added(new) <= saved and bounds.are_kept(term, new):
            yield term, new


def _outer(terms: Sequence[Term], flat: Sequence[Term]) -> Iterator[Term]:
    """Sums of reals that are more than summands of sums, and products of reals alike."""
    outside = set(flat)
    for term in terms:
        kind = _SUMS if term.op in _SUMS else (term.op,)
        outside.update(arg for arg in term.args if arg.op not in kind)
    return (t for t in terms if t.op in _COUNTED and t.type.is_real and t in outside)


@dataclass(frozen=True, slots=True)
class _Read:
    """A constant times powers, times a sum of such products if there is one inside."""

    constant: float
    powers: _Powers
    inside: Mapping[_Powers, float] | None = None
    sum: Term | None = None  # what has that inside

    @property
    def summands_but_one(self) -> int:
        """No fewer sums are in a form of it."""
        return len(self.inside or ()) - 1

    def summands(self) -> Mapping[_Powers, float]:
        """Multiplied out."""
        if self.inside is None:
            return {self.powers: self.constant}
        return {
            product(self.powers, powers): self.constant * number
            for powers, number in self.inside.items()
        }


class _Reading:
    """All terms of a program, read; a sum that is a factor beside another one is so everywhere."""

    def __init__(self, terms: Sequence[Term], uses: Mapping[Term, int]) -> None:
        self.terms, self.uses = terms, uses
        self.place = {term: i for i, term in enumerate(terms)}
        self.factors: set[Term] = set()

    def all(self) -> dict[Term, _Read]:
        """What each term is."""
        read: dict[Term, _Read] = {}
        for _ in range(2):  # the first time, the factors are found
            for term in self.terms:
                read[term] = self._read(term, [read[arg] for arg in term.args])
        return read

    def written(self, term: Term, read: _Read) -> Term | None:
        """The sum or product in Horner's form; None where it is neither."""
        if read.inside is None or (read.sum is not term and abs(read.constant) == 1.0):
            return None
        result, _ = factored(
            [
                Summand(read.constant * number, tuple((self.terms[i], n) for i, n in powers))
                for powers, number in read.inside.items()
            ],
            self.place,
            term,
            first=self.factors,
        )
        if result is None:
            return None
        for i, n in read.powers:
            for _ in range(n):
                result = Term("mul", (self.terms[i], result), None, term.type)
        return result

    def added(self, new: Term) -> int:
        """How many sums and products of a term the program does not have."""
        return sum(each.op in _COUNTED for each in new_in(new, self.place))

    def saved(self, old: Term) -> int:
        """How many only this term needs."""
        return sum(each.op in _COUNTED for each in alone(old, self.uses, _MOST))

    def _read(self, term: Term, args: Sequence[_Read]) -> _Read:
        """What a term is, from what its operands are."""
        whole = _Read(1.0, ((self.place[term], 1),))
        if not term.type.is_real or term in self.factors:
            return whole
        match term.op:
            case "const" if isfinite(const_value(term)):
                return _Read(float(const_value(term)), ())
            case "neg":
                return replace(args[0], constant=-args[0].constant)
            case "mul":
                found = self._times(*args)
                degree = sum(n for _, n in found.powers)
                usual = found.constant != 0.0 and has(term.type, found.constant)
                return found if usual and degree <= _DEGREE else whole
            case "add" if args[0] is args[1]:
                return replace(args[0], constant=2.0 * args[0].constant)
            case "add" | "sub" if not all(is_given(a) and a.op != CONST for a in term.args):
                added = total(*[a.summands() for a in args], minus=term.op == "sub")
                return _Read(1.0, (), added, term) if 1 < len(added) <= _MOST else whole
        return whole

    def _times(self, one: _Read, other: _Read) -> _Read:
        """A product; of two sums the one that is used more often is a factor as it is."""
        powers = product(one.powers, other.powers)
        within = one if one.sum is not None else other
        if one.sum is not None and other.sum is not None:
            two = (one.sum, other.sum)
            kept = max(two, key=lambda s: (self.uses[s], self.place[s]))
            self.factors.add(kept)
            powers = product(powers, ((self.place[kept], 1),))
            within = one if kept is other.sum else other
        return _Read(one.constant * other.constant, powers, within.inside, within.sum)


def product(one: _Powers, other: _Powers) -> _Powers:
    """What two products have as factors, together."""
    if not one or not other:
        return one or other
    total = dict(one)
    for factor, n in other:
        total[factor] = total.get(factor, 0) + n
    return tuple(sorted(total.items()))


def total(one: Mapping[K, float], other: Mapping[K, float], *, minus: bool) -> dict[K, float]:
    """The sum or difference of two polynomials, without what vanishes."""
    found = dict(one)
    for powers, number in other.items():
        found[powers] = found.get(powers, 0.0) + (-number if minus else number)
    return {powers: number for powers, number in found.items() if number}
