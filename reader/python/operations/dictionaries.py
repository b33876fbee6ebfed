"""Dictionaries with known keys: made from pairs, and what their methods give.

Takes values, gives values; a dictionary is not changed any more (values/keyed.py). Knows nothing
of syntax.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ..values.keyed import Keyed, keyed
from ..values.lengths import Varying
from ..values.objects import Partial, is_tuple
from ..values.scope import Session
from ..values.values import describe, normalise

#: How a dictionary that changes is written.
FIXED = (
    "a dictionary keeps the entries it is made with: make a new one, {**d, key: value}; or use a \
@struct, whose fields can change"
)


def entries_of(session: Session, value: Any) -> dict[Any, Any] | None:
    """The entries of a dictionary, by their keys; None of anything else."""
    if isinstance(value, Keyed):
        return value.table
    if isinstance(value, dict):
        return {key: normalise(entry, session.real) for key, entry in value.items()}
    return None


def _known(key: Any, at: Span) -> Any:
    """A key. Raises TraceError for one that only the kernel knows."""
    parts = key if is_tuple(key) else (key,)
    if not all(part is None or isinstance(part, str | int | float | Enum) for part in parts):
        hint = "a kernel has no dictionaries: use a list, or match"
        raise Varying("the key of a dictionary must be known while reading", at, hint)
    return key


def entry_of(session: Session, value: Any, key: Any, at: Span) -> Any:
    """`d[key]`."""
    table = value.table if isinstance(value, Keyed) else value
    if _known(key, at) not in table:
        raise TraceError(
            f"the dictionary has no key {key!r}{nearest(str(key), map(str, table))}", at
        )
    return normalise(table[key], session.real)


def made_from(pairs: Iterable[tuple[Any, Any]], at: Span) -> Keyed:
    """The dictionary with these keys and values; the last value of a key counts."""
    return keyed({_known(key, at): value for key, value in pairs})


def dictionary(
    session: Session,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    items: Callable[[Any], Sequence[Any] | None],
) -> Keyed:
    """`dict(…)` of another one, or of pairs, and of names; `items` gives what a value runs over."""
    pairs: list[tuple[Any, Any]] = []
    for given in args[:1]:
        entries = entries_of(session, given)
        parts = [items(part) for part in items(given) or ()] if entries is None else []
        if len(args) > 1 or any(part is None or len(part) != 2 for part in parts):
            raise TraceError("dict(…) takes a dictionary, or pairs of key and value", at)
        pairs += (entries or {}).items()
        pairs += [(part[0], part[1]) for part in parts if part is not None]
    return made_from([*pairs, *kwargs.items()], at)


def method_of(session: Session, value: Any, name: str, at: Span) -> Any:
    """`d.items`, `d.keys`, `d.values`, `d.get`."""
    entries = entries_of(session, value)
    assert entries is not None
    found = {
        "items": tuple(entries.items()),
        "keys": tuple(entries),
        "values": (*entries.values(),),
    }
    if name in found:
        return Partial(tuple, (found[name],), {})
    if name == "get":
        return Partial(dict.get, (value,), {})
    raise TraceError(f"{describe(value)} has no {name!r} here", at, FIXED)


def get(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    """`d.get(key)`, `d.get(key, default)`."""
    entries = entries_of(session, args[0]) if args else None
    if entries is None or not 2 <= len(args) <= 3 or kwargs:
        raise TraceError("get takes a key, and what to give without it", at)
    return entries.get(_known(args[1], at), args[2] if len(args) > 2 else None)


def joined(session: Session, op: ast.operator, left: Any, right: Any, at: Span) -> Keyed:
    """`d | e`: the entries of both. Raises TraceError for everything else."""
    both = [entries_of(session, value) for value in (left, right)]
    if not isinstance(op, ast.BitOr) or None in both:
        hint = "take its entries: d[key]"
        raise TraceError(f"cannot compute with {describe(left)} and {describe(right)}", at, hint)
    return made_from([pair for entries in both if entries for pair in entries.items()], at)


def paired(session: Session, left: Any, right: Any) -> tuple[Any, Any]:
    """Two dictionaries as tuples that are equal where they are; of other keys, of other lengths."""
    a, b = entries_of(session, left), entries_of(session, right)
    if a is None or b is None or a.keys() != b.keys():
        return (), (None,)
    return tuple(a.values()), tuple(b[key] for key in a)
