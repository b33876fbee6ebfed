"""Cosines and sines of an angle in the plane, beside what is 0 with the distance.

    f(l) * cos(atan2(y, x))    as    f(l) * x/l    for l = hypot(x, y)

is what a camera does with the angle of incidence. The angle jumps where l is 0, and the whole is
smooth if f is 0 there; alone the cosine stays, which is a number at 0, and x/l is none. Takes
products, gives products with x/l.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....terms.term import Term
from ...factors.common import sides_of
from ...factors.factored import WHOLE, Factor, Product

Lengths = Mapping[frozenset[Term], Term]

_ALONG = {"cos": 1, "sin": 0}  # which argument of the angle


def lengths_of(terms: Sequence[Term]) -> Lengths:
    """The lengths of two sides that there are, by their sides."""
    found: dict[frozenset[Term], Term] = {}
    for term in terms:
        sides = _sides(term)
        if sides is not None:
            found.setdefault(sides, term)
    return found


def is_of_angle(term: Term) -> bool:
    """Whether it is the cosine or the sine of an angle in the plane."""
    return term.op in _ALONG and term.args[0].op == "atan2"


def by_sides_of_angles(product: Product, lengths: Lengths) -> Product | None:
    """The product with sides over lengths, where the lengths are there; None without any."""
    found: Product | None = None
    for factor in product.factors:
        if factor.power < WHOLE or not is_of_angle(factor.term):
            continue
        sides = factor.term.args[0].args
        length = lengths.get(frozenset(sides))
        side = Product.of(sides[_ALONG[factor.term.op]])
        below = Product.of(length) if length is not None else None
        if side is not None and below is not None:
            one = Product(1.0, [Factor(factor.term, WHOLE, None)])
            found = (found or product).times(one, -1).times(side).times(below, -1)
    return found


def _sides(term: Term) -> frozenset[Term] | None:
    if term.op == "hypot":
        return frozenset(term.args)
    if term.op != "sqrt":
        return None
    sides = sides_of(term.args[0])
    return frozenset(sides) if len(sides) == len({*sides}) == 2 else None
