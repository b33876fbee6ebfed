"""Leaks: where a chosen program is not the number that the program it stands for is.

Two terms are equal where both are defined, and classes know no more: in
`cos(asin(x)) if abs(x) < 1 else 1 - x*x` the square of the cosine is 1 - x*x, and undefined
where that is needed; `t / t` is 1, and undefined where `t` is `0 if c else x` and c holds. Takes
programs and e-graphs as plain data, tries them with numbers, gives the e-nodes that lose a
value; the choice is made again without them. Always the same numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...terms.loop import Loop
from ...terms.rule import RuleSet
from ...terms.term import VAR, Term
from .classes import Classes
from .graph import finite
from .numbers import Meanings, Points, values

#: Numbers differ beyond these, relative and absolute: more than a rule that approximates.
_RELATIVE, _ABSOLUTE = 0.1, 0.01
# Neighbours of every point, each variable and each sum changed by another share of this: where they
# differ, the program is ill-conditioned, or jumps, or has lost all digits of a small summand. Where
# a result is huge there, it is the reciprocal of rounding (a determinant that is 0), and no unsure
# number of that point counts.
_NEIGHBOURS, _NUDGE = 3, 2.0**-40
_NUDGED = (VAR, "add", "sub")
_GOLDEN = 0.6180339887498949
_HUGE = 1e9


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The numbers of a result, one per point, and what those of the neighbours say about them."""

    number: Any
    steady: Any  # no neighbour has another number
    unsure: Any  # a neighbour has another number, or none

    @staticmethod
    def of(found: Any, size: int) -> _Wanted:
        """What is known from the numbers of the points, then of their neighbours."""
        rows = np.broadcast_to(found, ((1 + _NEIGHBOURS) * size,)).reshape(-1, size)
        number, near = np.array(rows[0], np.float64), rows[1:]
        with np.errstate(all="ignore"):
            differ = _differ(number, near)
            unsure = (differ | ~np.isfinite(near)).any(axis=0)
        return _Wanted(number, ~differ.any(axis=0), unsure)


class Witness:
    """A program with its numbers at some points, which a chosen program must not lose."""

    def __init__(self, rules: RuleSet, plain: Sequence[Term], at: Points) -> None:
        self.rules, self.plain, self.at = rules, plain, at

    @cached_property
    def _wants(self) -> list[_Wanted | None]:
        """For each result its numbers, and where they are steady; None for what is no number.

        The points themselves and their neighbours go through the program together.
        """
        rows = (1 + _NEIGHBOURS, self._size)
        both = {v: x if isinstance(x, str) else np.tile(x, rows[0]) for v, x in self.at.items()}

        def nudged(i: int, term: Term, found: Any) -> Any:
            return found * _nudges(i, *rows) if term.op in _NUDGED else found

        finds = values(self.rules, self.plain, both, nudged)
        found = [finds[root] for root in self.plain]
        wants = [None if isinstance(x, str | Loop) else _Wanted.of(x, self._size) for x in found]
        there = [w for w in wants if w is not None]
        singular = np.any([w.unsure & (np.abs(w.number) > _HUGE) for w in there], axis=0)
        for wanted in there:
            wanted.number[singular & wanted.unsure] = np.nan
        return wants

    @cached_property
    def _size(self) -> int:
        return next((len(x) for x in self.at.values() if not isinstance(x, str)), 0)

    def lost(self, chosen: Sequence[Term]) -> list[int]:
        """The points at which a result is a number, and that of `chosen` is not this one."""
        if not self._size:
            return []
        finds = values(self.rules, chosen, self.at)
        wrong = np.zeros(self._size, bool)
        for want, best in zip(self._wants, chosen, strict=True):
            if want is not None:
                found = finds[best]
                with np.errstate(all="ignore"):
                    other = ~np.isfinite(found) | (_differ(want.number, found) & want.steady)
                    wrong |= np.isfinite(want.number) & other
        return [int(i) for i in np.flatnonzero(wrong)]


def _nudges(number: int, rows: int, size: int) -> Any:
    """Factors for the points, which are 1, and for their neighbours, which are nearly so."""
    shares = [0.0] + [(_GOLDEN * (number + 1) * row) % 1 - 0.5 for row in range(1, rows)]
    return np.repeat([1 + _NUDGE * share for share in shares], size)


def _differ(want: Any, found: Any) -> Any:
    want, found = np.asarray(want, np.float64), np.asarray(found, np.float64)
    return np.abs(want - found) > _RELATIVE * np.abs(want) + _ABSOLUTE


def leaking(
    rules: RuleSet, classes: Classes, plain: Sequence[Term], at: Points, places: Sequence[int]
) -> set[int]:
    """The e-nodes that are at one of `places` not the number that their class is."""
    found: set[int] = set()
    for place in places:
        here = {v: x if isinstance(x, str) else x[place] for v, x in at.items()}
        known = {
            classes.loaded[term]: value
            for term, value in values(rules, plain, here).items()
            if term in classes.loaded and not isinstance(value, str | Loop) and _is_number(value)
        }
        found |= _leaking(rules, classes, here, known)
    return found


def _leaking(
    rules: RuleSet, classes: Classes, inputs: Mapping[Term, Any], known: Mapping[int, Any]
) -> set[int]:
    """At one point: every class has its known number, or the first that an e-node gives.

    Numbers stay; what is no number may yet become one, and is computed again.
    """
    users: list[list[int]] = [[] for _ in range(classes.count)]
    missing = [len(set(node.args)) for node in classes.nodes]
    for i, node in enumerate(classes.nodes):
        for arg in dict.fromkeys(node.args):
            users[arg].append(i)
    value: dict[int, Any] = {}
    odd: set[int] = set()  # e-nodes that are no number, or the wrong one
    ready = [i for i, node in enumerate(classes.nodes) if not node.args]
    meanings = Meanings(rules)

    def settle(owner: int, result: Any) -> None:
        first = owner not in value
        value[owner] = result
        for user in users[owner]:
            missing[user] -= first
            if not missing[user]:
                ready.append(user)

    for owner, result in known.items():
        settle(owner, result)
    with np.errstate(all="ignore"):
        while ready:
            i = ready.pop()
            node = classes.nodes[i]
            result = (
                inputs[node.leaf]
                if node.leaf is not None and node.leaf.op == VAR
                else meanings[node.head]([value[a] for a in node.args])
            )
            number, want = _is_number(result), known.get(node.owner)
            wrong = not number or (want is not None and bool(_differ(want, result)))
            (odd.add if wrong else odd.discard)(i)
            if node.owner not in value or (number and not _is_number(value[node.owner])):
                settle(node.owner, result)
    return {i for i in odd if _is_number(value[classes.nodes[i].owner])}


def _is_number(value: Any) -> bool:
    return isinstance(value, str | Loop) or bool(np.isfinite(value))


def without(classes: Classes, nodes: Collection[int], roots: Sequence[int]) -> Classes | None:
    """The e-graph without some e-nodes; None where a root would have no term left."""
    left = [node for i, node in enumerate(classes.nodes) if i not in nodes]
    if not finite((node.args, node.owner) for node in left).issuperset(roots):
        return None
    return Classes(left, classes.count, classes.loaded)
