"""Methods of Python's lists and dictionaries: how many arguments they take.

Takes what a method does, gives what a call of it does. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError
from ..values.scope import Session
from .records import Invoke


@dataclass(frozen=True, slots=True)
class Counted:
    """What a method does with a value and `fewest` to `most` arguments, all by position."""

    method: Callable[[Session, Any, Sequence[Any], Span, Invoke], Any]
    fewest: int
    most: int


def handlers(type_: type, methods: Mapping[str, Counted]) -> dict[int, Any]:
    """By the functions of Python, such as `list.append`."""
    return {id(getattr(type_, name)): _handler(name, one) for name, one in methods.items()}


def _handler(name: str, counted: Counted) -> Callable[..., Any]:
    fewest, most = counted.fewest, counted.most

    def handler(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
    ) -> Any:
        value, *rest = args
        if kwargs or not fewest <= len(rest) <= most:
            count = f"{fewest} to {most}" if fewest != most else str(most)
            plural = "" if most == 1 else "s"
            given = len(rest) + len(kwargs)
            raise TraceError(f".{name} takes {count} argument{plural}, not {given}", at)
        return counted.method(session, value, rest, at, invoke)

    return handler
