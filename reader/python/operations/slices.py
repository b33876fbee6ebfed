"""Slices of lists, vectors and matrices: as many elements as are known while reading.

Takes values and bounds, gives the part; knows nothing of syntax and of running indices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Mat
from ....terms.value import Value, stack
from ..values.values import describe, is_number, number
from ..values.varying import Varying


def known_slice(index: slice, at: Span) -> slice:
    """The slice, whose bounds are numbers. Raises TraceError where they are not."""
    bounds = (index.start, index.stop, index.step)
    if index.step is not None and is_number(index.step) and number(index.step) == 0:
        hint = "leave it away, or take every second element: a[::2]"
        raise TraceError("the step of a slice must not be 0", at, hint)
    for bound in bounds:
        if bound is None or isinstance(bound, int):
            continue
        if isinstance(bound, Value):
            raise Varying(
                "the bounds of a slice must be known while reading",
                at,
                "a slice has as many elements as the kernel was written for: take them in a loop "
                "that ends at run time (for i in range(a, b): … v[i]), or choose each of them "
                "(v[i] if a <= i < b else 0.0); where a trip's number is in them, unroll the loop: "
                "for i in force_unroll(range(n))",
            )
        raise TraceError(f"a bound of a slice is an integer, not {describe(bound)}", at, "int(…)")
    return index


def sliced(value: Any, items: Sequence[Any], index: slice, at: Span) -> Any:
    """Some of the items of a value: of a vector or matrix a smaller one, or the only item."""
    place = known_slice(index, at)
    if isinstance(value, str | range):
        return value[place]
    part = items[place]
    if not isinstance(value, Value):
        return tuple(part)
    result = stack(part)
    if len(part) == 1:
        return part[0]
    if result is None:
        raise TraceError(f"this slice of {describe(value)} is empty", at)
    return result


def transposed(value: Value) -> Value:
    """The matrix with rows and columns exchanged."""
    assert isinstance(value.type, Mat)
    columns = [value.column(j) for j in range(value.type.cols)]
    leaves = tuple(t for column in columns for t in column.leaves)
    return Value(Mat(value.type.elem, value.type.cols, value.type.rows), leaves)
