"""Where functions of sums of squares meet 0: their slopes there are 0 times infinity as written.

    sqrt(x*x + y*y + z*z)    at the origin: the slope of the root is infinite, that of the sum 0
    x / sqrt(x*x + y*y)      no number there in any case: nothing is worth its guard

Takes the results of a program, gives its terms that are functions of sums of squares, less those
by which the program divides whatever it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.term import CAST, CONST, SELECT, Term, const_value, toposort
from ..guards import guards

_FACTORS = 8  # a product of more than so many different ones is no square that anybody wrote
_POLES = {"div": 1, "rcp": 0, "rsqrt": 0, "log": 0}  # what has no value at 0, and for which operand


def of_squares(roots: Sequence[Term]) -> dict[Term, None]:
    """The terms whose first operand is 0 only where squares are, if they may be 0 themselves."""
    terms = toposort(roots)
    squares = _sums_of_squares(terms)
    found = [t for t in terms if t.args and t.args[0] in squares and t not in squares]
    if not found:
        return {}
    needed = guards(roots)
    poles = {
        term.args[_POLES[term.op]]
        for term in terms
        if term.op in _POLES and needed[term].parent is None
    }
    return dict.fromkeys(t for t in found if t not in poles and t.args[0] not in poles)


def _sums_of_squares(terms: Sequence[Term]) -> set[Term]:
    """Terms that are never negative, and smooth: so their slopes are 0 where they are."""
    found: set[Term] = set()
    odd: dict[Term, frozenset[Term]] = {}  # the factors that a product has an odd number of times
    for term in terms:
        if term.op in ("mul", "div"):
            one, other = (odd.get(a, frozenset([a])) - found for a in term.args)
            left = frozenset(t for t in one ^ other if not _is_positive(t))
            if len(left) <= _FACTORS:
                odd[term] = left
                if not left and not all(map(_is_positive, term.args)):
                    found.add(term)
        elif (
            (term.op == "pow" and _is_even(term.args[1]))
            or (term.op in ("add", CAST) and all(a in found for a in term.args))
            or (term.op == SELECT and all(a in found for a in term.args[1:]))
        ):
            found.add(term)
    return found


def _is_even(exponent: Term) -> bool:
    return exponent.op == CONST and const_value(exponent) > 0 and const_value(exponent) % 2 == 0


def _is_positive(term: Term) -> bool:
    return term.op == CONST and const_value(term) > 0
