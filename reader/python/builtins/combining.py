"""What `itertools` makes of items: `product`, `combinations`, `accumulate`, `islice`, ….

Items stay what they are. Those that arrange items hold them as they were when they were called, as
Python's do: a vector that changes has changed, an element that is replaced has not. Takes argument
values, gives what can be run over one time; knows nothing of syntax.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.value import Value
from ..arrays.arraycalls import BIND_IT
from ..operations.iterating import spread, turns
from ..operations.records import Invoke
from ..operations.sequences import as_far, check_arguments, known, lasting, picked, rest_of
from ..values.once import Once
from ..values.scope import Session
from ..values.values import is_number, number

_MOST = 4096  # arrangements that are written out

#: Which item of which of the sequences.
Place = tuple[int, int]


def product_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.product(a, b, …, repeat=1)`."""
    check_arguments("product", args, kwargs, ("repeat",), 0, len(args), at)
    pools = [tuple(spread(session, a, at, invoke)) for a in args]
    rows = [[(j, i) for i in range(len(pool))] for j, pool in enumerate(pools)]
    repeat = _whole("repeat", kwargs.get("repeat", 1), at)
    return _arranged(session, pools, itertools.product(*rows, repeat=repeat), at)


def arrangements(function: Callable[..., Iterable[tuple[Place, ...]]], needs: int) -> Any:
    """`itertools.combinations(a, r)` and its like; `needs`: how many arguments there must be."""

    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
    ) -> Once:
        given = [*args, *kwargs.values()]
        check_arguments(function.__name__, given, kwargs, ("r",), needs, 2, at)
        pool = tuple(spread(session, args[0], at, invoke))
        sizes = [_whole("r", r, at) for r in given[1:] if r is not None]
        return _arranged(session, [pool], function([(0, i) for i in range(len(pool))], *sizes), at)

    return handler


def _arranged(
    session: Session,
    pools: Sequence[tuple[Any, ...]],
    found: Iterable[tuple[Place, ...]],
    at: Span,
) -> Once:
    places = list(itertools.islice(found, _MOST + 1))
    if len(places) > _MOST:
        raise TraceError("these are too many arrangements to be written out", at)
    each = [turns(session, pool, pool, at) for pool in pools]
    held = [object_ for turn in each for object_ in turn.held]
    rows = [tuple(pools[j][i] for j, i in place) for place in places]
    return Once(rows, lambda k: tuple(each[j](i) for j, i in places[k]), held, pools)


def accumulate_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.accumulate(a, f, initial=…)`."""
    check_arguments("accumulate", args, kwargs, ("func", "initial"), 1, 2, at)
    function = args[1] if len(args) > 1 else kwargs.get("func")
    start = kwargs.get("initial")
    items = [*([] if start is None else [start]), *known(session, args[0], at, invoke)]

    def both(a: Any, b: Any) -> Any:
        return invoke(function or operator.add, [a, b], {}, at)

    found, rest = as_far(itertools.accumulate(items, both), rest_of(args[0]))
    return Once(found, rest=rest, check=lasting("accumulate", args, at))


def starmap_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.starmap(f, rows)`."""
    check_arguments("starmap", args, kwargs, (), 2, 2, at)
    rows = [spread(session, row, at, invoke) for row in spread(session, args[1], at, invoke)]
    found = [invoke(args[0], row, {}, at) for row in rows]
    return Once(found, check=lasting("starmap", args, at))


def repeat_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.repeat(x, n)`."""
    given = [*args, *kwargs.values()]
    if len(given) == 1:
        raise TraceError("repeat(…) has no end", at, "say how often: repeat(x, n)")
    check_arguments("repeat", given, kwargs, ("times",), 2, 2, at)
    items = (given[0],) * _whole("times", given[1], at)
    turn = turns(session, items, items, at)
    return Once(items, turn, turn.held)


def islice_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.islice(a, stop)` and `itertools.islice(a, start, stop, step)`."""
    check_arguments("islice", args, kwargs, (), 2, 4, at)
    bounds = [None if b is None else _whole("a bound", b, at) for b in args[1:]]
    if bounds[2:] == [0]:
        raise TraceError("the step of islice(…) must not be 0", at)
    return picked(session, args[0], slice(*bounds), at, invoke)


def zip_longest_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Once:
    """`itertools.zip_longest(a, b, …, fillvalue=x)`."""
    check_arguments("zip_longest", args, kwargs, ("fillvalue",), 0, len(args), at)
    lists = [spread(session, a, at, invoke) for a in args]
    return Once(list(itertools.zip_longest(*lists, **kwargs)))


def _whole(name: str, value: Any, at: Span) -> int:
    """A number of items, which is known and not negative."""
    if not is_number(value) or not isinstance(number(value), int) or number(value) < 0:
        hint = BIND_IT if isinstance(value, Value) else ""
        raise TraceError(f"{name} must be an integer that is known, and not negative", at, hint)
    return int(number(value))


HANDLERS: Mapping[int, Any] = {
    id(itertools.product): product_of,
    id(itertools.combinations): arrangements(itertools.combinations, 2),
    id(itertools.combinations_with_replacement): arrangements(
        itertools.combinations_with_replacement, 2
    ),
    id(itertools.permutations): arrangements(itertools.permutations, 1),
    id(itertools.accumulate): accumulate_of,
    id(itertools.starmap): starmap_of,
    id(itertools.repeat): repeat_of,
    id(itertools.islice): islice_of,
    id(itertools.zip_longest): zip_longest_of,
}
