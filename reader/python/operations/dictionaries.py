"""Dictionaries with known keys: made from pairs, what their methods give, and how they change.

Takes values, gives values. A change is seen through all names of a dictionary; its keys stay known
while reading. Knows nothing of syntax.
"""

from __future__ import annotations

import ast
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, Flag
from functools import partial
from typing import Any

from ....terms.apply import apply
from ....terms.errors import Span, TraceError, nearest
from ....terms.term import Term
from ....terms.types import Scalar
from ....terms.value import Value
from ..values.checking import forbid
from ..values.conditions import Condition, both, negated
from ..values.entries import Shown, entries_of, ordered_entries
from ..values.keyed import keyed, mapped
from ..values.members import enumeration
from ..values.objects import UNSET, Choice, Mapped, Partial, is_tuple
from ..values.scope import Session
from ..values.values import counted, describe, is_number, is_truth, lift
from ..values.varying import Varying, VaryingKey
from .counted import Counted, handlers
from .iterating import items_of
from .records import Invoke
from .sequences import check_arguments

_NEW = "write an if, and change one dictionary in each arm"


def _known(key: Any, at: Span) -> Any:
    """A key. Raises TraceError for one that only the kernel knows."""
    parts = key if is_tuple(key) else (key,)
    if not all(part is None or isinstance(part, str | int | float | Enum) for part in parts):
        hint = "a kernel has no dictionaries and sets: use a list, or match"
        message = "keys of dictionaries and what is in sets must be known while reading"
        raise VaryingKey(f"{message}, not {describe(key)}", at, hint)
    return key


def entry_of(session: Session, value: Any, key: Any, at: Span) -> Any:
    """`d[key]`."""
    table = entries_of(session, value, at)
    assert table is not None
    owner = session.settled(value)
    made = owner.missing if isinstance(owner, Mapped) else None
    cases = _cases(session, table, key, at)
    if cases is not None and (cases.whole or made is None):
        return _one_of(session, cases, at)
    if _known(key, at) in table:
        return table[key]
    if made is None:
        texts = [k for k in table if isinstance(k, str)]
        near = nearest(key, texts) if isinstance(key, str) else ""
        hint = f"it has {_shown(table)}" if table else "it has no keys"
        raise TraceError(f"the dictionary has no key {key!r}{near}", at, hint)
    entry = made()
    put(session, owner, key, entry, at)
    return entry


@dataclass(frozen=True, slots=True)
class _Cases:
    """The entries that one of which only the kernel knows the key can be, each with when it is."""

    rows: Sequence[tuple[Any, Any, Term]]  # key, entry, whether the key is that one
    whole: bool  # one of them it is


def _shown(table: Iterable[Any]) -> str:
    return ", ".join(map(repr, list(table)[:12]))


def _cases(session: Session, table: Mapping[Any, Any], key: Any, at: Span) -> _Cases | None:
    """What a key may be that is an integer, a truth value, or a member; None of a known one.

    In a loop whose trips can be written out it may be known in each of them.
    """
    if not isinstance(key, Value) or key.type not in (Scalar.I32, Scalar.BOOL):
        return None
    if session.rolled > 0:
        return None
    of = enumeration(key)
    if of is None or issubclass(of, int):
        found = [k for k in table if isinstance(k, int)]  # True is 1
    else:
        found = [k for k in table if enumeration(k) is of]
    if not found:
        return None
    wanted: Iterable[Any] = () if of is None or issubclass(of, Flag) else of
    least, most = session.ranges.get(key.term, (0, None))
    if of is None and most is not None:
        wanted = range(least, min(most, least + len(found)) + 1)
    if is_truth(key):
        key, wanted = counted(key), (0, 1)
    numbers = [lift(counted(k) if is_truth(k) else k, session.real) for k in found]
    held = [apply(session.rules, "eq", [key, n], session.real, at).term for n in numbers]
    whole = bool(wanted) and set(wanted) <= set(found)
    return _Cases([(k, table[k], there) for k, there in zip(found, held, strict=True)], whole)


