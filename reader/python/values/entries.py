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
from .objects import Choice, Mapped, first
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


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """`d.items()`, `d.keys()`, `d.values()`: what is in the dictionary at the time of asking."""

    of: Any
    what: str

    def rows(self, session: Session, at: Span) -> tuple[Any, ...]:
        """What it shows now."""
        entries = entries_of(session, self.of, at) or {}
        rows = {"items": entries.items(), "keys": entries, "values": entries.values()}
        return tuple(rows[self.what])


def rows_of(session: Session, value: Any, at: Span) -> Sequence[Any] | None:
    """What a dictionary, or what it shows, runs over; None of anything else."""
    if is_dictionary(value):
        return Shown(value, "keys").rows(session, at)
    return value.rows(session, at) if isinstance(value, Shown) else None


def row_at(session: Session, value: Any, keys: Sequence[Any], k: int, at: Span) -> Any:
    """Row `k` when a loop gets there; it had these keys when the loop began."""
    if (rows_of(session, getattr(value, "of", value), at) or ()) != keys:
        hint = "run over a copy: for k in list(d)"
        raise TraceError("a loop runs over this dictionary, which gets other keys in it", at, hint)
    return (rows_of(session, value, at) or ())[k]
