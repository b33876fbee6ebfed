"""Reuse: values of a program that are other values of it, or one operator away from them.

Rules meet such values only where each step between them is a rule, and in the e-graph; here nothing
is rewritten: values are computed at a random point, and looked up by what they are there.
"""

from collections.abc import Sequence

from ...terms.rule import RuleSet
from ...terms.term import Term
from ..egraph.cost import term_cost
from ..egraph.numbers import Points
from .digits import Digits
from .repeats import repeated
from .resubstitution import resubstituted

__all__ = ["reused"]


def reused(flat: Sequence[Term], rules: RuleSet, at: Points) -> list[tuple[Term, Term]]:
    """Pairs of a value below `flat` and an equal term over other values, as exact at points."""
    found = [*repeated(flat), *resubstituted(flat, lambda term: term_cost(rules, term))]
    digits = Digits(rules, found, at)
    return [(old, new) for old, new in found if digits.are_kept(old, new)]
