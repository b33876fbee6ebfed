"""Operators on values: one by name, the products of vectors and matrices.

Takes values, gives values; knows nothing of syntax and of functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ....terms.apply import apply
from ....terms.errors import Span, TraceError
from ....terms.types import Mat, Scalar, Vec
from ....terms.value import Value
from ..values.objects import is_tuple
from ..values.packing import unpacked
from ..values.scope import Session
from ..values.values import cast_to, describe, lift, stacked


def operate(session: Session, name: str, args: Sequence[Any], at: Span) -> Any:
    """The operator `name` applied to values."""
    lifted = [lift(stack_of(session, a), session.real, at) for a in args]
    return unpacked(apply(session.rules, name, lifted, session.real, at))


def stack_of(session: Session, value: Any) -> Any:
    """A plain tuple of numbers or rows as a vector or matrix, as NumPy would take it."""
    if is_tuple(value):
        return stacked(value, session.real) or value
    return value


def product(session: Session, a: Any, b: Any, at: Span) -> Any:
    """The matrix product `a @ b`: matrices and vectors, or the dot product of two vectors."""
    if is_tuple(a) and is_tuple(b) and len(a) == len(b) > 4:  # longer than vectors
        parts = [operate(session, "mul", [x, y], at) for x, y in zip(a, b, strict=True)]
        return reduce(lambda x, y: operate(session, "add", [x, y], at), parts)
    left, right = (lift(stack_of(session, v), session.real, at) for v in (a, b))
    if isinstance(left.type, Vec) and isinstance(right.type, Vec):
        return operate(session, "dot", [left, right], at)
    if isinstance(left.type, Scalar) or isinstance(right.type, Scalar):
        raise TraceError(f"a matrix product of {describe(left)} and {describe(right)}", at, "use *")
    inner = left.type.cols if isinstance(left.type, Mat) else left.type.size  # type: ignore[union-attr]
    outer = right.type.rows if isinstance(right.type, Mat) else right.type.size  # type: ignore[union-attr]
    if inner != outer:
        raise TraceError(
            f"the matrix product of {describe(left)} and {describe(right)} does not exist",
            at,
            f"the left side has {inner} columns, the right side {outer} rows",
        )
    return operate(session, "matmul", [left, right], at)


def times(session: Session, a: Any, b: Any, at: Span) -> Any:
    """`a * b`, component by component also for matrices (`@` is the matrix product)."""
    left, right = lift(a, session.real, at), lift(b, session.real, at)
    matrix = next((v for v in (left, right) if isinstance(v.type, Mat)), None)
    if matrix is None or isinstance(left.type, Vec) or isinstance(right.type, Vec):
        if matrix is not None:
            raise TraceError(
                f"{describe(left)} times {describe(right)}", at, "the matrix product is m @ v"
            )
        return operate(session, "mul", [left, right], at)
    if left.type != right.type and len(left.leaves) > 1 and len(right.leaves) > 1:
        left, right = cast_pair(left, right, at)
    leaves = []
    for i in range(len(matrix.leaves)):
        pair = [v.leaves[i if len(v.leaves) > 1 else 0] for v in (left, right)]
        parts = [Value(t.type, (t,)) for t in pair]
        leaves.append(apply(session.rules, "mul", parts, session.real, at).term)
    assert isinstance(matrix.type, Mat)
    return Value(Mat(leaves[0].type, matrix.type.rows, matrix.type.cols), tuple(leaves))


def cast_pair(a: Value, b: Value, at: Span) -> tuple[Value, Value]:
    """Two matrices of one shape, whatever their element types. Raises TraceError otherwise."""
    assert isinstance(a.type, Mat)
    assert isinstance(b.type, Mat)
    if (a.type.rows, a.type.cols) != (b.type.rows, b.type.cols):
        hint = "* works component by component; the matrix product is a @ b"
        raise TraceError(f"{describe(a)} times {describe(b)}: the shapes differ", at, hint)
    return cast_to(a, a.type.elem), cast_to(b, b.type.elem)
