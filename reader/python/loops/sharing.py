"""Objects that may be one: what places of a loop share, before it and after a trip.

A loop carries what objects hold, and gives every place an object of its own. Where two places
hold one object in some trips, theirs are twins: to read both is right, and what is written to one
of them makes the other unreadable, because nobody knows whether it has changed too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Generic, TypeVar

from ....terms.conditions import facts
from ..operations.running import Running
from ..values.blends import Where, apart
from ..values.objects import Choice, Journal, Object, given, objects_of, references

P = TypeVar("P")
Way = tuple[int, ...]  # the items that lead from a value to an object in it


@dataclass(frozen=True, slots=True)
class Spot(Generic[P]):
    """Where an object stands: in what a place holds, at the end of a way."""

    place: P
    way: Way


Pair = tuple[Spot[P], "Spot[P] | Object"]  # an object that is not of the loop stands for itself


@dataclass(frozen=True, slots=True)
class _Found:
    """An object in a value: the way to it, what holds where it stands there, who holds it."""

    object: Object
    way: Way
    where: Where
    holder: Object | None


def shared(places: Mapping[P, Any], counts: Mapping[int, int], since: int) -> list[Pair[P]]:
    """What the values of places share with each other, and with objects older than `since`.

    `counts` says how many variables, fields and elements refer to an object (objects.references).
    """
    found = {place: _inside(value) for place, value in places.items()}
    spots: dict[int, list[tuple[Spot[P], _Found]]] = {}
    for place, inside in found.items():
        for here in inside:
            spots.setdefault(id(here.object), []).append((Spot(place, here.way), here))
    pairs: list[Pair[P]] = []
    for own in spots.values():
        for (one, here), (other, there) in combinations(own, 2):
            if one != other and not apart(here.where, there.where):
                pairs.append((one, other))
    known = {key: len({_holder(spot, here) for spot, here in own}) for key, own in spots.items()}
    for place, inside in found.items():
        elsewhere: set[int] = set()  # objects that something else refers to, or what is in them
        for here in inside:
            key = id(here.object)
            around = here.holder is not None and id(here.holder) in elsewhere
            if around or counts.get(key, 0) > known[key]:
                elsewhere.add(key)
                if here.object.born < since:
                    pairs.append((Spot(place, here.way), here.object))
            # What was one with a third object before is so now.
            for twin, _ in here.object.twins.values():
                theirs = [spot for spot, _ in spots.get(id(twin), ())]
                pairs += [(Spot(place, here.way), spot) for spot in theirs]
                if twin.born < since:
                    pairs.append((Spot(place, here.way), twin))
    return [(one, other) for one, other in pairs if one != other]


def _holder(spot: Spot[P], here: _Found) -> object:
    """The variable, field or element that refers to an object."""
    return spot if here.holder is None else (id(here.holder), here.way[-1])


def _inside(value: Any) -> list[_Found]:
    """All objects in a value, those that hold others first; one per way and object."""
    found: list[_Found] = []
    stack: list[tuple[Any, Way, Where, Object | None]] = [(value, (), frozenset(), None)]
    while stack:
        value, way, where, holder = stack.pop()
        value = given(value)
        if isinstance(value, tuple):
            stack += [(v, (*way, k), where, holder) for k, v in enumerate(value)]
        for object_, more in _alternatives(value):
            here = where | more
            found.append(_Found(object_, way, here, holder))
            inner = enumerate(object_.items)
            stack += [
                (v, (*way, k), here, object_)
                for k, v in inner
                if isinstance(v, Object | Choice | tuple)
            ]
    return found


def _alternatives(value: Any) -> Iterator[tuple[Object, Where]]:
    """The objects that a reference may lead to, and what holds where it leads there."""
    found: dict[int, tuple[Object, Where]] = {}
    stack: list[tuple[Any, Where]] = [(value, frozenset())]
    while stack:
        value, where = stack.pop()
        if isinstance(value, Running):
            for k, object_ in enumerate(value.objects, value.first_index):
                _note(found, object_, where | {(value.at(k), True)})
        elif isinstance(value, Choice):
            for arm, holds in ((value.other, False), (value.then, True)):
                stack.append((arm, where | frozenset(facts(value.condition, holds))))
        elif isinstance(value, Object):
            _note(found, value, where)
    yield from found.values()


def _note(found: dict[int, tuple[Object, Where]], object_: Object, where: Where) -> None:
    _, known = found.get(id(object_), (object_, where))
    found[id(object_)] = (object_, known & where)


def at_the_end_of(value: Any, way: Sequence[int]) -> list[Object]:
    """The objects that stand in a value at the end of a way."""
    values = [value]
    for index in way:
        inside: list[Any] = []
        for part in map(given, values):
            if isinstance(part, tuple):
                inside.append(part[index])
            inside += [o.items[index] for o in objects_of(part) if index < len(o.items)]
        values = inside
    return [object_ for part in values for object_ in objects_of(part)]


@dataclass
class Twins(Generic[P]):
    """The objects that a loop gives to places, and which of them may be one."""

    since: int
    counts: Mapping[int, int] = field(default_factory=dict)  # of references before the loop
    before: Mapping[P, Any] = field(default_factory=dict)  # what places hold there
    first: list[Pair[P]] = field(default_factory=list)  # and what they share
    starts: list[Pair[P]] = field(default_factory=list)  # in the body
    ends: list[Pair[P]] = field(default_factory=list)  # after the loop
    alike: dict[P, P] = field(default_factory=dict)  # places of one object, in every trip
    alike_at_end: dict[P, P] = field(default_factory=dict)

    def begin(self, before: Mapping[P, Any], roots: Callable[[], Iterable[Any]]) -> None:
        """Note what places share before the loop, while nothing of a trip has been done."""
        if before and not self.counts:
            self.counts = references(roots())
        self.before = before
        self.first = shared(before, self.counts, self.since)

    def found(
        self,
        after: Mapping[P, Any],
        given: Mapping[P, Any],
        roots: Iterable[Any],
        runs: bool,
    ) -> bool:
        """Note what places share before the loop and after a trip; True where that is news.

        `given`: what a trip returns, as a place that only exists after the loop.
        `runs`: there is a first trip for certain.
        """
        before, first = self.before, self.first
        counts = references([*roots, *given.values()])
        later = shared({**after, **given}, counts, self.since)
        old, known = self.starts, self.alike
        # A place that has a value before the loop stands for those that have none.
        ones = _same({**{p: after[p] for p in before if p in after}, **after})
        both = _same(before)
        self.alike = {p: q for p, q in ones.items() if both.get(p) == q}
        self.alike_at_end = ones if runs else self.alike
        self.starts = _once([*first, *(p for p in later if _lies_in(p, before))])
        self.ends = _once(later if runs else [*first, *later])
        return known != self.alike or [*map(_key, old)] != [*map(_key, self.starts)]


def tie(
    journal: Journal,
    pairs: Sequence[Pair[P]],
    values: Mapping[P, Any],
    label: Callable[[P], str],
    owners: Mapping[int, str],
) -> None:
    """Note that places may hold one object; `label` and `owners` say what they are called.

    What cannot be carried, as has turned out since, has no value: nobody can read it.
    """
    for one, other in (pair for pair in pairs if _lies_in(pair, values)):
        a = label(one.place)
        if isinstance(other, Object):
            b, theirs = owners.get(id(other), "an object from before the loop"), [other]
        else:
            b, theirs = label(other.place), _at(values, other)
        why = f"{a!r} and {b!r} may be one object in some trips"
        if a == b:
            why = f"two objects in {a!r} may be one in some trips"
        for both in product(_at(values, one), theirs):
            journal.tie(*both, why)


def _key(pair: Pair[Any]) -> Any:
    one, other = pair
    return one, id(other) if isinstance(other, Object) else other


def _once(pairs: Iterable[Pair[P]]) -> list[Pair[P]]:
    return list({_key(pair): pair for pair in pairs}.values())


def _same(values: Mapping[P, Any]) -> dict[P, P]:
    """Places that hold the object which a place before them holds, by that place."""
    found: dict[int, P] = {}
    first = {p: found.setdefault(id(v), p) for p, v in values.items() if isinstance(v, Object)}
    return {place: other for place, other in first.items() if place != other}


def _lies_in(pair: Pair[P], places: Mapping[P, Any]) -> bool:
    return all(not isinstance(s, Spot) or s.place in places for s in pair)


def _at(values: Mapping[P, Any], spot: Spot[P]) -> list[Object]:
    return at_the_end_of(values[spot.place], spot.way)
