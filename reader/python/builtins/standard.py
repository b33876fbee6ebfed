"""Python's own functions over what has items, and over structs with the methods they call.

`zip`, `enumerate`, `sorted`, … take items as they are, so structs and lists stay what they are;
what a struct says of itself is in `asked.py`. Takes a function and argument values, gives a value,
or `UNKNOWN`; knows nothing of syntax.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.term import Term
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ...collected import Namespace, namespace_of
from ..arrays.arraycalls import BIND_IT
from ..operations import asked, dictionaries, growing, iterators, plain, sequences
from ..operations.access import put_item
from ..operations.arithmetic import operate
from ..operations.iterating import spread, truth_of
from ..operations.library import UNKNOWN
from ..operations.ordering import equal, is_sequence, ordered
from ..operations.overloaded import combined
from ..operations.records import Invoke
from ..operations.sequences import check_arguments
from ..values.arrays import is_array
from ..values.checking import forbid
from ..values.conditions import Condition, as_term, either, negated
from ..values.entries import Shown
from ..values.objects import Instance, Listed, Object, first, is_tuple
from ..values.once import Once
from ..values.scope import Session
from ..values.values import describe, is_number, number
from ..values.varying import Varying
from . import asking, callables, combining

#: Takes the session, positional and keyword arguments, a place and a way to call.
Handler = Callable[[Session, Sequence[Any], Mapping[str, Any], Span, Invoke], Any]


def call_standard(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """The value of one of Python's functions; UNKNOWN where nothing is particular about it."""
    handler = _HANDLERS.get(id(callee)) or callables.handler_of(callee)
    if handler is not None:
        return handler(session, args, kwargs, at, invoke)
    return asked.by_method(session, callee, args, kwargs, at, invoke)


def is_standard(callee: Any) -> bool:
    """Whether a function is one of these, though it may be written in Python."""
    return id(callee) in _HANDLERS


