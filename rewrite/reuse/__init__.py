"""Reuse: values of a program that are other values of it, or one or two operators away from them.

Rules meet such values only where each step between them is a rule, and in the e-graph; here nothing
is rewritten: values are computed at a random point, and looked up by what they are there.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ...terms.rule import RuleSet
from ...terms.term import Term
from ..egraph.cost import term_cost
from ..egraph.numbers import is_real
from .cases import by_cases
from .digits import Digits
from .exponentials import by_less_one
from .known import Known
from .reciprocals import by_reciprocals
from .repeats import repeated
from .resubstitution import resubstituted
from .taken import replaced, taken
from .triples import in_two_steps

__all__ = [
    "Digits",
    "are_as_exact",
    "are_exact_everywhere",
    "are_numbers_alike",
    "by_less_one",
    "replaced",
    "reused",
    "taken",
]

Pairs = list[tuple[Term, Term]]


class Found(NamedTuple):
    """Values and what they equal: over others, and over what they have for themselves.

    An e-graph finds the latter by itself, or is led away from what it would find.
    """

    others: Pairs
    own: Pairs


def reused(flat: Sequence[Term], rules: RuleSet, digits: Digits) -> Found:
    """Pairs of a value below `flat` and an equal term over other values that has its digits."""
    known = Known(flat, lambda term: term_cost(rules, term))
    of_two = list(resubstituted(known))
    own = [(old, new) for old, new, is_own in of_two if is_own]
    others = [(old, new) for old, new, is_own in of_two if not is_own]
    others = [*repeated(known), *others, *in_two_steps(known), *by_reciprocals(known.terms, rules)]
    others += by_cases(known)
    return Found(digits.kept(others), digits.kept(own))


def are_as_exact(pairs: Sequence[tuple[Term, Term]], digits: Digits) -> bool:
    """Whether all second terms have the digits of the first ones, which they equal."""
    changed = _changed(pairs)
    return len(digits.kept(changed)) == len(changed)


def are_numbers_alike(pairs: Sequence[tuple[Term, Term]], digits: Digits) -> bool:
    """Whether all second terms are numbers where the first ones are, and exact where inputs are
    close; all else that is said of errors is not."""
    changed = _changed(pairs)
    return len(digits.alike(changed)) == len(changed)


def are_exact_everywhere(pairs: Sequence[tuple[Term, Term]], digits: Digits) -> bool:
    """The same at each of the points, one by one."""
    changed = _changed(pairs)
    return len(digits.kept_everywhere(changed)) == len(changed)


def _changed(pairs: Sequence[tuple[Term, Term]]) -> Pairs:
    return [(old, new) for old, new in pairs if old is not new and is_real(old)]
