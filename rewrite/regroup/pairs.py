"""What several multisets share: pairs of elements, the most frequent one first.

Takes multisets of numbers, replaces pairs in them by the number of the pair, in place. Work is
proportional to what changes: counts are kept, and a heap of them with stale entries skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush

#: How often each number is in a multiset.
Multiset = dict[int, int]

_Pair = tuple[int, int]


def share(sets: Sequence[Multiset], made: Callable[[int, int], int | None]) -> None:
    """Replace the pair that occurs most often by one number, until none occurs twice.

    Of equally frequent pairs the one of the smallest numbers goes first. `made` gives the number
    of a pair, or None for a pair that cannot be replaced.

    >>> sets = [{1: 1, 2: 1, 3: 1}, {1: 1, 3: 1, 4: 1}]
    >>> share(sets, lambda a, b: 10 * a + b)
    >>> sets
    [{2: 1, 13: 1}, {4: 1, 13: 1}]
    """
    counts: dict[_Pair, int] = {}
    where: dict[_Pair, dict[int, None]] = {}
    for i, one in enumerate(sets):
        for pair, n in _pairs(one):
            counts[pair] = counts.get(pair, 0) + n
            where.setdefault(pair, {})[i] = None
    heap = [(-n, pair) for pair, n in counts.items() if n > 1]
    heapify(heap)
    while heap:
        negative, pair = heappop(heap)
        if counts.get(pair, 0) != -negative:
            continue  # it has changed since, and another entry says so
        new = made(*pair)
        if new is None:
            continue
        changed: dict[_Pair, None] = {}
        concerned = (*pair, new)
        for i in list(where[pair]):
            for before, n in _pairs(sets[i], concerned):
                counts[before] -= n
                changed[before] = None
                where[before].pop(i, None)
            _replace(sets[i], pair, new)
            for after, n in _pairs(sets[i], concerned):
                counts[after] = counts.get(after, 0) + n
                changed[after] = None
                where.setdefault(after, {})[i] = None
        for touched in changed:
            if counts[touched] > 1:
                heappush(heap, (-counts[touched], touched))


def _pairs(one: Multiset, of: Sequence[int] | None = None) -> Iterator[tuple[_Pair, int]]:
    """The pairs in a multiset, smaller number first, and how often each is in it at once.

    With `of` only those that have one of these numbers.
    """
    done: dict[int, None] = {}
    for a in sorted(one) if of is None else [n for n in dict.fromkeys(of) if n in one]:
        done[a] = None
        if one[a] > 1:
            yield (a, a), one[a] // 2
        for b in one:
            if b not in done:
                yield (min(a, b), max(a, b)), min(one[a], one[b])


def _replace(one: Multiset, pair: _Pair, new: int) -> None:
    a, b = pair
    times = one[a] // 2 if a == b else min(one[a], one[b])
    for number in pair:
        one[number] -= times
    for number in {a: None, b: None}:
        if not one[number]:
            del one[number]
    one[new] = one.get(new, 0) + times
