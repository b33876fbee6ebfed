"""Takes a reduced problem, says which classes every use of a class brings along.

implied(c) = {c} with the intersection over e-nodes n of c of the union over uses d of n
of implied(d): the classes that occur in every finite derivation of c. Sets are bits of
integers: bit i is the i-th class of the problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

LARGEST = 24_000  # classes: the sets together take the square of it in bits
_WORK = 200  # operands that are looked at for each class; mostly 3, and 16 are many


def implied(
    classes: Sequence[int], nodes: Sequence[Sequence[int]], uses: Sequence[Sequence[int]]
) -> list[int]:
    """For each of `classes`, the set of classes that no derivation of it can do without.

    The greatest solution: sets start full, and only shrink; derivations being finite, what
    is left is true. Soonest where classes come after those that they use, but for cycles. Where
    that takes long (a class of 10,000 e-nodes is looked at again after each of its operands), each
    class is said to need itself alone.

    >>> implied([0, 1, 2], [[0], [1], [2, 3]], [(), (0,), (0,), (1,)])
    [1, 3, 5]
    """
    place = {cls: i for i, cls in enumerate(classes)}
    alternatives = [
        [tuple([place[used] for used in uses[node]]) for node in nodes[cls]] for cls in classes
    ]
    users: list[list[int]] = [[] for _ in classes]
    for i, group in enumerate(alternatives):
        for used in group[0] if len(group) == 1 else {u for args in group for u in args}:
            users[used].append(i)
    full = (1 << len(classes)) - 1
    sets = [full] * len(classes)
    heap, waiting = list(range(len(classes))), [True] * len(classes)
    work = [sum(map(len, group)) for group in alternatives]
    left = _WORK * len(classes) + max(work, default=0)
    while heap:
        i = heappop(heap)
        left -= work[i]
        if left < 0:
            return [1 << i for i in range(len(classes))]
        waiting[i] = False
        common = full
        for args in alternatives[i]:
            union = 0
            for used in args:
                union |= sets[used]
            common &= union
        common |= 1 << i
        if common != sets[i]:
            sets[i] = common
            for user in users[i]:
                if not waiting[user]:
                    waiting[user] = True
                    heappush(heap, user)
    return sets


def members(bits: int, classes: Sequence[int]) -> list[int]:
    """The classes whose bits are set, in order."""
    text = bin(bits)[:1:-1]
    result, i = [], text.find("1")
    while i >= 0:
        result.append(classes[i])
        i = text.find("1", i + 1)
    return result
