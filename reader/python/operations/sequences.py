"""Python's functions that give items: `zip`, `enumerate`, `map`, `itertools.chain`, ….

They take items as they are, and see what changes before the turn of an item. Takes argument values,
gives a list, a tuple or what can be run over one time; knows nothing of syntax.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ..values.objects import Instance, Listed, first
from ..values.once import Once
from ..values.scope import Session
from ..values.seen import Seen, unchanged
from ..values.values import describe, is_number, number
from ..values.varying import Ended, Varying
from .arithmetic import operate
from .iterating import begun, spread, truth_of, turns
from .records import Invoke
from .stepping import is_iterator, next_item


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


def known(
    session: Session, value: Any, at: Span, invoke: Invoke, most: int | None = None
) -> Sequence[Any]:
    """The items of a value, of what has no end the first ones.

    Raises TraceError where fewer are known than the `most` that are asked for.
    """
    rest = rest_of(value)
    if rest is None:
        return spread(session, value, at, invoke)
    items: Sequence[Any] = value.known(at)
    if most is not None and len(items) < most:
        raise asked_beyond(rest, at)
    return items


def rest_of(value: Any) -> TraceError | None:
    """Of an iterator that has no end, why no more items are known; None of everything else."""
    return value.rest if isinstance(value, Once) else None


def as_far(items: Iterator[Any], rest: TraceError | None) -> tuple[list[Any], TraceError | None]:
    """Items that are made one by one, and their `rest`: without an end, as far as they can be."""
    found: list[Any] = []
    try:
        for item in items:
            found.append(item)
    except TraceError as error:
        if rest is None or not found:
            raise
        return found, error
    return found, rest


def beyond(count: int) -> TraceError:
    """Why no more items are known of what has no end, where nothing else is wrong."""
    message = f"only the first {count} items of this iterator are known, which has no end"
    return TraceError(message, None, "loop over range(n), and compute the item in the loop")


def asked_beyond(rest: TraceError, at: Span) -> TraceError:
    """The error where more items are asked for than are known."""
    return TraceError(rest.message, rest.at or at, rest.hint)


def _side_by_side(
    session: Session, values: Sequence[Any], at: Span, invoke: Invoke
) -> list[Sequence[Any]]:
    """The items of each value; of what has no end as many as the others have."""
    ended = {k: spread(session, v, at, invoke) for k, v in enumerate(values) if rest_of(v) is None}
    most = min(map(len, ended.values()), default=None)
    return [
        ended[k] if k in ended else known(session, v, at, invoke, most)
        for k, v in enumerate(values)
    ]


def _rest_of_all(values: Sequence[Any]) -> TraceError | None:
    """As `rest_of`, of values that are run over side by side: one with an end ends it."""
    rests = [rest_of(value) for value in values]
    return rests[0] if rests and None not in rests else None


def picked(session: Session, value: Any, places: slice, at: Span, invoke: Invoke) -> Once:
    """The items of a value at some places, each as it is when its turn comes."""
    value = begun(session, value, at, invoke)
    items = known(session, value, at, invoke, places.stop)
    turn = turns(session, value, items, at)
    chosen = range(len(items))[places]
    rest = rest_of(value) if places.stop is None else None
    each = [items[k] for k in chosen]
    return Once(each, lambda k: turn(chosen[k]), turn.held, [value], rest=rest)


def next_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`next(a)` and `next(a, default)`."""
    check_arguments("next", args, kwargs, (), 1, 2, at)
    source = args[0]
    if is_iterator(source):
        try:
            return next_item(session, source, at, invoke)
        except Ended:
            return _beyond_the_end(args, at)
    if not isinstance(source, Once):
        raise TraceError(f"{describe(source)} is no iterator", at, "write next(iter(…))")
    if source.left(at):
        found = source.at_turn(0)
        session.write(source.place, 0, source.place.items[0] + 1, at)
        return found
    if source.rest is not None:
        raise asked_beyond(source.rest, at)
    return _beyond_the_end(args, at)


def _beyond_the_end(args: Sequence[Any], at: Span) -> Any:
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
    items = known(session, value, at, invoke)
    turn = turns(session, value, items, at)

    def place(k: int) -> Any:
        return number(start) + k if is_number(start) else operate(session, "add", [start, k], at)

    pairs = ((place(k), v) for k, v in enumerate(items))
    return Once(pairs, lambda k: (place(k), turn(k)), turn.held, args, rest=rest_of(value))


def zip_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`zip(a, b, …)`."""
    check_arguments("zip", args, kwargs, ("strict",), 0, len(args), at)
    args = [begun(session, a, at, invoke) for a in args]
    lists = _side_by_side(session, args, at, invoke)
    if kwargs.get("strict") and len({len(items) for items in lists}) > 1:
        raise TraceError("these have different lengths, and strict is set", at)
    each = [turns(session, a, items, at) for a, items in zip(args, lists, strict=True)]
    held = [object_ for turn in each for object_ in turn.held]
    rows = zip(*lists, strict=False)
    rest = _rest_of_all(args)
    return Once(rows, lambda k: tuple(turn(k) for turn in each), held, args, rest=rest)


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
    return Once(whole, lambda k: places[k][0](places[k][1]), held, args)


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

    return Once(itertools.pairwise(items), pair, turn.held, args)


def map_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`map(f, a, …)`."""
    check_arguments("map", args, kwargs, (), 2, len(args), at)
    rows = zip(*_side_by_side(session, args[1:], at, invoke), strict=False)
    found, rest = as_far((invoke(args[0], row, {}, at) for row in rows), _rest_of_all(args[1:]))
    return Once(found, rest=rest, check=lasting("map", args, at))


def lasting(name: str, args: Sequence[Any], at: Span) -> Callable[[], None]:
    """Raises TraceError where items would be others if they were computed in their turns only."""
    seen = Seen()
    seen.add(args)
    return unchanged(seen, f"{name}(…)", at, f"take all at once: list({name}(…))")


def filter_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`filter(f, a)`: which items there are is known while reading."""
    check_arguments("filter", args, kwargs, (), 2, 2, at)
    kept = []
    for item in known(session, args[1], at, invoke):
        asked = item if args[0] is None else invoke(args[0], [item], {}, at)
        held = truth_of(session, asked, at, invoke)
        if not isinstance(held, bool):
            raise Varying(
                "this condition is not known while reading: the number of items would depend on it",
                at,
                "write the choice into the value: x if c else 0.0",
            )
        kept += [item] if held else []
    return Once(kept, rest=rest_of(args[1]), check=lasting("filter", args, at))


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
            takes = f"it takes {', '.join(f'{w}=…' for w in words)}" if words else ""
            message = f"{name}() takes no keyword argument {word!r} here{nearest(word, words)}"
            raise TraceError(message, at, takes)