def _namespace(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`SimpleNamespace(a=x, b=y)`: a struct that has these names, and no others later."""
    if args:
        raise TraceError("SimpleNamespace(…) takes names here: SimpleNamespace(x=…)", at)
    return invoke(namespace_of(*kwargs), [], kwargs, at)


# --- items ----------------------------------------------------------------------------------


def _range(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> range:
    if not all(is_number(a) and isinstance(number(a), int) for a in args):
        raise Varying("this range must be known while reading", at, BIND_IT)
    try:
        return range(*(number(a) for a in args), **kwargs)
    except (TypeError, ValueError) as error:
        raise TraceError(f"range(…) fails: {error}", at) from None


def _slice(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> slice:
    """`slice(a, b)`, as an index."""
    check_arguments("slice", args, kwargs, (), 1, 3, at)
    return slice(*args)


def _sorted(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Listed:
    """By exchanges of neighbours; what is equal keeps its order, as in Python."""
    check_arguments("sorted", args, kwargs, ("reverse", "key"), 1, 1, at)
    items = list(spread(session, args[0], at, invoke))
    keys = _keys(items, kwargs.get("key"), at, invoke)
    rows = [keys] if kwargs.get("key") is None else [keys, items]
    for end in reversed(range(len(items))):
        for i in range(end):
            a, b = keys[i], keys[i + 1]
            pair = (a, b) if kwargs.get("reverse") else (b, a)
            less = ordered(session, "lt", *pair, at, invoke)
            for row in rows:
                _exchange(session, row, i, less, at)
    return Listed(rows[-1])


def _sort(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> None:
    """`xs.sort(key=…, reverse=…)`."""
    found = _sorted(session, args, kwargs, at, invoke)
    put_item(session, args[0], slice(None), tuple(found.items), at)


def _reverse(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> None:
    """`xs.reverse()`."""
    check_arguments("reverse", args, kwargs, (), 1, 1, at)
    items = spread(session, args[0], at, invoke)
    put_item(session, args[0], slice(None), tuple(reversed(items)), at)


def _exchange(session: Session, row: list[Any], i: int, held: Condition, at: Span) -> None:
    """Two neighbours exchange their places where a condition holds."""
    a, b = row[i], row[i + 1]
    row[i : i + 2] = [_one_of(session, held, b, a, at), _one_of(session, held, a, b, at)]


def _keys(items: Sequence[Any], key: Any, at: Span, invoke: Invoke) -> list[Any]:
    return list(items) if key is None else [invoke(key, [item], {}, at) for item in items]


def _best(function: Any) -> Handler:
    """`max(xs, key=f)` and `min(xs, key=f)`: the first of the best; structs by their order.

    Numbers and vectors have a function of their own, which shares a derivative between equals.
    """
    name = function.__name__

    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
    ) -> Any:
        items: Sequence[Any] = args
        if len(args) == 1 and (kwargs or _has_items(args[0])):
            items = tuple(spread(session, args[0], at, invoke))
        if not kwargs and not _have_order(items):
            again = items is args or is_tuple(args[0])
            return UNKNOWN if again else invoke(function, [items], {}, at)
        check_arguments(name, args, kwargs, ("key", "default"), 1, len(args), at)
        if not items and "default" in kwargs:
            return kwargs["default"]
        if not items:
            raise TraceError(f"{name}() needs a value", at)
        keys = _keys(items, kwargs.get("key"), at, invoke)
        best, top = items[0], keys[0]
        for item, found in zip(items[1:], keys[1:], strict=True):
            better = ordered(session, "gt" if function is max else "lt", found, top, at, invoke)
            best = _one_of(session, better, item, best, at)
            top = _one_of(session, better, found, top, at)
        return best

    return handler


def _has_items(value: Any) -> bool:
    """Whether a value is run over: a tuple, a list, what gives its items once, a dictionary's."""
    return isinstance(value, tuple | Once | Shown) or _is_object(value)


def _have_order(items: Sequence[Any]) -> bool:
    """Whether values compare as wholes; a tuple beside a vector is one."""
    if any(isinstance(v, Value) and not isinstance(v.type, Scalar) for v in items):
        return False
    return any(_is_struct(v) or is_sequence(v) or is_array(v) for v in items)


def _folding(whole: Any, both: Any, name: str, begins: int) -> Handler:
    """`sum(xs)`, `sum(xs, start)`, `math.prod(xs)`: of structs by their `__add__`, `__mul__`."""

    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
    ) -> Any:
        if not 1 <= len(args) + len(kwargs) <= 2 or not args:
            return UNKNOWN
        check_arguments(whole.__name__, args, kwargs, ("start",), 1, 2, at)
        start = [*args[1:], *kwargs.values()]
        if not start and not _has_items(args[0]):
            return UNKNOWN
        items = tuple(spread(session, args[0], at, invoke))
        if not (start and whole is sum) and not any(_is_object(v) for v in (*items, *start)):
            return UNKNOWN if is_tuple(args[0]) else invoke(whole, [items], kwargs, at)
        total = start[0] if start else begins
        for item in items:
            said = combined(session, name, total, item, at, invoke)
            total = invoke(both, [total, item], {}, at) if said is UNKNOWN else said
        return total

    return handler


def _equals(
    session: Session, name: str, args: Sequence[Any], at: Span, invoke: Invoke
) -> list[Condition]:
    """For each item, whether it is the value that `index` and `count` look for."""
    if len(args) != 2:
        raise TraceError(f"{name}() takes a value here, and no range to look for it in", at)
    items = spread(session, args[0], at, invoke)
    for value in (*items, args[1]):
        if is_array(value) or (isinstance(value, Value) and not isinstance(value.type, Scalar)):
            raise TraceError(f"{describe(value)} is compared by component", at, f"{name} a number")
    return [equal(session, item, args[1], at, invoke) for item in items]


