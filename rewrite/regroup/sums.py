"""Sums as summands: those of equal factors become one, and common factors are taken out.

Takes result terms, gives pairs of equal terms: a sum as the program computes it, and as it is in
another group, with the factor outside that most summands have:

    a*x + b + y*a    as    a*(x + y) + b

Nothing is multiplied out. Summands move only where they are products, which are rounded anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...terms.term import Term, const, toposort
from .products import Product

_SUMS = ("add", "sub")
_MOST = 64  # summands of one sum


@dataclass(frozen=True)
class _Summand:
    """A constant times factors, each with how often it occurs."""

    constant: float
    factors: tuple[tuple[Term, int], ...]

    @property
    def is_product(self) -> bool:
        """Whether it is rounded: it may move past other summands."""
        return self.constant not in (1.0, -1.0) or sum(n for _, n in self.factors) > 1

    def has(self, factor: Term) -> bool:
        """Whether a factor may be taken out."""
        return self.is_product and any(f is factor for f, _ in self.factors)

    def without(self, outside: _Summand) -> _Summand:
        """What is left when factors, and a constant, are taken out."""
        taken = dict(outside.factors)
        rest = [(f, n - taken.get(f, 0)) for f, n in self.factors]
        return _Summand(self.constant / outside.constant, tuple((f, n) for f, n in rest if n))


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
    whole = _used_often(terms, flat)
    pairs: dict[tuple[Term, Term], None] = {}
    sums = list(_outer_sums(terms, flat))
    known = _Known.of(sums)
    for term, summands in sums:
        # A product that is used elsewhere, too, is a factor by itself, or several; what is left
        # inside is a sum that is there, or has the most frequent factor outside again.
        for factors in (whole, frozenset[Term]()):
            read = [_read(sign, s, factors) for sign, s in summands]
            for there in (known, _NOTHING):
                new = _written(_merged(read), place, term, there)
                if new is not None and new is not term:
                    pairs[term, new] = None
    return list(pairs)


@dataclass(frozen=True)
class _Known:
    """The sums that a program computes, by their summands, in whatever order these come."""

    sums: dict[object, Term]

    @staticmethod
    def of(sums: Sequence[tuple[Term, Sequence[tuple[float, Term]]]]) -> _Known:
        found: dict[object, Term] = {}
        for term, summands in sums:
            read = _merged([_read(sign, s, frozenset()) for sign, s in summands])
            found.setdefault(_in_any_order(read, 1.0), term)
        return _Known(found)

    def find(self, summands: Sequence[_Summand]) -> _Summand | None:
        """The sum that has these summands, or the negatives of all of them."""
        for sign in (1.0, -1.0):
            there = self.sums.get(_in_any_order(summands, sign))
            if there is not None:
                return _Summand(sign, ((there, 1),))
        return None


_NOTHING = _Known({})


def _in_any_order(summands: Sequence[_Summand], sign: float) -> object:
    """What sums of equal summands have in common: each with how often it is there."""
    each = Counter((sign * one.constant, frozenset(one.factors)) for one in summands)
    return frozenset(each.items())


def _used_often(terms: Sequence[Term], flat: Sequence[Term]) -> frozenset[Term]:
    """The products that are used more than once, a result counting as a use."""
    uses = dict.fromkeys(flat, 1)
    for term in terms:
        for arg in term.args:
            uses[arg] = uses.get(arg, 0) + 1
    return frozenset(t for t in terms if t.op == "mul" and uses.get(t, 0) > 1)


def _outer_sums(
    terms: Sequence[Term], flat: Sequence[Term]
) -> Iterator[tuple[Term, list[tuple[float, Term]]]]:
    """Sums of reals that are more than summands of one other sum, with their summands."""
    uses = {t: 2 for t in flat}
    for term in terms:
        inside = term.op in (*_SUMS, "neg")
        for arg in term.args:
            uses[arg] = uses.get(arg, 0) + (1 if inside else 2)
    for term in terms:
        if term.op not in _SUMS or not term.type.is_real or uses[term] < 2:
            continue
        found: list[tuple[float, Term]] = []
        stack = [(1.0, term)]
        while stack and len(found) <= _MOST:
            sign, here = stack.pop()
            if here is term or (here.op in _SUMS and uses[here] < 2):
                second = -sign if here.op == "sub" else sign
                stack += [(second, here.args[1]), (sign, here.args[0])]
            elif here.op == "neg":
                stack.append((-sign, here.args[0]))
            else:
                found.append((sign, here))
        if 2 <= len(found) <= _MOST:
            yield term, found


def _read(sign: float, term: Term, whole: frozenset[Term]) -> _Summand:
    product = Product.of(term, whole) if term.op == "mul" else None
    if product is None:
        return _Summand(sign, ((term, 1),))
    return _Summand(sign * product.constant, tuple(product.factors.items()))


def _merged(summands: Sequence[_Summand]) -> list[_Summand]:
    """Summands of equal factors as one, at the place of the first."""
    found: dict[object, _Summand] = {}
    for i, one in enumerate(summands):
        key: object = frozenset(one.factors) if one.is_product else i
        before = found.get(key)
        constant = one.constant + (before.constant if before else 0.0)
        found[key] = _Summand(constant, before.factors if before else one.factors)
    return [one for one in found.values() if one.constant]


def _written(
    summands: Sequence[_Summand], place: dict[Term, int], like: Term, known: _Known
) -> Term | None:
    """The sum with the most frequent factor outside, again and again; None for no summand.

    What is inside has a factor less: calls are not nested deeper than a product has factors. It
    may come in any order, and is a sum that the program computes anyway where it can be.
    """
    if not summands:
        return None
    left = list(summands)
    parts: list[tuple[float, Term]] = []
    while (factor := _most_frequent(left, place)) is not None:
        at = next(i for i, one in enumerate(left) if one.has(factor))
        parts += [_term(one, like) for one in left[:at]]
        group = [one for one in left if one.has(factor)]
        left = [one for one in left[at:] if not one.has(factor)]
        outside = _common(group)
        rest = [one.without(outside) for one in group]
        inner = known.find(rest)
        if inner is None:
            written = _written(rest, place, like, known)
            assert written is not None
            inner = _Summand(1.0, ((written, 1),))
        whole = _Summand(outside.constant * inner.constant, (*outside.factors, *inner.factors))
        parts.append(_term(whole, like))
    return _added([*parts, *(_term(one, like) for one in left)])


def _most_frequent(summands: Sequence[_Summand], place: dict[Term, int]) -> Term | None:
    """The factor of most summands, at least two; of equals the first in the program."""
    counts: dict[Term, int] = {}
    for one in summands:
        for factor, _ in one.factors if one.is_product else ():
            counts[factor] = counts.get(factor, 0) + 1
    shared = [factor for factor, n in counts.items() if n > 1]
    return min(shared, key=lambda factor: (-counts[factor], place[factor]), default=None)


def _common(group: Sequence[_Summand]) -> _Summand:
    """All factors that summands have in common, and the size of their constants if it is one."""
    counts = [dict(one.factors) for one in group]
    common = [(f, min(c.get(f, 0) for c in counts)) for f, _ in group[0].factors]
    sizes = {abs(one.constant): None for one in group}
    constant = abs(group[0].constant) if len(sizes) == 1 else 1.0
    return _Summand(constant, tuple((f, n) for f, n in common if n))


def _term(one: _Summand, like: Term) -> tuple[float, Term]:
    """The sign and the absolute value of a summand."""
    sign = -1.0 if one.constant < 0 else 1.0
    each = [f for f, n in one.factors for _ in range(n)]
    if abs(one.constant) != 1.0 or not each:
        each.insert(0, const(abs(one.constant), like.type))
    result = each[0]
    for factor in each[1:]:
        result = Term("mul", (result, factor), None, like.type)
    return sign, result


def _added(parts: Sequence[tuple[float, Term]]) -> Term:
    sign, total = parts[0]
    negative = sign < 0
    for sign, term in parts[1:]:
        if negative and sign > 0:
            total, negative = Term("sub", (term, total), None, term.type), False
        elif negative:
            total = Term("add", (total, term), None, term.type)
        else:
            total = Term("sub" if sign < 0 else "add", (total, term), None, term.type)
    return Term("neg", (total,), None, total.type) if negative else total
