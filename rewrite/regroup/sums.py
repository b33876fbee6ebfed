"""Sums as summands: those of equal factors become one, and common factors are taken out.

Takes result terms, gives pairs of equal terms: a sum as the program computes it, and as it is in
another group, with the factor outside that most summands have:

    a*x + b + y*a    as    a*(x + y) + b

Nothing is multiplied out. Summands move only where they are products, which are rounded anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...terms.term import Term, toposort
from .summands import Summand, added, outer_sums, used_often


def common_factors(flat: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Pairs of a sum of the program and an equal one, with common factors outside.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, x, y = [var(name, Scalar.F32) for name in "abxy"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> total = op("add", op("add", op("mul", a, x), b), op("mul", y, a))
    >>> [(_, new)] = common_factors([total])
    >>> new is op("add", op("mul", a, op("add", x, y)), b)
    True
    """
    terms = toposort(flat)
    place = {term: i for i, term in enumerate(terms)}
    whole = used_often(terms, flat)
    pairs: dict[tuple[Term, Term], None] = {}
    sums = list(outer_sums(terms, flat))
    apart = {term: _merged(summands, frozenset()) for term, summands in sums}
    known = _Known.of(apart)
    for term, summands in sums:
        # A product that is used elsewhere, too, is a factor by itself, or several; what is left
        # inside is a sum that is there, or has the most frequent factor outside again.
        for read in dict.fromkeys([_merged(summands, whole), apart[term]]):
            for there in (known, _NOTHING):
                new, met = factored(read, place, term, there)
                if new is not None and new is not term:
                    pairs[term, new] = None
                if not met:
                    break  # without what is known it would be the same
    return list(pairs)


@dataclass(frozen=True)
class _Known:
    """The sums that a program computes, by their summands, in whatever order these come."""

    sums: dict[object, Term]

    @staticmethod
    def of(sums: Mapping[Term, Sequence[Summand]]) -> _Known:
        found: dict[object, Term] = {}
        for term, summands in sums.items():
            found.setdefault(_in_any_order(summands, 1.0), term)
        return _Known(found)

    def find(self, summands: Sequence[Summand]) -> Summand | None:
        """The sum that has these summands, or the negatives of all of them."""
        for sign in (1.0, -1.0):
            there = self.sums.get(_in_any_order(summands, sign))
            if there is not None:
                return Summand(sign, ((there, 1),))
        return None


_NOTHING = _Known({})


def _in_any_order(summands: Sequence[Summand], sign: float) -> object:
    """What sums of equal summands have in common: each with how often it is there."""
    each = [(sign * one.constant, frozenset(one.factors)) for one in summands]
    once = frozenset(each)
    return once if len(once) == len(each) else frozenset(Counter(each).items())


def _merged(summands: Iterable[tuple[float, Term]], whole: frozenset[Term]) -> tuple[Summand, ...]:
    """Summands of equal factors as one, at the place of the first."""
    found: dict[object, Summand] = {}
    for i, (sign, term) in enumerate(summands):
        one = Summand.of(sign, term, whole)
        key: object = frozenset(one.factors) if one.is_product else i
        before = found.get(key)
        constant = one.constant + (before.constant if before else 0.0)
        found[key] = Summand(constant, before.factors if before else one.factors)
    return tuple([one for one in found.values() if one.constant])


def factored(
    summands: Sequence[Summand],
    place: Mapping[Term, int],
    like: Term,
    known: _Known = _NOTHING,
    first: Collection[Term] = (),
) -> tuple[Term | None, bool]:
    """The sum with the most frequent factor outside, again and again; None for no summand.

    Factors in `first` come before all others.
    What is inside has a factor less: calls are not nested deeper than a product has factors. It
    may come in any order, and is a sum that the program computes anyway where it can be; says
    whether there is one.
    """
    if not summands:
        return None, False
    left, met = list(summands), False
    parts: list[tuple[float, Term]] = []
    while shared := _shared_by_most(left, place, first):
        at = next(i for i, one in enumerate(left) if i in shared)
        parts += [one.term(like) for one in left[:at]]
        group = [left[i] for i in shared]
        left = [one for i, one in enumerate(left) if i > at and i not in shared]
        outside = _common(group)
        rest = [one.without(outside) for one in group]
        inner = known.find(rest)
        met |= inner is not None
        if inner is None:
            written, within = factored(rest, place, like, known, first)
            assert written is not None
            met |= within
            inner = Summand(1.0, ((written, 1),))
        whole = Summand(outside.constant * inner.constant, (*outside.factors, *inner.factors))
        parts.append(whole.term(like))
    return added([*parts, *(one.term(like) for one in left)]), met


def _shared_by_most(
    summands: Sequence[Summand], place: Mapping[Term, int], first: Collection[Term]
) -> list[int]:
    """The summands, by number, that have the most frequent factor, at least two.

    Of factors equally frequent the first in the program; where there is none, of constants.
    """
    factors: dict[Term, list[int]] = {}
    constants: dict[float, list[int]] = {}
    for i, one in enumerate(summands):
        for factor, _ in one.factors if one.is_product else ():
            factors.setdefault(factor, []).append(i)
        if one.factors and abs(one.constant) != 1.0:
            constants.setdefault(abs(one.constant), []).append(i)
    several = {f: group for f, group in factors.items() if len(group) > 1}
    if several:
        return several[min(several, key=lambda f: (f not in first, -len(several[f]), place[f]))]
    return next((group for group in constants.values() if len(group) > 1), [])


def _common(group: Sequence[Summand]) -> Summand:
    """All factors that summands have in common, and the size of their constants if it is one."""
    counts = [dict(one.factors) for one in group]
    common = [(f, min(c.get(f, 0) for c in counts)) for f, _ in group[0].factors]
    sizes = {abs(one.constant): None for one in group}
    constant = abs(group[0].constant) if len(sizes) == 1 else 1.0
    return Summand(constant, tuple((f, n) for f, n in common if n))
