"""Reuse: values of a program that are other values of it, or one or two operators away from them.

Rules meet such values only where each step between them is a rule, and in the e-graph; here nothing
is rewritten: values are computed at a random point, and looked up by what they are there.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ...terms.rule import RuleSet
from ...terms.term import Term
from ..egraph.cost import term_cost
from ..egraph.numbers import Points, is_real
from .digits import Digits
from .exponentials import by_less_one
from .known import Known
from .repeats import repeated
from .resubstitution import resubstituted
from .taken import taken
from .triples import in_two_steps

Pairs = list[tuple[Term, Term]]

__all__ = ["are_as_exact", "are_exact_everywhere", "by_less_one", "reused", "taken"]


class Found(NamedTuple):
    """Values and what they equal: over others, and over what they have for themselves.

    An e-graph finds the latter by itself, or is led away from what it would find.
    """

    others: Pairs
    own: Pairs


def reused(flat: Sequence[Term], rules: RuleSet, at: Points) -> Found:
    """Pairs of a value below `flat` and an equal term over other values, as exact at points."""
    known = Known(flat, lambda term: term_cost(rules, term))
    of_two = list(resubstituted(known))
    own = [(old, new) for old, new, is_own in of_two if is_own]
    others = [(old, new) for old, new, is_own in of_two if not is_own]
    others = [*repeated(known), *others, *in_two_steps(known)]
    digits = Digits(rules, [*others, *own], at)
    return Found(*[[p for p in pairs if digits.are_kept(*p)] for pairs in (others, own)])


def are_as_exact(pairs: Sequence[tuple[Term, Term]], rules: RuleSet, at: Points) -> bool:
    """Whether all second terms are as exact at points as the first ones, which they equal."""
    changed = [(old, new) for old, new in pairs if old is not new and is_real(old)]
    digits = Digits(rules, changed, at)
    return all([digits.are_kept(old, new) for old, new in changed])


def are_exact_everywhere(pairs: Sequence[tuple[Term, Term]], rules: RuleSet, at: Points) -> bool:
    """The same at each of the points, one by one."""
    changed = [(old, new) for old, new in pairs if old is not new and is_real(old)]
    digits = Digits(rules, changed, at)
    return all([digits.are_kept_everywhere(old, new) for old, new in changed])
