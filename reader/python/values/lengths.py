"""Lists that become longer or shorter: how many elements there are, and where that is unknown.

A list has as many elements as have been given to it while its function was read. Where that
depends on a branch, those can be read that are there for certain, but not how many there are. Takes
lists and what the arms of branches have made of them; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....terms.errors import Span
from .branches import Unusable
from .objects import ALL, Changed, Object, ends_of
from .varying import Varying

_HINT = "give it as many elements in both: [0.0] * n, and count those that are used"


class Uncounted(Unusable):
    """Stands for the elements of a list of which it is not known how many there are.

    Also for a variable that has more or fewer parts after every trip of a loop.
    """

    __slots__ = ()


def unreadable(value: Unusable, at: Span) -> Varying:
    """The error where something is read that has no value."""
    return Varying(value.reason, at, value.hint)


def count_of(value: Any, at: Span) -> int:
    """How many elements a list has, or each that a reference may lead to."""
    lists = [end for end in ends_of(value) if isinstance(end, Object)]
    if any(Uncounted in map(type, end.items) for end in lists):
        lost = next(v for end in lists for v in end.items if isinstance(v, Uncounted))
        raise unreadable(lost, at)
    counts = sorted({len(end.items) for end in lists})
    if len(counts) > 1:
        raise Varying(_unlike(counts, "depending on which list this is"), at, _HINT)
    return counts[0] if counts else 0


def arms_met(then: Changed, other: Changed, merge: Callable[[Any, Any], Any], at: Span) -> Changed:
    """What two arms have changed, every place merged: those of a list that has grown together."""
    both: Changed = {}
    then, other = _by_lists(then, other)
    for key in dict.fromkeys([*then, *other]):
        object_, _ = then.get(key) or other[key]
        old = (object_, object_.items if key[1] == ALL else object_.items[key[1]])
        a, b = (side.get(key, old)[1] for side in (then, other))
        both[key] = (object_, met(a, b, merge, at) if key[1] == ALL else merge(a, b))
    return both


def _by_lists(then: Changed, other: Changed) -> tuple[Changed, Changed]:
    """What two arms have changed; of a list that is not as long any more, all of it."""
    sides = (then, other)
    grown = {key[0]: found[0] for side in sides for key, found in side.items() if key[1] == ALL}
    return (_whole(then, grown), _whole(other, grown)) if grown else sides


def _whole(side: Changed, grown: Mapping[int, Object]) -> Changed:
    items = {key: list(object_.items) for key, object_ in grown.items() if (key, ALL) not in side}
    kept: Changed = {}
    for (key, index), (object_, value) in side.items():
        if key in items:
            items[key][index] = value
        else:
            kept[key, index] = (object_, value)
    return kept | {(key, ALL): (grown[key], found) for key, found in items.items()}


def met(
    then: Sequence[Any], other: Sequence[Any], merge: Callable[[Any, Any], Any], at: Span
) -> list[Any]:
    """The elements of a list after a branch at whose ends it had these."""
    why = f"depending on the branch at line {at.line}"
    lost = Uncounted(_unlike(sorted({len(then), len(other)}), why), _HINT)
    return [*map(merge, then, other), *[lost] * abs(len(then) - len(other))]


def _unlike(counts: Sequence[int], why: str) -> str:
    return f"this list has {' or '.join(map(str, counts))} elements, {why}"
