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
from ...terms.rule import Rewrite, RuleSet
from ...terms.term import CONST, SELECT, VAR, Term, toposort
from ...terms.types import Scalar
from .encode import typed
from .numbers import is_real, points, values

_GAPS = ("add", "sub", "mul", "div", "rcp")  # undefined at single points, if at all
_ALGEBRA = (*_GAPS, "neg")


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


def extends_domains(rules: RuleSet) -> bool:
    """Whether a rewrite, taken by itself, has numbers where its left side is outside of a domain.

    No shipped one has. Who gives `asin(x) + acos(x) >> pi/2` wants it for all x.
    """
    return any(_extends(rules, rule) for rule in rules.rewrites if _takes_functions_away(rule))


def _takes_functions_away(rule: Rewrite) -> bool:
    """Whether there are functions on the left side, and none on the right, whatever it is of."""
    plain = all(p.is_scalar for p in rule.params) and rule.lhs.type.is_real
    if rule.primal or rule.conditions or not plain:
        return False
    left, right = ({t.op for t in toposort([side])} for side in (rule.lhs, rule.rhs))
    return not left <= {*_ALGEBRA, CONST, VAR} and right <= {*_ALGEBRA, CONST, VAR}


def _extends(rules: RuleSet, rule: Rewrite) -> bool:
    left, right = (typed(side, Scalar.F64) for side in (rule.lhs, rule.rhs))
    at = points([left, right], special=False)
    found = values(rules, [left, right], at)
    size = max((len(x) for x in at.values()), default=1)
    return bool(np.any(outside_domains([left], found, size)[left] & ~np.isnan(found[right])))
