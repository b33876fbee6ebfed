"""Which objects are one, around a function that gets its arguments by value.

In Python such a function may put an object into another one, or return what it was given; by
value these are copies. Takes the objects before and after its body, gives where in its arguments
and results one object stands twice; the caller's objects in these places are tied then: what is
changed in one cannot be read in the other. Knows nothing of syntax.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..values.objects import Choice, Object, objects_of
from ..values.scope import Final, Session

#: Where an object stands: the name of a parameter ("" for the results), then items of items.
Place = tuple[str | int, ...]


def objects_in(roots: Iterable[tuple[str, Any]]) -> dict[Place, list[Object]]:
    """All structs and lists in some values by their places; several where it depends on the run."""
    found: dict[Place, list[Object]] = {}
    queue: deque[tuple[Place, Any]] = deque(((name,), value) for name, value in roots)
    while queue:
        place, value = queue.popleft()
        if isinstance(value, tuple):
            queue.extend(((*place, i), item) for i, item in enumerate(value))
        for object_ in objects_of(value):
            found.setdefault(place, []).append(object_)
            inner = enumerate(object_.items)
            queue.extend(((*place, i), v) for i, v in inner if isinstance(v, _HOLDING))
    return found


_HOLDING = (Object, Choice, tuple)


@dataclass(frozen=True, slots=True)
class Moves:
    """What the body of a function did with objects.

    `replaced`: places in parameters where another object stands at the end. `same`: places at the
    end whose object is that of another place, of which it is said whether that is one at the end.
    """

    replaced: frozenset[Place] = frozenset()
    same: tuple[tuple[Place, bool, Place], ...] = ()


def moves(starts: Mapping[Place, list[Object]], given: Any, finals: Iterable[Final]) -> Moves:
    """What became of the objects that stood in the parameters at the start."""
    homes = {id(o): (False, place) for place, objects in starts.items() for o in objects}
    replaced, same = [], []
    for place, objects in objects_in((f.name, f.value) for f in finals).items():
        if [id(o) for o in objects] == [id(o) for o in starts.get(place, ())]:
            continue
        replaced.append(place)
        for object_ in objects:
            home = homes.setdefault(id(object_), (True, place))
            same += [(place, *home)] if home != (True, place) else []
    for place, objects in objects_in([("", given)]).items():
        for object_ in objects:
            home = homes.setdefault(id(object_), (True, place))
            same += [(place, *home)] if home != (True, place) else []
    return Moves(frozenset(replaced), tuple(dict.fromkeys(same)))


def tie(
    session: Session,
    found: Moves,
    before: Mapping[Place, list[Object]],
    after: Mapping[Place, list[Object]],
    name: str,
) -> None:
    """What is one object in Python must not be two here: `before` and `after` are the caller's."""
    why = f"{name} is differentiated on its own, and in Python makes two objects one"
    for place, at_end, other in found.same:
        for one in after.get(place, ()):
            for twin in (after if at_end else before).get(other, ()):
                session.journal.tie(one, twin, why)
