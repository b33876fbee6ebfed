"""Sums of products as sets of cubes, and the divisors that they have in common.

A cube is a product of numbers that stand for factors, a sum has cubes with signs. Divisors are
products of two factors, and sums of two cubes without what these have in common:

    abx + aby, cx + cy    as    abu, cu    with    u = x + y

The one that saves most goes first, and gets a number of its own (Rajski and Vasudevamurthy, The
testability-preserving concurrent decomposition and factorization of Boolean expressions, 1992;
Hosangadi, Fallah and Kastner, Optimizing polynomial expressions by algebraic factorization, 2006).
What divisors save is kept, and a heap of them with stale entries skipped: only sums that change are
looked at again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import combinations

#: Factors in order, each as often as it occurs; without any it is 1.
Cube = tuple[int, ...]
#: Cubes, and the sign of each.
Sum = dict[Cube, int]
#: Two cubes, and the sign of the second beside the first; of a product one, and 0.
_Divisor = tuple[Cube, Cube, int]


def divide(sums: Sequence[Sum], first: int) -> tuple[list[Sum], dict[int, Sum]]:
    """The sums without their common divisors, as far as that saves operators, and the divisors.

    These have numbers from `first` on, and are divided, too.

    >>> divide([{(1, 3, 4): 1, (1, 3, 5): -1}, {(2, 4): 1, (2, 5): -1}], 6)
    ([{(1, 3, 6): 1}, {(2, 6): 1}], {6: {(4,): 1, (5,): -1}})
    """
    table = _Table(sums)
    most = sum(map(operators, sums))
    made: list[int] = []
    while len(made) < most and (divisor := table.next()) is not None:
        made.append(table.taken(divisor, first + len(made)))
    after = table.sums
    return after[: len(sums)], {first + i: after[place] for i, place in enumerate(made)}


def operators(one: Collection[Cube]) -> int:
    """How many operators a sum is computed with, signs aside."""
    return len(one) - 1 + sum(map(_products, one))


def _products(cube: Cube) -> int:
    return max(len(cube) - 1, 0)


class _Table:
    """Sums, their divisors, and what each of these saves."""

    def __init__(self, sums: Sequence[Sum]) -> None:
        self.sums: list[Sum] = []
        self.saved: dict[_Divisor, int] = {}
        self.where: dict[_Divisor, dict[int, int]] = {}  # how often it is in each sum
        self.heap: list[tuple[int, _Divisor]] = []
        changed: dict[_Divisor, None] = {}
        for one in sums:
            self._put(one, changed)
        self._push(changed)

    def next(self) -> _Divisor | None:
        """The divisor that saves most, of those the first in order; None where none saves."""
        while self.heap:
            gain, divisor = heappop(self.heap)
            if gain == -self._gain(divisor):
                return divisor
        return None

    def taken(self, divisor: _Divisor, number: int) -> int:
        """Put a number in the place of a divisor everywhere; gives the place of the divisor."""
        changed: dict[_Divisor, None] = {}
        for i in list(self.where[divisor]):
            before, after = self.sums[i], _with(self.sums[i], divisor, number)
            self._count(i, [cube for cube in before if cube not in after], -1, changed)
            self.sums[i] = after
            self._count(i, [cube for cube in after if cube not in before], 1, changed)
        one, other, sign = divisor
        new = self._put({one: 1, other: sign} if sign else {one: 1}, changed)
        self._push(changed)
        return new

    def _put(self, one: Sum, changed: dict[_Divisor, None]) -> int:
        self.sums.append(one)
        self._count(len(self.sums) - 1, list(one), 1, changed)
        return len(self.sums) - 1

    def _gain(self, divisor: _Divisor) -> int:
        one, other, sign = divisor
        return self.saved[divisor] - _products(one) - (_products(other) + 1 if sign else 0)

    def _push(self, changed: Iterable[_Divisor]) -> None:
        for divisor in changed:
            gain = self._gain(divisor)
            if gain > 0:
                heappush(self.heap, (-gain, divisor))

    def _count(
        self, i: int, cubes: Sequence[Cube], sign: int, changed: dict[_Divisor, None]
    ) -> None:
        """Add what is saved in a sum with some of its cubes, or take it away."""
        for divisor, saved in _divisors(self.sums[i], cubes):
            self.saved[divisor] = self.saved.get(divisor, 0) + sign * saved
            changed[divisor] = None
            there = self.where.setdefault(divisor, {})
            there[i] = there.get(i, 0) + sign
            if not there[i]:
                del there[i]


def _divisors(one: Sum, cubes: Sequence[Cube]) -> Iterator[tuple[_Divisor, int]]:
    """The divisors of a sum that some of its cubes have, and what each saves."""
    done = set[Cube]()
    for cube in cubes:
        done.add(cube)
        for other in one:
            if other not in done:
                common, rest, left = _split(cube, other)
                saved = _products(cube) + _products(other) + 1 - len(common)
                pair = (rest, left) if rest < left else (left, rest)
                yield (*pair, one[cube] * one[other]), saved
        for factors in dict.fromkeys(combinations(cube, 2)):
            yield (factors, (), 0), _times(cube, factors)


def _split(cube: Cube, other: Cube) -> tuple[Cube, Cube, Cube]:
    """What two cubes have in common, and what is left of each."""
    if set(cube).isdisjoint(other):
        return (), cube, other
    common, rest, left = list[int](), list[int](), list(other)
    for factor in cube:
        if factor in left:
            left.remove(factor)
            common.append(factor)
        else:
            rest.append(factor)
    return tuple(common), tuple(rest), tuple(left)


def _times(cube: Cube, pair: Cube) -> int:
    """How often a pair of factors is in a cube at once."""
    a, b = pair
    return cube.count(a) // 2 if a == b else min(cube.count(a), cube.count(b))


def _with(one: Sum, divisor: _Divisor, number: int) -> Sum:
    """A sum with a number in the place of a divisor."""
    first, second, relative = divisor
    if not relative:
        return {_swapped(cube, first, number): sign for cube, sign in one.items()}
    left = dict(one)
    for cube in sorted(one):
        _, missing, rest = _split(first, cube)
        other = tuple(sorted((*rest, *second)))
        if missing or cube not in left or left.get(other) != left[cube] * relative:
            continue
        sign = left.pop(cube)
        del left[other]
        left[tuple(sorted((*rest, number)))] = sign
    return left


def _swapped(cube: Cube, pair: Cube, number: int) -> Cube:
    factors, times = list(cube), _times(cube, pair)
    for factor in pair * times:
        factors.remove(factor)
    return tuple(sorted((*factors, *[number] * times)))
