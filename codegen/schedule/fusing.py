"""Takes terms in order, says which products are computed together with the sum they belong to.

`a*b + c` as one `fma` is one operation instead of two, rounds once, and is the same number on
every device; left to the compiler (FP_CONTRACT), it would differ between them. What must not be
fused, unless any real identity will do, is a sum of two products: in `a*b - c*d` one of the two
would be rounded and the other not, and where they are equal, as in the cross product of a vector
with itself, the difference would not be 0, and its square root NaN. A sum of two squares may be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ...rewrite.egraph.cost import operator_cost
from ...terms.program import Note
from ...terms.rule import RuleSet
from ...terms.term import CONST, SELECT, Term, const, const_value
from ...terms.types import Scalar

FUSED, PRODUCT, NEGATION = "fma", "mul", "neg"
_SUMS = {"add": 1, "sub": -1}


class Fusing(Enum):
    """Which sums of products become `fma`: none, those that cannot cancel wrongly, or all."""

    NONE = "none"
    SOUND = "sound"
    ALL = "all"


def fused(
    order: Sequence[Term],
    uses: Mapping[Term, int],
    notes: Mapping[Term, Note],
    rules: RuleSet,
    how: Fusing,
) -> dict[Term, int]:
    """The sums that are computed as `fma`: which of their two arguments is the product.

    The product has no name of the user's and no use but in such sums: in one of them by the costs
    of the rule files; where `fma` costs no more than a sum, all that share it compute it again.
    """
    found: dict[Term, int] = {}
    if how is Fusing.NONE:
        return found
    prices = {kind: price for kind in Scalar if (price := _prices(rules, kind)) is not None}
    sums: dict[Term, dict[Term, int]] = {}
    for term in order:
        if term.op not in _SUMS or term.type not in prices:
            continue
        for place in (1, 0):
            product = term.args[place]
            named = product in notes and notes[product].name
            if product.op != PRODUCT or named:
                continue
            if how is Fusing.ALL or not _can_cancel(term, place):
                sums.setdefault(product, {})[term] = place
    for product, places in sums.items():
        only_here = len(places) == uses.get(product) and found.keys().isdisjoint(places)
        if only_here and prices[product.type].favour(places):
            found.update(places)
    return found


@dataclass(frozen=True, slots=True)
class _Prices:
    """What operators cost in one type."""

    single: float
    product: float
    negation: float
    sums: Mapping[str, float]

    def favour(self, sums: Mapping[Term, int]) -> bool:
        """Whether sums cost no more as `fma` than beside their common product."""
        apart = self.product + sum(self.sums[term.op] for term in sums)
        negations = sum(operands(*sum_)[1] is not None for sum_ in sums.items())
        return len(sums) * self.single + negations * self.negation <= apart


def _prices(rules: RuleSet, kind: Scalar) -> _Prices | None:
    """The costs of operators in a type; None where it has no `fma`."""
    single = rules.get(FUSED)
    if not kind.is_real or single is None or kind not in single.opencl:
        return None
    own = (FUSED, PRODUCT, NEGATION, *_SUMS)
    fma, product, negation, *sums = [operator_cost(rules, op, kind, (kind,)) for op in own]
    return _Prices(fma, product, negation, dict(zip(_SUMS, sums, strict=True)))


def _can_cancel(total: Term, place: int) -> bool:
    """Whether a sum is one of two products of which one can be the other's opposite.

    Two squares cannot, unless one is subtracted.
    """
    product, other = total.args[place], total.args[1 - place]
    arms: Collection[Term] = other.args[1:] if other.op == SELECT else (other,)
    if not any((arm.args[0] if arm.op == NEGATION else arm).op == PRODUCT for arm in arms):
        return False
    return _SUMS[total.op] < 0 or not all(map(_is_square, (product, *arms)))


def _is_square(term: Term) -> bool:
    return term.op == PRODUCT and term.args[0] is term.args[1]


def reads(term: Term, sums: Mapping[Term, int]) -> Sequence[Term]:
    """What the statement of a term reads: its arguments, or the operands of the `fma` it is."""
    return operands(term, sums[term])[0] if term in sums else term.args


def operands(term: Term, place: int) -> tuple[list[Term], int | None]:
    """The operands a, b and c of the `fma` that a sum is, and which of them is still to be negated.

    In a difference one of them changes its sign: one whose opposite is there anyway, if any is.
    """
    found = [*term.args[place].args, term.args[1 - place]]
    if _SUMS[term.op] > 0:
        return found, None
    signed = (2,) if place == 0 else (0, 1)
    for i in signed:
        opposite = _opposite(found[i])
        if opposite is not None:
            found[i] = opposite
            return found, None
    return found, signed[0]


def _opposite(term: Term) -> Term | None:
    """The negative of a term, where it is there anyway."""
    if term.op == CONST:
        return const(-const_value(term), term.type)
    return term.args[0] if term.op == NEGATION else None
