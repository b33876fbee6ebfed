"""Members of enumerations: known ones are Python's own, unknown ones are integers of a class.

Takes enumeration classes and values, gives members; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.types import Scalar
from ....terms.value import Value
from ...marks import NoDiffType
from ...passing import Passing

_SHOWN = 6  # members named in a message


@dataclass(frozen=True, slots=True)
class Member(Value):
    """A member of an enumeration that is not known while reading: its integer, and the class."""

    of: type[Enum]


def enumeration_of(hint: Any) -> type[Enum] | None:
    """The class that an annotation names, also inside of `no_diff[…]` or `InOut[…]`."""
    inner = hint.type if isinstance(hint, NoDiffType | Passing) else hint
    return inner if isinstance(inner, type) and issubclass(inner, Enum) else None


def check_integers(of: type[Enum] | None, at: Span | None) -> None:
    """Raise TraceError for an enumeration with a member that is no integer."""
    if of is None:
        return
    for item in of:
        if not isinstance(item.value, int):
            raise TraceError(
                f"{of.__name__}.{item.name} is {item.value!r}: a kernel has numbers only",
                at,
                "give every member an integer value; or say which one: lambda x: f(x, Mode.FAST)",
            )


def enumeration(value: Any) -> type[Enum] | None:
    """The class of a member, known or not; None for any other value."""
    if isinstance(value, Member):
        return value.of
    return type(value) if isinstance(value, Enum) else None


def refuse_member(
    at: Span | None, *values: Any, why: str = "with which Python does not compute"
) -> None:
    """Raise TraceError for a member of an enumeration that is no number in Python."""
    for value in values:
        of = enumeration(value)
        if of is not None and not issubclass(of, int | float):
            one = f"{of.__name__}.{value.name}" if isinstance(value, Enum) else "this member"
            raise TraceError(
                f"{one} is a member of {of.__name__}, {why}",
                at,
                f"take its number, .value, or make it one: class {of.__name__}(enum.IntEnum)",
            )


def as_member(of: type[Enum], value: Any) -> Any:
    """The value as a member of `of`: members, and integers, known or not; None for others."""
    if enumeration(value) is of:
        return value
    if isinstance(value, Value) and value.type is Scalar.I32 and enumeration(value) is None:
        return Member(value.type, value.leaves, of)
    if isinstance(value, int) and not isinstance(value, bool | Enum):
        try:
            return of(value)  # a flag may be a combination
        except ValueError:
            return None
    return None


def member_named(of: Any, name: Callable[[], Any], text: str, at: Span) -> Any:
    """`Shape["BALL"]`, a member by its name. Raises TraceError for what is no enumeration."""
    if not (isinstance(of, type) and issubclass(of, Enum)):
        raise TraceError(f"{text} is a type, not a value", at, "use it to annotate")
    key = name()
    if not isinstance(key, str):
        what = f"{of.__name__}[…] takes the name of a member, which is a text"
        raise TraceError(what, at, f"of a number: {of.__name__}(number)")
    if key not in of.__members__:
        what = f"{of.__name__} has no member {key!r}{nearest(key, of.__members__)}"
        raise TraceError(what, at, f"it has {shown(of)}")
    return of[key]


def restored(hint: Any, value: Any) -> Any:
    """A value of a field that is annotated with an enumeration as a member of it."""
    of = enumeration_of(hint)
    found = None if of is None else as_member(of, value)
    return value if found is None else found


def shown(of: type[Enum]) -> str:
    """`RED = 0, GREEN = 1`, for messages."""
    names = [f"{item.name} = {item.value!r}" for item in of]
    return ", ".join([*names[:_SHOWN], "…"] if len(names) > _SHOWN else names)
