"""Arrays of which a trip changes a few places: what they were follows from what they are.

    n[i] += 1                  is undone by    n[i] = n'[i] - 1
    p[i], p[j] = p[j], p[i]    is undone by    p[i], p[j] = p'[j], p'[i]

What is written is what the array holds afterwards at that place, and all other places are as they
were. So if what is written says what was at the places that are written over, the array is known.
Of places that may be one (i = j) every case is tried: what is written has to be the same then.

Takes a loop, gives it with what it writes told by what the array held before, and what writes say.
Knows of sums and bounds of places, no other operators.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...terms.loop import LOAD, STORE, Loop, load, store
from ...terms.term import CONST, SELECT, Term, const_value, rebuild, substitute, toposort
from ...terms.types import Memory
from ...terms.walk import postorder
from ..undo.ranges import Ranges

_WRITES = 16  # of one array in a trip
_PLACES = 4  # that may be one or not: there are 15 cases


@dataclass(frozen=True)
class Written:
    """What an array holds at a place after a write, which is what was written."""

    target: Term
    others: tuple[Term, ...]  # the place
    later: bool = False

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """What was written, given the array afterwards."""
        return load(value, others[0])


@dataclass(frozen=True)
class Restored:
    """An array before some writes: others are their places, then what was there."""

    target: Term
    others: tuple[Term, ...]
    later: bool = False

    def before(self, value: Term, others: Sequence[Term]) -> Term:
        """The array, given what it was afterwards."""
        half = len(others) // 2
        for place, was in zip(others[:half], others[half:], strict=True):
            value = store(value, place, was)
        return value


def told_by_writes(term: Term, ranges: Ranges) -> tuple[Term, dict[Term, list[Written | Restored]]]:
    """The loop, and what its arrays after writes say of what was written, and of those before.

    `ranges` are of the terms of its body.
    """
    loop: Loop = term.attr
    told: dict[Term, list[Written | Restored]] = {}
    table: dict[Term, Term] = {}
    terms = set(loop.body.terms())
    read = {t.args[0] for t in terms if t.op == LOAD}
    for variable, step in zip(loop.state, loop.step, strict=True):
        chain = _chain(variable, step)
        if read.isdisjoint([variable, *chain]):  # such as a tape
            continue
        found = _Blocks(chain, terms, ranges).written() if chain else None
        if found is not None:
            told |= found[1]
            table[step] = found[0]
    if not told:
        return term, {}
    body = loop.body.with_flat(substitute(loop.body.flat, table))
    return Term(term.op, term.args, replace(loop, body=body), term.type), told


def _chain(variable: Term, step: Term) -> list[Term]:
    """The writes that a trip makes into an array, the first one first; none, if it makes others."""
    found: list[Term] = []
    while isinstance(step.type, Memory) and step.op == STORE and len(found) < _WRITES:
        found.append(step)
        step = step.args[0]
    return found[::-1] if step is variable else []


class _Blocks:
    """The writes into one array, in blocks of those that read the versions between them."""

    def __init__(self, chain: Sequence[Term], terms: Container[Term], ranges: Ranges) -> None:
        self.chain, self.terms, self.ranges = chain, terms, ranges
        self.number = {s: n for n, s in enumerate(chain, 1)} | {chain[0].args[0]: 0}

    def written(self) -> tuple[Term, dict[Term, list[Written | Restored]]] | None:
        """The array after all writes, told by what it held before each block; and what it says."""
        told: dict[Term, list[Written | Restored]] = {}
        version = self.chain[0].args[0]
        for start, end in self._bounds():
            block = self.chain[start:end]
            values = self._values(block, start, version)
            if values is None:
                return None
            places = [self._over(s.args[1], start, version) for s in block]
            read = set(toposort(values))
            was = [load(version, place) for place in places]
            if not all(t in read or t in self.terms for t in was):
                return None
            after = version
            for place, value in zip(places, values, strict=True):
                after = store(after, place, value)
            told[after] = [
                Written(v, (p,)) for v, p in zip(values, places, strict=True) if v.op != CONST
            ]
            told[after].append(Restored(version, (*places, *was)))
            version = after
        return version, told

    def _bounds(self) -> list[tuple[int, int]]:
        """Where blocks start and end: each begins with the oldest version that its writes read."""
        found: list[tuple[int, int]] = []
        end = len(self.chain)
        while end:
            start, n = end - 1, end
            while n > start:
                start = min([start, *self._read(self.chain[n - 1])])
                n -= 1
            found.append((start, end))
            end = start
        return found[::-1]

    def _read(self, write: Term) -> list[int]:
        """The versions that the place and the value of a write are over."""
        loads = [t.args[0] for t in self._below(write.args[1:]) if t.op == LOAD]
        return [self.number[m] for m in loads if m in self.number]

    def _below(self, roots: Sequence[Term]) -> list[Term]:
        """The terms below some, the versions of the array among them, but not of what these are."""
        return postorder(roots, lambda t: () if t in self.number else t.args)

    def _values(self, block: Sequence[Term], start: int, version: Term) -> list[Term] | None:
        """What is written, over the version before the block; None where that is not clear."""
        places = dict.fromkeys(s.args[1] for s in block)
        for write in block:
            for t in self._below(write.args[1:]):
                if t.op == LOAD and self.number.get(t.args[0], start) > start:
                    places[t.args[1]] = None
        if len(places) > _PLACES or len({s.args[1] for s in block}) < len(block):
            return None
        apart = {place: place for place in places}
        values = self._resolved(block, start, version, apart)
        for same in self._cases(list(places)):
            found = self._resolved(block, start, version, same)
            over = {p: self._over(p, start, version) for p in same}
            table = {over[p]: over[q] for p, q in same.items() if p is not q}
            mine, other = (_plain(substitute(v, table)) for v in (values, found))
            at: dict[Term, Term] = {}
            rows = zip(block, mine, strict=True)
            if mine != other or any(at.setdefault(same[s.args[1]], v) is not v for s, v in rows):
                return None
        return values

    def _resolved(
        self, block: Sequence[Term], start: int, version: Term, same: Mapping[Term, Term]
    ) -> list[Term]:
        """What is written where these places are the same, and no others are."""
        values: list[Term] = []
        for write in block:
            done: dict[Term, Term] = {}
            for t in self._below([write.args[2]]):
                args = t.args if t in self.number else tuple([done[a] for a in t.args])
                done[t] = rebuild(t, args)
                n = self.number.get(t.args[0], -1) if t.op == LOAD else -1
                if n >= start:
                    earlier = range(min(n - start, len(values)) - 1, -1, -1)
                    here = [i for i in earlier if same[block[i].args[1]] is same[t.args[1]]]
                    done[t] = values[here[0]] if here else load(version, args[1])
            values.append(done[write.args[2]])
        return values

    def _over(self, term: Term, start: int, version: Term) -> Term:
        """A term over the version before a block."""
        old = self.chain[start].args[0]
        return substitute([term], {old: version})[0] if old is not version else term

    def _cases(self, places: Sequence[Term]) -> Iterator[dict[Term, Term]]:
        """Which of some places may be one, in all cases in which some are."""
        cases: list[dict[Term, Term]] = [{}]
        shifted = {place: self._shifted(place) for place in places}
        for place in places:
            more = []
            for case in cases:
                for first in [place, *dict.fromkeys(case.values())]:
                    group = [shifted[p] for p, q in case.items() if q is first]
                    if not any(_apart(shifted[place], other) for other in group):
                        more.append({**case, place: first})
            cases = more
        return (case for case in cases if len(set(case.values())) < len(places))

    def _shifted(self, place: Term) -> tuple[Term | None, int]:
        """A place as a value and a number more; its bounds are left out where it is within."""
        if place.op == "clamp" and all(t.op == CONST for t in place.args[1:]):
            inner, low, high = place.args
            least, most = self.ranges.of(inner)
            if const_value(low) <= least and most <= const_value(high):
                place = inner
        if place.op == CONST:
            return None, int(const_value(place))
        if place.op in ("add", "sub") and place.args[1].op == CONST:
            number = int(const_value(place.args[1]))
            return place.args[0], number if place.op == "add" else -number
        return place, 0


def _apart(a: tuple[Term | None, int], b: tuple[Term | None, int]) -> bool:
    """Whether two places are never one: numbers, or one value and different numbers more."""
    return a[0] is b[0] and (a[1] - b[1]) % (1 << 32) != 0


def _plain(roots: Sequence[Term]) -> list[Term]:
    """Terms without choices between the same."""
    done: dict[Term, Term] = {}
    for t in toposort(roots):
        args = tuple([done[a] for a in t.args])
        done[t] = args[1] if t.op == SELECT and args[1] is args[2] else rebuild(t, args)
    return [done[t] for t in roots]
