"""`a[a > 0]`: the elements of an array where something holds that only the kernel knows.

How many there are is not known, but each of them is: they stand in an array of all elements, beside
the condition. What is computed of each, is computed of all; sums and their like choose. Takes
such elements, gives others, or numbers; whoever does not know them refuses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Scalar
from ....terms.value import Value
from ..operations.library import UNKNOWN
from ..operations.records import Invoke
from ..values.arrays import is_array, shape_of
from ..values.checking import forbid
from ..values.conditions import negated
from ..values.objects import Listed, Partial, first
from ..values.picked import Picked
from ..values.scope import Session
from ..values.values import is_number
from .elementwise import gathered, made


def picked(session: Session, array: Any, mask: Any, at: Span) -> Picked:
    """`array[mask]`, as it is now."""
    numbers, truths = (gathered(session, value, at) for value in (array, mask))
    if numbers.shape != truths.shape:
        raise refused(at)
    return Picked(made(session, numbers), made(session, truths, bool), truths_of(truths))


def truths_of(numbers: Any) -> list[Any]:
    """What says whether two masks hold at the same places."""
    return [t.term if isinstance(t, Value) else t for t in numbers.flat]


def holds_picked(values: Sequence[Any]) -> bool:
    """Whether there are such elements among values."""
    parts = [v.items if isinstance(v, Listed) else v for v in map(first, values)]
    inner = [part for v in parts if isinstance(v, tuple | list) for part in v]
    return any(isinstance(value, Picked) for value in (*parts, *inner))


def refused(at: Span) -> TraceError:
    """The error where more than each of the elements would have to be known."""
    return TraceError(
        "how many elements this has is known only when the kernel runs",
        at,
        "what is computed of each of them, np.sum, mean, min, max and len(…) are there, and a[m] = "
        "b[m] under one and the same condition; or choose: np.where(c, a, b)",
    )


def of_each(compute: Callable[..., Any], values: Sequence[Any], at: Span) -> Picked:
    """What is computed of elements under one condition, and of numbers."""
    one = next(value for value in values if isinstance(value, Picked))
    for value in values:
        if not (value.truths == one.truths if isinstance(value, Picked) else _is_number(value)):
            raise refused(at)
    found = compute(*(v.array if isinstance(v, Picked) else v for v in values))
    if not is_array(found) or shape_of(found) != shape_of(one.mask):
        raise refused(at)
    return Picked(found, one.mask, one.truths)


def _is_number(value: Any) -> bool:
    return is_number(value) or (isinstance(value, Value) and isinstance(value.type, Scalar))


def method_of_picked(value: Picked, name: str, at: Span, invoke: Invoke) -> Any:
    """`a[m].sum`, other methods that give one number, and how many elements there are."""
    import numpy

    if name == "size":
        return invoke(numpy.sum, [value.mask], {}, at)
    if name not in (*_ABSENT, "mean") or not hasattr(numpy.ndarray, name):
        raise refused(at)
    return Partial(getattr(numpy.ndarray, name), (value,), {})


#: What a function takes in the place of an element that is not there.
_ABSENT: Mapping[str, float] = {
    "sum": 0.0,
    "prod": 1.0,
    "norm": 0.0,
    "any": False,
    "all": True,
    "max": float("-inf"),
    "min": float("inf"),
    "amax": float("-inf"),
    "amin": float("inf"),
}
_COUNTS = ("len", "size")


def of_picked(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """What a function gives of such elements; UNKNOWN where there are none."""
    import numpy

    if not holds_picked([*args, *kwargs.values()]):
        return UNKNOWN
    name = getattr(callee, "__name__", "")
    if kwargs or not callable(callee):
        raise refused(at)
    if type(callee).__name__ == "ufunc" or callee in (abs, numpy.clip, numpy.where):
        return of_each(lambda *arrays: invoke(callee, arrays, {}, at), args, at)
    (some,) = args if len(args) == 1 else (None,)
    if not isinstance(some, Picked):
        raise refused(at)

    def call(function: Any, *given: Any) -> Any:
        return invoke(function, given, {}, at)

    if name in _COUNTS:
        return call(numpy.sum, some.mask)
    if name == "mean":
        total = of_picked(session, numpy.sum, args, {}, at, invoke)
        return call(numpy.divide, total, call(numpy.sum, some.mask))
    if name not in _ABSENT:
        raise refused(at)
    if name in ("max", "min", "amax", "amin"):
        exist = call(numpy.any, some.mask)
        none = negated(exist.term if isinstance(exist, Value) else bool(exist))
        forbid(session, none, f"{name}() of no elements", at)
    present = call(numpy.where, some.mask, some.array, _ABSENT[name])
    return call(getattr(numpy, name, numpy.linalg.norm), present)
