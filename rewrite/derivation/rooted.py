"""Products under roots that are 0 over a region: their slopes by the other factors are 0 there.

    sqrt(2 * g * max(h, 0))    by g, where h < 0:    2 * max(h, 0) * 0.5 / sqrt(0) = 0 * inf

The root is 0 there whatever g is. Takes the terms of a program, says of which products the
derivative by a factor needs a choice, and makes it. Where a single variable happens to be 0,
sqrt(x * y) at x = 0, there is none: it would be paid for everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.term import CONST, SELECT, Term, const, const_value, is_zero
from ...terms.types import Scalar

_EXTREMA = frozenset({"max", "min", "min_max", "clamp", "_larger_by", "_smaller_by"})
_PRODUCTS = frozenset({"mul", "div", "neg"})


class Rooted:
    """The products of a program that a root with an infinite slope at 0 reads."""

    def __init__(self, order: Sequence[Term]) -> None:
        self.zero: set[Term] = set()  # over a region
        self.products: set[Term] = set()
        for term in order:
            if _is_part(term) or (term.op in _PRODUCTS and self._is_zero(term)):
                self.zero.add(term)
        for term in reversed(order):
            inside = term.args[:1] if _is_root(term) else term.args
            if _is_root(term) or term in self.products:
                self.products.update(a for a in inside if a.op in _PRODUCTS and a in self.zero)

    def needs(self, product: Term, factor: Term) -> bool:
        """Whether the derivative of a product, a factor of it, has to be kept from infinity."""
        return product in self.products and self.is_zero(factor)

    def slope(self, factor: Term, whole: Term) -> Term:
        """What stands for `whole`, a factor of a product times the cotangent of that."""
        there = Term("ne", (factor, const(0.0, factor.type)), None, Scalar.BOOL)
        return Term(SELECT, (there, whole, const(0.0, whole.type)), None, whole.type)

    def is_zero(self, factor: Term) -> bool:
        """Whether a factor, of terms of the program, is 0 over a region."""
        stack = [factor]
        while stack:
            term = stack.pop()
            if term in self.zero:
                return True
            if term.op in _PRODUCTS:
                stack += term.args[:1] if term.op == "div" else term.args
        return False

    def _is_zero(self, product: Term) -> bool:
        above = product.args[:1] if product.op == "div" else product.args
        return any(a in self.zero for a in above)


def _is_part(term: Term) -> bool:
    """Whether a term is 0 over a region: the positive part of something, or a choice of 0."""
    return (term.op in _EXTREMA and any(map(is_zero, term.args))) or (
        term.op == SELECT and any(map(is_zero, term.args[1:]))
    )


def _is_root(term: Term) -> bool:
    if term.op == "pow":
        exponent = term.args[1]
        return exponent.op == CONST and 0 < const_value(exponent) < 1
    return term.op in ("sqrt", "cbrt")
