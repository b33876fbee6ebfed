"""Derivatives asked for inside a function: `fwd_diff(g)(…)`, `bwd_diff(g)(…)`.

Takes the function and its arguments, gives the values of a `call` term whose body is a
`Request`; calls.py states the layout. Knows nothing of syntax.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from types import MethodType
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Call, Request, Slot
from ....terms.term import Term
from ....terms.types import Tup, is_differentiable
from ....terms.value import Value
from ...marks import Const, Derivative, DifferentialPair
from ..operations.records import Invoke
from ..values.arms import in_arms
from ..values.fitting import fitted
from ..values.hints import PAIR_NAMES
from ..values.objects import Choice, Object
from ..values.packing import packed, type_of
from ..values.scope import Function, Session
from ..values.values import describe, is_number
from ..values.words import word_name
from .adding import refuse_arrays
from .binding import bounds_of, described, outs_of, typed_arguments, with_outs
from .lasting import refuse_changes, with_changes
from .marked import leaves_of, project
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
    names = [a.name for a in arguments]
    fresh = may_capture(target, statics)

    def run(values: list[Any]) -> Any:
        def given() -> Any:
            return invoke(target, filled(arguments, values), {}, at)

        return with_changes(session, names, slots, values, given, at)

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
    args, kwargs = _with_outs(session, target, args, kwargs, at)
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
    if not argument.starts:  # of an Out parameter, what it begins with means nothing
        return replace(argument, value=value.p), None
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
            f"{_many(given, 'argument')} of fwd_diff({_name(target)}): is there one for its Out "
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
    found = _matched(session, target, args, kwargs, at, invoke)
    cotangents = [
        fitted(v, s.type, session.real, at, f"the cotangent of {_name(target)}")
        for v, s in zip(found.cotangents, found.outputs, strict=True)
    ]
    built = found.built
    refuse_arrays(session, built.captured, f"bwd_diff({_name(target)})", at)
    pairs = list(zip(found.arguments, found.wanted, strict=True))
    active = [on for a, on in pairs if a.type is not None] + [False] * len(built.captured)
    request = Request("bwd", built.program, tuple(active), at)
    slots = [a.slot() for a, on in pairs if on]
    if not slots and any(a.carries for a in found.arguments):
        raise TraceError(
            f"bwd_diff({_name(target)}) has nothing to differentiate by",
            at,
            "all arguments are Const(…) or have no derivative",
        )
    flat = [
        *(t for a in typed(found.arguments) for t in leaves_of(session, a, _name(target), at)),
        *built.captured,
        *_leaves(session, cotangents, at),
    ]
    name = f"bwd_diff({_name(target)})"
    values = iter(project(Call(name, request, at=at), flat, slots) if slots else ())
    gradients = [next(values) if on else None for on in found.wanted]
    named = zip(found.arguments, gradients, found.shown, strict=True)
    shown = {a.name: gradient for a, gradient, is_shown in named if is_shown}
    return _gradients(tuple(shown))(*shown.values())


@cache
def _gradients(names: tuple[str, ...]) -> Any:
    """The class of the gradients by parameters of these names: one, so that branches meet."""
    return namedtuple("Gradients", names, rename=True)


@dataclass(frozen=True, slots=True)
class _Matched:
    """The arguments of `bwd_diff(g)(…)`: those of `g` with its program, then the cotangents.

    `wanted`: whether there is a gradient for each of those of `g`; `shown`: whether it has a
    place in what the call gives, which an Out parameter that was left out has not.
    """

    arguments: list[Argument]
    wanted: list[bool]
    shown: list[bool]
    built: Built
    cotangents: Sequence[Any]

    @property
    def outputs(self) -> list[Slot]:
        """The results that have cotangents."""
        return [s for s in self.built.program.results if s.diff]


def _matched(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> _Matched:
    """Which of `args` are what. Raises TraceError where they do not fit.

    Of an Out parameter there is the cotangent alone; but a value may be given for it, too.
    """
    errors = []
    for named in (False, True) if outs_of(session, target) else (True,):
        try:
            found = _split(session, target, args, kwargs, named, at, invoke)
        except TraceError as error:
            errors.append(error)
            continue
        if len(found.cotangents) == len(found.outputs):
            return found
        errors.append(_miscounted(target, found, len(args) + len(kwargs), at))
    raise errors[0]


def _split(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    named: bool,
    at: Span,
    invoke: Invoke,
) -> _Matched:
    """The first of `args` are those of `target`; `named`: with a value for Out parameters."""
    count = max(arity(session, target, args, at, invoke, named) - len(kwargs), 0)
    own, by_name = args[:count], kwargs
    if not named:
        own, by_name = with_outs(session, target, own, kwargs)
    pairs = [_plain(session, target, a, at) for a in _arguments(session, target, own, by_name, at)]
    arguments = [a for a, _ in pairs]
    built = _program(session, target, arguments, at, invoke)
    shown = [named or a.starts for a in arguments]
    return _Matched(arguments, [on for _, on in pairs], shown, built, args[count:])


def _miscounted(target: Any, found: _Matched, given: int, at: Span) -> TraceError:
    values = [a.name for a, shown in zip(found.arguments, found.shown, strict=True) if shown]
    bars = [s.name for s in found.outputs]
    parts = [_listed(values, "value"), _listed(bars, "cotangent")]
    return TraceError(
        f"bwd_diff({_name(target)}) takes {' and '.join(parts)}, not {_many(given, 'argument')}",
        at,
        "first the arguments of the function, then one cotangent per real result",
    )


def _listed(names: Sequence[str], word: str) -> str:
    return f"{_many(len(names), word)} ({', '.join(names)})" if names else f"no {word}s"


def _many(count: int, word: str) -> str:
    return f"one {word}" if count == 1 else f"{count} {word}s"


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


def arity(
    session: Session, target: Any, args: Sequence[Any], at: Span, invoke: Invoke, named: bool
) -> int:
    """How many of `args` are the arguments of `target` itself; the rest are cotangents.

    `named`: there is a value for every Out parameter.
    """
    if isinstance(target, Derivative):
        count = arity(session, target.target, args, at, invoke, named)
        if target.mode == "fwd":
            return count
        inner = _split(session, target.target, args[:count], {}, named, at, invoke)
        return count + len(inner.outputs)
    if isinstance(target, MethodType):  # it is bound: its object is no argument
        return arity(session, target.__func__, args, at, invoke, named) - 1
    function = target if isinstance(target, Function) else None
    if function is None and callable(target) and hasattr(target, "__code__"):
        function = session.function(target)
    if function is not None:
        params = described(session, function).params
        return len(params) - (0 if named else len(outs_of(session, target)))
    name = session.lookup.operator(target)
    return session.rules.operator(name).arity() if name else max(len(args) - 1, 0)
