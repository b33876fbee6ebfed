"""What a dictionary holds, as it is now; and what `d.items()` shows of it.

Takes dictionaries of the program and of Python, gives their entries. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from .branches import Unusable
from .keyed import Keyed
from .lengths import unreadable
from .objects import Choice, Mapped, first, objects_of
from .scope import Session
from .values import describe, normalise
from .varying import Varying


def is_dictionary(value: Any) -> bool:
    """Whether a value is a dictionary, of this program or of Python."""
    return isinstance(value, dict) or isinstance(first(value), Mapped)


def entries_of(session: Session, value: Any, at: Span) -> dict[Any, Any] | None:
    """The entries of a dictionary, by their keys; None of anything else."""
    if isinstance(value, dict):
        return {key: normalise(entry, session.real) for key, entry in value.items()}
    if not isinstance(first(value), Mapped):
        return None
    value = session.present(value, at)
    if isinstance(value, Choice):
        then, other = (entries_of(session, v, at) for v in (value.then, value.other))
        assert then is not None and other is not None
        if then.keys() != other.keys():
            message = f"which keys this has, {describe(value)}, depends on a condition"
            raise Varying(message, at, "give both dictionaries the same keys")
        return {
            key: session.either(value.condition, entry, other[key], at)
            for key, entry in then.items()
        }
    held = value.items[0]
    if isinstance(held, Unusable):
        raise unreadable(held, at)
    assert isinstance(held, Keyed)
    return held.table


def ordered_entries(session: Session, value: Any, at: Span) -> dict[Any, Any] | None:
    """The same for who asks in which order they are. Raises Varying where a condition says that."""
    entries, value = entries_of(session, value, at), session.settled(value)
    ends = objects_of(value) if isinstance(value, Choice) else []
    if len({one.keys for one in ends if isinstance(one, Mapped)}) > 1:
        message = f"in which order the keys of this are, {describe(value)}, depends on a condition"
        raise Varying(message, at, "give both dictionaries their keys in one order")
    return entries


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """`d.items()`, `d.keys()`, `d.values()`: what is in the dictionary at the time of asking."""

    of: Any
    what: str

    def rows(self, session: Session, at: Span, ordered: bool = True) -> tuple[Any, ...]:
        """What it shows now, in the order of the keys where that counts."""
        if self.what == "values":
            return _values(session, self.of, at)
        entries = (ordered_entries if ordered else entries_of)(session, self.of, at) or {}
        return tuple(entries.items() if self.what == "items" else entries)


def _values(session: Session, value: Any, at: Span) -> tuple[Any, ...]:
    """The values of a dictionary, each in its place."""
    entries = entries_of(session, value, at) or {}
    value = session.settled(value)
    if not isinstance(value, Choice):
        return tuple(entries.values())
    both = zip(*(_values(session, one, at) for one in (value.then, value.other)), strict=True)
    return tuple(session.either(value.condition, then, other, at) for then, other in both)


def rows_of(session: Session, value: Any, at: Span, ordered: bool = True) -> Sequence[Any] | None:
    """What a dictionary, or what it shows, runs over; None of anything else."""
    if is_dictionary(value):
        return Shown(value, "keys").rows(session, at, ordered)
    return value.rows(session, at, ordered) if isinstance(value, Shown) else None


def row_at(session: Session, value: Any, keys: Sequence[Any], k: int, at: Span) -> Any:
    """Row `k` when a loop gets there; it had these keys when the loop began."""
    if (rows_of(session, getattr(value, "of", value), at) or ()) != keys:
        hint = "run over a copy: for k in list(d)"
        raise TraceError("a loop runs over this dictionary, which gets other keys in it", at, hint)
    return (rows_of(session, value, at) or ())[k]
