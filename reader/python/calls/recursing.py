"""Functions that call themselves: read as often as what is known while reading says.

A call inside a call of the same function must know something else than that one did (`n - 1` for
`n`): then what is known decides when it ends. Takes arguments; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.value import Value
from ..values.objects import Choice, Listed, Mapped, is_tuple
from ..values.scope import Function
from ..values.values import is_number, number

_DEEPEST = 100  # calls of one function, inside each other


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A function that is being read, and what is known of its arguments."""

    key: Any
    name: str
    known: tuple[Any, ...]


def entered(active: Sequence[Call], function: Function, bound: Mapping[str, Any], at: Span) -> Call:
    """The call that begins. Raises TraceError where nothing that is known can end it."""
    key = function.origin or function
    call = Call(key, function.name, tuple(map(_known, bound.values())))
    outer = [other for other in active if other.key is key]
    if any(other.known == call.known for other in outer) or len(outer) >= _DEEPEST:
        raise _endless(active, call, at)
    return call


def _known(value: Any) -> Any:
    """What is known of an argument: a number itself, of a symbolic one its type."""
    if is_number(value):
        return type(number(value)), number(value)
    if isinstance(value, Value):
        return value.type
    if is_tuple(value):
        return type(value), tuple(map(_known, value))
    if isinstance(value, Listed):
        return id(value), len(value.items)
    if isinstance(value, Mapped):
        return id(value), value.keys
    if isinstance(value, Choice):
        return _known(value.then), _known(value.other)
    return value if value is None or isinstance(value, str) else id(value)


def _endless(active: Sequence[Call], call: Call, at: Span) -> TraceError:
    first = next(i for i, other in enumerate(active) if other.key is call.key)
    cycle = list(dict.fromkeys(other.name for other in active[first:]))
    through = f" through {', '.join(cycle[1:])}" if len(cycle) > 1 else ""
    return TraceError(
        f"{call.name} calls itself{through}: {' → '.join([*cycle, call.name])}",
        at,
        "a kernel cannot: it must end by what is known while reading, such as f(n - 1, x) where n "
        "is a number (functools.partial(f, n=5)); or write the steps out, as a loop",
    )
