"""Arguments of calls: matched with parameters, and given types.

Takes a function and argument values, gives one `Argument` per parameter; knows nothing of
what the function does with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from types import FunctionType, MethodType
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.types import Scalar, Type
from ....terms.value import Value
from ...marks import Const, Derivative, stops_at_self
from ..operations.library import ordered
from ..values.annotations import Annotation, conform, expected
from ..values.branches import Names, State
from ..values.fitting import standing
from ..values.keyed import Keyed, mapped
from ..values.objects import Choice, Mapped, Object
from ..values.packing import type_of, zeros
from ..values.parameters import open_ended
from ..values.scope import Frame, Function, Session
from ..values.values import describe, is_number, number
from ..values.words import word_name
from .programs import Argument


def bind(
    function: Function, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> dict[str, Any]:
    """Parameter names to values, in order. Raises TraceError where they do not match."""
    if function.only_declared:
        raise TraceError(
            f"{function.name} is only declared: its body is ...",
            at,
            "use a function with a body: the method of a struct that implements it",
        )
    positional = [p for p in function.params if not p.keyword_only]
    stars = {p.star: p.name for p in function.params if p.star}
    if len(args) > len(positional) and "*" not in stars:
        many = "1 argument" if len(positional) == 1 else f"{len(positional)} arguments"
        named = [f"{p.name}=…" for p in function.params if p.keyword_only and not p.star]
        how = f" by position, not {len(args)}" if named else f", not {len(args)}"
        hint = f"give by name what stands behind the *: {', '.join(named)}" if named else ""
        raise TraceError(f"{function.signature()} takes {many}{how}", at, hint)
    given = dict(zip((p.name for p in positional), args, strict=False))
    known = [p.name for p in function.params if not p.positional_only]
    if "*" in stars:
        given[stars["*"]] = tuple(args[len(positional) :])
    more: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name not in known and "**" in stars:
            more[name] = value
            continue
        if name not in known:
            near = nearest(name, known)
            raise TraceError(f"{function.signature()} has no parameter {name!r}{near}", at)
        if name in given:
            raise TraceError(f"{function.signature()} gets {name!r} twice", at)
        given[name] = value
    if "**" in stars:
        given[stars["**"]] = mapped(more)
    missing = [
        p.name for p in function.params if p.name not in given and p.name not in function.defaults
    ]
    if missing:
        names = ", ".join(repr(m) for m in missing)
        raise TraceError(f"{function.signature()} needs {names}", at)
    return {
        p.name: given[p.name] if p.name in given else function.defaults[p.name]
        for p in function.params
    }


def _held(value: Mapped) -> dict[str, Any]:
    held = value.items[0]
    assert isinstance(held, Keyed)
    return held.table


def spread(function: Function, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Values by parameter name as the positional and keyword arguments of a call."""
    rest = dict(values)
    args = []
    for param in function.params:
        if param.star == "*":
            args += rest.pop(param.name, ())
        if param.star == "**":
            more = rest.pop(param.name, None)
            rest |= _held(more) if isinstance(more, Mapped) else {}
        if param.keyword_only or param.name not in rest:
            break
        args.append(rest.pop(param.name))
    return args, rest


def _innermost(session: Session, callee: Any) -> tuple[Function | None, int]:
    """The function that a callee is, or is a derivative of; how many arguments it has already."""
    bound = 0
    while isinstance(callee, Derivative | MethodType):
        bound += isinstance(callee, MethodType)
        callee = callee.target if isinstance(callee, Derivative) else callee.__func__
    if isinstance(callee, FunctionType):
        callee = session.function(callee) if word_name(callee) is None else None
    return (described(session, callee) if isinstance(callee, Function) else None), bound


def outs_of(session: Session, callee: Any) -> dict[str, Type]:
    """The parameters annotated `Out[T]`, of known types: a derivative needs no value of them."""
    function, _ = _innermost(session, callee)
    found: dict[str, Type] = {}
    if function is None or any(p.star for p in function.params):
        return found
    frame = Frame(session, function, State(Names()))
    for param in function.params:
        said = expected(frame, param)
        passing = said.passing if said is not None else None
        if said is not None and said.type is not None and passing and not passing.reads:
            found[param.name] = said.type
    return found


