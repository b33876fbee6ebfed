"""Polynomials in one value as products: what their rational roots take out.

Takes result terms, gives pairs of equal terms: a sum as the program computes it, and with the
polynomials in one of its values, each beside what it is multiplied by, as products:

    a*(30 - 60*x + 30*x*x) + b*x    as    a*(30*(x - 1)*(x - 1)) + b*x

Slopes of polynomials that are flat somewhere are such. No form is given that has more operators,
or loses digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import dropwhile, zip_longest
from math import gcd, isfinite, lcm

import numpy as np

from ...terms.term import CONST, Term, const, const_value, toposort
from ...terms.walk import postorder
from ..fingerprints import fraction
from ..uses import alone, new_in, uses_of
from .bounds import Bounds
from .polynomials import product
from .summands import Summand
from .sums import factored

_DEGREE, _MOST = 16, 64  # of a polynomial, and the summands of a sum
_PARTS, _LARGE = 64, 1024.0  # what roots are multiples of one part of, and how large they are
_TINY = Fraction(1, 2**200)  # no coefficient is so small, or its reciprocal
_SUMS = ("add", "sub")
_COUNTED = (*_SUMS, "mul")
_SLACK = 4.0  # of bounds: each factor is rounded once, and is exact near a root of it

#: Coefficients by their degree, none of them 0.
_Polynomial = dict[int, Fraction]
#: Terms by their numbers, each with how often it is a factor, in order.
_Powers = tuple[tuple[int, int], ...]
#: Polynomials in one value by what each of them is multiplied by.
_Sum = dict[_Powers, _Polynomial]


def by_roots(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a sum of the program and an equal one, polynomials in one value as products.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x, y = var("x", Scalar.F64), var("y", Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> three, six = const(3.0, Scalar.F64), const(6.0, Scalar.F64)
    >>> total = op("add", op("mul", x, op("sub", op("mul", three, x), six)), three)
    >>> [(_, new)] = by_roots([total, op("sub", x, const(1.0, Scalar.F64))])
    >>> new
    mul(mul, sub)
    """
    program = _Program(flat)
    bounds = Bounds(program.terms)
    for term in _outer(program):
        for value in _values(term, program.read):
            reading = _Reading(term, program, value)
            saved = sum(each.op in _COUNTED for each in reading.own)
            new = reading.written()
            if new is None or new is term or program.added(new) >= saved:
                continue
            if bounds.are_kept(term, new, _SLACK):
                yield term, new
                break


def _outer(program: _Program) -> Iterator[Term]:
    """Sums that are more than summands of sums, and products alike that are polynomials."""
    outside = set(program.flat)
    for term in program.terms:
        kind = _SUMS if term.op in _SUMS else (term.op,)
        outside.update(arg for arg in term.args if arg.op not in kind)
    for term in program.terms:
        if term in outside and term.type.is_real:
            is_polynomial = term.op == "mul" and program.read[term][0] not in (term, None)
            if is_polynomial or term.op in _SUMS:
                yield term


def _in_one_value(terms: Sequence[Term]) -> dict[Term, tuple[Term | None, _Polynomial]]:
    """Each term as a polynomial in one value, itself if in no other; in None what is a number."""
    found: dict[Term, tuple[Term | None, _Polynomial]] = {}
    for term in terms:
        if term.op == CONST and term.type.is_real and isfinite(const_value(term)):
            number = fraction(float(const_value(term)))
            found[term] = None, {0: number} if number else {}
            continue
        args = [found[a] for a in term.args]
        within = list(dict.fromkeys([value for value, _ in args if value is not None]))
        read = term.type.is_real and len(within) == 1
        made = _made(term.op, [polynomial for _, polynomial in args]) if read else None
        found[term] = (term, {1: Fraction(1)}) if made is None else (within[0], made)
    return found


def _made(op: str, args: Sequence[_Polynomial]) -> _Polynomial | None:
    """A sum or product of polynomials; None of other operators, and for a high degree."""
    match op:
        case "neg":
            return {n: -c for n, c in args[0].items()}
        case "add" | "sub":
            return _added(args[0], args[1], -1 if op == "sub" else 1) or None
        case "mul" if args[0] and args[1] and max(args[0]) + max(args[1]) <= _DEGREE:
            return _times(args[0], args[1])
    return None


def _added(one: _Polynomial, other: _Polynomial, sign: int) -> _Polynomial:
    total = dict(one)
    for n, c in other.items():
        total[n] = total.get(n, Fraction(0)) + sign * c
    return {n: c for n, c in total.items() if c}


