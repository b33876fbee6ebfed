"""Which arguments of `fwd_diff(g)(…)` and `bwd_diff(g)(…)` are what: values, cotangents.

Takes the function that is differentiated and the arguments, gives those of the function itself
with its program, and the cotangents. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.program import Slot
from ....terms.types import Tup
from ....terms.value import Value
from ...marks import Const, Derivative, DifferentialPair
from ..operations.records import Invoke
from ..values.hints import PAIR_NAMES
from ..values.objects import Choice, Object
from ..values.packing import type_of
from ..values.scope import Function, Session
from ..values.values import is_number
from ..values.words import word_name
from .binding import described, outs_of, typed_arguments, with_outs
from .lasting import refuse_changes, with_changes
from .programs import Argument, Built, build, filled, may_capture, no_finals, typed


def name_of(target: Any) -> str:
    """The name of what is differentiated, for messages."""
    if isinstance(target, Derivative):
        return f"{target.mode}_diff({name_of(target.target)})"
    if isinstance(target, Function):
        return target.name
    return word_name(target) or str(getattr(target, "__name__", "function"))


def arguments_of(
    session: Session, target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> list[Argument]:
    """The primal arguments of `target` with their types; values may be pairs or Const(…)."""
    if not isinstance(target, Derivative):
        return typed_arguments(session, target, args, kwargs, at)
    if kwargs:
        raise TraceError(f"{name_of(target)} takes no keyword arguments", at)
    return [Argument(f"x{i}", _type(session, v, at), v) for i, v in enumerate(args)]


def _type(session: Session, value: Any, at: Span) -> Any:
    value = value.value if isinstance(value, Const) else value
    if isinstance(value, Value | tuple | Object | Choice) or is_number(value):
        return type_of(value, session.real, at)
    return None


def program_of(
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

    built = build(session, name_of(target), slots, run, at, fresh=fresh)
    session.finals = no_finals()  # of InOut and Out parameters: they are among the results
    refuse_changes(built, name_of(target), at)
    if not built.program.results:
        raise TraceError(f"{name_of(target)} returns nothing that has a derivative", at)
    return built


def is_pair(type_: Any) -> bool:
    """Whether a type is that of a value with its tangent."""
    return isinstance(type_, Tup) and type_.names == PAIR_NAMES


@dataclass(frozen=True, slots=True)
class Matched:
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


def matched(
    session: Session,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Matched:
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
) -> Matched:
    """The first of `args` are those of `target`; `named`: with a value for Out parameters."""
    count = max(arity(session, target, args, at, invoke, named) - len(kwargs), 0)
    own, by_name = args[:count], kwargs
    if not named:
        own, by_name = with_outs(session, target, own, kwargs)
    pairs = [
        _plain(session, target, a, at) for a in arguments_of(session, target, own, by_name, at)
    ]
    arguments = [a for a, _ in pairs]
    built = program_of(session, target, arguments, at, invoke)
    shown = [named or a.starts for a in arguments]
    return Matched(arguments, [on for _, on in pairs], shown, built, args[count:])


def _miscounted(target: Any, found: Matched, given: int, at: Span) -> TraceError:
    values = [a.name for a, shown in zip(found.arguments, found.shown, strict=True) if shown]
    bars = [s.name for s in found.outputs]
    parts = [_listed(values, "value"), _listed(bars, "cotangent")]
    return TraceError(
        f"bwd_diff({name_of(target)}) takes {' and '.join(parts)}, not {many(given, 'argument')}",
        at,
        "first the arguments of the function, then one cotangent per real result",
    )


def _listed(names: Sequence[str], word: str) -> str:
    return f"{many(len(names), word)} ({', '.join(names)})" if names else f"no {word}s"


def many(count: int, word: str) -> str:
    """How many of what, in words."""
    return f"one {word}" if count == 1 else f"{count} {word}s"


def _plain(session: Session, target: Any, argument: Argument, at: Span) -> tuple[Argument, bool]:
    """The argument without Const(…), and whether a gradient is wanted for it."""
    value = argument.value
    if isinstance(value, Const):
        return replace(argument, value=value.value), False
    pair_wanted = argument.type is not None and is_pair(argument.type)
    if isinstance(value, DifferentialPair) and not (
        pair_wanted and (isinstance(target, Derivative) or argument.annotated)
    ):
        raise TraceError(
            f"argument {argument.name!r} of bwd_diff({name_of(target)}) is a DifferentialPair",
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
