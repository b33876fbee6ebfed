"""Domains: where a program is undefined for the sign or the size of what a function is of.

`sqrt(s)/sqrt(s)` is 1 where s is positive, and nothing where it is negative: 1 would be a number
there that the program does not have. Takes terms and their numbers, says at which points they are
undefined in such a way. 0/0 and infinity less infinity are gaps, which others may fill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ...terms.loop import Loop
from ...terms.term import SELECT, Term, toposort
from .numbers import is_real

_GAPS = ("add", "sub", "mul", "div", "rcp")  # undefined at single points, if at all


def outside_domains(roots: Sequence[Term], finds: Mapping[Term, Any], size: int) -> dict[Term, Any]:
    """Of every term below the roots, at which of so many points it is outside of a domain.

    What a function gives outside of it goes on through all that is undefined for that.
    """
    inside = np.zeros(size, bool)
    found: dict[Term, Any] = {}
    for term in toposort(roots):
        number = finds[term]
        found[term] = inside
        if not term.args or isinstance(number, str | Loop) or not is_real(term):
            continue
        undefined = np.isnan(number)
        if undefined.any():
            here = np.broadcast_to(undefined & _without(term, finds, found), size)
            found[term] = here if here.any() else inside
    return found


def _without(term: Term, finds: Mapping[Term, Any], outside: Mapping[Term, Any]) -> Any:
    """Where a term has no value for that reason, if it has none."""
    each = [outside[a] for a in term.args]
    if term.op == SELECT:
        return np.where(finds[term.args[0]], *each[1:])
    below = reduce(np.logical_or, each)
    numbers = [finds[a] for a in term.args]
    if term.op in _GAPS or any(isinstance(x, str | Loop) for x in numbers):
        return below
    known = reduce(np.logical_and, map(np.isfinite, numbers))
    return below | (known & (numbers[-1] != 0))
