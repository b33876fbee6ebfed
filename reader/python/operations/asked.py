"""The methods that Python's functions ask a struct for: `len(a)` is `a.__len__()`.

Takes a function and argument values, gives what the method says, or `UNKNOWN`; knows nothing of
syntax.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Scalar
from ....terms.value import scalar
from ..values.complexes import PARTS, is_complex
from ..values.objects import Instance, first
from ..values.scope import Session
from ..values.values import describe, is_number, number
from .iterating import truth_of
from .library import UNKNOWN
from .overloaded import combined
from .records import Invoke, as_plain_tuple, dunder
from .sequences import check_arguments

_METHODS = {
    id(len): "__len__",
    id(abs): "__abs__",
    id(bool): "__bool__",
    id(float): "__float__",
    id(int): "__int__",
    id(round): "__round__",
    **{id(f): f"__{f.__name__}__" for f in (math.floor, math.ceil, math.trunc)},
}
#: What Python asks these methods to return.
_KINDS: Mapping[Any, Any] = {len: int, int: int, float: float}
_ROUNDINGS = (math.floor, math.ceil, math.trunc)  # numbers have them, too


def by_method(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """What a function of one object gives: what its method says."""
    name = _METHODS.get(id(callee))
    if name is None or not args or not isinstance(first(args[0]), Instance):
        return UNKNOWN
    if callee is round:
        check_arguments("round", args, kwargs, ("ndigits",), 1, 2, at)
        return _said(session, callee, name, [*args, *kwargs.values()], at, invoke)
    if len(args) != 1 or kwargs:
        return UNKNOWN
    fields = as_plain_tuple(session, args[0], at) if callee is len else None
    if fields is not None:
        return len(fields)
    return _said(session, callee, name, args, at, invoke)


def _said(
    session: Session, callee: Any, name: str, args: Sequence[Any], at: Span, invoke: Invoke
) -> Any:
    value, *more = args
    if callee is bool:
        held = truth_of(session, value, at, invoke)
        return held if isinstance(held, bool) else scalar(held)
    method = dunder(value, name)
    if method is None and callee in _ROUNDINGS:
        return UNKNOWN
    if method is None:
        params = "self, ndigits=None" if callee is round else "self"
        hint = PARTS if is_complex(value) else f"define {name}({params}) in the class"
        raise TraceError(f"{describe(value)} has no {callee.__name__}()", at, hint)
    found = invoke(method, more, {}, at)
    kind = _KINDS.get(callee)
    given = getattr(found, "type", type(number(found)) if is_number(found) else None)
    fits = given in (Scalar.I32, int) if kind is int else given is float or _is_real(given)
    if kind is not None and not fits:
        message = f"{name} of {describe(value)} returns {describe(found)}"
        raise TraceError(message, at, f"return {kind.__name__}(…)")
    return found


def _is_real(type_: Any) -> bool:
    return isinstance(type_, Scalar) and type_.is_real


def divmod_of(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`divmod(a, b)` of objects is what `__divmod__` says: Python asks neither `//` nor `%`."""
    if len(args) != 2 or not any(isinstance(first(arg), Instance) for arg in args):
        return UNKNOWN
    left, right = args
    said = combined(session, "divmod", left, right, at, invoke)
    if said is UNKNOWN:
        shown = " by ".join(map(describe, args))
        hint = "define __divmod__(self, other) in the class: return self // other, self % other"
        raise TraceError(f"divmod() cannot divide {shown}", at, hint)
    return said


def contains(session: Session, value: Any, item: Any, at: Span, invoke: Invoke) -> Any:
    """`item in value` as `__contains__` says; UNKNOWN where it says nothing."""
    method = dunder(value, "__contains__")
    if method is None:
        return UNKNOWN
    held = truth_of(session, invoke(method, [item], {}, at), at, invoke)
    return held if isinstance(held, bool) else scalar(held)
