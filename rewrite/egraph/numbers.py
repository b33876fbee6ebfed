"""What programs are as numbers: points, and the value of every term at each of them.

Takes terms, gives numbers in float64 whatever the type of the program; always the same numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...rules.meaning import compile_meaning
from ...terms.loop import LOAD, LOOP, MEMORY, RESTORE, SAVE, STORE, TABLE, held
from ...terms.rule import RuleSet
from ...terms.term import CAST, CONST, PROJ, SELECT, VAR, Term, const_value, toposort
from ...terms.types import Memory, Scalar
from .encode import Head, head_of

#: The values of every variable, one per point.
Points = Mapping[Term, Any]

_DTYPES: dict[Scalar, np.dtype[Any]] = {
    Scalar.BOOL: np.dtype(np.bool_),
    Scalar.I32: np.dtype(np.int32),
}
_COUNT = 40
_ALONE = 48  # twice so many points have a 0, and no other: two for each variable, then shared
_FAR, _LARGE = 8, 1000.0  # so many points have a number so large, and as many its negative
#: At so many points one variable is tiny, far below the rounding of the others, of which some
#: are 1 or 0: the weights of a mixture, in which the tiny one counts.
_TINY, _SMALL, _LEAST = 64, 1e-20, 1e-15
#: Where one variable is so large that squares of it are no number, or infinite.
_BEYOND, _OUT = 8, (1e200, -1e200, math.inf, -math.inf)
_NEAR, _SMALLER = 2.0**-12, 2.0**-8  # relative: what is close, and what is smaller
_OFTEN = 4  # times so many points
_WIDE = (-4, 6)  # powers of two
_SPECIAL = (0.0, 1.0, -1.0, 0.5, 2.0)


def points(roots: Sequence[Term], special: bool) -> Points:
    """Numbers for the variables; the special ones are where real identities have their gaps."""
    table: dict[Term, Any] = {}
    order = toposort(roots)
    count = sum(t.op == VAR and not isinstance(t.type, Memory) for t in order)
    zeros = min(sum(t.op == VAR for t in order), _ALONE) if special else 0
    far, small = min(zeros, _FAR), min(zeros, _TINY)
    drawn = iter(_drawn(special, zeros, 1 << count.bit_length()))
    place = 0
    for term in order:
        if isinstance(term.type, Memory):
            if term.op == VAR:
                table[term] = str(term.attr)
        elif term.op == VAR:
            numbers = next(drawn).copy()
            if zeros:
                numbers[[place % zeros - zeros, place % zeros - 2 * zeros]] = 0.0
                if isinstance(term.type, Scalar) and term.type.is_real:
                    numbers[place % far - 2 * zeros - far] = _LARGE
                    numbers[place % far - 2 * zeros - 2 * far] = -_LARGE
                    numbers[place % small : _TINY : small] = _SMALL
                place += 1
            table[term] = typed(numbers, term.type)
    return table


def beyond(roots: Sequence[Term]) -> Points:
    """Points at which one real variable is far out, or infinite; the others are ordinary."""
    free = [t for t in toposort(roots) if t.op == VAR]
    count = min(sum(map(is_real, free)), _BEYOND)
    table: dict[Term, Any] = {}
    place = 0
    for term in free:
        if isinstance(term.type, Memory):
            table[term] = str(term.attr)
            continue
        numbers = _ordinary(len(table), len(_OUT) * count).copy()
        if is_real(term):
            numbers[place % count :: count] = _OUT
            place += 1
        table[term] = typed(numbers, term.type)
    return table


@lru_cache(maxsize=256)
def _ordinary(place: int, count: int) -> Any:
    rng = random.Random(place)
    return np.array([round(rng.uniform(0.3, 2), 3) for _ in range(count)])


def with_tiny(at: Points) -> Any:
    """At which points a variable is tiny."""
    numbers = [x for x in at.values() if not isinstance(x, str)]
    return np.any([(x != 0) & (np.abs(x) < _LEAST) for x in numbers], axis=0)


def usual(at: Points) -> Points:
    """The points at which no variable is tiny: what errors are like where programs are used."""
    if all(isinstance(x, str) for x in at.values()):
        return at
    kept = ~with_tiny(at)
    return {v: x if isinstance(x, str) else x[kept] for v, x in at.items()}


def close(at: Points) -> Points:
    """Points at which many reals are near one another, or near their negatives.

    What these differ by is exact; others are smaller. 1 is among them at every other point.
    """
    return _with_reals(at, _near)


def wide(at: Points) -> Points:
    """Points at which reals are from 1/16 to 64, of either sign."""
    return _with_reals(at, _spread)


def _with_reals(at: Points, drawn: Callable[[int, int], Any]) -> Points:
    """More points, at which reals are what is drawn for their places."""
    found: dict[Term, Any] = {}
    for place, (term, numbers) in enumerate(at.items()):
        found[term] = numbers if isinstance(numbers, str) else np.tile(numbers, _OFTEN)
        if is_real(term):
            found[term] = single(drawn(place, _OFTEN * len(numbers)))
    return found


@lru_cache(maxsize=1024)
def _spread(place: int, count: int) -> Any:
    rng = random.Random(place)
    return np.array([rng.choice((1, -1)) * 2.0 ** rng.uniform(*_WIDE) for _ in range(count)])


@lru_cache(maxsize=1024)
def _near(place: int, count: int) -> Any:
    """The numbers of one variable near those of the others."""
    common, own = random.Random(count), random.Random(place)
    numbers = [1.0 if k % 2 else common.uniform(0.5, 2) for k in range(count)]
    signs = [own.choice((1, 1, -1, -1, _SMALLER, -_SMALLER)) for _ in numbers]
    return np.array(numbers) * signs * [1 + _NEAR * own.uniform(-1, 1) for _ in numbers]


@lru_cache(maxsize=64)
def _drawn(special: bool, zeros: int, count: int) -> list[Any]:
    """The numbers of so many variables, drawn once: those of more variables begin with them."""
    rng, other, third = random.Random(0), random.Random(1), random.Random(2)
    edges = [*_SPECIAL, 0.0, 1.0] if special else []
    drawn = []
    for _ in range(count):
        values = [_number(rng, special) for _ in range(_COUNT)]
        alone = [_number(rng, special=False) for _ in range(zeros)]
        above = [round(other.uniform(1, 3), 3) for _ in range(zeros)]  # 0**y has a derivative there
        beside = [_number(other, special=False) for _ in range(2 * min(zeros, _FAR))]
        weights = [_weight(third) for _ in range(_TINY if zeros else 0)]
        drawn.append(np.array([*weights, *edges, *values, *beside, *alone, *above]))
    return drawn


def _number(rng: random.Random, special: bool) -> float:
    number, edge, scale = rng.uniform(-1, 1), rng.choice(_SPECIAL), rng.choice((0.5, 3, 3, 20))
    return edge if special and rng.randrange(4) == 0 else round(scale * number, 3)


def _weight(rng: random.Random) -> float:
    return rng.choice((0.0, 1.0, 1.0, round(rng.uniform(0.1, 2), 3), round(rng.uniform(-2, 2), 3)))


def typed(array: Any, type_: Scalar) -> Any:
    """Numbers as a type has them."""
    if type_ is Scalar.BOOL:
        return array > 0
    return np.rint(array).astype(np.int32) if type_ is Scalar.I32 else array


def is_real(term: Term) -> bool:
    """Whether a term is a number with digits: no integer, condition or memory."""
    return isinstance(term.type, Scalar) and term.type.is_real


def single(number: Any) -> Any:
    """Numbers of reals as they are after rounding to single precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(number).astype(np.float32).astype(np.float64)


