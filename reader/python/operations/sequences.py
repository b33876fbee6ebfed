"""Python's functions that give items: `zip`, `enumerate`, `map`, `itertools.chain`, ….

They take items as they are, and see what changes before the turn of an item. Takes argument values,
gives a list, a tuple or what can be run over one time; knows nothing of syntax.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ..values.lengths import Varying
from ..values.objects import Instance, Listed, first
from ..values.once import Once
from ..values.scope import Session
from ..values.values import describe, is_number, number
from .arithmetic import operate
from .iterating import begun, spread, truth_of, turns
from .records import Invoke


def listed_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Listed:
    """`list(a)`."""
    check_arguments("list", args, kwargs, (), 0, 1, at)
    return Listed(spread(session, args[0], at, invoke) if args else ())


def tuple_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> tuple[Any, ...]:
    """`tuple(a)`."""
    check_arguments("tuple", args, kwargs, (), 0, 1, at)
    return tuple(spread(session, args[0], at, invoke)) if args else ()


def iterator_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`iter(a)`."""
    check_arguments("iter", args, kwargs, (), 1, 1, at)
    return picked(session, args[0], slice(None), at, invoke)


def picked(session: Session, value: Any, places: slice, at: Span, invoke: Invoke) -> Once:
    """The items of a value at some places, each as it is when its turn comes."""
    value = begun(session, value, at, invoke)
    items = spread(session, value, at, invoke)
    turn = turns(session, value, items, at)
    chosen = range(len(items))[places]
    return Once([items[k] for k in chosen], lambda k: turn(chosen[k]), turn.held)


def next_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`next(a)` and `next(a, default)`."""
    check_arguments("next", args, kwargs, (), 1, 2, at)
    source = args[0]
    if not isinstance(source, Once):
        raise TraceError(f"{describe(source)} is no iterator", at, "write next(iter(…))")
    if source.left(at):
        found = source.at_turn(0)
        session.write(source.place, 0, source.place.items[0] + 1, at)
        return found
    if len(args) == 1:
        raise TraceError("nothing is left in this iterator", at, "say what else: next(…, 0.0)")
    return args[1]


def reversed_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`reversed(a)`."""
    check_arguments("reversed", args, kwargs, (), 1, 1, at)
    if isinstance(args[0], Once) or isinstance(first(args[0]), Instance):
        raise TraceError(f"{describe(args[0])} cannot be reversed", at, "reversed(tuple(…))")
    return picked(session, args[0], slice(None, None, -1), at, invoke)


def enumerate_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`enumerate(a, start)`."""
    check_arguments("enumerate", args, kwargs, ("start",), 1, 2, at)
    start = kwargs.get("start", args[1] if len(args) > 1 else 0)
    value = begun(session, args[0], at, invoke)
    items = spread(session, value, at, invoke)
    turn = turns(session, value, items, at)

    def place(k: int) -> Any:
        return number(start) + k if is_number(start) else operate(session, "add", [start, k], at)

    pairs = ((place(k), v) for k, v in enumerate(items))
    return Once(pairs, lambda k: (place(k), turn(k)), turn.held)


def zip_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`zip(a, b, …)`."""
    check_arguments("zip", args, kwargs, ("strict",), 0, len(args), at)
    args = [begun(session, a, at, invoke) for a in args]
    lists = [spread(session, a, at, invoke) for a in args]
    if kwargs.get("strict") and len({len(items) for items in lists}) > 1:
        raise TraceError("these have different lengths, and strict is set", at)
    each = [turns(session, a, items, at) for a, items in zip(args, lists, strict=True)]
    held = [object_ for turn in each for object_ in turn.held]
    return Once(zip(*lists, strict=False), lambda k: tuple(turn(k) for turn in each), held)


def chain_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.chain(a, b, …)`."""
    check_arguments("chain", args, kwargs, (), 0, len(args), at)
    args = [begun(session, a, at, invoke) for a in args]
    lists = [spread(session, a, at, invoke) for a in args]
    each = [turns(session, a, items, at) for a, items in zip(args, lists, strict=True)]
    places = [(turn, k) for turn, items in zip(each, lists, strict=True) for k in range(len(items))]
    held = [object_ for turn in each for object_ in turn.held]
    whole = [item for items in lists for item in items]
    return Once(whole, lambda k: places[k][0](places[k][1]), held)


def pairwise_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.pairwise(a)`: the first of a pair is what it was when it was the second."""
    check_arguments("pairwise", args, kwargs, (), 1, 1, at)
    value = begun(session, args[0], at, invoke)
    items = spread(session, value, at, invoke)
    turn = turns(session, value, items, at)
    before: dict[int, Any] = {}

    def pair(k: int) -> Any:
        before[k + 1], first_ = turn(k + 1), before[k] if k else turn(0)
        return first_, before[k + 1]

    return Once(itertools.pairwise(items), pair, turn.held)


def map_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`map(f, a, …)`."""
    check_arguments("map", args, kwargs, (), 2, len(args), at)
    rows = zip(*(spread(session, a, at, invoke) for a in args[1:]), strict=False)
    return Once([invoke(args[0], row, {}, at) for row in rows])


def filter_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`filter(f, a)`: which items there are is known while reading."""
    check_arguments("filter", args, kwargs, (), 2, 2, at)
    kept = []
    for item in spread(session, args[1], at, invoke):
        asked = item if args[0] is None else invoke(args[0], [item], {}, at)
        held = truth_of(session, asked, at, invoke)
        if not isinstance(held, bool):
            raise Varying(
                "this condition is not known while reading: the number of items would depend on it",
                at,
                "write the choice into the value: x if c else 0.0",
            )
        kept += [item] if held else []
    return Once(kept)


def check_arguments(
    name: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    words: Sequence[str],
    low: int,
    high: int,
    at: Span,
) -> None:
    """TraceError where a function does not take so many arguments, or such words."""
    if not low <= len(args) <= high:
        raise TraceError(f"{name}() does not take {len(args)} arguments", at)
    for word in kwargs:
        if word not in words:
            raise TraceError(f"{name}() takes no keyword argument {word!r} here", at)
