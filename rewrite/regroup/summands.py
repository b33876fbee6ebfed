"""Sums as summands, and these as a constant times factors.

Takes sums of a program, gives what they add; writes them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...terms.term import CONST, VAR, Term, const
from ..uses import uses_of
from .products import Product

_SUMS = ("add", "sub")
_MOST = 64  # summands of one sum


@dataclass(frozen=True)
class Summand:
    """A constant times factors, each with how often it occurs."""

    constant: float
    factors: tuple[tuple[Term, int], ...]

    @staticmethod
    def of(sign: float, term: Term, whole: frozenset[Term]) -> Summand:
        """A term with a sign; products in `whole` are factors themselves."""
        apart = term.op == "mul" and term not in whole
        product = Product.of(term, whole) if apart else None
        if product is None:
            return Summand(sign, ((term, 1),))
        return Summand(sign * product.constant, tuple(product.factors.items()))

    @property
    def is_product(self) -> bool:
        """Whether it is rounded: it may move past other summands."""
        return self.constant not in (1.0, -1.0) or sum(n for _, n in self.factors) > 1

    def has(self, factor: Term) -> bool:
        """Whether a factor may be taken out."""
        return self.is_product and any(f is factor for f, _ in self.factors)

    def without(self, outside: Summand) -> Summand:
        """What is left when factors, and a constant, are taken out."""
        taken = dict(outside.factors)
        rest = [(f, n - taken.get(f, 0)) for f, n in self.factors]
        return Summand(self.constant / outside.constant, tuple((f, n) for f, n in rest if n))

    def term(self, like: Term) -> tuple[float, Term]:
        """The sign and the absolute value, of the type of a term."""
        sign = -1.0 if self.constant < 0 else 1.0
        each = [f for f, n in self.factors for _ in range(n)]
        if abs(self.constant) != 1.0 or not each:
            each.insert(0, const(abs(self.constant), like.type))
        result = each[0]
        for factor in each[1:]:
            result = Term("mul", (result, factor), None, like.type)
        return sign, result


def used_often(terms: Sequence[Term], flat: Sequence[Term]) -> frozenset[Term]:
    """The products that are used more than once."""
    uses = uses_of(terms, flat)
    return frozenset(t for t in terms if t.op == "mul" and uses.get(t, 0) > 1)


def outer_sums(
    terms: Sequence[Term], flat: Sequence[Term]
) -> Iterator[tuple[Term, list[tuple[float, Term]]]]:
    """Sums of reals that are more than summands of one other sum, with their summands.

    A sum of two inputs is one summand: where they are near each other it is exact, as it stands.
    """
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
            inside = here.op in _SUMS and uses[here] < 2 and not all(map(is_given, here.args))
            if here is term or inside:
                second = -sign if here.op == "sub" else sign
                stack += [(second, here.args[1]), (sign, here.args[0])]
            elif here.op == "neg":
                stack.append((-sign, here.args[0]))
            else:
                found.append((sign, here))
        if 2 <= len(found) <= _MOST:
            yield term, found


def is_given(term: Term) -> bool:
    """Whether a term is no result of rounding: an input or a constant, or its negative."""
    while term.op == "neg":
        (term,) = term.args
    return term.op in (VAR, CONST)


def added(parts: Sequence[tuple[float, Term]]) -> Term:
    """The sum of terms, each with its sign, in this order."""
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
