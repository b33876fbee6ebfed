"""Regrouping: products and sums of a chosen program in other brackets, for its e-graph.

There is no associativity in the rules: it never saturates. Here the brackets are chosen outside
of the e-graph, by counting what is shared, and only the result is put in, beside what was there.
"""

from collections.abc import Sequence

from ...terms.term import CONST, Term, toposort
from ..scaling import fewer_signs
from .constants import constants_inside
from .divisors import WAYS, in_common_divisors
from .exponents import multiples_of_others
from .fractions import without_inner
from .inside import factors_inside
from .polynomials import multiplied_out
from .products import doubles_used_once, shared_factors
from .quotients import without_common, without_roots
from .roots import by_roots
from .summands import used_often
from .sums import common_factors

__all__ = [
    "WAYS",
    "by_shared_constants",
    "in_common_divisors",
    "in_other_groups",
    "multiplied_apart",
]


def in_other_groups(flat: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Pairs of a term below `flat` and an equal one, in other groups of factors and summands."""
    sums = [*common_factors(flat), *constants_inside(flat), *without_common(flat)]
    sums += [*factors_inside(flat), *without_inner(flat)]
    wide = [*flat, *(new for _, new in sums)]
    pairs = [*sums, *shared_factors(wide), *fewer_signs(flat), *multiples_of_others(flat)]
    doubles = doubles_used_once(flat)
    return pairs + shared_factors(wide, doubles) if doubles else pairs


def multiplied_apart(flat: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Pairs of a term below `flat` and an equal one: sums multiplied out, or without some roots.

    Beside other groups from the start this would lead away from what they find.
    """
    return [*multiplied_out(flat), *by_roots(flat), *without_roots(flat)]


def by_shared_constants(flat: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Pairs of a product below `flat` and an equal one, whose constants others have, too.

        x = 3*a; y = 4*b; 9*(x*c), 9*(y*c)    as    c' = 9*c, x*c', y*c'

    Products with constants that are used otherwise, like x, are factors by themselves: taken apart,
    their constants differ, and none is shared.
    """
    terms = toposort(flat)
    often = used_often(terms, flat)
    whole = frozenset(t for t in often if any(a.op == CONST for a in t.args))
    return shared_factors(flat, whole=whole) if whole else []
