"""Which object a name leads to, before a loop and after a trip.

A loop carries what objects hold, and each name keeps its object. So where a trip has permuted
the objects of some names (`old, new = new, old`), and nothing else refers to these objects,
they exchange what they hold instead: nobody can tell the difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Generic, NamedTuple, TypeVar

from ....terms.errors import Span, TraceError
from ....terms.types import Type
from ....terms.value import Value
from ..values.aliases import relate, vectors_held
from ..values.blends import Where, atoms, meet, simple
from ..values.branches import Names
from ..values.objects import Instance, Object, View, given, references
from ..values.scope import Frame, Session

P = TypeVar("P")
Part = tuple[P, int]  # a vector at a place, or a row of a matrix
Pair = tuple[Object, Object]  # an object, and the one that is to be seen in its place


def swap_contents(frame: Frame, before: Names, after: dict[str, Any], since: int, at: Span) -> None:
    """Exchange what objects hold where `after` has exchanged their names."""
    moved = _moved(before, after, since)
    if not moved or any(name in frame.passing for name in moved):
        return
    pairs: list[Pair] = []
    for pair in moved.values():
        inner = _alike(pair)
        if inner is None:
            return
        pairs += inner
    roots = [
        f.state.names.find(n) for f in frame.session.frames for n in dict.fromkeys(f.state.names)
    ]
    counts = references(roots)
    if any(counts.get(id(old)) != 1 or isinstance(old, View) for old, _ in pairs):
        return
    held = [list(new.items) for _, new in pairs]
    for (old, _), items in zip(pairs, held, strict=True):
        for index, item in enumerate(items):
            if not isinstance(item, Object):
                frame.session.write(old, index, item, at)
    for name, (old, _) in moved.items():
        after[name] = old


class Shared(NamedTuple):
    """Two places of one vector, or of a matrix and a row of it."""

    one: Any
    other: Any
    as_one: bool  # it has changed as one
    alike: bool  # both are vectors, or both are matrices


def shared_vectors(
    session: Session, changes: Sequence[tuple[P, Any, Any]], inside: Sequence[tuple[P, Any, Any]]
) -> Iterator[Shared]:
    """Places of one vector that are two in the next trip.

    `inside`: vectors and matrices of which the loop does not know that it changes them alone.
    """
    vectors = [
        (place, before.type, session.rows.atoms(before), session.rows.atoms(after))
        for place, before, after in ((p, given(b), given(a)) for p, b, a in (*inside, *changes))
        if isinstance(before, Value) and isinstance(after, Value) and len(before.leaves) > 1
        if before is not after
    ]
    seen: dict[int, list[tuple[P, Type, dict[int, Where], dict[int, Where]]]] = {}
    for k, here in enumerate(vectors):
        place, kind, before, after = here
        found = (o for atom in before for o in seen.get(atom, ())) if k >= len(inside) else ()
        for other, its_kind, its_before, its_after in found:
            now = meet(after, its_after) - before.keys() - its_before.keys()
            if meet(before, its_before):
                yield Shared(other, place, bool(now), kind == its_kind)
        for atom in before:
            seen.setdefault(atom, []).append(here)


@dataclass
class Kin(Generic[P]):
    """Vectors that a loop gives to places, and with which others they may be one in some trips.

    They are carried as two: none of them can be changed alone while the other is held.
    """

    held: Sequence[Value]  # before the loop
    pairs: dict[tuple[Part[P], Part[P]], None] = field(default_factory=dict)
    outside: dict[tuple[Part[P], int], tuple[Part[P], Value]] = field(default_factory=dict)
    starts: Mapping[Part[P], Value] = field(default_factory=dict)  # of the trip that is read

    def found(self, session: Session, after: Mapping[P, Any]) -> bool:
        """Note what places may share after a trip; True where that is news."""
        known = len(self.pairs) + len(self.outside)
        ends = _vectors_of(session, after)
        others = self._others(session, ends) if ends else []
        may_be = {part: atoms(v) for part, v in ends.items()}
        for (part, its), value in product(may_be.items(), others):
            stays = self.starts.get(part) is ends[part] is value  # a row that no trip changes
            if meet(its, atoms(value)) and not stays:
                self.outside[part, id(value)] = part, value
        for one, other in combinations(ends, 2):
            # Elements that exchange their places are as many as they were.
            named = isinstance(one[0], str) or isinstance(other[0], str)
            if meet(may_be[one], may_be[other]) if named else ends[one] is ends[other]:
                self.pairs[one, other] = None
        return len(self.pairs) + len(self.outside) > known

    def _others(self, session: Session, ends: Mapping[Part[P], Value]) -> list[Value]:
        """The vectors from before the loop that others hold than the places at the end."""
        rows = session.rows
        old = {id(v) for v in rows.vectors(self.held)}
        held = rows.vectors(vectors_held(session))
        counts = Counter(map(id, held))
        counts.subtract(map(id, ends.values()))
        return list({id(v): v for v in held if id(v) in old and counts[id(v)] > 0}.values())

    def relate(
        self, session: Session, values: Mapping[P, Any], label: Callable[[P], str], at: Span
    ) -> None:
        """Say so of the values that places have in a trip."""
        self.starts = known = _vectors_of(session, values)
        alike = [(one, known.get(other), repr(label(other[0]))) for one, other in self.pairs]
        alike += [(one, value, "another") for one, value in self.outside.values()]
        for one, value, name in alike:
            if one in known and value is not None and known[one] is not value:
                why = f"{label(one[0])!r} and {name} may be one vector in some trips of the loop"
                relate(session, known[one], value, f"{why} at line {at.line}")
                relate(session, value, known[one], f"{why} at line {at.line}")


def one_vector(a: str, b: str, alike: bool, at: Span) -> TraceError:
    """The error for two places of one vector that a loop would take for two."""
    return TraceError(
        f"the loop changes a vector that is both {a!r} and {b!r}",
        at,
        f"give each its own: {b} = copy({a if alike else '…'})",
    )


def _vectors_of(session: Session, values: Mapping[P, Any]) -> dict[Part[P], Value]:
    """The vectors and the rows of matrices among values, those that may be None too."""
    found = ((place, given(value)) for place, value in values.items())
    whole = [(p, v) for p, v in found if isinstance(v, Value) and len(v.leaves) > 1]
    return {(p, k): part for p, v in whole for k, part in enumerate(session.rows.vectors([v]))}


def relate_ends(
    session: Session,
    after: Mapping[P, Any],
    ends: Mapping[P, Any],
    label: Callable[[P], str],
    at: Span,
    before: Mapping[P, Any] | None = None,
) -> None:
    """Note which vectors may be one after the loop: none of them can be changed alone.

    `after` is what places hold after a trip, `ends` after the loop, and `before` what they still
    hold where it makes no trip.
    """
    rows = session.rows
    pairs = [
        (p, *both)
        for values in (after, before or {})
        for p in values
        if p in ends
        for both in vectors_in(values[p], ends[p])
    ]
    places = [
        (place, *both)
        for place, *whole in pairs
        for both in zip(*(rows.vectors([v]) for v in whole), strict=True)
    ]
    known = {id(v): v for v in rows.vectors(vectors_held(session))} if places else {}
    seen: list[tuple[Value, Value]] = []
    for place, value, own in places:
        others = [known[atom] for atom in _atoms_and_kin(session, value) if atom in known]
        others += [end for end, its in seen if its is value and end is not own]
        for other in (other for other in others if other is not own):
            why = f"{label(place)!r} may be the same one after the loop at line {at.line}"
            relate(session, own, other, why)
            relate(session, other, own, why)
        seen.append((own, value))


def _atoms_and_kin(session: Session, value: Value) -> Iterator[int]:
    """The vectors that a vector may be, by their ids, as far as is known."""
    for part in simple(value):
        yield id(part)
        yield from (id(other) for one, other, _ in session.kin.get(id(part), ()) if one is part)


def vectors_in(after: Any, end: Any) -> Iterator[tuple[Value, Value]]:
    """The vectors in a value, and those in their places in another one."""
    stack = [(after, end)]
    while stack:
        one, other = map(given, stack.pop())
        if isinstance(one, Value) and isinstance(other, Value) and len(one.leaves) > 1:
            yield one, other
        elif isinstance(one, tuple) and isinstance(other, tuple):
            stack += zip(one, other, strict=False)
        elif isinstance(one, Object) and isinstance(other, Object) and one is not other:
            stack += zip(one.items, other.items, strict=False)


def _moved(before: Names, after: Mapping[str, Any], since: int) -> dict[str, Pair]:
    """The names that have another object from before the loop, where they permute them."""
    found: dict[str, Pair] = {}
    for name, now in after.items():
        old = before.find(name) if name in before else None
        if not isinstance(old, Object) or not isinstance(now, Object) or now is old:
            continue
        if now.born < since:
            found[name] = (old, now)
    olds, nows = ({id(pair[side]) for pair in found.values()} for side in (0, 1))
    return found if olds == nows and len(olds) == len(found) else {}


def _alike(pair: Pair) -> Sequence[Pair] | None:
    """The pair and the pairs inside; None where the two differ in form."""
    found, stack = [], [pair]
    while stack:
        old, new = stack.pop()
        kinds = [
            (type(o), o.cls if isinstance(o, Instance) else getattr(o, "keys", len(o.items)))
            for o in (old, new)
        ]
        if kinds[0] != kinds[1]:
            return None
        found.append((old, new))
        for a, b in zip(old.items, new.items, strict=True):
            if isinstance(a, Object) and isinstance(b, Object):
                stack.append((a, b))
            elif isinstance(a, Object) or isinstance(b, Object):
                return None
    return found
