"""Sums of multiples around a ring: what they say of one of their summands.

    t' = (3 s + 5 t) mod m    is undone by    t = (t' - 3 s) / 5 mod m

where 5 has an inverse, t lies between 0 and m, and nothing wraps on the way. Takes a loop and
what is known of its variables, gives for such values what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from ...terms.loop import Loop, bound
from ...terms.term import CONST, Term, const, const_value, substitute, toposort
from ...terms.types import Memory
from ..undo.ranges import Ranges
from ..undo.undoing import Undoing
from .rings import LARGEST, MOST, Ring

_STEPS = 64  # of a sum that is looked at


@dataclass(frozen=True)
class Line:
    """What a sum around a ring says of a summand, given the others.

    `rest` is what these make, over `places` where they stand; nothing that is a remainder less
    the rest is further than `reach` from 0.
    """

    target: Term
    others: tuple[Term, ...]
    later: bool
    rest: Term
    places: tuple[Term, ...]
    reach: int
    ring: Ring

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """The value of the summand, given that of the remainder."""
        (rest,) = substitute([self.rest], dict(zip(self.places, others, strict=True)))
        compute, size = self.ring.undoing.computed, self.ring.size
        if self.reach > LARGEST:
            rest = compute("floor_mod", rest, size)
        left = compute("sub", value, rest)
        if self.reach * self.ring.factor > LARGEST:
            left = compute("floor_mod", left, size)
        return self.ring.before(left, ())


def lines(loop: Loop, always: Ranges, later: Ranges, undoing: Undoing) -> dict[Term, list[Line]]:
    """What the remainders in a body say; `later` are ranges in all trips but the first."""
    found: dict[Term, list[Line]] = {}
    for term in toposort([t for t in loop.step if not isinstance(t.type, Memory)]):
        size = modulus(term, undoing)
        if size is not None and 1 < size <= MOST:
            told = [*_told(term, size, always, undoing, False)]
            told += _told(term, size, later, undoing, True)
            found[term] = told
    return found


def modulus(term: Term, undoing: Undoing) -> int | None:
    """By which number a term is a remainder."""
    rest = undoing.rest(term)
    if rest is None or not all(t.op == CONST for t in rest.constants.values()):
        return None
    sizes = [int(const_value(t)) for t in rest.constants.values()]
    found = [n for n in sizes if n > 0 and undoing.computed("floor_mod", rest.inner, n) is term]
    return next(iter(found), None)


def _told(term: Term, size: int, ranges: Ranges, undoing: Undoing, later: bool) -> Iterator[Line]:
    """What one remainder says of its summands."""
    whole = undoing.inner(term)
    summands, steps = _summands(whole)
    ranges.of(whole)
    for target, factor in summands.items():
        low, high = ranges.of(target)
        if low < 0 or high >= size or gcd(factor, size) != 1:
            continue
        (left,) = substitute([whole], {target: const(0, target.type)})
        low, high = ranges.of(left)
        if ranges.wrapped.isdisjoint([*steps, *_summands(left)[1]]):
            others = tuple([t for t in summands if t is not target])
            places = {t: bound("summand", t.type) for t in others}
            (rest,) = substitute([whole], {target: const(0, target.type), **places})
            reach = size + max(-low, high)
            ring = Ring(target, 0, size, pow(factor, -1, size), 0, later, undoing)
            yield Line(target, others, later, rest, tuple(places.values()), reach, ring)


def _summands(whole: Term) -> tuple[dict[Term, int], list[Term]]:
    """What a sum is made of, with factors, and the sums and products on the way to them."""
    found: dict[Term, int] = {}
    steps: list[Term] = []
    stack = [(whole, 1)]
    while stack and len(steps) < _STEPS:
        term, factor = stack.pop()
        steps.append(term)
        numbers = [int(const_value(a)) for a in term.args if a.op == CONST]
        if term.op in ("add", "sub"):
            stack += zip(term.args, (factor, factor if term.op == "add" else -factor), strict=True)
        elif term.op == "mul" and numbers:
            moving = term.args[0] if term.args[1].op == CONST else term.args[1]
            stack.append((moving, factor * numbers[-1]))
        elif term.op != CONST:
            found[term] = found.get(term, 0) + factor
            steps.pop()
    return ({}, steps) if stack else (found, steps)
