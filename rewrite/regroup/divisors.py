"""Divisors: sums multiplied out, and all of them written again with what they have in common.

Takes result terms, gives another form of the program. A Jacobian by rows, by columns or by vertices
is the same polynomials of the same values in other brackets, and which brackets share most is seen
only when all are looked at together:

    s*(c*a + d*b), t*(d*b + c*a) + s*d    as    s*u, t*u + s*d, u = c*a + d*b

How far sums are multiplied out is given: by less other things stay shared, by more all can change.
Or values that are used more than once stay factors of others, as those of the steps before in a
loop that is written out:

    v = 2*u + c*(w - 2*u)    as    v = k*u + c*w, k = 2 - 2*c, with the k of all steps

A sum of two inputs stays as it is, exact where these are near one another, and a sum that would
lose digits is written as it was.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import inf

from ...terms.term import CONST, Term, const, const_value, rebuild, toposort
from ...terms.types import Scalar
from ...terms.walk import postorder
from ..fold import has
from ..scaling import Remade
from ..uses import uses_of
from .bounds import Bounds
from .cubes import Cube, Sum, divide, operators
from .polynomials import total
from .summands import Summand, added, is_given

#: How many products one product is multiplied out to, at most, and whether values that are used
#: more than once are factors.
WAYS = ((8, False), (64, False), (64, True))
_LARGEST = 1_500  # operators of what is multiplied out
_SLACK = 1.5  # so many times as large a bound of rounding errors may be: there are many sums
_DEGREE = 24  # factors of one product
_SUMS = ("add", "sub")

#: Factors in order, by their places among all terms, and the constant of each product.
_Polynomial = Mapping[Cube, float]


def in_common_divisors(flat: Sequence[Term], width: int, whole: bool = False) -> Remade | None:
    """The program with its sums and products divided by what they have in common.

    None where it is too large, or nothing is in common. Where values are `whole`, those that are
    used more than once are not multiplied out.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, s, t = [var(name, Scalar.F64) for name in "abst"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> one = op("add", op("mul", op("mul", s, a), a), op("mul", s, op("mul", b, b)))
    >>> two = op("add", op("mul", op("mul", t, a), a), op("mul", op("mul", t, b), b))
    >>> new = in_common_divisors([one, two], 8)
    >>> [new.terms[term].op for term in (one, two)]
    ['mul', 'mul']
    """
    terms = toposort(flat)
    reading = _Reading(terms, width, _used_often(terms, flat) if whole else ())
    read = {term: reading.read[term] for term in reading.outer(flat)}
    if sum(map(operators, read.values())) > _LARGEST:
        return None  # without constants
    literals = _Literals(terms)
    sums = {term: literals.sum(polynomial, term.type) for term, polynomial in read.items()}
    if not 0 < sum(map(operators, sums.values())) <= _LARGEST:
        return None
    after, made = divide(list(sums.values()), len(literals.terms))
    if not made:
        return None
    writing, bounds = _Writing(literals.terms, made), Bounds(terms)
    pairs = {}
    for term, divided in zip(sums, after, strict=True):
        new = writing.term(divided)
        if new is not term and bounds.are_kept(term, new, _SLACK):
            pairs[term] = new
    return Remade(tuple(pairs.items()), _over(terms, pairs)) if pairs else None


def _used_often(terms: Sequence[Term], flat: Sequence[Term]) -> frozenset[Term]:
    """What is used more than once, without multiples of other values."""
    uses = uses_of(terms, flat)
    return frozenset(t for t in terms if uses[t] > 1 and all(a.op != CONST for a in t.args))


def _over(terms: Sequence[Term], pairs: Mapping[Term, Term]) -> dict[Term, Term]:
    """What stands for each term where keys of `pairs` become their values, over such again."""
    found: dict[Term, Term] = {}

    def missing(term: Term) -> list[Term]:
        return [arg for arg in term.args if arg not in found]

    for term in terms:
        new = pairs.get(term, term)
        for each in postorder([new], missing):
            found[each] = rebuild(each, tuple([found[arg] for arg in each.args]))
        found[term] = found[new]
    return found


class _Reading:
    """Terms as polynomials of what is none, multiplied out to `width` products at most.

    Those that are `kept` are factors of others.
    """

    def __init__(self, terms: Sequence[Term], width: int, kept: Container[Term]) -> None:
        self.terms, self.width, self.kept = terms, width, kept
        self.place = {term: i for i, term in enumerate(terms)}
        self.read: dict[Term, _Polynomial] = {}
        for term in terms:
            found = self._of(term)
            usual = found and all(0.0 < abs(number) < inf for number in found.values())
            self.read[term] = found if found and usual else self._factor(term)

    def outer(self, flat: Sequence[Term]) -> list[Term]:
        """The polynomials that results, other operators or other polynomials use, in order."""
        needed = set(flat)
        for term in reversed(self.terms):
            if term in needed and self._is_sum_or_product(term):
                needed.update(self.terms[i] for cube in self.read[term] for i in cube)
            elif term in needed:
                needed.update(term.args)
        return [term for term in self.terms if term in needed and self._is_sum_or_product(term)]

    def _is_sum_or_product(self, term: Term) -> bool:
        return term.op in (*_SUMS, "mul") and (self.place[term],) not in self.read[term]

    def _factor(self, term: Term) -> _Polynomial:
        return {(self.place[term],): 1.0}

    def _operand(self, term: Term) -> _Polynomial:
        return self._factor(term) if term in self.kept else self.read[term]

    def _of(self, term: Term) -> _Polynomial | None:
        """A term as a polynomial; None for a factor of others."""
        if not term.type.is_real:
            return None
        match term.op:
            case "const":
                return {(): float(const_value(term))}
            case "neg":
                return _times(self._operand(term.args[0]), {(): -1.0})
            case "mul":
                return self._product(*term.args)
            case "add" | "sub" if not all(is_given(a) and a.op != CONST for a in term.args):
                both = [self._operand(arg) for arg in term.args]
                found = total(*both, minus=term.op == "sub")
                return found if len(found) <= self.width else None
        return None

    def _product(self, one: Term, other: Term) -> _Polynomial | None:
        """The product of two terms; sums that are too many for it are factors."""
        both = [one, other]
        read = [self._operand(arg) for arg in both]
        while len(read[0]) * len(read[1]) > self.width:
            larger = 0 if len(read[0]) >= len(read[1]) else 1
            read[larger] = self._factor(both[larger])
        found = _times(*read)
        is_small = all(len(cube) <= _DEGREE for cube in found)
        return found if is_small and all(has(one.type, n) for n in found.values()) else None


def _times(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    result: dict[Cube, float] = {}
    for cube, number in one.items():
        for factors, times in other.items():
            both = tuple(sorted(cube + factors))
            result[both] = result.get(both, 0.0) + number * times
    return {cube: number for cube, number in result.items() if number}


class _Literals:
    """What numbers in cubes stand for: terms of the program, then constants."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = list(terms)
        self._constants: dict[Term, int] = {}

    def sum(self, polynomial: _Polynomial, type_: Scalar) -> Sum:
        """A polynomial as cubes with signs, constants among the factors."""
        return {
            tuple(sorted((*cube, *self._constant(abs(number), cube, type_)))): (
                1 if number > 0 else -1
            )
            for cube, number in polynomial.items()
        }

    def _constant(self, number: float, cube: Cube, type_: Scalar) -> Iterator[int]:
        if number != 1.0 or not cube:
            term = const(number, type_)
            if term not in self._constants:
                self._constants[term] = len(self.terms)
                self.terms.append(term)
            yield self._constants[term]


class _Writing:
    """Sums of cubes as terms; what stands for a divisor is written once."""

    def __init__(self, literals: Sequence[Term], made: Mapping[int, Sum]) -> None:
        self.made = made
        self.terms = dict(enumerate(literals))

    def term(self, one: Sum) -> Term:
        """A sum as a term over what its numbers stand for."""
        for number in postorder(self._missing(one), lambda n: self._missing(self.made[n])):
            self.terms[number] = self._sum(self.made[number])
        return self._sum(one)

    def _missing(self, one: Sum) -> list[int]:
        return [n for n in dict.fromkeys(n for cube in one for n in cube) if n not in self.terms]

    def _sum(self, one: Sum) -> Term:
        like = next(self.terms[n] for cube in one for n in cube)
        parts = []
        for cube, sign in one.items():
            factors = [(self.terms[n], cube.count(n)) for n in dict.fromkeys(cube)]
            parts.append(Summand(float(sign), tuple(factors)).term(like))
        return added(parts)
