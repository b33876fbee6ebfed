"""Takes terms in one order, gives another in which they can be computed, too.

depth      result after result, as they come
breadth    what is farthest from the results first: much can be done at once
registers  few values are alive: of some orders the one with which a processor, if it
           keeps what is needed soonest (Belady, 1966), has to fetch values again least often
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from ...terms.term import CONST, LEAVES, Term

REGISTERS = 32  # of a processor's vector unit
_NEVER = 1 << 60

Ordering = Callable[[Sequence[Term]], list[Term]]


def by_distance(order: Sequence[Term]) -> list[Term]:
    """Terms that are farther from the results first; arguments are farther than their users."""
    distance = dict.fromkeys(order, 0)
    for term in reversed(order):
        for arg in [a for a in term.args if a in distance]:
            distance[arg] = max(distance[arg], distance[term] + 1)
    return sorted(order, key=lambda term: -distance[term])


def sparing(order: Sequence[Term]) -> list[Term]:
    """Of three orders, that in which values are fetched again least often, then fewest are alive.

    The first of equals: what cannot be improved stays as it is.
    """
    tried = (list(order), _last_users_first(order), _backwards(order))
    return min(tried, key=lambda o: (refetched(o, REGISTERS), alive(o)))


ORDERS: Mapping[str, Ordering] = {"depth": list, "breadth": by_distance, "registers": sparing}


def alive(order: Sequence[Term]) -> int:
    """How many values are alive at once, at most: from where they are made, or first used, on."""
    first: dict[Term, int] = {}
    last: dict[Term, int] = {}
    for i, term in enumerate(order):
        for arg in _values(term):
            first.setdefault(arg, i)
            last[arg] = i
        first[term] = i
    steps = [0] * (len(order) + 1)
    for value, end in last.items():
        steps[first[value]] += 1
        steps[end] -= 1
    return max(accumulate(steps), default=0)


def refetched(order: Sequence[Term], registers: int) -> int:
    """How often a value has left the registers before it is needed, if the best ones are kept."""
    needed: dict[Term, list[int]] = {}
    for i, term in enumerate(order):
        for arg in _values(term):
            needed.setdefault(arg, []).append(i)
    for places in needed.values():
        places.reverse()
    kept: dict[Term, int] = {}  # values in registers: when each is needed next
    known: set[Term] = set()
    count = 0

    def keep(value: Term, beside: Iterable[Term]) -> None:
        known.add(value)
        if len(kept) >= registers:
            others = [k for k in kept if k not in beside]
            if others:
                del kept[max(others, key=kept.__getitem__)]
        kept[value] = needed[value][-1]

    for term in order:
        args = _values(term)
        for arg in args:
            if arg not in kept:
                count += arg in known
                keep(arg, args)
        for arg in args:
            needed[arg].pop()
            kept[arg] = needed[arg][-1] if needed[arg] else _NEVER
            if not needed[arg]:
                del kept[arg]
        if needed.get(term):
            keep(term, ())
    return count


def _values(term: Term) -> list[Term]:
    """The distinct arguments that take a register each."""
    return [a for a in dict.fromkeys(term.args) if a.op != CONST]


def _last_users_first(order: Sequence[Term]) -> list[Term]:
    """Of what can be computed, that after which fewest values are alive; the earliest of equals.

    A term makes one value, fetches the inputs that it is the first to use, and frees the values
    that it is the last to use.
    """
    place = {term: i for i, term in enumerate(order)}
    users: dict[Term, list[Term]] = {}
    for term in order:
        for arg in _values(term):
            users.setdefault(arg, []).append(term)
    left = {value: len(after) for value, after in users.items()}
    waiting = {t: sum(a in place for a in _values(t)) for t in order}
    grows = {t: (t in users) + sum(a.op in LEAVES for a in _values(t)) for t in order}
    for after in users.values():
        if len(after) == 1:
            grows[after[0]] -= 1
    ready = [(grows[t], place[t], t) for t in order if not waiting[t]]
    heapq.heapify(ready)
    placed: dict[Term, None] = {}

    def smaller(term: Term) -> None:
        grows[term] -= 1
        if not waiting[term]:
            heapq.heappush(ready, (grows[term], place[term], term))

    while ready:
        growth, _, term = heapq.heappop(ready)
        if term in placed or growth != grows[term]:
            continue  # an older entry
        placed[term] = None
        for arg in _values(term):
            first = arg.op in LEAVES and left[arg] == len(users[arg])
            left[arg] -= 1
            others = [t for t in users[arg] if t not in placed] if first or left[arg] == 1 else []
            for other in others:
                if first:
                    smaller(other)
                if left[arg] == 1:
                    smaller(other)
        for user in users.get(term, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, (grows[user], place[user], user))
    return list(placed)


def _backwards(order: Sequence[Term]) -> list[Term]:
    """From the end: of what nothing more needs, that before which fewest values are alive."""
    place = {term: i for i, term in enumerate(order)}
    makers: dict[Term, list[Term]] = {}  # of what uses a value
    for term in order:
        for arg in _values(term):
            makers.setdefault(arg, []).append(term)
    waiting = {t: len(makers.get(t, ())) for t in order}
    grows = {t: len(_values(t)) - (t in makers) for t in order}
    alive: set[Term] = set()
    ready = [(grows[t], -place[t], t) for t in order if not waiting[t]]
    heapq.heapify(ready)
    placed: dict[Term, None] = {}
    while ready:
        growth, _, term = heapq.heappop(ready)
        if term in placed or growth != grows[term]:
            continue  # an older entry
        placed[term] = None
        for arg in _values(term):
            if arg not in alive:
                alive.add(arg)
                for other in makers[arg]:
                    grows[other] -= 1
                    if not waiting[other] and other not in placed:
                        heapq.heappush(ready, (grows[other], -place[other], other))
            if arg in place:
                waiting[arg] -= 1
                if not waiting[arg]:
                    heapq.heappush(ready, (grows[arg], -place[arg], arg))
    return list(placed)[::-1]
