"""Fingerprints: the values of a program at one random point, as residues modulo a prime.

Sums, products and quotients are exact there. Values that are equal as rational functions of all
else have equal fingerprints; others have them with a probability of at most degree / prime
(Schwartz, J. ACM 27, 1980). What is no rational function is an unknown: the same for the same
operator on arguments of the same fingerprints. Constants are the simple numbers that they have been
rounded from, square roots and powers of pi among them: 0.7071067811865475 squared is 1/2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import isfinite, isqrt, pi, prod
from random import Random

from ..terms.term import CONST, SELECT, Term, const_value

#: Prime, and so large that values never meet by chance; -1 modulo four times each of `_ROOTED`.
PRIME = 2**127 - 3489
#: The same, and products of two residues are whole numbers of 64 bits.
SMALL = 2**31 - 9369
#: Whole numbers that have square roots modulo these primes.
_ROOTED = (2, 3, 5, 7)
_FREE = tuple(sorted([prod(c) for n in range(5) for c in combinations(_ROOTED, n)]))
#: What is a number wherever its arguments are. Of all else some arguments are poles, or no numbers.
_ARITHMETIC = ("add", "sub", "mul", "neg", "abs", "min", "max", "sign", "floor", "ceil", "trunc")
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not")
_FUNCTIONS = ("exp", "sin", "cos", "tanh", "atan", "asinh", "erf", "hypot", "expm1", "sinh", "cosh")
TOTAL = frozenset((*_ARITHMETIC, *_COMPARED, *_FUNCTIONS))
#: Denominators of fractions that constants stand for, and how far these may be off, relatively:
#: the results of some operators, or the nearest float.
_SIMPLE = ((1_000, Fraction(1, 2**51)), (1_000_000, Fraction(1, 2**53)))
#: Powers of pi that squares of constants are fractions of, and how far off these may be.
_POWERS, _LARGEST, _OFF = (0, -1, 1, -2, 2), 1_000, 2.0**-49


@cache
def fraction(number: float) -> Fraction:
    """The simple fraction that a float stands for, up to rounding; else exactly the float.

    >>> fraction(1.0 / 3.0), fraction(1.0 - 1.0 / 3.0), fraction(0.1), fraction(0.7071067811865476)
    (Fraction(1, 3), Fraction(2, 3), Fraction(1, 10), Fraction(6369051672525773, 9007199254740992))
    """
    exact = Fraction(number)
    for most, rounding in _SIMPLE:
        simple = exact.limit_denominator(most)
        if abs(simple - exact) <= rounding * abs(exact):
            return simple
    return exact


@cache
def root(number: float) -> tuple[Fraction, int, int] | None:
    """The a, n and k of a*sqrt(n)*sqrt(pi)**k that a float stands for, up to rounding.

    >>> root(0.7071067811865475), root(-0.3989422804014327), root(6.283185307179586)
    ((Fraction(1, 2), 2, 0), (Fraction(-1, 2), 2, -1), (Fraction(2, 1), 1, 2))
    >>> root(0.7), root(0.7071), root(3.3166247903554)  # the square root of 11
    (None, None, None)
    """
    for power in _POWERS if fraction(number).denominator > _SIMPLE[-1][0] else ():
        square = number * number / pi**power
        near = Fraction(square).limit_denominator(_LARGEST)
        if not 0 < near <= _LARGEST or abs(float(near) - square) > _OFF * square:
            continue
        for n in _FREE:
            whole = near.numerator * near.denominator * n
            if isqrt(whole) ** 2 == whole:
                above = -isqrt(whole) if number < 0 else isqrt(whole)
                return Fraction(above, near.denominator * n), n, power
    return None


class Fingerprints(dict[Term, int]):
    """Of every term, modulo a prime; equal terms first, users after their arguments.

    There are several points, by their number.
    """

    def __init__(self, terms: Iterable[Term], prime: int = PRIME, point: int = 0) -> None:
        super().__init__()
        self.prime = prime
        self._random = Random(prime + point)
        self._unknown: dict[object, int] = {}
        self._root_of_pi = self._random.randrange(1, prime)
        self.add(terms)

    def add(self, terms: Iterable[Term]) -> None:
        """Terms and their fingerprints, those that are new."""
        for term in terms:
            if term not in self:
                self[term] = self._of(term) % self.prime

    def give(self, op: str, term: Term, value: int) -> None:
        """A value for an operator that is no rational function, on the arguments of a term."""
        self._unknown[op, term.attr, term.type, *[self[a] for a in term.args]] = value

    def supposing(self, values: Mapping[Term, int]) -> Fingerprints:
        """Those where some values are others: of what is added then, by these of all else."""
        found = _Supposed((), self.prime)
        found.others, found._random, found._unknown = self, self._random, self._unknown
        found._root_of_pi = self._root_of_pi
        found.update(values)
        return found

    def _of(self, term: Term) -> int:
        args = [self[a] for a in term.args]
        match term.op if term.type.is_real else "":
            case "add":
                return args[0] + args[1]
            case "sub":
                return args[0] - args[1]
            case "mul":
                return args[0] * args[1]
            case "neg":
                return -args[0]
            case "div" if args[1]:
                return args[0] * pow(args[1], -1, self.prime)
            case "rcp" if args[0]:
                return pow(args[0], -1, self.prime)
            case "rsqrt":
                return pow(self._other("sqrt", term, args), -1, self.prime)
            case "min" | "max":
                return self._other(term.op, term, sorted(args))
            case op if op == SELECT and args[1] == args[2]:
                return args[1]
            case op if op == SELECT and 0 in args[1:]:  # c*a, for a condition that is 0 or 1
                return args[0] * args[1] if args[1] else args[2] - args[0] * args[2]
            case op if op == CONST and isfinite(const_value(term)):
                return self._constant(float(const_value(term)))
        return self._other(term.op, term, args)

    def _constant(self, number: float) -> int:
        """A fraction, or one times a square root and a power of the root of pi, an unknown."""
        found = root(number)
        factor, n, power = found or (fraction(number), 1, 0)
        for base, exponent in ((n, (self.prime + 1) // 4), (self._root_of_pi, power)):
            factor *= pow(base, exponent, self.prime)
        return factor.numerator * pow(factor.denominator, -1, self.prime)

    def _other(self, op: str, term: Term, args: list[int]) -> int:
        """What is known of it: the same arguments give the same value."""
        key = (op, term.attr, term.type, *args) if args else term
        if key not in self._unknown:
            self._unknown[key] = self._random.randrange(1, self.prime)
        return self._unknown[key]


class _Supposed(Fingerprints):
    """Fingerprints beside others, which hold where these have none."""

    others: Fingerprints

    def __missing__(self, term: Term) -> int:
        return self.others[term]
