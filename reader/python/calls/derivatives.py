"""Derivatives asked for inside a function: `fwd_diff(g)(…)`, `bwd_diff(g)(…)`.

Takes the function and its arguments, gives the values of a `call` term whose body is a
`Request`; calls.py states the layout. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Call, Request, grouped
from ....terms.term import Term
from ....terms.types import Tup, is_differentiable, tags_in
from ...marks import Const, Derivative, DifferentialPair
from ..operations.records import Invoke
from ..values.arms import in_arms
from ..values.conditions import Condition, either
from ..values.fitting import fitted
from ..values.objects import Choice, named_tuple
from ..values.packing import packed
from ..values.scope import Session
from ..values.values import describe
from .adding import refuse_arrays
from .agreed import check, lost, unless
from .binding import bounds_of, outs_of, with_outs
from .marked import leaves_of, project
from .matched import Matched, arguments_of, is_pair, many, matched, name_of, program_of
from .programs import Argument, typed


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
        condition, then, other = arms
        call = partial(call_derivative, session, args=args, kwargs=kwargs, at=at, invoke=invoke)
        values = in_arms(session, condition, then, other, call, at)
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


# --- forward --------------------------------------------------------------------------------


def _forward(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    args, kwargs = _with_outs(session, target, args, kwargs, at)
    split = [
        _primal(session, target, a, at) for a in arguments_of(session, target, args, kwargs, at)
    ]
    arguments = [a for a, _ in split]
    built = program_of(session, target, arguments, at, invoke)
    active = [tangent is not None for a, tangent in split if a.type is not None]
    active += [False] * len(built.captured)
    tangents = [tangent for _, tangent in split if tangent is not None]
    if not tangents and any(a.carries for a in arguments):
        raise TraceError(
            f"fwd_diff({name_of(target)}) gets no pair: there is nothing to differentiate by",
            at,
            "pass diff_pair(value, tangent) for each argument that varies",
        )
    apart = _of_others(session, target, split, at)
    request = Request("fwd", built.program, tuple(active), at)
    name = f"fwd_diff({name_of(target)})"
    results = built.program.results
    carried = [s for s in results if s.diff]
    twins = [replace(s, name=f"d_{s.name}") for s in carried]
    flat = [
        *(t for a in typed(arguments) for t in leaves_of(session, a, name_of(target), at)),
        *built.captured,
        *_leaves(session, tangents, at),
    ]
    values = project(Call(name, request, at=at), flat, [*results, *twins])
    derivatives = iter(values[len(results) :])
    pairs = [
        DifferentialPair(v, unless(session, apart, next(derivatives), at)) if s.diff else v
        for s, v in zip(results, values, strict=False)
    ]
    return built.shape.fill(pairs)


def _of_others(
    session: Session, target: Any, split: Sequence[tuple[Argument, Any | None]], at: Span
) -> Condition:
    """Where the tangent of a union among the arguments is of another struct than the union."""
    found: Condition = False
    for argument, tangent in split:
        if tangent is not None and argument.type is not None and any(tags_in(argument.type)):
            here, given = (_leaves(session, [v], at) for v in (argument.value, tangent))
            apart = lost(argument.type, here, given)
            check(apart, "tangent", f"argument {argument.name!r} of {name_of(target)}", at)
            found = either(found, apart)
    return found


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
        if type_ is not None and is_pair(type_) and not isinstance(value, tuple):
            _misfit(target, argument, at)
        return argument, None
    wants_pair = type_ is not None and is_pair(type_) and argument.annotated
    if wants_pair and not isinstance(value.p, tuple):
        return argument, None  # g itself takes a pair: this one is a plain value
    if not argument.starts:  # of an Out parameter, what it begins with means nothing
        return replace(argument, value=value.p), None
    what = f"argument {argument.name!r} of {name_of(target)}"
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


def _misfit(target: Any, argument: Argument, at: Span) -> None:
    raise TraceError(
        f"argument {argument.name!r} of {name_of(target)} must be a DifferentialPair, "
        f"not {describe(argument.value)}",
        at,
    )


def _with_outs(
    session: Session, target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments, with something for the Out parameters where they were left out."""
    outs = outs_of(session, target)
    if not outs or not kwargs.keys().isdisjoint(outs):
        return args, kwargs
    most, least = bounds_of(session, target)
    given = len(args) + len(kwargs)
    if not least - len(outs) <= given <= most - len(outs):
        return args, kwargs
    if given >= least:
        raise TraceError(
            f"{many(given, 'argument')} of fwd_diff({name_of(target)}): is there one for its Out "
            f"parameter {next(iter(outs))!r}, or not?",
            at,
            "pass an argument for every other parameter, also for those with defaults",
        )
    return with_outs(session, target, args, kwargs)


# --- backward -------------------------------------------------------------------------------


def _backward(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    found = matched(session, target, args, kwargs, at, invoke)
    cotangents = [
        fitted(v, s.type, session.real, at, f"the cotangent of {name_of(target)}")
        for v, s in zip(found.cotangents, found.outputs, strict=True)
    ]
    built = found.built
    refuse_arrays(session, built.captured, f"bwd_diff({name_of(target)})", at)
    pairs = list(zip(found.arguments, found.wanted, strict=True))
    active = [on for a, on in pairs if a.type is not None] + [False] * len(built.captured)
    request = Request("bwd", built.program, tuple(active), at)
    slots = [a.slot() for a, on in pairs if on]
    if not slots and any(a.carries for a in found.arguments):
        raise TraceError(
            f"bwd_diff({name_of(target)}) has nothing to differentiate by",
            at,
            "all arguments are Const(…) or have no derivative",
        )
    own = [
        *(t for a in typed(found.arguments) for t in leaves_of(session, a, name_of(target), at)),
        *built.captured,
    ]
    apart = _of_other(session, target, found, own, cotangents, at)
    flat = [*own, *_leaves(session, cotangents, at)]
    name = f"bwd_diff({name_of(target)})"
    values = iter(project(Call(name, request, at=at), flat, slots) if slots else ())
    gradients = [unless(session, apart, next(values), at) if on else None for on in found.wanted]
    named = zip(found.arguments, gradients, found.shown, strict=True)
    shown = {a.name: gradient for a, gradient, is_shown in named if is_shown}
    return named_tuple(tuple(shown))(*shown.values())


def _of_other(
    session: Session,
    target: Any,
    found: Matched,
    own: Sequence[Term],
    cotangents: Sequence[Any],
    at: Span,
) -> Condition:
    """Where the cotangent of a union that the function gives is of another struct than that is."""
    outputs = found.outputs
    if not any(tag for slot in outputs for tag in tags_in(slot.type)):
        return False
    results = found.built.program.results
    groups = grouped(results, found.built.program.inline(own))
    here = {slot.name: group for slot, group in zip(results, groups, strict=True)}
    apart: Condition = False
    for slot, cotangent in zip(outputs, cotangents, strict=True):
        other = lost(slot.type, here[slot.name], _leaves(session, [cotangent], at))
        check(other, "cotangent", f"the result of {name_of(target)}", at)
        apart = either(apart, other)
    return apart