def values(
    rules: RuleSet,
    roots: Sequence[Term],
    at: Points,
    changed: Callable[[int, Term, Any], Any] | None = None,
) -> dict[Term, Any]:
    """The numbers of every term below the roots, one per point.

    Numbers of reals go on as `changed` gives them back, which is told the place and the term.
    """
    return Numbers(rules, at, changed).find(roots)


class Numbers(dict[Term, Any]):
    """The numbers of terms, one per point. Programs on the way of a search share most terms: what
    has been found stays."""

    def __init__(
        self, rules: RuleSet, at: Points, changed: Callable[[int, Term, Any], Any] | None = None
    ) -> None:
        self.at, self.changed, self.meaning = at, changed, Meanings(rules)

    def find(self, roots: Sequence[Term]) -> Numbers:
        """These, with those of every term below the roots."""
        changed, meaning = self.changed, self.meaning
        with np.errstate(all="ignore"):
            for term in toposort(roots):
                if term in self:
                    continue
                if term.op == VAR:
                    number = self.at[term]
                else:
                    number = meaning[head_of(term)]([self[a] for a in term.args])
                if changed is not None and isinstance(term.type, Scalar) and term.type.is_real:
                    number = changed(len(self), term, number)
                self[term] = number
        return self


class Meanings(dict[Head, Callable[[Sequence[Any]], Any]]):
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
    if op == PROJ:
        return lambda args: _unknown(type_, attr)
    if op == LOAD:
        return lambda args: _loaded(type_, *args)
    if op == TABLE:
        numbers = held(Term(TABLE, (), attr, type_))
        return lambda args: numbers
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


def _loaded(type_: Any, source: Any, index: Any) -> Any:
    """What a table holds at an index, which is kept in range; else a number that stands for it."""
    if not isinstance(source, tuple):
        return _unknown(type_, index)
    dtype = _DTYPES.get(type_, np.dtype(np.float64))
    return np.array(source, dtype)[np.clip(index, 0, len(source) - 1)]


def _unknown(type_: Any, which: Any) -> Any:
    """A number that stands for what a loop gives, or for what a memory holds."""
    if isinstance(type_, Memory):
        return MEMORY
    number = 3 * np.sin(12.9898 * np.asarray(which, np.float64) + 0.7)
    if type_ is Scalar.BOOL:
        return number > 0
    return np.rint(number).astype(np.int32) if type_ is Scalar.I32 else number
