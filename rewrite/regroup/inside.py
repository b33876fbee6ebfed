"""Factors of sums: what a sum is multiplied by goes inside where that saves something.

Takes result terms, gives pairs of equal terms: a product of a sum as the program computes it, and
with one factor inside of the sum, where that times a factor of each summand is there, or where a
summand is divided by it:

    r * (x*a + y*b)    beside r*x and r*y    as    (r*x)*a + (r*y)*b
    r * (a + b/r)                            as    r*a + b

The length of a vector and its direction meet so; and what a product rule leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...terms.term import Term, toposort
from ..uses import uses_of
from .products import Product
from .summands import Summand, added, outer_sums, used_often


def factors_inside(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a product of the program and an equal one, with one multiplication less.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, r, x, y = [var(name, Scalar.F32) for name in "abrxy"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> unit = [op("mul", r, x), op("mul", y, r)]
    >>> total = op("mul", r, op("add", op("mul", x, a), op("mul", y, b)))
    >>> [(_, new)] = factors_inside([*unit, total])
    >>> new.op, [product.args for product in new.args]
    ('add', [(a, mul(r, x)), (b, mul(y, r))])
    """
    terms = toposort(flat)
    uses, whole = uses_of(terms, flat), used_often(terms, flat)
    sums = {t: summands for t, summands in outer_sums(terms, flat) if uses[t] == 1}
    there = {pair: t for t in terms if t.op == "mul" for pair in (t.args, t.args[::-1])}
    within = set(sums)  # and products of them
    for term in terms if sums else ():
        if term.op != "mul" or not any(a in within for a in term.args):
            continue
        if term not in whole:
            within.add(term)
        for kept in (whole, frozenset[Term]()):
            product = Product.of(term, kept)
            total = next((f for f in product.factors if f in sums), None) if product else None
            if product is None or total is None:
                continue
            summands = [Summand.of(sign, s, whole) for sign, s in sums[total]]
            factors = [f for f in product.factors if f is not total]
            each = ((f, _times(summands, f, there) or _freed(summands, f)) for f in factors)
            found = next(((f, inside) for f, inside in each if inside), None)
            if found is not None:
                yield term, _written(product, total, *found)
                break


def _times(
    summands: Sequence[Summand], factor: Term, there: Mapping[tuple[Term, ...], Term]
) -> list[Summand]:
    """Summands times a factor, each by a product that is there; none where one has no such."""
    found = []
    for one in summands:
        factors = dict(one.factors)
        met = next((f for f in factors if (factor, f) in there), None)
        if met is None or not one.is_product:
            return []
        factors[met] -= 1
        product = there[factor, met]
        factors[product] = factors.get(product, 0) + 1
        found.append(replace(one, factors=tuple([(f, n) for f, n in factors.items() if n])))
    return found


def _freed(summands: Sequence[Summand], factor: Term) -> list[Summand]:
    """Summands times a factor that divides one of them; none where it divides none."""
    found, met = [], False
    for one in summands:
        divided = next((f for f, _ in one.factors if _is_divided(f, factor)), None)
        met |= divided is not None
        factors = dict(one.factors)
        if divided is None:
            factors[factor] = factors.get(factor, 0) + 1
        else:
            factors[divided] -= 1
            above = divided.args[0] if divided.op == "div" else None
            factors.update({} if above is None else {above: factors.get(above, 0) + 1})
        found.append(replace(one, factors=tuple([(f, n) for f, n in factors.items() if n])))
    return found if met else []


def _is_divided(quotient: Term, divisor: Term) -> bool:
    return quotient.op in ("div", "rcp") and quotient.args[-1] is divisor


def _written(product: Product, total: Term, factor: Term, inside: Sequence[Summand]) -> Term:
    """A product with a factor less, and that inside of its sum."""
    result = added([one.term(total) for one in inside])
    left = {**product.factors, total: product.factors[total] - 1}
    left[factor] -= 1
    outside = Summand(product.constant, tuple([(f, n) for f, n in left.items() if n]))
    if outside.factors or abs(outside.constant) != 1.0:
        result = Term("mul", (outside.term(total)[1], result), None, total.type)
    return Term("neg", (result,), None, total.type) if product.constant < 0 else result