def bounds_of(session: Session, callee: Any) -> tuple[int, int]:
    """How many arguments a function takes at most, and at least."""
    function, bound = _innermost(session, callee)
    assert function is not None
    most = len(function.params) - bound
    return most, most - len(function.defaults)


_END = object()  # no more arguments


def with_outs(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Arguments without those of `Out[T]` parameters, with zeros for them."""
    outs = {} if isinstance(callee, Derivative) else outs_of(session, callee)
    if not outs:
        return args, kwargs
    function, bound = _innermost(session, callee)
    assert function is not None
    rest, named = iter(args), dict(kwargs)
    full: list[Any] = []
    by_position = True
    for param in function.params[bound:]:
        if param.name in outs:
            value = zeros(outs[param.name])
        else:
            value = _END if param.keyword_only else next(rest, _END)
        by_position = by_position and value is not _END and not param.keyword_only
        if by_position:
            full.append(value)
        elif value is not _END:
            named[param.name] = value
    return [*full, *rest], named


def described(session: Session, function: Function) -> Function:
    """The function whose parameters a wrapper has, as `functools.wraps` says."""
    while any(p.star for p in function.params):
        wrapped = getattr(function.origin, "__wrapped__", None)
        found = session.function(wrapped) if isinstance(wrapped, FunctionType) else None
        if found is None:
            break
        function = found
    return function


def typed_arguments(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> list[Argument]:
    """The arguments of a function under the types that its annotations, or the values, say.

    Functions, strings, None and known integers of a parameter that is not real stay static.
    """
    if isinstance(callee, MethodType):  # its object is no argument
        bound = [callee.__self__, *args]
        return typed_arguments(session, callee.__func__, bound, kwargs, at)[1:]
    function = session.function(callee) if isinstance(callee, FunctionType) else None
    function = callee if isinstance(callee, Function) else function
    if function is None or word_name(callee) is not None:
        name = session.lookup.operator(callee)
        names = [p.name for p in session.rules.operator(name).params] if name else []
        if kwargs and not name:
            raise TraceError(f"the parameters of {describe(callee)} have no known names", at)
        args = ordered(session, name, args, kwargs, at) if name else args
        names += [f"x{i}" for i in range(len(names), len(args))]
        pairs = zip(names, args, strict=False)
        return [_argument(session, n, v, None, at) for n, v in pairs]
    function = described(session, function)
    frame = Frame(session, function, State(Names()))
    for param in function.params:
        if param.star:
            raise open_ended(function.source, function.name, param)
    arguments = []
    values = bind(function, args, kwargs, at)
    for param in function.params:
        said = expected(frame, param)
        argument = _argument(session, param.name, values[param.name], said, at)
        if param is function.params[0] and stops_at_self(function.origin):
            argument = replace(argument, stops=True)
        arguments.append(argument)
    return arguments


def _argument(
    session: Session, name: str, value: Any, said: Annotation | None, at: Span
) -> Argument:
    inner = value.value if isinstance(value, Const) else value
    if said is None:
        plain = is_number(inner) and not isinstance(number(inner), bool)
        if not plain and not isinstance(inner, Value | tuple | Object | Choice):
            return Argument(name, None, value)
        return Argument(name, type_of(inner, session.real, at), value)
    if isinstance(inner, Enum) and not is_number(inner):  # a text: it stays static
        return Argument(name, None, conform(session, inner, said, at, f"argument {name!r}"))
    if said.type in (Scalar.I32, Scalar.BOOL) and is_number(inner):
        what = f"argument {name!r}"
        return Argument(name, None, conform(session, inner, said, at, what))
    if said.type is None or (said.any_pair and isinstance(inner, tuple)):
        type_ = type_of(inner, session.real, at)
        return Argument(name, type_, value, said.stops, annotated=said.any_pair)
    starts = said.passing is None or said.passing.reads
    own = standing(inner, said.type, session.real, at)
    return Argument(name, own, value, said.stops or not starts, True, starts)
