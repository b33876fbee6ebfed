"""Distances: what may be 0 where a program divides, and what it is 0 with.

Takes terms, gives for each distance the terms that say it: x = w + y where w is x - y.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....terms.rule import RuleSet
from ....terms.term import CONST, VAR, Term, const, is_const, toposort
from ....terms.types import Scalar
from ...factors.common import ALGEBRA, SUMS, summands
from ...factors.factored import Factor, Product
from ...factors.ratios import are_away
from ...guarded.decided import Certain
from ...guards import Guard, guards, meet
from .ends import of_squares
from .quotients import Quotients
from .remainders import Plain, Remainders

_DISTANCES = 24  # so many are tried
_DIVISORS, _NEAR = 64, 48  # so many are looked into, and none of more terms
_PLACES = (0.0, 1.0, -1.0)  # where variables are looked at

Given = Mapping[Term, tuple[Term, Term]]  # of terms: where the distance is 0, and the rest


@dataclass(frozen=True, slots=True)
class Setting:
    """What gaps are looked for with; `count` roots are results, the others names."""

    quotients: Quotients
    rules: RuleSet
    count: int
    certain: Certain
    inside: bool = False  # of arms, too, whose guards leave what is near 0

    def is_open(self, factor: Factor, guard: Guard) -> bool:
        """Whether terms under a guard are looked at for where this is 0."""
        return guard.parent is None or (self.inside and not self.is_away(factor, guard))

    def is_away(self, factor: Factor, guard: Guard) -> bool:
        """Whether half of the digits of a power are there wherever a guard holds."""
        return are_away(self.certain.numbers(factor.term, guard), factor)


def divisors_of(needed: Mapping[Term, Guard], *, inside: bool) -> dict[Term, Guard]:
    """By what a program divides, and under which guard; whatever it is given, or `inside` of arms
    if nowhere else."""
    found: dict[Term, Guard] = {}
    for term, guard in needed.items():
        if term.op in ("div", "rcp") and (inside or guard.parent is None):
            known = found.get(term.args[-1])
            found[term.args[-1]] = guard if known is None else meet(known, guard)
    return found


def distances(roots: Sequence[Term], at: Setting) -> list[tuple[Term, Given]]:
    """What may be 0 where a program divides: a factor, or what one is 0 with."""
    found: dict[Term, Given] = {}
    needed, looked = guards(roots), 0
    divisors = divisors_of(needed, inside=at.inside)
    if at.inside and all(guard.parent is None for guard in divisors.values()):
        return []
    read = {a for t in needed for a in (t.args[:1] if t.op == "div" else t.args) if t.op != "rcp"}
    read |= {a for t in divisors if t.op in SUMS for a in map(_divisor, t.args) if a is not None}
    squares = {a for t in needed if t.op != "sqrt" for a in t.args}
    lengths = {
        t.args[0]: t for t in needed if t.op == "sqrt" and (t in read or t.args[0] in squares)
    }
    for divisor, guard in divisors.items():
        product = Product.of(divisor)
        for factor in product.factors if product is not None else ():
            if factor.power <= 0 or at.is_away(factor, guard):
                continue
            if factor.term in lengths:
                found.setdefault(*length(lengths[factor.term]))
            if factor.term in read or factor.linear is not None:
                found.update([g for g in itself(factor) if g[0] not in found])
            found.update([g for g in of_squares(factor) if g[0] not in found])
            if looked < _DIVISORS and factor.term.op != VAR:
                found.update([g for g in _within(factor.term, at) if g[0] not in found])
                looked += 1
    return list(found.items())[:_DISTANCES]


def _within(term: Term, at: Setting) -> Iterator[tuple[Term, Given]]:
    """Functions and variables below a term, of which it is 0 where they are."""
    below = toposort([term])[:-1]
    if len(below) > _NEAR:
        return
    one, zero, plain = const(1.0, term.type), const(0.0, term.type), Plain()

    def vanishes(distance: Term, given: Given) -> bool:
        here = Remainders(distance, given, at.quotients, at.rules, Product(), plain)
        return here.vanishes(term)

    for distance, given in _differences(term):
        if vanishes(distance, given):
            yield distance, given
    for inner in reversed(below):
        if inner.type is term.type and inner.op in SUMS and term.op not in SUMS:
            for factor in _factors(inner):
                ways = itself(factor) if factor.linear is not None else []
                yield from (way for way in ways if vanishes(*way))
        if inner.type is not term.type or inner.op == CONST or inner.op in ALGEBRA:
            continue
        for place in _PLACES if inner.op == VAR else (0.0,):
            start = const(place, term.type)
            distance = Term("sub", (inner, start), None, term.type) if place else inner
            given = {distance: (zero, one), inner: (start, one)}
            if vanishes(distance, given):
                yield distance, given


def _differences(term: Term) -> Iterator[tuple[Term, Given]]:
    """Sums inside of two summands, and that of the variables of two functions.

    l - m*exp(-(l - m)*t) is 0 where l is m, and so is erf(a) - erf(b) where a is b, and
    a**c - b**c.
    """
    parts = summands(term) if term.op in SUMS else []
    if len(parts) != 2:
        return
    for inner in toposort([term])[:-1]:
        for factor in _factors(inner) if inner.op in SUMS else ():
            if factor.linear is not None:
                yield from itself(factor)
    both = [[t for t in toposort([part]) if t.op == VAR] for _, part in parts]
    own, other = ([t for t in a if t not in b] for a, b in (both, both[::-1]))
    if len(own) == len(other) == 1 and parts[0][1].op == parts[1][1].op:
        x, y = *own, *other
        distance = Term("sub", (x, y), None, term.type)
        one, zero = const(1.0, term.type), const(0.0, term.type)
        yield distance, {x: (y, one), distance: (zero, one)}


def _factors(term: Term) -> Sequence[Factor]:
    product = Product.of(term)
    return product.factors if product is not None else ()


def _divisor(term: Term) -> Term | None:
    """What a quotient divides by."""
    return term.args[-1] if term.op in ("div", "rcp") else None


def itself(factor: Factor) -> list[tuple[Term, Given]]:
    """A factor as a distance, a sum by one of its variables."""
    if factor.linear is None:
        one, zero = const(1.0, factor.term.type), const(0.0, factor.term.type)
        return [(factor.term, {factor.term: (zero, one)})]
    return [(factor.term, given) for given in _of_sum(factor)]


def length(root: Term) -> tuple[Term, Given]:
    """A length as a distance, by which what it is the root of is 0 twice."""
    one, zero = const(1.0, root.type), const(0.0, root.type)
    given = {root: (zero, one)}
    return root, given if root.op == "hypot" else {**given, root.args[0]: (zero, root)}


def _of_sum(factor: Factor) -> list[Given]:
    """The first variable in a sum by the sum and all else: x = w + y where w is x - y."""
    assert factor.linear is not None
    real = factor.term.type
    for term, number in factor.linear.items():
        if term is None or term.op != VAR:
            continue
        parts = [
            (-its / number, const(1.0, real) if other is None else other)
            for other, its in factor.linear.items()
            if other is not term
        ]
        rest = _sum(parts, real)
        return [
            {
                term: (rest, const(1.0 / number, real)),
                factor.term: (const(0.0, real), const(1.0, real)),
            }
        ]
    return []


def _sum(parts: Sequence[tuple[float, Term]], real: Scalar) -> Term:
    """A sum of multiples."""
    found: Term | None = None
    for number, term in parts:
        by = const(number, real)
        part = term if number == 1 else Term("mul", (by, term), None, real)
        part = by if is_const(term, 1.0) else part
        found = part if found is None else Term("add", (found, part), None, real)
    return const(0.0, real) if found is None else found
