"""Products as multisets: what a program multiplies, and how it may share factors.

Takes result terms, gives pairs of equal terms: a product as the program computes it, and as it
is computed when the pair of factors that most products have in common is multiplied first, then
the next, until no two products share a pair:

    a*x*c, a*y*c    as    (a*c)*x, (a*c)*y

A quotient that one product uses is divided by last: what is above the line is shared, too. Which
of both is computed is for the extraction to choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...terms.term import CONST, Term, const, const_value, toposort
from ..fold import has
from .pairs import Multiset, share

_FACTORS = 24  # of one product, those that are products themselves put in


@dataclass(frozen=True)
class Product:
    """A constant times factors, which are no products; `factors` says how often each occurs.

    One of them may be the reciprocal of a divisor (`_over`).
    """

    constant: float
    factors: dict[Term, int]

    @staticmethod
    def of(
        term: Term,
        whole: frozenset[Term] = frozenset(),
        doubles: frozenset[Term] = frozenset(),
        quotients: frozenset[Term] = frozenset(),
    ) -> Product | None:
        """The factors of a term, signs and constants aside; None for too many, or too large ones.

        Other products in `whole` are factors themselves, sums x + x in `doubles` are twice x. Of
        `quotients` the first is taken apart: two divisors as one product would overflow early.
        """
        constant, factors, stack = 1.0, dict[Term, int](), [term]
        divided = False
        while stack:
            here = stack.pop()
            if here.op == "mul" and (here is term or here not in whole):
                stack += reversed(here.args)
            elif here.op == "neg":
                constant = -constant
                stack.append(here.args[0])
            elif here in quotients and not divided:
                divided = True
                above, below = here.args
                factors[_over(below)] = 1
                stack.append(above)
            elif here in doubles:
                constant *= 2.0
                stack.append(here.args[0])
            elif here.op == CONST and has(here.type, const_value(here)):
                constant *= const_value(here)
                if not has(here.type, constant):
                    return None
            else:
                factors[here] = factors.get(here, 0) + 1
            if len(factors) + len(stack) > _FACTORS:
                return None
        return Product(constant, factors)


def doubles_used_once(flat: Sequence[Term]) -> frozenset[Term]:
    """The sums x + x that one product uses: the 2 may belong to another factor of it.

    What several use stays as it is, computed once.
    """
    terms = toposort(flat)
    uses: dict[Term, int] = {}
    for term in terms:
        for arg in dict.fromkeys(term.args) if term.op == "mul" else ():
            uses[arg] = uses.get(arg, 0) + 1
    twice = [t for t in terms if t.op == "add" and t.args[0] is t.args[1]]
    return frozenset(t for t in twice if uses.get(t) == 1)


def shared_factors(
    flat: Sequence[Term],
    doubles: frozenset[Term] = frozenset(),
    whole: frozenset[Term] = frozenset(),
) -> list[tuple[Term, Term]]:
    """Pairs of a product of the program and an equal one, which shares what it can.

    Sums in `doubles` are twice what they add; products in `whole` are factors of others.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, c, x, y = [var(name, Scalar.F32) for name in "acxy"]
    >>> def mul(a, b): return Term("mul", (a, b), None, Scalar.F32)
    >>> (_, first), (_, second) = shared_factors([mul(mul(a, x), c), mul(mul(a, y), c)])
    >>> (first.args, second.args) == ((x, mul(a, c)), (y, mul(a, c)))
    True
    """
    terms = toposort(flat)
    quotients = _used_by_a_product(terms, flat)
    read = {
        term: Product.of(term, whole, doubles, quotients)
        for term in _outer_products(terms, flat, quotients)
    }
    found = {term: product for term, product in read.items() if product and product.factors}
    numbered = _Factors(terms)
    sets: dict[tuple[tuple[int, int], ...], Multiset] = {}
    place = {}
    for term, product in found.items():
        numbers = {numbered.of(f): n for f, n in product.factors.items()}
        if product.constant not in (1.0, -1.0):
            numbers[numbered.of(const(abs(product.constant), term.type))] = 1
        place[term] = sets.setdefault(tuple(sorted(numbers.items())), numbers)
    share(list(sets.values()), numbered.product)
    pairs = [(term, numbered.multiplied(place[term], found[term])) for term in found]
    return [(old, new) for old, new in pairs if old is not new]


class _Factors:
    """Terms by number, in an order that no hash decides: the program's, then what is made."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = list(terms)
        self.number = {term: i for i, term in enumerate(terms)}

    def of(self, term: Term) -> int:
        if term not in self.number:
            self.number[term] = len(self.terms)
            self.terms.append(term)
        return self.number[term]

    def product(self, a: int, b: int) -> int | None:
        """The number of the product of two factors; None where their types differ."""
        first, second = self.terms[a], self.terms[b]
        if first.type is not second.type:
            return None
        return self.of(_times(first, second))

    def multiplied(self, factors: Multiset, product: Product) -> Term:
        """The product of what is left, in the order of the numbers; the sign comes last."""
        each = [self.terms[i] for i, n in sorted(factors.items()) for _ in range(n)]
        each.sort(key=lambda factor: factor.op == _OVER)
        if each[0].op == _OVER:
            each.insert(0, const(1.0, each[0].type))
        result = each[0]
        for factor in each[1:]:
            result = _times(result, factor)
        return result if product.constant > 0 else Term("neg", (result,), None, result.type)


_OVER = "1/"  # a reciprocal among factors; never in a program


def _over(divisor: Term) -> Term:
    return Term(_OVER, (divisor,), None, divisor.type)


def _times(a: Term, b: Term) -> Term:
    """The product of two factors, one of which may be what to divide by."""
    if _OVER not in (a.op, b.op):
        return Term("mul", (a, b), None, a.type)
    above, over = (a, b) if b.op == _OVER else (b, a)
    return Term("div", (above, over.args[0]), None, a.type)


def _used_by_a_product(terms: Sequence[Term], flat: Sequence[Term]) -> frozenset[Term]:
    """The quotients that one product uses, or their negatives, and nothing else."""
    uses = dict.fromkeys(flat, 2)
    for term in reversed(terms):
        each = 1 if term.op == "mul" else uses[term] if term.op == "neg" else 2
        for arg in term.args:
            uses[arg] = uses.get(arg, 0) + each
    return frozenset(t for t in terms if t.op == "div" and uses[t] == 1)


def _outer_products(
    terms: Sequence[Term], flat: Sequence[Term], quotients: frozenset[Term]
) -> Iterator[Term]:
    """The products of reals that are more than factors of other products."""
    outside = set(flat)
    for term in terms:
        if term in quotients:
            outside.add(term.args[1])
        elif term.op not in ("mul", "neg"):
            outside.update(term.args)
    return (t for t in terms if t.op == "mul" and t.type.is_real and t in outside)
