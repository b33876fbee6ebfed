"""Where digits of small numbers count: what is read by more than sums.

    1 - cos(x)     has no digits left where x is near 0
    y + (1 - cos(x)) * z     needs none: the sum would lose them
    sqrt(1 - cos(x)), (1 - cos(x)) / x, or the result itself     need them
    log(1 - tanh(x)**2 + 1e-6)       needs them, as far down as the number that it is kept from 0 by

Takes the results of a program, gives its terms that have to be accurate relative to themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...terms.term import CAST, CONST, DETACH, SELECT, Term, const_value, toposort
from ...terms.types import Scalar

_SUMS = frozenset({"add", "sub"})
_FACTORS = frozenset({"mul", "neg", SELECT, CAST, DETACH})  # as accurate as what they read


def accurate(roots: Sequence[Term]) -> dict[Term, None]:
    """The results, and what is read by anything but sums, or by factors of such terms."""
    found = dict.fromkeys(roots)
    for term in reversed(toposort(roots)):
        if term.op in _SUMS:
            found.update(dict.fromkeys(_beside_little(term) if term in found else ()))
        elif not _is_factor(term) or term in found:
            found.update(dict.fromkeys(term.args))
    return found


def _beside_little(term: Term) -> list[Term]:
    """What is summed with a number so near 0 that half of the digits of 1 are lost beside it."""
    dtype = np.dtype(term.type.value) if isinstance(term.type, Scalar) else None
    if dtype is None or dtype.kind != "f":
        return []
    little = float(np.sqrt(np.finfo(dtype).eps))
    is_little = [a.op == CONST and abs(float(const_value(a))) < little for a in term.args]
    return [a for a, beside in zip(term.args, reversed(is_little), strict=True) if beside]


def _is_factor(term: Term) -> bool:
    return term.op in _FACTORS or (term.op == "div" and term.args[1].op == CONST)
