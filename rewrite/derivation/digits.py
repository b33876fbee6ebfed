"""Where digits of small numbers count: what is read by more than sums.

    1 - cos(x)     has no digits left where x is near 0
    y + (1 - cos(x)) * z     needs none: the sum would lose them
    sqrt(1 - cos(x)), (1 - cos(x)) / x, or the result itself     need them

Takes the results of a program, gives its terms that have to be accurate relative to themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.term import CAST, CONST, DETACH, SELECT, Term, toposort

_SUMS = frozenset({"add", "sub"})
_FACTORS = frozenset({"mul", "neg", SELECT, CAST, DETACH})  # as accurate as what they read


def accurate(roots: Sequence[Term]) -> dict[Term, None]:
    """The results, and what is read by anything but sums, or by factors of such terms."""
    found = dict.fromkeys(roots)
    for term in reversed(toposort(roots)):
        if term.op in _SUMS or (_is_factor(term) and term not in found):
            continue
        found.update(dict.fromkeys(term.args))
    return found


def _is_factor(term: Term) -> bool:
    return term.op in _FACTORS or (term.op == "div" and term.args[1].op == CONST)
