"""The methods of NumPy's arrays, on lists, vectors and matrices: `a.sum()`, `a.dot(b)`, `a.T`.

A list of Python has none of them, so what calls them is an array. Takes a value and a name, gives
a function that is bound to the numbers. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Mat, Scalar
from ....terms.value import Value
from ...structs import copy
from ..values.objects import Object, Partial
from ..values.scope import Session
from ..values.values import describe
from .records import plain

_NUMPY = frozenset({"sum", "prod", "max", "min", "mean", "dot"})


def method_of(session: Session, value: Any, name: str, at: Span) -> Any:
    """`value.name` of an array; None where arrays have no such method."""
    if name == "copy":
        rows = plain(session, value, at)
        if isinstance(rows, tuple) and any(isinstance(item, Object) for item in rows):
            raise TraceError("of what is nested, say which copy", at, "copy(a) copies all of it")
        return Partial(copy, (value,), {})
    if name == "T" and not isinstance(value, Value):
        return _transposed(plain(session, value, at), at)
    if name not in _NUMPY or isinstance(getattr(value, "type", None), Mat):
        return None
    import numpy

    items = plain(session, value, at)
    if name != "dot":
        items = tuple(flattened(items))
    return Partial(getattr(numpy, name), (items,), {})


def flattened(value: Any) -> Iterator[Any]:
    """The numbers of rows, in order."""
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, tuple):
            stack += reversed(found)
        elif isinstance(found, Value) and not isinstance(found.type, Scalar):
            stack += reversed(found.items())
        else:
            yield found


def _transposed(rows: Any, at: Span) -> Any:
    """Rows as columns: a tuple, which cannot be changed, as the array would be by it."""
    if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
        raise TraceError(f"cannot transpose {describe(rows)}", at, "give rows of numbers")
    return tuple(zip(*rows, strict=True))
