"""`isinstance(x, A)` and `type(x)`: which class a value is of, known while reading or by its tag.

Takes values and classes, gives truths and classes; knows nothing of syntax.
"""

from __future__ import annotations

from typing import Any, get_origin

from ....terms.errors import Span, TraceError
from ....terms.types import Scalar
from ....terms.value import Value
from ...collected import stand_in
from ...structs import adopted
from ..operations.records import Invoke, attribute, plain
from ..values.arrays import is_array
from ..values.entries import is_dictionary
from ..values.hints import admits, alternatives, is_ndarray
from ..values.objects import Choice, Instance, Listed, first
from ..values.scope import Session

TOLD_APART = (
    "isinstance tells structs, float, int, bool, str, tuple, list, dict and np.ndarray apart"
)
_PLAIN = (bool, int, float, complex, str, tuple, list, dict, slice)
_ABSTRACT = ("numbers", "collections.abc")  # what is in these modules says of a class what it is


def is_instance(session: Session, value: Any, wanted: Any, at: Span) -> Any:
    """`isinstance(value, A)`: known while reading, or as the condition of a reference says."""
    value = session.settled(value)
    if isinstance(value, Choice):
        then, other = (is_instance(session, v, wanted, at) for v in (value.then, value.other))
        return session.either(value.condition, then, other, at)
    listed = plain(session, wanted, at)
    every = listed if isinstance(listed, tuple) else (listed,)
    classes = [stand_in(c) for given in every for c in alternatives(given)]
    if isinstance(value, Instance):
        return any(admits(c, value.cls) for c in classes)
    others = tuple(c for c in classes if not adopted(get_origin(c) or c))
    kind = type_in_python(value)
    abstract = _ABSTRACT if kind in _PLAIN or is_ndarray(kind) else ()
    if all(c in _PLAIN or is_ndarray(c) or c.__module__ in abstract for c in others):
        return issubclass(kind, others)
    raise TraceError("types of numbers are known while reading", at, TOLD_APART)


def type_in_python(value: Any) -> type:
    """Of a value that is no struct: what Python would say of a number, a tuple or a list."""
    if is_array(value):
        import numpy

        return numpy.ndarray
    if isinstance(first(value), Listed):
        return list
    if is_dictionary(value):
        return dict
    if not isinstance(value, Value):
        return type(value)
    if not isinstance(value.type, Scalar):
        return object
    return float if value.type.is_real else bool if value.type is Scalar.BOOL else int


def class_of(session: Session, value: Any, at: Span, invoke: Invoke) -> Any:
    """`type(value)` of a struct."""
    if not isinstance(first(value), Instance):
        raise TraceError("types of numbers are known while reading", at, TOLD_APART)
    return attribute(session, value, "__class__", at, invoke)
