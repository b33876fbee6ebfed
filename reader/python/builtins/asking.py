"""What is asked of values while reading: `getattr`, `hasattr`, `callable`, `issubclass`, `super`.

Takes argument values, gives values and truths; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.value import Value
from ...collected import stand_in
from ..operations.records import Invoke, Super, dunder, plain
from ..operations.sequences import check_arguments
from ..values.arms import in_arms
from ..values.hints import alternatives
from ..values.objects import Choice, Instance, Partial, ends_of
from ..values.scope import Function, Session
from ..values.values import describe
from ..values.varying import Varying
from .fields import get_field, has_field


def _getattr(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`getattr(value, "name")`, also with what it is where there is no such field."""
    check_arguments("getattr", args, kwargs, (), 2, 3, at)
    name, default = _name(args[1], at), args[2:]

    def taken(value: Any) -> Any:
        value = session.settled(value) if default else value
        if default and isinstance(value, Choice):
            then, other = in_arms(session, value.condition, value.then, value.other, taken, at)
            return session.either(value.condition, then, other, at)
        if default and not has_field(session, value, name, at, invoke):
            return default[0]
        return get_field(session, value, name, at, invoke)

    return taken(args[0])


def _hasattr(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`hasattr(value, "name")`: of one object or another as the branch says."""
    check_arguments("hasattr", args, kwargs, (), 2, 2, at)
    name = _name(args[1], at)

    def held(value: Any) -> Any:
        value = session.settled(value)
        if isinstance(value, Choice):
            return session.either(value.condition, held(value.then), held(value.other), at)
        return has_field(session, value, name, at, invoke)

    return held(args[0])


def _callable(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> bool:
    """`callable(value)`."""
    check_arguments("callable", args, kwargs, (), 1, 1, at)
    value = session.settled(args[0])
    if isinstance(value, Function | Partial):
        return True
    if isinstance(value, Instance):
        return dunder(value, "__call__") is not None
    return not isinstance(value, Value) and callable(value)


def _issubclass(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> bool:
    """`issubclass(A, B)` and `issubclass(A, (B, C))`."""
    check_arguments("issubclass", args, kwargs, (), 2, 2, at)
    cls, wanted = (plain(session, arg, at) for arg in args)
    every = wanted if isinstance(wanted, tuple) else (wanted,)
    classes = tuple(stand_in(c) for given in every for c in alternatives(given))
    try:
        return issubclass(stand_in(cls), classes)
    except TypeError as error:
        raise TraceError(str(error), at) from None


def _name(name: Any, at: Span) -> str:
    if isinstance(name, str):
        return name
    hint = "names are known while reading: getattr(v, 'x'), or for n in ('x', 'y')"
    raise Varying(f"{describe(name)} is no name of a field", at, hint)


def _super(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Super:
    """`super(A, self)`: what is looked up behind A among the classes of `self`."""
    check_arguments("super", args, kwargs, (), 2, 2, at)
    owner, value = args
    for end in ends_of(session.settled(value)):
        known = getattr(end, "cls", None)
        if not isinstance(owner, type) or known is None or not issubclass(known, owner):
            message = f"super() takes a class and an instance of it, not {describe(end)}"
            raise TraceError(message, at, "write super() in a method, or super(A, self)")
    return Super(owner, value)


#: By the functions of Python.
HANDLERS: Mapping[int, Any] = {
    id(getattr): _getattr,
    id(hasattr): _hasattr,
    id(callable): _callable,
    id(issubclass): _issubclass,
    id(super): _super,
}
