"""Counters that go around: few values, and each update takes every one of them to another one.

    i = 0 if i == 4 else i + 1    is undone by    i = (i' - 1) mod 5

However such an update is written, what it does can be tried: a variable that begins with a
constant, and whose updates are over itself and constants, has the values that follow from the
first one; one that every trip leaves as its own remainder or its own low bits has one of these, in
all trips but the first. Where an update takes each of them to another one around a ring,
`x -> a x + b mod m`, the way back is one around the same ring, and that is tried with all values,
too.

Takes a loop, gives for such updates what undoes them. Knows what operators compute, not which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...terms.loop import Loop, varying
from ...terms.term import CAST, CONST, SELECT, Term, toposort
from ...terms.types import Scalar
from ..egraph.numbers import values
from ..undo.undoing import Undoing
from .images import Image

#: Values that are tried at most, and up to which; products of them and of a digit do not wrap.
MOST, _DIGIT = 1 << 17, 1 << 8
LARGEST = (1 << 31) - 1
PLAIN = (CONST, SELECT, CAST)  # what is no operator, and can be computed of integers


@dataclass(frozen=True)
class Ring:
    """What undoes an update: x = low + (factor * (y - low) + turn) mod size.

    `later`: in all trips but the first, which may begin with anything.
    """

    target: Term
    low: int
    size: int
    factor: int
    turn: int
    later: bool
    undoing: Undoing
    others: tuple[Term, ...] = ()

    def before(self, value: Term, _: Sequence[Term]) -> Term:
        """The value of the variable, given that of the update."""
        compute = self.undoing.computed
        found = compute("sub", value, self.low) if self.low else value
        high, digit = divmod(self.factor, _DIGIT)
        if (self.factor + 1) * self.size <= LARGEST:
            found = compute("mul", found, self.factor) if self.factor != 1 else found
        else:  # in two digits, so that nothing wraps
            upper = compute("floor_mod", compute("mul", found, high), self.size)
            found = compute("add", compute("mul", upper, _DIGIT), compute("mul", found, digit))
        found = compute("floor_mod", compute("add", found, self.turn), self.size)
        return compute("add", found, self.low) if self.low else found


def rings(term: Term, undoing: Undoing, images: Sequence[Image]) -> dict[Term, Ring]:
    """What undoes updates, by the terms that they are."""
    loop: Loop = term.attr
    rests = {image.variable: image for image in reversed(images)}
    found: dict[Term, Ring] = {}
    for v, first, step in zip(loop.state, term.args[1:], loop.step, strict=False):
        if v.type is not Scalar.I32 or step is v:
            continue
        begins = [(first, False)] if first.op == CONST else []
        if (rest := undoing.rest(first)) is not None:
            begins.append((rest.of(v), False))
        if v in rests and not {*loop.inputs}.intersection(toposort([rests[v].rest])):
            begins.append((rests[v].rest, not rests[v].always))
        tried = (_rings(v, start, later, step, undoing) for start, later in begins)
        found |= next(filter(None, tried), {})
    return found


def _rings(
    variable: Term, begins: Term, later: bool, step: Term, undoing: Undoing
) -> dict[Term, Ring]:
    """What undoes the updates of one variable; none, where one of them is not over it alone.

    It begins with a constant, or with any value that is this rest of itself.
    """
    arms = _arms(step, variable, undoing)
    if arms is None:
        return {}
    constants = [n for n in _constants(arms) if abs(n) <= MOST]
    largest = max(map(abs, (*constants, *_constants([begins]))), default=0)
    if largest > MOST:
        return {}
    tried = np.arange(-largest - 1, largest + 2, dtype=np.int32)
    computed = values(undoing.rules, [*arms, begins], {variable: tried})
    tables = [np.broadcast_to(computed[arm], tried.shape).tolist() for arm in arms]
    starts = tried[tried == computed[begins]].tolist()
    reached = _reached(starts, tables, -int(tried[0]))
    if reached is None:
        return {}
    found = {}
    for arm, table in zip(arms, tables, strict=True):
        after = np.array([table[x - int(tried[0])] for x in reached.tolist()])
        ring = _ring(reached, after, constants)
        if ring is None:
            return {}
        found[arm] = Ring(variable, *ring, later, undoing)
    return found


def _arms(step: Term, variable: Term, undoing: Undoing) -> list[Term] | None:
    """The updates that a step chooses from; None where one is over anything else."""
    others = [
        t
        for t in toposort([step])
        if t is not variable and not (t.op in PLAIN or undoing.is_primitive(t))
    ]
    others += [t for t in toposort([step]) if t.type not in (Scalar.I32, Scalar.BOOL)]
    foreign = varying([step], others)
    found: dict[Term, None] = {}
    stack, seen = [step], {step}
    while stack:
        term = stack.pop()
        if term not in foreign:
            if term is not variable:
                found[term] = None
        elif term.op == SELECT:
            stack += [arm for arm in term.args[1:] if arm not in seen]
            seen.update(term.args[1:])
        else:
            return None
    return list(found)


def _constants(terms: Sequence[Term]) -> list[int]:
    """The integers in some terms."""
    found = {int(t.attr): None for t in toposort(terms) if t.op == CONST and t.type is Scalar.I32}
    return list(found)


def _reached(starts: Sequence[int], tables: Sequence[Sequence[int]], origin: int) -> Any:
    """The values that follow from the first ones, in order; None where they leave the tables."""
    size = len(tables[0]) if tables else 0
    seen = set(starts)
    stack = [*starts]
    while stack:
        place = stack.pop() + origin
        if not 0 <= place < size:
            return None
        for table in tables:
            if table[place] not in seen:
                seen.add(table[place])
                stack.append(table[place])
    return np.array(sorted(seen))


def _ring(before: Any, after: Any, constants: Sequence[int]) -> tuple[int, int, int, int] | None:
    """What takes every value after an update to the one before it, tried with all of them."""
    low = int(before[0])
    step = max(int(np.gcd.reduce(before - low)), 1)  # 0 where there is but one value
    sizes = [step * len(before), *sorted(c for c in constants if c > before[-1] - low)]
    for size in sizes:
        for factor, turn in _maps(before - low, after - low, size):
            if _fits(low, size, factor, turn, before, after):
                return low, size, factor, turn
    return None


def _maps(before: Any, after: Any, size: int) -> Iterator[tuple[int, int]]:
    """The factor and the turn around a ring that two of the values say, and the plain turns."""
    across = (after - after[0]) % size
    shares = np.gcd(across, size)
    nearest = int(np.argmin(shares))
    share, far = int(shares[nearest]), int(before[nearest] - before[0])
    factors = [1, size - 1]
    if far % share == 0 and share < size:
        part = size // share
        factors.append(far // share * pow(int(across[nearest]) // share, -1, part) % part)
    for factor in factors:
        yield factor, (int(before[0]) - factor * int(after[0])) % size


def _fits(low: int, size: int, factor: int, turn: int, before: Any, after: Any) -> bool:
    """Whether a ring leads back from all values, with numbers that do not wrap on the way."""
    inside = size <= MOST and after.min() >= low and after.max() - low < size
    back = (factor * (after.astype(np.int64) - low) + turn) % size
    return bool(inside and (back == before - low).all())
