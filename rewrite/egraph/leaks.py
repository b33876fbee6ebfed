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
from math import isfinite
from typing import Any

import numpy as np

from ...terms.loop import Loop
from ...terms.rule import RuleSet
from ...terms.term import CONST, SELECT, VAR, Term
from .classes import Classes
from .graph import finite
from .numbers import Meanings, Numbers, Points, values, with_tiny

#: Numbers differ beyond these, relative and absolute: more than a rule that approximates. What is
#: below the last digits of another result is rounding.
_RELATIVE, _ABSOLUTE, _DIGITS = 0.1, 0.01, 2.0**-44
# Neighbours of every point, each variable and each sum changed by another share of this: where they
# differ, the program is ill-conditioned, or jumps, or has lost all digits of a small summand. Where
# a result is huge there, it is the reciprocal of rounding (a determinant that is 0), and no unsure
# number of that point counts. Nor does one of a point where a sum has no digits, nor where a
# variable is tiny: quotients are huge there, so all that is rounded is changed, but not a variable
# that is 1, as the weight of a mixture beside 0.
_NEIGHBOURS, _NUDGE = 3, 2.0**-40
_OTHERS = (-1.0, 2.0, 0.0)  # times what has no digits, at neighbours
_TINIEST = 2.0**-1022  # nothing smaller has all digits
_SUMS = ("add", "sub")
_EXACT = (CONST, SELECT, "mul", "neg", "abs", "min", "max", "sign", "floor", "ceil", "trunc")
_GOLDEN = 0.6180339887498949
_HUGE = 1e9
_UNDEFINED, _INFINITE, _NUMBER = range(3)  # what a value is worth


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
        finds, noisy = _with_neighbours(self.rules, self.plain, self.at, self._size)
        found = [finds[root] for root in self.plain]
        wants = [None if isinstance(x, str | Loop) else _Wanted.of(x, self._size) for x in found]
        there = [w for w in wants if w is not None]
        singular = np.any([w.unsure & (np.abs(w.number) > _HUGE) for w in there], axis=0)
        doubtful = singular | noisy | with_tiny(self.at)
        for wanted in there:
            wanted.number[doubtful & wanted.unsure] = np.nan
        return wants

    @cached_property
    def _numbers(self) -> Numbers:
        return Numbers(self.rules, self.at)

    @cached_property
    def _largest(self) -> Any:
        """The magnitude of the largest result at each point."""
        sizes = [np.abs(np.nan_to_num(w.number, posinf=0, neginf=0)) for w in self._wants if w]
        return np.max(sizes, axis=0, initial=0)

    @cached_property
    def _size(self) -> int:
        return next((len(x) for x in self.at.values() if not isinstance(x, str)), 0)

    def lost(self, chosen: Sequence[Term]) -> list[int]:
        """The points at which a result is a number, and that of `chosen` is not this one."""
        if not self._size:
            return []
        finds = self._numbers.find(chosen)
        absolute = _ABSOLUTE + _DIGITS * self._largest
        wrong = np.zeros(self._size, bool)
        for want, best in zip(self._wants, chosen, strict=True):
            if want is not None:
                found = finds[best]
                with np.errstate(all="ignore"):
                    differs = _differ(want.number, found, absolute) & want.steady
                    other = ~np.isfinite(found) | differs
                    wrong |= np.isfinite(want.number) & other
        return [int(i) for i in np.flatnonzero(wrong)]


def _with_neighbours(
    rules: RuleSet, plain: Sequence[Term], at: Points, size: int
) -> tuple[dict[Term, Any], Any]:
    """The numbers of a program at so many points, then at the neighbours of each, row by row.

    Ordinary points have neighbours by variables and sums; those with a tiny variable by all else
    that is rounded, too. What has no digits is another number there, or 0; points with such numbers
    are given, too.
    """
    rows = 1 + _NEIGHBOURS
    both = {v: x if isinstance(x, str) else np.tile(x, rows) for v, x in at.items()}
    tiny = np.tile(np.broadcast_to(with_tiny(at), size), rows)
    seen: dict[Term, Any] = {}
    noisy, moved = np.zeros(size, bool), np.arange(rows * size) >= size
    others = np.repeat((1.0, *_OTHERS), size)

    def nudged(i: int, term: Term, found: Any) -> Any:
        changed = found if term.op in _EXACT else _changed(found, i, size)
        if term.op == VAR:
            changed = np.where(tiny & (found == 1), found, changed)
        elif term.op not in (*_EXACT, *_SUMS):
            changed = np.where(tiny, changed, found)
        noise = _noise(term, found, seen)
        if np.any(noise):
            near = np.broadcast_to(noise, moved.shape)
            here = np.tile(near[:size], rows)  # a neighbour's may be large enough
            noise = np.where(here != 0, here, near)
            noisy[:] |= noise[:size] != 0
            changed = np.where((noise != 0) & moved, noise * others, changed)
        seen[term] = changed
        return changed

    return values(rules, plain, both, nudged), noisy


def _noise(term: Term, found: Any, values: Mapping[Term, Any]) -> Any:
    """Where a number is rounding of far larger summands, or too small to be one: about this much.

    0 where it has digits; a sum that is 0 is what it should be, as often as not.
    """
    args = [values.get(arg, 0.0) for arg in term.args]
    if term.op in _SUMS:
        lost = np.abs(found) < _DIGITS * np.maximum(*map(np.abs, args))
        return np.where(lost, found, 0.0)
    if term.op in ("mul", "div"):
        lost = (np.abs(found) < _TINIEST) & (args[0] != 0) & np.isfinite(args[1])
        return np.where(lost & (args[1] != 0), _TINIEST, 0.0)
    return 0.0