def _index(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`xs.index(v)`: the first place; that there is one, is asked of the caller at run time."""
    same = _equals(session, "index", args, at, invoke)
    places = [k for k, held in enumerate(same) if held is not False]
    if not places:
        raise TraceError(f"{describe(args[1])} is not in {describe(args[0])}", at)
    there = functools.reduce(either, same)
    if not isinstance(there, bool):
        forbid(session, as_term(negated(there)), "index() finds no such value", at)
    found: Any = places[-1]
    for k in reversed(places[:-1]):
        found = _one_of(session, same[k], k, found, at)
    return found


def _remove(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> None:
    """`xs.remove(v)`: the first one that is `v`, which is known while reading."""
    same = _equals(session, "remove", args, at, invoke)
    place = next((k for k, held in enumerate(same) if held is not False), None)
    if place is None:
        raise TraceError(f"{describe(args[1])} is not in {describe(args[0])}", at)
    if same[place] is not True:
        hint = "remove it by its place: del xs[0]; or set it to what counts as nothing"
        raise Varying("which element this is, is known only when the kernel runs", at, hint)
    growing.without(session, session.settled(args[0]), place, at)


def _count(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`xs.count(v)`."""
    same = _equals(session, "count", args, at, invoke)
    found: Any = sum(held is True for held in same)
    for held in same:
        if not isinstance(held, bool):
            found = operate(session, "add", [found, _one_of(session, held, 1, 0, at)], at)
    return found


def _reduce(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`functools.reduce(f, xs)` and `functools.reduce(f, xs, start)`."""
    check_arguments("reduce", args, kwargs, (), 2, 3, at)
    items = [*args[2:], *spread(session, args[1], at, invoke)]
    if not items:
        raise TraceError("reduce() needs a value", at)
    return functools.reduce(lambda a, b: invoke(args[0], [a, b], {}, at), items)


def _one_of(session: Session, held: Condition, then: Any, other: Any, at: Span) -> Any:
    if isinstance(held, bool):
        return then if held else other
    return session.either(held, then, other, at)


def _over_truths(function: Any) -> Handler:
    """`any(xs)` and `all(xs)`: what is no number has a truth too."""

    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
    ) -> Any:
        if len(args) != 1 or isinstance(args[0], Value):
            return UNKNOWN
        items = spread(session, args[0], at, invoke)
        if is_tuple(args[0]) and not any(isinstance(first(v), _TRUE) for v in items):
            return UNKNOWN
        held = [
            truth_of(session, v, at, invoke) if isinstance(first(v), _TRUE) else v for v in items
        ]
        values = tuple(scalar(v) if isinstance(v, Term) else v for v in held)
        return invoke(function, [values], kwargs, at)

    return handler


_TRUE = (Object, tuple)


def _is_object(value: Any) -> bool:
    return isinstance(first(value), Object)


def _is_struct(value: Any) -> bool:
    return isinstance(first(value), Instance)


_HANDLERS: Mapping[int, Handler] = {
    id(range): _range,
    id(slice): _slice,
    id(list): sequences.listed_of,
    id(tuple): sequences.tuple_of,
    id(iter): sequences.iterator_of,
    id(next): sequences.next_of,
    id(reversed): sequences.reversed_of,
    id(enumerate): sequences.enumerate_of,
    id(zip): sequences.zip_of,
    id(itertools.chain): sequences.chain_of,
    id(itertools.pairwise): sequences.pairwise_of,
    **asking.HANDLERS,
    **callables.HANDLERS,
    **combining.HANDLERS,
    **iterators.HANDLERS,
    **dictionaries.HANDLERS,
    **growing.HANDLERS,
    **plain.HANDLERS,
    id(map): sequences.map_of,
    id(filter): sequences.filter_of,
    id(sorted): _sorted,
    id(sum): _folding(sum, operator.add, "add", 0),
    id(math.prod): _folding(math.prod, operator.mul, "mul", 1),
    id(functools.reduce): _reduce,
    id(divmod): asked.divmod_of,
    id(Namespace): _namespace,
    **{id(kind.index): _index for kind in (list, tuple)},
    **{id(kind.count): _count for kind in (list, tuple)},
    id(list.remove): _remove,
    id(list.sort): _sort,
    id(list.reverse): _reverse,
    **{id(f): _best(f) for f in (max, min)},
    **{id(f): _over_truths(f) for f in (any, all)},
}
