"""Methods of lists that make them longer or shorter: `append`, `extend`, `insert`, `pop`, `clear`.

Takes argument values, changes the list; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....terms.errors import Span, TraceError, shown
from ....terms.value import Value
from ..values.objects import Listed
from ..values.resizing import resize
from ..values.scope import Session
from ..values.values import describe, is_number, number
from ..values.varying import Varying
from .counted import Counted, handlers
from .iterating import spread
from .records import Invoke, elements
from .slices import known_slice


def _append(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> None:
    resize(session, value, [*_as_they_are(session, value, at), args[0]], at, shift=False)


def _extend(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> None:
    more = spread(session, args[0], at, invoke)
    resize(session, value, [*_as_they_are(session, value, at), *more], at, shift=False)


def _as_they_are(session: Session, value: Any, at: Span) -> Sequence[Any]:
    """The elements of a list that stay where they are: no one of them is looked at."""
    return value.items if type(value) is Listed else elements(session, value, at)


def _insert(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> None:
    items = list(elements(session, value, at))
    items.insert(_place(args[0], "insert", at), args[1])
    resize(session, value, items, at)


def _pop(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> Any:
    items = list(elements(session, value, at))
    place = _place(args[0], "pop", at) if args else -1
    if not -len(items) <= place < len(items):
        known = f"valid are 0 to {len(items) - 1}" if items else "it has no elements"
        raise TraceError(
            f"pop index {shown(place)} is out of range for {describe(value)}", at, known
        )
    found = items.pop(place)
    resize(session, value, items, at)
    return found


def _clear(session: Session, value: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> None:
    resize(session, value, [], at)


def without(session: Session, value: Any, index: Any, at: Span) -> None:
    """`del value[index]` of a list."""
    items = list(elements(session, value, at))
    if isinstance(index, slice):
        del items[known_slice(index, at)]
        resize(session, value, items, at)
    else:
        _pop(session, value, [index], at, _no_call)


def repeated(session: Session, value: Any, found: Any, at: Span) -> Any:
    """The list after `value *= n`, where `value * n` has been found: it is the same list."""
    resize(session, value, list(elements(session, found, at)), at, shift=False)
    return value


def extended(session: Session, value: Any, by: Any, at: Span, invoke: Invoke) -> Any:
    """The list after `value += by`: it is the same list."""
    _extend(session, value, [by], at, invoke)
    return value


def _no_call(*_: Any) -> Any:
    raise AssertionError("nothing is called here")


def _place(index: Any, name: str, at: Span) -> int:
    if not is_number(index) or not isinstance(number(index), int):
        kernel = isinstance(index, Value)
        why = "which is known only when the kernel runs" if kernel else "which is no integer"
        raise Varying(
            f".{name} is given {describe(index)} as a place, {why}",
            at,
            "give a number; or keep the list as long as it is, and assign elements",
        )
    return int(number(index))


def _settled(method: Callable[..., Any], fewest: int, most: int) -> Counted:
    return Counted(
        lambda session, value, *more: method(session, session.settled(value), *more), fewest, most
    )


_METHODS = {
    "append": _settled(_append, 1, 1),
    "extend": _settled(_extend, 1, 1),
    "insert": _settled(_insert, 2, 2),
    "pop": _settled(_pop, 0, 1),
    "clear": _settled(_clear, 0, 0),
}
#: The methods of lists that are here.
RESIZING = tuple(_METHODS)
#: By the functions of Python.
HANDLERS = handlers(list, _METHODS)
