"""Flags that turn counters: which way it went follows from where it is.

    i = i + 1 if up else i - 1
    if i == 0 or i == 5: up = i == 0      up was  i' = 0 ? false : i' = 5 ? true : up'

A flag and the variables that it follows from, which begin with constants and are updated over
each other, constants and conditions, have few states. All are tried, and a list of decisions is
made that gives the flag from the state after it: it is right for each of them, or there is none.

Takes a loop, gives for flags what they were. Knows what operators compute, not which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...terms.loop import Loop, bound, varying
from ...terms.term import CONST, SELECT, Term, const, const_value, substitute, toposort
from ...terms.types import Scalar
from ..egraph.numbers import values
from ..undo.undoing import Undoing
from .rings import PLAIN

_MOST = 1 << 14  # states that are tried
_GIVEN = 3  # conditions from elsewhere


@dataclass(frozen=True)
class Decision:
    """Which number a value is after the trip, and what the flag was, if so."""

    place: int  # of the value: the flag's own is the first
    number: int
    was: bool | None  # None: what it is now

    def rows(self, table: Any) -> Any:
        """The rows of a table of such values in which it is so."""
        return table[self.place] == self.number


@dataclass(frozen=True)
class Flag:
    """What gives a flag: its own next value, and those of `others`."""

    target: Term
    others: tuple[Term, ...]
    decisions: tuple[Decision, ...]
    undoing: Undoing
    later: bool = False

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """The flag, given what it became, and what the others did."""
        found = value
        for d in reversed(self.decisions):
            was = value if d.was is None else const(d.was, Scalar.BOOL)
            condition = given = (value, *others)[d.place]
            if given.type is Scalar.I32:
                condition = self.undoing.computed("eq", given, d.number)
            arms = (found, was) if given.type is Scalar.BOOL and not d.number else (was, found)
            found = Term(SELECT, (condition, *arms), None, Scalar.BOOL)
        return found


def flags(term: Term, undoing: Undoing) -> dict[Term, list[Flag]]:
    """What flags were, by the terms that they become."""
    loop: Loop = term.attr
    begins = {
        v: first
        for v, first, step in zip(loop.state, term.args[1:], loop.step, strict=False)
        if first.op == CONST and v.type in (Scalar.I32, Scalar.BOOL) and step is not v
    }
    steps = dict(zip(loop.state, loop.step, strict=True))
    found: dict[Term, list[Flag]] = {}
    for v in begins:
        if v.type is Scalar.BOOL:
            machine = _machine(v, begins, steps, undoing)
            decisions = None if machine is None else _decided(*machine.tried(begins, undoing))
            if machine is not None and decisions is not None:
                others = (*machine.steps[1:], *machine.given)
                found[steps[v]] = [Flag(v, others, decisions, undoing)]
    return found


@dataclass(frozen=True)
class _Machine:
    """Variables that follow from each other, and from the truth values that are `given`."""

    variables: tuple[Term, ...]
    steps: tuple[Term, ...]
    given: tuple[Term, ...]

    def tried(self, begins: Mapping[Term, Term], undoing: Undoing) -> tuple[Any, Any]:
        """All states after a trip with what is given in it, a row for each; and what the flag was.

        No rows where there are too many.
        """
        most = max([abs(n) for n in self.constants(begins)], default=0) + 2
        sizes = [
            2 * most + 1 if v.type is Scalar.I32 else 2 for v in (*self.variables, *self.given)
        ]
        if prod(sizes) > _MOST:
            return np.zeros((1, 0)), np.zeros(0)
        axes = [np.arange(n) if n == 2 else np.arange(-most, most + 1) for n in sizes]
        grid = [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]
        places = {t: bound("given", Scalar.BOOL) for t in self.given}
        steps = substitute(self.steps, places)
        types = {Scalar.I32: np.int32, Scalar.BOOL: np.bool_}
        inputs = [*self.variables, *places.values()]
        at: dict[Term, Any] = {
            v: column.astype(types[v.type]) for v, column in zip(inputs, grid, strict=True)
        }
        computed = values(undoing.rules, steps, at)
        after = [np.broadcast_to(computed[t], grid[0].shape).astype(np.int64) for t in steps]
        rows = _reached([int(const_value(begins[v])) for v in self.variables], grid, after)
        table = np.array([*after, *grid[len(steps) :]])
        return table[:, rows], grid[0][rows]

    def constants(self, begins: Mapping[Term, Term]) -> list[int]:
        """The integers of which it is made."""
        terms = toposort([*self.steps, *(begins[v] for v in self.variables)])
        return [int(t.attr) for t in terms if t.op == CONST and t.type is Scalar.I32]


def _machine(
    flag: Term, begins: Mapping[Term, Term], steps: Mapping[Term, Term], undoing: Undoing
) -> _Machine | None:
    """What a flag follows from; None where that is more than a few states and conditions."""
    group = {flag: None}
    stack = [flag]
    while stack:
        below = toposort([steps[stack.pop()]])
        more = [t for t in below if t in begins and t not in group]
        group.update(dict.fromkeys(more))
        stack += more
    roots = [steps[v] for v in group]
    order = toposort(roots)
    own = varying(roots, group)
    given: dict[Term, None] = {}
    for t in order:
        if t not in own:
            continue
        plain = t in group or t.op in PLAIN or undoing.is_primitive(t)
        if not plain or t.type not in (Scalar.I32, Scalar.BOOL):
            return None
        given.update(dict.fromkeys(a for a in t.args if a not in own and a.op != CONST))
    given.update(dict.fromkeys(t for t in roots if t not in own and t.op != CONST))
    if len(given) > _GIVEN or any(t.type is not Scalar.BOOL for t in given):
        return None
    return _Machine(tuple(group), tuple(roots), tuple(given))


def _reached(start: Sequence[int], grid: Sequence[Any], after: Sequence[Any]) -> list[int]:
    """The rows of a grid that begin with a state that comes up; none where one is not in it."""
    states = list(zip(*(column.tolist() for column in grid[: len(after)]), strict=True))
    follow = list(zip(*(column.tolist() for column in after), strict=True))
    rows: dict[tuple[int, ...], list[int]] = {}
    for row, state in enumerate(states):
        rows.setdefault(state, []).append(row)
    seen, stack = {tuple(start): None}, [tuple(start)]
    while stack:
        state = stack.pop()
        if state not in rows:
            return []
        for row in rows[state]:
            if follow[row] not in seen:
                seen[follow[row]] = None
                stack.append(follow[row])
    return [row for state in seen for row in rows[state]]


def _decided(table: Any, was: Any) -> tuple[Decision, ...] | None:
    """Decisions that give what a flag was in all rows; None where these do not say it."""
    found: list[Decision] = []
    left = np.ones(was.shape, np.bool_)
    while (left & (was != table[0])).any():
        tried = [(d, left & d.rows(table)) for d in _decisions(table[:, left])]
        said = [table[0] if d.was is None else np.full(was.shape, d.was) for d, _ in tried]
        sure = [t for t, says in zip(tried, said, strict=True) if (says == was)[t[1]].all()]
        gains = [int(rows.sum()) for _, rows in sure]
        if not gains or max(gains) == 0:
            return None
        decision, rows = sure[gains.index(max(gains))]
        found.append(decision)
        left = left & ~rows
    return tuple(found) if was.size else None


def _decisions(table: Any) -> Iterator[Decision]:
    """What may be asked of the rows of a table."""
    for place, column in enumerate(table):
        edges = sorted({int(column.min()), int(column.max())})
        yield from (Decision(place, n, was) for n, was in product(edges, (True, False, None)))
