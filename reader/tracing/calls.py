"""Operators and constructors of the vocabulary at symbolic values; knows nothing of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...terms.errors import TraceError
from ...terms.types import Scalar, Tup, parse_type
from ...terms.value import Value
from .positions import here
from .symbolic import Tracer
from .trace import Trace


def call(trace: Trace, name: str, args: Sequence[Any]) -> Any:
    """The operator at symbolic values and numbers; a tuple of results as a Python tuple.

    Raises TraceError for an argument that is neither.
    """
    value = _product(trace, args) if name == "mul" else None
    value = trace.apply(name, args) if value is None else value
    if value is None:
        kinds = ", ".join(type(a).__name__ for a in args)
        raise TraceError(f"{name}({kinds}): an argument is no number, vector or matrix", here())
    return wrap(trace, value)


def _product(trace: Trace, args: Sequence[Any]) -> Value | None:
    """`mul(a, b)` of vectors and matrices is their product, as in shading languages."""
    lifted = [trace.lift(a) for a in args]
    composite = all(v is not None and not isinstance(v.type, Scalar) for v in lifted)
    return trace.matmul(*args) if composite and len(args) == 2 else None


def construct(trace: Trace, name: str, args: Sequence[Any]) -> Tracer:
    """`float3(x, v2)`: the value of the type called `name` with these components."""
    type_ = parse_type(name, trace.real)
    assert type_ is not None  # the vocabulary has only types that exist
    return Tracer(trace, trace.construct(type_, args))


def wrap(trace: Trace, value: Value) -> Any:
    """The symbolic value; a tuple becomes a Python tuple of symbolic values."""
    if isinstance(value.type, Tup):
        return tuple(wrap(trace, item) for item in value.items())
    return Tracer(trace, value)


def trace_of(args: Sequence[Any]) -> Trace | None:
    """The run that one of the arguments, or a component of one, belongs to."""
    for arg in args:
        if isinstance(arg, Tracer):
            return arg.egad_trace
        parts = getattr(arg, "egad_parts", None)
        if parts is None and getattr(arg, "dtype", "") == "O":
            parts = ("", list(arg.flat))
        if parts is not None and (found := trace_of(parts[1])) is not None:
            return found
    return None