def _times(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    total: _Polynomial = {}
    for n, c in one.items():
        total = _added(total, {n + m: c * d for m, d in other.items()}, 1)
    return total


def _values(
    term: Term, one_value: Mapping[Term, tuple[Term | None, _Polynomial]]
) -> dict[Term, None]:
    """The values that a sum has polynomials in, by the products below it."""
    found: dict[Term, None] = {}
    stack, seen = [term], {term}
    while stack and len(seen) <= _MOST:
        here = stack.pop()
        value, polynomial = one_value[here]
        if value is not None and value is not here and len(polynomial) > 1:
            found[value] = None
        elif here.op in (*_COUNTED, "neg"):
            fresh = [a for a in here.args if a not in seen]
            stack += reversed(fresh)
            seen.update(fresh)
    return found


class _Reading:
    """A sum of a program as polynomials in one of its values, with what they are multiplied by."""

    def __init__(self, term: Term, program: _Program, value: Term) -> None:
        self.term, self.program, self.value = term, program, value
        self.own = alone(term, program.uses, _MOST)

    def written(self) -> Term | None:
        """The sum with its polynomials as products; None where none of them is one."""
        split = {powers: self._split(each) for powers, each in self._sum().items() if each}
        usual = all(_is_usual(c) for _, left in split.values() for c in left.values())
        if not usual or not any(factors for factors, _ in split.values()):
            return None
        summands = [self._summand(powers, *parts) for powers, parts in split.items()]
        factors = dict.fromkeys([f for each in summands for f, _ in each.factors])
        last = len(self.program.terms)
        place = {f: self.program.place.get(f, last + i) for i, f in enumerate(factors)}
        return factored(summands, place, self.term)[0]

    def _split(
        self, polynomial: _Polynomial
    ) -> tuple[dict[tuple[int, Fraction], int], _Polynomial]:
        """What roots take out, and what is left: of a*x + b nothing, unless x + b/a is there."""
        if not all(map(_is_usual, polynomial.values())):
            return {}, polynomial
        found, left = split_off(polynomial)
        is_there = any((self.value, *which) in self.program.differences for which in found)
        return (found, left) if is_there or len(polynomial) > 2 else ({}, polynomial)

    def _sum(self) -> _Sum:
        """The sum, what others use too being a factor as it is."""
        read: dict[Term, _Sum] = {}
        for term in postorder([self.term], self._below):
            found = self._made(term, [read[a] for a in self._below(term)])
            read[term] = found or self._whole(term)
        return read[self.term]

    def _whole(self, term: Term) -> _Sum:
        return {((self.program.place[term], 1),): {0: Fraction(1)}}

    def _below(self, term: Term) -> Sequence[Term]:
        used_once = term is self.term or self.program.uses[term] == 1
        inside = term.op in ("mul", "neg") or (term.op in _SUMS and used_once)
        inside = inside and term in self.own
        return term.args if inside and self.program.read[term][0] not in (self.value, None) else ()

    def _made(self, term: Term, args: Sequence[_Sum]) -> _Sum | None:
        """What a term is, from what its operands are; two sums are factors as they are."""
        value, polynomial = self.program.read[term]
        if value in (self.value, None):
            return {(): polynomial}
        if not args:
            return None
        if term.op in (*_SUMS, "neg"):
            signs = (-1,) if term.op == "neg" else (1, -1 if term.op == "sub" else 1)
            total: _Sum = {}
            for sign, each in zip(signs, args, strict=True):
                for powers, one in each.items():
                    total[powers] = _added(total.get(powers, {}), one, sign)
            return total if len(total) <= _MOST else None
        if term.op == "mul":
            if not any(map(_is_product, args)):
                both = zip(term.args, args, strict=True)
                args = [self._whole(a) if len(each) > 1 else each for a, each in both]
            few, many = sorted(args, key=len)
            [(powers, factor)] = few.items()
            return {product(powers, p): _times(factor, q) for p, q in many.items()}
        return None

    def _summand(
        self, powers: _Powers, split: Mapping[tuple[int, Fraction], int], left: _Polynomial
    ) -> Summand:
        """A polynomial as a product, and what it is multiplied by."""
        least, constant = min(left), Fraction(1)
        factors = [(self.value, least)] if least else []
        for (degree, root), n in split.items():
            sign, difference = self.program.difference(self.value, degree, root)
            constant *= sign**n
            factors.append((difference, n))
        if len(factors) > 1 and all(n % 2 == 0 for _, n in factors):
            base = Summand(1.0, tuple((f, n // 2) for f, n in factors)).term(self.term)[1]
            factors = [(base, 2)]
        factors += [(self.program.terms[i], n) for i, n in powers]
        if len(left) == 1:
            constant *= left[least]
        else:
            factors.append((self._horner({n - least: c for n, c in left.items()}), 1))
        return Summand(float(constant), tuple(factors))

    def _horner(self, polynomial: _Polynomial) -> Term:
        kind = self.term.type
        high, *rest = sorted(polynomial, reverse=True)
        result, below = const(float(polynomial[high]), kind), high
        for n in rest:
            for _ in range(below - n):
                result = Term("mul", (self.value, result), None, kind)
            result = Term("add", (result, const(float(polynomial[n]), kind)), None, kind)
            below = n
        return result


def _is_usual(number: Fraction) -> bool:
    return _TINY < abs(number) < 1 / _TINY


def _is_product(read: _Sum) -> bool:
    """Whether it is no sum, neither of products nor of powers."""
    return len(read) == 1 and all(len(polynomial) <= 1 for polynomial in read.values())


class _Program:
    """The terms of a program, and each of them as a polynomial in one value."""

    def __init__(self, flat: Sequence[Term]) -> None:
        self.flat, self.terms = flat, toposort(flat)
        self.place = {term: i for i, term in enumerate(self.terms)}
        self.uses, self.read = uses_of(self.terms, flat), _in_one_value(self.terms)
        self.powers: dict[tuple[Term, int], Term] = {}
        self.differences: dict[tuple[Term, int, Fraction], tuple[int, Term]] = {}
        for term, (value, polynomial) in self.read.items():
            high = max(polynomial, default=0)
            if value is not None and abs(polynomial[high]) == 1:
                sign, root = int(polynomial[high]), polynomial.get(0, Fraction(0))
                if len(polynomial) == 1 and sign > 0:
                    self.powers.setdefault((value, high), term)
                elif len(polynomial) == 2 and root:
                    self.differences.setdefault((value, high, -sign * root), (sign, term))

    def difference(self, value: Term, degree: int, root: Fraction) -> tuple[int, Term]:
        """A power of a value less a number, or the negative of that, with its sign."""
        there = self.differences.get((value, degree, root))
        if there is not None:
            return there
        power = self.powers.get((value, degree), value)
        for _ in range(degree - 1 if power is value else 0):
            power = Term("mul", (power, value), None, value.type)
        return 1, Term("sub", (power, const(float(root), value.type)), None, value.type)

    def added(self, new: Term) -> int:
        """How many sums and products of a term the program does not have."""
        return sum(each.op in _COUNTED for each in new_in(new, self.place))


def split_off(polynomial: _Polynomial) -> tuple[dict[tuple[int, Fraction], int], _Polynomial]:
    """What simple roots take out, by degree and root with their multiplicities, and what is left.

    >>> one, two = Fraction(1), Fraction(2)
    >>> split_off({2: 3 * one, 3: -6 * one, 4: 3 * one})
    ({(1, Fraction(1, 1)): 2}, {2: Fraction(3, 1)})
    >>> split_off({1: one, 5: -one})
    ({(4, Fraction(1, 1)): 1}, {1: Fraction(-1, 1)})
    >>> split_off({0: one, 2: -two, 4: one})
    ({(2, Fraction(1, 1)): 2}, {0: Fraction(1, 1)})
    """
    least, most = min(polynomial), max(polynomial)
    degree = gcd(*[n - least for n in polynomial])
    if not degree:
        return {}, polynomial
    left = [polynomial.get(n, Fraction(0)) for n in range(most, least - 1, -degree)]
    found: dict[tuple[int, Fraction], int] = {}
    for root in _simple_roots(left):
        while len(left) > 1 and _is_root(left, root):
            left = _divided(left, [Fraction(1), -root])
            found[degree, root] = found.get((degree, root), 0) + 1
    return found, {least + degree * n: c for n, c in enumerate(reversed(left)) if c}


def _simple_roots(polynomial: Sequence[Fraction]) -> list[Fraction]:
    """Numbers near the real roots of a polynomial, the coefficient of the highest power first.

    Only such that are floats: what is less by one of them is exact nearby. Of the polynomial that
    has each root once, where numbers are near enough: it has none in common with its slope.
    """
    degrees = range(len(polynomial) - 1, 0, -1)
    whole = _whole(polynomial)
    slope = [n * c for n, c in zip(degrees, whole, strict=False)]
    each = _divided(polynomial, list(map(Fraction, _in_common(whole, slope))))
    numbers = [float(c / each[0]) for c in each]
    near = [Fraction(round(r.real * _PARTS), _PARTS) for r in np.roots(numbers) if abs(r) < _LARGE]
    return sorted(dict.fromkeys(near))


def _is_root(polynomial: Sequence[Fraction], root: Fraction) -> bool:
    value, power = 0, 1
    for c in _whole(polynomial):
        value = value * root.numerator + c * power
        power *= root.denominator
    return not value


def _in_common(one: Sequence[int], other: Sequence[int]) -> Sequence[int]:
    """The greatest common divisor of two polynomials, without fractions (Collins, 1967)."""
    while other:
        rest = list(one)
        while len(rest) >= len(other):
            pairs = zip_longest(rest[1:], other[1:], fillvalue=0)
            rest = [c * other[0] - rest[0] * d for c, d in pairs]
        rest = list(dropwhile(lambda c: not c, rest))
        share = gcd(*rest)
        one, other = other, [c // share for c in rest]
    return one


def _whole(polynomial: Sequence[Fraction]) -> list[int]:
    """A multiple with whole coefficients that have nothing in common."""
    below = lcm(*[c.denominator for c in polynomial])
    whole = [c.numerator * (below // c.denominator) for c in polynomial]
    share = gcd(*whole)
    return [c // share for c in whole]


def _divided(above: Sequence[Fraction], below: Sequence[Fraction]) -> list[Fraction]:
    """The quotient of two polynomials of which nothing is left."""
    quotient, rest = [], list(above)
    while len(rest) >= len(below):
        factor = rest[0] / below[0]
        quotient.append(factor)
        pairs = zip_longest(rest[1:], below[1:], fillvalue=Fraction(0))
        rest = [c - factor * d for c, d in pairs]
    return quotient