def _one_of(session: Session, cases: _Cases, at: Span, default: Any = UNSET) -> Any:
    """The entry that it is; without a default it is an error, when checked, if it is none."""
    rows = list(cases.rows)
    if default is UNSET and not cases.whole:
        none: Condition = True
        for _, _, there in rows:
            none = both(none, negated(there))
        keys = _shown(key for key, _, _ in rows)
        forbid(session, none, f"the dictionary has no such key: it has {keys}", at)
    result = rows.pop()[1] if default is UNSET or cases.whole else default
    for _, entry, there in reversed(rows):
        result = session.either(there, entry, result, at)
    return result


def made_from(pairs: Iterable[tuple[Any, Any]], at: Span) -> Mapped:
    """The dictionary with these keys and values; the last value of a key counts."""
    return mapped({_known(key, at): value for key, value in pairs})


def dictionary(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Mapped:
    """`dict(…)` of another one, or of pairs, and of names."""
    if len(args) > 1:
        raise TraceError("dict(…) takes a dictionary, or pairs of key and value", at)
    pairs = [pair for given in args for pair in _pairs(session, given, at, invoke, "dict")]
    return made_from([*pairs, *kwargs.items()], at)


def defaulting(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Mapped:
    """`collections.defaultdict(float, …)`: what is asked for is there from then on."""
    made = dictionary(session, args[1:], kwargs, at, invoke)
    if args and args[0] is not None:
        made.missing = partial(invoke, args[0], [], {}, at)
    return made


def _pairs(
    session: Session, given: Any, at: Span, invoke: Invoke, name: str
) -> list[tuple[Any, Any]]:
    """The entries of a dictionary, or of pairs of key and value."""
    entries = ordered_entries(session, given, at)
    if entries is not None:
        return list(entries.items())
    rows = items_of(session, given, at, invoke)
    parts = [items_of(session, part, at, invoke) for part in rows or ()]
    if rows is None or any(part is None or len(part) != 2 for part in parts):
        raise TraceError(f"{name}(…) takes a dictionary, or pairs of key and value", at)
    return [(part[0], part[1]) for part in parts if part is not None]


def put(session: Session, value: Any, key: Any, entry: Any, at: Span) -> None:
    """`d[key] = entry`; of one dictionary or another: each has a new entry, or its own."""
    value = session.settled(value)
    cases = _cases(session, entries_of(session, value, at) or {}, key, at)
    if cases is not None and cases.whole:
        for own, old, there in cases.rows:
            put(session, value, own, session.either(there, entry, old, at), at)
        return
    if isinstance(value, Choice) and _known(key, at) in (entries_of(session, value, at) or {}):
        then = entry_of(session, value.then, key, at)
        put(session, value.then, key, session.either(value.condition, entry, then, at), at)
        other = entry_of(session, value.other, key, at)  # after that: it may be the same one
        put(session, value.other, key, session.either(value.condition, other, entry, at), at)
        return
    _change(session, value, {**_own(session, value, at), _known(key, at): entry}, at)


def without(session: Session, value: Any, key: Any, at: Span) -> Any:
    """`del d[key]`; gives what stood there."""
    found = entry_of(session, value, key, at)
    table = _own(session, value, at)
    _change(session, value, {k: v for k, v in table.items() if k != key}, at)
    return found


def _own(session: Session, value: Any, at: Span) -> dict[Any, Any]:
    """The entries of a dictionary that can be changed."""
    if isinstance(value, dict):
        message = "this dictionary is from outside of the function: it stays as it is"
        raise TraceError(message, at, "change a copy instead: d = dict(d)")
    if isinstance(session.settled(value), Choice):
        message = "which dictionary this is, is known only when the kernel runs"
        raise Varying(f"{message}: its keys cannot be changed", at, _NEW)
    table = entries_of(session, value, at)
    assert table is not None
    return table


def _change(session: Session, value: Any, table: Mapping[Any, Any], at: Span) -> None:
    session.write(session.settled(value), 0, keyed(table), at)


def method_of(session: Session, value: Any, name: str, at: Span) -> Any:
    """`d.items`, `d.get`, `d.update`, …."""
    if name in METHODS or name == "update":
        return Partial(getattr(dict, name), (value,), {})
    if name in _BY_ORDER:
        return Partial(getattr(OrderedDict, name), (value,), {})
    hint = f"it has {', '.join((*METHODS, 'update', *_BY_ORDER))}"
    raise TraceError(f"{describe(value)} has no {name!r} here{nearest(name, METHODS)}", at, hint)


def _get(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> Any:
    """`d.get(key)`, `d.get(key, default)`."""
    entries = entries_of(session, value, at) or {}
    cases = _cases(session, entries, args[0], at)
    if cases is not None:
        return _one_of(session, cases, at, default=args[1] if len(args) > 1 else None)
    return entries.get(_known(args[0], at), args[1] if len(args) > 1 else None)


def _setdefault(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> Any:
    if _known(args[0], at) not in (entries_of(session, value, at) or {}):
        put(session, value, args[0], args[1] if len(args) > 1 else None, at)
    return entry_of(session, value, args[0], at)


def _pop(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> Any:
    there = _known(args[0], at) in (entries_of(session, value, at) or {})
    return args[1] if len(args) > 1 and not there else without(session, value, args[0], at)


def _clear(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> None:
    _own(session, value, at)
    _change(session, value, {}, at)


def _copy(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> Mapped:
    found = mapped(ordered_entries(session, value, at) or {})
    found.missing = getattr(session.settled(value), "missing", None)
    return found


def _showing(what: str) -> Callable[..., Shown]:
    return lambda session, value, *_: Shown(value, what)


METHODS: Mapping[str, Counted] = {
    **{what: Counted(_showing(what), 0, 0) for what in ("items", "keys", "values")},
    "get": Counted(_get, 1, 2),
    "setdefault": Counted(_setdefault, 1, 2),
    "pop": Counted(_pop, 1, 2),
    "clear": Counted(_clear, 0, 0),
    "copy": Counted(_copy, 0, 0),
}


def _update(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> None:
    """`d.update(e, k=v)`."""
    value, *rest = args
    if len(rest) > 1:
        raise TraceError(f".update takes a dictionary, or names, not {len(rest)} values", at)
    more = [pair for given in rest for pair in _pairs(session, given, at, invoke, "update")]
    new = {_known(key, at): entry for key, entry in (*more, *kwargs.items())}
    _change(session, value, {**_own(session, value, at), **new}, at)


def _popitem(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> tuple[Any, Any]:
    """`d.popitem()`, and `last=False` of an `OrderedDict`."""
    check_arguments("popitem", args, kwargs, ("last",), 1, 2, at)
    table = ordered_entries(session, args[0], at)
    if not table:
        raise TraceError("popitem of a dictionary that has no keys", at)
    last = kwargs.get("last", [True, *args[1:]][-1])
    key = list(table)[-1 if _is_last(last, at) else 0]
    return key, without(session, args[0], key, at)


def _move_to_end(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> None:
    """`d.move_to_end(key)`, and `last=False`."""
    check_arguments("move_to_end", args, kwargs, ("last",), 2, 3, at)
    value, key, *rest = args
    moved = {_known(key, at): without(session, value, key, at)}
    table = ordered_entries(session, value, at) or {}
    last = _is_last(kwargs.get("last", [True, *rest][-1]), at)
    _change(session, value, {**table, **moved} if last else {**moved, **table}, at)


def _is_last(value: Any, at: Span) -> bool:
    if not is_number(value):
        raise TraceError("which end is meant must be known while reading", at, "last=False")
    return bool(value)


_BY_ORDER = {"popitem": _popitem, "move_to_end": _move_to_end}
#: By the functions of Python.
HANDLERS: Mapping[int, Any] = {
    **handlers(dict, METHODS),
    id(dict.update): _update,
    **{id(getattr(OrderedDict, name)): method for name, method in _BY_ORDER.items()},
    id(OrderedDict): dictionary,
    id(defaultdict): defaulting,
}


def joined(session: Session, op: ast.operator, left: Any, right: Any, at: Span) -> Mapped:
    """`d | e`: the entries of both. Raises TraceError for everything else."""
    both = [ordered_entries(session, value, at) for value in (left, right)]
    if not isinstance(op, ast.BitOr) or None in both:
        hint = "take its entries: d[key]"
        raise TraceError(f"cannot compute with {describe(left)} and {describe(right)}", at, hint)
    return made_from([pair for entries in both if entries for pair in entries.items()], at)


def paired(session: Session, left: Any, right: Any, at: Span) -> tuple[Any, Any]:
    """Two dictionaries as tuples that are equal where they are; of other keys, of other lengths."""
    a, b = entries_of(session, left, at), entries_of(session, right, at)
    if a is None or b is None or a.keys() != b.keys():
        return (), (None,)
    return tuple(a.values()), tuple(b[key] for key in a)
