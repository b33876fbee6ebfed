"""Derivatives asked for inside a function: `fwd_diff(g)(…)`, `bwd_diff(g)(…)`.

Takes the function and its arguments, gives the values of a `call` term whose body is a
`Request`; calls.py states the layout. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MethodType
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Call, Request
from ....terms.term import Term
from ....terms.types import Tup, is_differentiable
from ....terms.value import Value
from ...marks import Const, Derivative, DifferentialPair
from ..values.arms import in_arms
from ..values.hints import PAIR_NAMES
from ..values.objects import Choice, Object
from ..values.packing import fitted, packed, type_of
from ..values.scope import Function, Session
from ..values.values import describe, is_number
from ..values.words import word_name
from .adding import refuse_arrays
from .binding import typed_arguments
from .marked import Invoke, leaves_of, project, refuse_changes
from .programs import Argument, Built, build, filled, may_capture, no_finals, typed


def call_derivative(
    session: Session,
    callee: Derivative,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """The value of `fwd_diff(g)(args)` or `bwd_diff(g)(args, cotangents)`."""
    arms = _arms(callee)
    if arms is not None:
        condition, *either = arms
        call = partial(call_derivative, session, args=args, kwargs=kwargs, at=at, invoke=invoke)
        values = in_arms(session, condition, either[0], either[1], call, at)
        return session.either(condition, values[0], values[1], at)
    if callee.mode == "fwd":
        return _forward(session, callee.target, args, kwargs, at, invoke)
    return _backward(session, callee.target, args, kwargs, at, invoke)


def _arms(target: Any) -> tuple[Term, Any, Any] | None:
    """A derivative of one method or another, as a derivative of each and the condition."""
    if isinstance(target, Choice):
        return target.condition, target.then, target.other
    found = _arms(target.target) if isinstance(target, Derivative) else None
    if found is None:
        return None
    condition, then, other = found
    return condition, Derivative(target.mode, then), Derivative(target.mode, other)


def _name(target: Any) -> str:
    if isinstance(target, Derivative):
        return f"{target.mode}_diff({_name(target.target)})"
    if isinstance(target, Function):
        return target.name
    return word_name(target) or str(getattr(target, "__name__", "function"))


def _arguments(
    session: Session, target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> list[Argument]:
    """The primal arguments of `target` with their types; values may be pairs or Const(…)."""
    if not isinstance(target, Derivative):
        return typed_arguments(session, target, args, kwargs, at)
    if kwargs:
        raise TraceError(f"{_name(target)} takes no keyword arguments", at)
    return [Argument(f"x{i}", _type(session, v, at), v) for i, v in enumerate(args)]


def _type(session: Session, value: Any, at: Span) -> Any:
    value = value.value if isinstance(value, Const) else value
    if isinstance(value, Value | tuple | Object | Choice) or is_number(value):
        return type_of(value, session.real, at)
    return None


def _program(
    session: Session, target: Any, arguments: Sequence[Argument], at: Span, invoke: Invoke
) -> Built:
    """The program of `target` over its typed arguments."""
    statics = [a.value for a in arguments if a.type is None]
    slots = [a.slot() for a in typed(arguments)]
    fresh = may_capture(target, statics)

    def run(values: list[Any]) -> Any:
        return invoke(target, filled(arguments, values), {}, at)

    built = build(session, _name(target), slots, run, at, fresh=fresh)
    session.finals = no_finals()  # of InOut and Out parameters: they are among the results
    refuse_changes(built, _name(target), at)
    if not built.program.results:
        raise TraceError(f"{_name(target)} returns nothing that has a derivative", at)
    return built


# --- forward --------------------------------------------------------------------------------


def _forward(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    split = [_primal(session, target, a, at) for a in _arguments(session, target, args, kwargs, at)]
    arguments = [a for a, _ in split]
    built = _program(session, target, arguments, at, invoke)
    active = [tangent is not None for a, tangent in split if a.type is not None]
    active += [False] * len(built.captured)
    tangents = [tangent for _, tangent in split if tangent is not None]
    if not tangents and any(a.carries for a in arguments):
        raise TraceError(
            f"fwd_diff({_name(target)}) gets no pair: there is nothing to differentiate by",
            at,
            "pass diff_pair(value, tangent) for each argument that varies",
        )
    request = Request("fwd", built.program, tuple(active), at)
    name = f"fwd_diff({_name(target)})"
    results = built.program.results
    carried = [s for s in results if s.diff]
    twins = [replace(s, name=f"d_{s.name}") for s in carried]
    flat = [
        *(t for a in typed(arguments) for t in leaves_of(session, a, _name(target), at)),
        *built.captured,
        *_leaves(session, tangents, at),
    ]
    values = project(Call(name, request, at=at), flat, [*results, *twins])
    derivatives = iter(values[len(results) :])
    pairs = [
        DifferentialPair(v, next(derivatives)) if s.diff else v
        for s, v in zip(results, values, strict=False)
    ]
    return built.shape.fill(pairs)


def _leaves(session: Session, values: Sequence[Any], at: Span) -> list[Term]:
    return [t for v in values for t in packed(v, session.real, at).leaves]


def _primal(
    session: Session, target: Any, argument: Argument, at: Span
) -> tuple[Argument, Any | None]:
    """The argument with its value alone, and its tangent; None where it is not a pair."""
    value, type_ = argument.value, argument.type
    if isinstance(value, Const):
        return replace(argument, value=value.value), None
    if not isinstance(value, DifferentialPair):
        if type_ is not None and _is_pair(type_) and not isinstance(value, tuple):
            _misfit(target, argument, at)
        return argument, None
    wants_pair = type_ is not None and _is_pair(type_) and argument.annotated
    if wants_pair and not isinstance(value.p, tuple):
        return argument, None  # g itself takes a pair: this one is a plain value
    what = f"argument {argument.name!r} of {_name(target)}"
    if not argument.annotated:
        assert isinstance(type_, Tup)
        type_ = type_.items[0]
    if type_ is None or not is_differentiable(type_) or argument.stops:
        raise TraceError(
            f"{what} has no derivative: it cannot be a pair", at, "pass the plain value"
        )
    primal = fitted(value.p, type_, session.real, at, what)
    tangent = fitted(value.d, type_, session.real, at, f"the tangent of {what}")
    return replace(argument, type=type_, value=primal), tangent


def _is_pair(type_: Any) -> bool:
    return isinstance(type_, Tup) and type_.names == PAIR_NAMES


def _misfit(target: Any, argument: Argument, at: Span) -> None:
    raise TraceError(
        f"argument {argument.name!r} of {_name(target)} must be a DifferentialPair, "
        f"not {describe(argument.value)}",
        at,
    )


# --- backward -------------------------------------------------------------------------------


def _backward(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    count = arity(session, target, args, at, invoke)
    arguments = [
        _plain(session, target, a, at)
        for a in _arguments(session, target, args[:count], kwargs, at)
    ]
    built = _program(session, target, [a for a, _ in arguments], at, invoke)
    outputs = [s for s in built.program.results if s.diff]
    given = args[count:]
    if len(given) != len(outputs):
        raise _miscounted(target, count, len(outputs), len(args), at)
    cotangents = [
        fitted(v, s.type, session.real, at, f"the cotangent of {_name(target)}")
        for v, s in zip(given, outputs, strict=True)
    ]
    refuse_arrays(session, built.captured, f"bwd_diff({_name(target)})", at)
    flags = [on for _, on in arguments]
    request = Request(
        "bwd",
        built.program,
        (
            *(on for a, on in arguments if a.type is not None),
            *(False for _ in built.captured),
        ),
        at,
    )
    slots = [a.slot() for a, on in arguments if on]
    if not slots and any(a.carries for a, _ in arguments):
        raise TraceError(
            f"bwd_diff({_name(target)}) has nothing to differentiate by",
            at,
            "all arguments are Const(…) or have no derivative",
        )
    if not slots:
        return tuple(None for _ in flags)
    primals = typed([a for a, _ in arguments])
    flat = [
        *(t for a in primals for t in leaves_of(session, a, _name(target), at)),
        *built.captured,
        *_leaves(session, cotangents, at),
    ]
    name = f"bwd_diff({_name(target)})"
    values = iter(project(Call(name, request, at=at), flat, slots))
    return tuple(next(values) if on else None for on in flags)


def _many(count: int, word: str) -> str:
    return f"one {word}" if count == 1 else f"{count} {word}s"


def _miscounted(target: Any, values: int, bars: int, given: int, at: Span) -> TraceError:
    wanted = f"{_many(values, 'value')} and {_many(bars, 'cotangent')}"
    return TraceError(
        f"bwd_diff({_name(target)}) takes {wanted}, not {_many(given, 'argument')}",
        at,
        "first the arguments of the function, then one cotangent per real result",
    )


def _plain(session: Session, target: Any, argument: Argument, at: Span) -> tuple[Argument, bool]:
    """The argument without Const(…), and whether a gradient is wanted for it."""
    value = argument.value
    if isinstance(value, Const):
        return replace(argument, value=value.value), False
    pair_wanted = argument.type is not None and _is_pair(argument.type)
    if isinstance(value, DifferentialPair) and not (
        pair_wanted and (isinstance(target, Derivative) or argument.annotated)
    ):
        raise TraceError(
            f"argument {argument.name!r} of bwd_diff({_name(target)}) is a DifferentialPair",
            at,
            "pass the plain value; the gradients are what the call returns",
        )
    return argument, argument.carries


def arity(session: Session, target: Any, args: Sequence[Any], at: Span, invoke: Invoke) -> int:
    """How many of `args` are the arguments of `target` itself; the rest are cotangents."""
    if isinstance(target, Derivative):
        count = arity(session, target.target, args, at, invoke)
        if target.mode == "fwd":
            return count
        inner = [
            _plain(session, target.target, a, at)[0]
            for a in _arguments(session, target.target, args[:count], {}, at)
        ]
        built = _program(session, target.target, inner, at, invoke)
        return count + sum(s.diff for s in built.program.results)
    if isinstance(target, MethodType):  # it is bound: its object is no argument
        return arity(session, target.__func__, args, at, invoke) - 1
    function = target if isinstance(target, Function) else None
    if function is None and callable(target) and hasattr(target, "__code__"):
        function = session.function(target)
    if function is not None:
        return len(function.params)
    name = session.lookup.operator(target)
    return session.rules.operator(name).arity() if name else max(len(args) - 1, 0)
