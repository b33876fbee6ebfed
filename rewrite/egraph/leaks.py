"""Leaks: where a chosen program is not the number that the program it stands for is.

Two terms are equal where both are defined, and classes know no more: in
`cos(asin(x)) if abs(x) < 1 else 1 - x*x` the square of the cosine is 1 - x*x, and undefined
where that is needed; `t / t` is 1, and undefined where `t` is `0 if c else x` and c holds. Takes
programs and e-graphs as plain data, tries them with numbers, gives the e-nodes that lose a
value; the choice is made again without them. Always the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ...rules.meaning import compile_meaning
from ...terms.loop import LOAD, LOOP, MEMORY, RESTORE, SAVE, STORE, Loop
from ...terms.rule import RuleSet
from ...terms.term import CAST, CONST, PROJ, SELECT, VAR, Term, const_value, toposort
from ...terms.types import Memory, Scalar
from .classes import Classes
from .encode import Head, head_of
from .graph import finite

#: The values of every variable, one per point.
Points = Mapping[Term, Any]

_DTYPES: dict[Scalar, np.dtype[Any]] = {
    Scalar.BOOL: np.dtype(np.bool_),
    Scalar.I32: np.dtype(np.int32),
}
_COUNT = 40
_ALONE = 48  # points at which a variable is 0, and the others are not: a variable each, then shared
_SPECIAL = (0.0, 1.0, -1.0, 0.5, 2.0)
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


def points(roots: Sequence[Term], special: bool) -> Points:
    """Numbers for the variables; the special ones are where real identities have their gaps."""
    table: dict[Term, Any] = {}
    order = toposort(roots)
    count = sum(t.op == VAR and not isinstance(t.type, Memory) for t in order)
    zeros = min(sum(t.op == VAR for t in order), _ALONE) if special else 0
    drawn = iter(_drawn(special, zeros, 1 << count.bit_length()))
    place = 0
    for term in order:
        if isinstance(term.type, Memory):
            if term.op == VAR:
                table[term] = str(term.attr)
        elif term.op == VAR:
            numbers = next(drawn).copy()
            if zeros:
                numbers[place % zeros - zeros] = 0.0
                place += 1
            table[term] = _typed(numbers, term.type)
    return table


@lru_cache(maxsize=64)
def _drawn(special: bool, zeros: int, count: int) -> list[Any]:
    """The numbers of so many variables, drawn once: those of more variables begin with them."""
    rng = random.Random(0)
    edges = [*_SPECIAL, 0.0, 1.0] if special else []
    drawn = []
    for _ in range(count):
        values = [_number(rng, special) for _ in range(_COUNT)]
        alone = [_number(rng, special=False) for _ in range(zeros)]
        drawn.append(np.array([*edges, *values, *alone]))
    return drawn


def _number(rng: random.Random, special: bool) -> float:
    number, edge, scale = rng.uniform(-1, 1), rng.choice(_SPECIAL), rng.choice((0.5, 3, 3, 20))
    return edge if special and rng.randrange(4) == 0 else round(scale * number, 3)


def _typed(array: Any, type_: Scalar) -> Any:
    if type_ is Scalar.BOOL:
        return array > 0
    return np.rint(array).astype(np.int32) if type_ is Scalar.I32 else array


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
        finds = values(self.rules, self.plain, both, lambda i: _nudges(i, *rows))
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


def values(
    rules: RuleSet,
    roots: Sequence[Term],
    at: Points,
    nudges: Callable[[int], Any] | None = None,
) -> dict[Term, Any]:
    """The numbers of every term below the roots, one per point.

    Variables and sums of reals are changed by `nudges`, which gives factors for each by its number.
    """
    values: dict[Term, Any] = {}
    meanings = _Meanings(rules)
    with np.errstate(all="ignore"):
        for i, term in enumerate(toposort(roots)):
            if term.op == VAR:
                values[term] = at[term]
            else:
                values[term] = meanings[head_of(term)]([values[a] for a in term.args])
            if nudges is not None and term.op in _NUDGED and term.type.is_real:
                values[term] = values[term] * nudges(i)
    return values


class _Meanings(dict[Head, Callable[[Sequence[Any]], Any]]):
    """What operators compute on numbers, in float64, whatever the type of the program."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def __missing__(self, head: Head) -> Callable[[Sequence[Any]], Any]:
        self[head] = _meaning(self.rules, head)
        return self[head]


def _meaning(rules: RuleSet, head: Head) -> Callable[[Sequence[Any]], Any]:
    op, attr, _, type_ = head
    if op in (LOOP, MEMORY, STORE, SAVE, RESTORE):
        whole = attr if op == LOOP else op
        return lambda args: whole
    if op in (PROJ, LOAD):
        return lambda args: _unknown(type_, attr if op == PROJ else args[1])
    dtype = _DTYPES.get(type_, np.dtype(np.float64))
    if op == CONST:
        number = np.asarray(const_value(Term(CONST, (), attr, type_)), dtype)
        return lambda args: number
    if op == SELECT:
        return lambda args: np.where(*args)
    if op == CAST:
        return lambda args: args[0] != 0 if dtype == np.bool_ else args[0].astype(dtype)
    operator = rules.operators[op][0]
    names = tuple(p.name for p in operator.params)
    text = operator.numpy or f"{op}({', '.join(names)})"
    compute = compile_meaning(text, names, operator.at)

    def result(args: Sequence[Any]) -> Any:
        found = np.asarray(compute(args))
        return found if found.dtype == dtype else found.astype(dtype)

    return result


def _unknown(type_: Any, which: Any) -> Any:
    """A number that stands for what a loop gives, or for what a memory holds."""
    if isinstance(type_, Memory):
        return MEMORY
    number = 3 * np.sin(12.9898 * np.asarray(which, np.float64) + 0.7)
    if type_ is Scalar.BOOL:
        return number > 0
    return np.rint(number).astype(np.int32) if type_ is Scalar.I32 else number


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
    meanings = _Meanings(rules)

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
