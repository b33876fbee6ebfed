"""Vectors with several names: a change through one of them is seen through all.

Takes the vector before and after a change, puts the new one wherever the old one stands.
"""

from __future__ import annotations

from typing import Any

from ...terms.errors import Span, TraceError
from ...terms.value import Value
from .branches import Unusable
from .objects import Object, objects_of
from .scope import Frame


def replace_everywhere(frame: Frame, old: Value, new: Value, at: Span) -> None:
    """Every variable, field and element that is `old` becomes `new`.

    Raises TraceError where that would be a variable of another function.
    """
    found: list[Object] = []
    seen: set[int] = set()
    for other in frame.session.frames:
        names = other.state.names
        for name in dict.fromkeys(names):
            value = names.find(name)
            if isinstance(value, Unusable):
                continue
            found.extend(_objects(value, seen))
            changed = _replaced(value, old, new)
            if changed is value:
                continue
            if other is not frame:
                raise TraceError(
                    f"this changes the vector {name!r} of {other.function.name}, which called "
                    f"{frame.function.name}",
                    at,
                    "change a copy instead, v = copy(v), and return it",
                )
            names.local[name] = changed
    for object_ in found:
        for index, item in enumerate(object_.items):
            changed = _replaced(item, old, new)
            if changed is not item:
                frame.session.write(object_, index, changed, at)


def _replaced(value: Any, old: Value, new: Value) -> Any:
    """The value, with the vector replaced; itself where the vector is not in it."""
    if value is old:
        return new
    if not isinstance(value, tuple):
        return value
    items = [_replaced(item, old, new) for item in value]
    if all(a is b for a, b in zip(items, value, strict=True)):
        return value
    return tuple(items) if type(value) is tuple else type(value)(*items)


def _objects(value: Any, seen: set[int]) -> list[Object]:
    """All structs and lists that a value leads to, each once."""
    found, stack = [], [value]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack.extend(value)
        for object_ in objects_of(value):
            if id(object_) not in seen:
                seen.add(id(object_))
                found.append(object_)
                stack.extend(object_.items)
    return found
