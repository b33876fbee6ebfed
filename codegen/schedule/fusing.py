"""Takes terms in order, says which products are computed together with the sum they belong to.

`a*b + c` as one `fma` is one operation instead of two, rounds once, and is the same number on
every device; left to the compiler (FP_CONTRACT), it would differ between them. What must not be
fused, unless any real identity will do, is a sum of two products: in `a*b - c*d` one of the two
would be rounded and the other not, and where they are equal, as in the cross product of a vector
with itself, the difference would not be 0, and its square root NaN.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum

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

    The product has no other use and no name of the user's, and `fma` costs no more than both.
    """
    found: dict[Term, int] = {}
    if how is Fusing.NONE:
        return found
    pays = {kind: _pays(rules, kind) for kind in Scalar}
    for term in order:
        if term.op not in _SUMS or not isinstance(term.type, Scalar) or not pays[term.type]:
            continue
        for place in (1, 0):
            product, other = term.args[place], term.args[1 - place]
            named = product in notes and notes[product].name
            if product.op != PRODUCT or uses.get(product) != 1 or named:
                continue
            # A negation more would be free on most devices, but everybody counts it.
            if operands(term, place) is None:
                continue
            if how is Fusing.ALL or not _rounds_a_product(other):
                found[term] = place
                break
    return found


def _pays(rules: RuleSet, kind: Scalar) -> bool:
    """Whether there is an `fma` of a type, and it costs no more than product and sum."""
    single, *both = (rules.get(op) for op in (FUSED, PRODUCT, *_SUMS))
    if not kind.is_real or single is None or kind not in single.opencl:
        return False
    costs = [op.costs.get(kind, op.cost) for op in (single, *both) if op is not None]
    cost, product, *sums = [1.0 if c is None else c for c in costs]
    return cost <= product + min(sums, default=0.0)


def _rounds_a_product(term: Term) -> bool:
    """Whether a term is a product, but for its sign and a choice with another."""
    arms: Collection[Term] = term.args[1:] if term.op == SELECT else (term,)
    return any((arm.args[0] if arm.op == NEGATION else arm).op == PRODUCT for arm in arms)


def operands(term: Term, place: int) -> list[Term] | None:
    """The operands a, b and c of the `fma` that a sum is; None where it takes a negation more."""
    product, other = term.args[place], term.args[1 - place]
    found = [*product.args, other]
    if _SUMS[term.op] > 0:
        return found
    for changed in (2,) if place == 0 else (0, 1):
        opposite = _opposite(found[changed])
        if opposite is not None:
            return [*found[:changed], opposite, *found[changed + 1 :]]
    return None


def _opposite(term: Term) -> Term | None:
    """The negative of a term, where it is there anyway."""
    if term.op == CONST:
        return const(-const_value(term), term.type)
    return term.args[0] if term.op == NEGATION else None