def _changed(found: Any, number: int, size: int) -> Any:
    """Numbers as they are at the points, and nearly so at neighbours, of which two are opposite.

    These have zeros of either sign.
    """
    share, other = ((_GOLDEN * (number + 1) * row) % 1 - 0.5 for row in (1, 2))
    shares = np.repeat([0.0, share, -share, other], size)
    zeros = np.where(shares == 0, found, np.copysign(0.0, shares))
    return np.where(found == 0, zeros, found * (1 + _NUDGE * shares))


def _differ(want: Any, found: Any, absolute: Any = _ABSOLUTE) -> Any:
    want, found = np.asarray(want, np.float64), np.asarray(found, np.float64)
    return np.abs(want - found) > _RELATIVE * np.abs(want) + absolute


def leaking(
    rules: RuleSet, classes: Classes, plain: Sequence[Term], at: Points, places: Sequence[int]
) -> set[int]:
    """The e-nodes that are at one of `places` not the number that their class is."""
    found: set[int] = set()
    reading = _Reading.of(classes)
    for place in places:
        here = {v: x if isinstance(x, str) else x[place] for v, x in at.items()}
        known = {
            classes.loaded[term]: _Known.of(value)
            for term, value in _with_neighbours(rules, plain, here, 1)[0].items()
            if term in classes.loaded and not isinstance(value, str | Loop)
        }
        numbers = {owner: its for owner, its in known.items() if _rank(its.number)}
        found |= _leaking(rules, classes, reading, here, numbers)
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    """The number of a class, and how far others may be off: by a share where it has digits."""

    number: Any
    most: float

    @staticmethod
    def of(rows: Any) -> _Known:
        """What is known from a number, then those of its neighbours."""
        number, *near = np.broadcast_to(rows, 1 + _NEIGHBOURS)
        steady = number != 0 and np.isfinite(near).all() and not _differ(number, near, 0.0).any()
        return _Known(number, _RELATIVE * abs(float(number)) + (0.0 if steady else _ABSOLUTE))

    def differs(self, found: Any) -> bool:
        """Whether a number is another one."""
        return abs(float(self.number) - float(found)) > self.most


@dataclass(frozen=True, slots=True)
class _Reading:
    """Which e-nodes read a class, and how many classes each e-node reads."""

    users: Sequence[Sequence[int]]
    missing: Sequence[int]

    @staticmethod
    def of(classes: Classes) -> _Reading:
        """Those of an e-graph."""
        users: list[list[int]] = [[] for _ in range(classes.count)]
        for i, node in enumerate(classes.nodes):
            for arg in dict.fromkeys(node.args):
                users[arg].append(i)
        return _Reading(users, [len(set(node.args)) for node in classes.nodes])


def _leaking(
    rules: RuleSet,
    classes: Classes,
    reading: _Reading,
    inputs: Mapping[Term, Any],
    known: Mapping[int, _Known],
) -> set[int]:
    """At one point: every class has its known number, or the first that an e-node gives.

    Numbers stay; what is infinite may yet become one, and what is undefined either: that is
    computed again. An infinite number is one to lose, too: the exponential of its negative is 0.
    """
    users, missing = reading.users, list(reading.missing)
    value: dict[int, Any] = {}
    odd: dict[int, int] = {}  # e-nodes that are no number, or the wrong one, and their ranks
    ready = [i for i, node in enumerate(classes.nodes) if not node.args]
    meanings = Meanings(rules)

    def settle(owner: int, result: Any) -> None:
        first = owner not in value
        value[owner] = result
        for user in users[owner]:
            missing[user] -= first
            if not missing[user]:
                ready.append(user)

    for owner, known_ in known.items():
        settle(owner, known_.number)
    with np.errstate(all="ignore"):
        while ready:
            i = ready.pop()
            node = classes.nodes[i]
            result = (
                inputs[node.leaf]
                if node.leaf is not None and node.leaf.op == VAR
                else meanings[node.head]([value[a] for a in node.args])
            )
            rank, want = _rank(result), known.get(node.owner)
            odd.pop(i, None)
            if want is not None and want.differs(result):
                odd[i] = _UNDEFINED
            elif rank < _NUMBER:
                odd[i] = rank
            if node.owner not in value or (want is None and rank > _rank(value[node.owner])):
                settle(node.owner, result)
    return {i for i, rank in odd.items() if rank < _rank(value[classes.nodes[i].owner])}


def _rank(value: Any) -> int:
    """What a value is worth: a choice must not fall below that of its class."""
    if isinstance(value, str | Loop) or isfinite(value):
        return _NUMBER
    return _UNDEFINED if value != value else _INFINITE


def without(classes: Classes, nodes: Collection[int], roots: Sequence[int]) -> Classes | None:
    """The e-graph without some e-nodes; None where a root would have no term left."""
    left = [node for i, node in enumerate(classes.nodes) if i not in nodes]
    if not finite((node.args, node.owner) for node in left).issuperset(roots):
        return None
    return Classes(left, classes.count, classes.loaded)
