"""Constructors: `float(x)`, `float3(x, yz)`, `float2x2(row, row)`, `float3x3(s)`.

Takes a type and argument values, gives a value; knows nothing of syntax and of functions.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from ....terms.apply import truth
from ....terms.bits import COUNT
from ....terms.errors import Span, TraceError, shown
from ....terms.term import Term, const
from ....terms.types import Mat, Scalar, Type, Vec, leaf_types, type_name
from ....terms.unsigned import bits, known
from ....terms.value import Value, cast, literal, scalar
from ..values.scope import Session
from ..values.values import describe, is_number, lift, number


def construct(session: Session, type_: Type, args: Sequence[Any], at: Span) -> Any:
    """The value of a type called with `args`; one number fills a vector or a matrix."""
    name = type_name(type_)
    if isinstance(type_, Scalar):
        return _scalar(session, type_, args, at)
    flat = [v for a in args for v in _flattened(session, a, at)]
    leaves = [t for v in flat for t in v.leaves]
    kinds = leaf_types(type_)
    if not args:
        leaves = [literal(0, session.real).term] * len(kinds)
    elif len(leaves) == 1:
        leaves = leaves * len(kinds)
    if len(leaves) != len(kinds):
        raise TraceError(
            f"{name}(…) gets {len(leaves)} components, it has {len(kinds)}",
            at,
            f"give one number for all, or {len(kinds)} in all"
            + ("; shorten a vector by a swizzle: v.xy" if len(leaves) > len(kinds) else ""),
        )
    if isinstance(type_, Mat):
        _check_rows(type_, flat, name, at)
    return Value(type_, tuple(_explicit(t, k) for t, k in zip(leaves, kinds, strict=True)))


def _digits(text: str, base: Any, at: Span) -> int:
    """The integer that a text is in some base: `int("ff", 16)`."""
    if not isinstance(base, int):
        message = f"the base of int({text!r}, …) varies: it is {describe(base)}"
        raise TraceError(message, at, "give a number that is known while reading, such as 16")
    try:
        return int(text, base)
    except ValueError as error:
        raise TraceError(f"int(…) fails: {error}", at) from None


def _explicit(term: Term, kind: Scalar) -> Term:
    if kind is Scalar.BOOL and term.type is not Scalar.BOOL:
        return truth(term)
    return cast(term, kind)


def _flattened(session: Session, arg: Any, at: Span) -> list[Value]:
    if isinstance(arg, tuple):
        return [v for item in arg for v in _flattened(session, item, at)]
    return [lift(arg, session.real, at)]


def _check_rows(type_: Mat, parts: Sequence[Value], name: str, at: Span) -> None:
    for part in parts:
        if isinstance(part.type, Vec) and part.type.size != type_.cols:
            raise TraceError(
                f"a row of {name} has {type_.cols} components, not {part.type.size}", at
            )
        if isinstance(part.type, Mat) and (part.type.rows, part.type.cols) != (
            type_.rows,
            type_.cols,
        ):
            raise TraceError(f"{name}(…) cannot take {describe(part)}", at)


def _scalar(session: Session, type_: Scalar, args: Sequence[Any], at: Span) -> Any:
    name = type_name(type_)
    if type_ is Scalar.I32 and len(args) == 2 and isinstance(args[0], str):
        args = [_digits(args[0], args[1], at)]
    if len(args) > 1:
        raise TraceError(f"{name}(…) takes one argument, not {len(args)}", at)
    (arg,) = args or (0,)  # float() is 0.0
    if is_number(arg) or (isinstance(arg, str) and type_ is not Scalar.BOOL):  # float("inf")
        kind: Any = float if type_.is_real else bool if type_ is Scalar.BOOL else int
        try:
            plain = kind(number(arg))
        except (ValueError, OverflowError) as error:
            raise TraceError(f"{name}(…) fails: {error}", at) from None
        if type_ is Scalar.UINT:
            if not 0 <= plain < COUNT:
                raise TraceError(f"{shown(plain)} is no {name}: they go from 0 to 2**32 - 1", at)
            return scalar(const(plain, type_))
        if type_.is_real and type_ is not session.real:
            return scalar(const(_half(plain) if type_ is Scalar.F16 else plain, type_))
        return plain
    value = lift(arg, session.real, at)
    if not isinstance(value.type, Scalar):
        hint = f"take a component (v.x), or convert all: {name}{_shape(value)}(v)"
        raise TraceError(f"{name}(…) takes a number, not {describe(value)}", at, hint)
    if value.type.is_unsigned and type_ is not Scalar.UINT:
        if type_ is Scalar.I32:  # an integer of Python has no end
            return value if value.type is Scalar.LOOSE else Value(Scalar.WIDE, _wide(value))
        known(value.term, at)
    return Value(type_, (_explicit(value.term, type_),))


def signed_of(value: Any) -> Any:
    """The bits of an integer without a sign as one with it; all else as it is."""
    if isinstance(value, Value) and isinstance(value.type, Scalar) and value.type.is_unsigned:
        return scalar(bits(value.term))
    return value


def _wide(value: Value) -> tuple[Term, ...]:
    return (cast(value.term, Scalar.WIDE),)


def _half(number: float) -> float:
    """The number of half precision that is nearest.

    >>> _half(0.1)
    0.0999755859375
    """
    try:
        return float(struct.unpack("<e", struct.pack("<e", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _shape(value: Value) -> str:
    return type_name(value.type).lstrip("abcdefghijklmnopqrstuvwxyz")
