"""The words of egad that are called: `detach`, `copy`, `fwd_diff`, `diff_pair`, ….

Takes argument values, gives a value; knows nothing of syntax.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import is_differentiable
from ... import marks, structs
from ...collected import in_order
from ...complexes import is_known_zero
from ...managers import halves
from ...marks import Const, Derivative, DifferentialPair
from ..values.entries import rows_of
from ..values.fitting import broadcast
from ..values.objects import first
from ..values.packing import type_of
from ..values.scope import Function, Session
from ..values.values import describe, detached, is_static, lift
from ..values.words import word_name
from .complexes import known_zero
from .halving import halved
from .making import copied
from .records import dunder

_NO_OPERATION = (marks.differentiable, marks.extensible)


def _detach(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    _count("detach", args, kwargs, 1, 1, at)
    return detached(args[0])


def _copy(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    _count("copy", args, kwargs, 1, 1, at)
    return copied(args[0])


def _shallow(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    _count("copy", args, kwargs, 1, 1, at)
    return copied(args[0], deep=False)


def _no_diff(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    _count("no_diff", args, kwargs, 1, 1, at)
    return detached(args[0])


def _derivative(mode: str) -> Any:
    def make(
        session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
    ) -> Derivative:
        _count(f"{mode}_diff", args, kwargs, 1, 1, at)
        target = dunder(args[0], "__call__") or args[0]
        known = callable(first(target)) or isinstance(target, Function) or word_name(target)
        if not known:
            raise TraceError(
                f"{mode}_diff needs a function, not {describe(target)}",
                at,
                f"write {mode}_diff(g)(x), not {mode}_diff(g(x))",
            )
        return Derivative(mode, target)

    return make


def _pair(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    given = dict(zip(("p", "d"), args, strict=False))
    if len(args) > 2 or set(kwargs) - {"p", "d"} or set(kwargs) & set(given):
        raise TraceError("diff_pair takes a value p and a tangent d", at)
    given.update(kwargs)
    if "p" not in given:
        raise TraceError("diff_pair needs a value", at, "write diff_pair(value, tangent)")
    value, tangent = given["p"], given.get("d", 0.0)
    if is_static(value) and is_static(tangent) and not isinstance(value, tuple):
        lift(value, session.real, at), lift(tangent, session.real, at)
        return DifferentialPair(value, tangent)
    type_ = type_of(value if not is_static(value) or is_static(tangent) else tangent, session.real)
    if not is_differentiable(type_):
        raise TraceError(f"{describe(value)} has no tangent", at, "convert it first: float(…)")
    return DifferentialPair(
        broadcast(value, type_, session.real, at, "the value of a pair"),
        broadcast(tangent, type_, session.real, at, "the tangent of a pair"),
    )


def _const(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Const:
    _count("Const", args, kwargs, 1, 1, at)
    return Const(args[0])


def _loops(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    hint = "max_iters(n) is a statement before a loop; for i in force_unroll(range(n)) unrolls one"
    raise TraceError("this has a meaning only at a loop", at, hint)


def _marking(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> Any:
    raise TraceError(
        "functions are marked where they are defined, not inside a derived function",
        at,
        "move the decorator to the level of the module",
    )


def _count(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], low: int, high: int, at: Span
) -> None:
    if kwargs or not low <= len(args) <= high:
        raise TraceError(f"{name} takes one argument, not {len(args) + len(kwargs)}", at)


#: By the id of the word: what its call gives.
SPECIAL: dict[int, Any] = {
    id(marks.detach): _detach,
    id(structs.copy): _copy,
    id(copy.deepcopy): _copy,
    id(copy.copy): _shallow,
    id(marks.no_diff): _no_diff,
    id(marks.fwd_diff): _derivative("fwd"),
    id(marks.bwd_diff): _derivative("bwd"),
    id(marks.diff_pair): _pair,
    id(DifferentialPair): _pair,
    id(Const): _const,
    id(in_order): lambda session, args, kwargs, at: tuple(
        in_order(rows_of(session, args[0], at) or ())
    ),
    id(halves): halved,
    id(is_known_zero): known_zero,
    id(marks.max_iters): _loops,
    id(marks.force_unroll): _loops,
    **{
        id(getattr(marks, name)): _marking
        for name in (
            "custom_fwd",
            "custom_bwd",
            "custom_fwd_of",
            "custom_bwd_of",
            "primal_substitute_of",
            "treat_as_differentiable",
            "non_differentiable",
        )
    },
    **{id(f): lambda session, args, kwargs, at: args[0] for f in _NO_OPERATION},
}
