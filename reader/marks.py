"""Marks on functions: custom derivatives, substitutes, and the words `no_diff`, `fwd_diff`, ….

Takes functions and registers what is said about them; a marked function stays the ordinary
Python function that it was. Knows nothing of how marked functions are read.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from ..rules.registry import Mark, function_of, own_marks, rule_of, target_of
from ..rules.scope import module_name, register
from ..terms.errors import RuleError, TraceError, called, defined_at, running_at
from ..terms.program import Differentiable

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class DifferentialPair(NamedTuple, Generic[T]):
    """A value with its tangent.

    >>> DifferentialPair(2.0, 1.0).d
    1.0
    """

    p: T
    d: T


Pair = DifferentialPair


def diff_pair(p: Any, d: Any = None) -> DifferentialPair[Any]:
    """The pair (p, d) of a value and its tangent.

    Without `d` the tangent is zero; of a struct with a static method `dzero`, what that gives.

    >>> diff_pair(2.0)
    DifferentialPair(p=2.0, d=0.0)
    """
    if d is None:
        begin = own_dzero(type(p))
        d = 0.0 if begin is None else begin()
    return DifferentialPair(p, d)


def own_dzero(cls: type) -> Callable[[], Any] | None:
    """The static method `dzero` of a class: what its tangents begin with; None without one."""
    found = inspect.getattr_static(cls, "dzero", None)
    return cast(Callable[[], Any], found.__func__) if isinstance(found, staticmethod) else None


@dataclass(frozen=True, slots=True)
class Const:
    """An argument of `bwd_diff(g)(…)` that is not differentiated."""

    value: Any


@dataclass(frozen=True, slots=True)
class NoDiffType:
    """The annotation `no_diff[T]`: a parameter of type T without derivative."""

    type: Any


class _NoDiff:
    """`no_diff(call)` stops the derivative; `no_diff[T]` annotates a parameter."""

    def __call__(self, value: T) -> T:
        """The value, through which no derivative passes."""
        return detach(value)

    def __getitem__(self, type_: Any) -> Any:
        # `no_diff[Out[T]]` is `Out[no_diff[T]]`.
        inside = getattr(type_, "over", None)
        return inside(NoDiffType) if inside else NoDiffType(type_)

    def __repr__(self) -> str:
        return "no_diff"


no_diff = _NoDiff()


def detach(x: T) -> T:
    """The same value, through which no derivative passes: of a struct, list or vector, a copy."""
    if isinstance(x, FunctionType):
        hint = "mark it @egad.treat_as_differentiable, or write detach(…) around a call of it"
        raise TraceError(
            f"the function {_named(x)} is no value to be detached", defined_at(x), hint
        )
    return cast(T, _detached(x, {}))


def _detached(x: Any, done: dict[int, Any]) -> Any:
    symbolic = getattr(x, "__egad_detached__", None)  # in a traced function
    if symbolic is not None:
        return symbolic()
    if type(x) in (list, tuple):
        return type(x)(_detached(item, done) for item in x)
    return copy.deepcopy(x, done)


class _NoDecorator:
    """What `max_iters(n)` gives, which is nothing but for who takes it for a decorator."""

    __slots__ = ()

    def __call__(self, function: Any) -> Any:
        raise TraceError(
            f"max_iters(…) is no decorator: {_named(function)} cannot be marked with it",
            running_at(sys._getframe(1)),
            "write it as a statement in the function, before the loop that it bounds",
        )


def max_iters(n: int) -> _NoDecorator:
    """Bounds the number of iterations of the next loop; does nothing when simply run."""
    return _NoDecorator()


def force_unroll(iterable: Iterable[T]) -> Iterable[T]:
    """Asks that a loop be unrolled; gives back what it iterates over."""
    return iterable


@dataclass(frozen=True, slots=True)
class Derivative:
    """`fwd_diff(g)` or `bwd_diff(g)`, as used inside a function that is derived."""

    mode: str
    target: Any

    @property
    def name(self) -> str:
        """As it is written: `fwd_diff(g)`."""
        return f"{self.mode}_diff({_named(self.target)})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuses: there is no program here to take the derivative in."""
        name = _named(self.target)
        raise TraceError(
            f"{self.mode}_diff({name}) has a meaning only inside a function that is derived",
            hint=f"use egad.derive({name}, mode={self.mode!r}) to compute the derivative here",
        )


def _named(target: Any) -> str:
    return str(getattr(target, "name", None) or getattr(target, "__name__", "g"))


def fwd_diff(g: Callable[..., Any]) -> Derivative:
    """The forward derivative of `g`: pairs in, pairs out."""
    return Derivative("fwd", g)


def bwd_diff(g: Callable[..., Any]) -> Derivative:
    """The backward derivative of `g`: primals and cotangents in, gradients out."""
    return Derivative("bwd", g)


def is_marked(target: Any) -> bool:
    """Whether the module of a function says anything about it."""
    return bool(own_marks(getattr(target, "__func__", target)))


def _rule(rule: Any, word: str, frame: FrameType) -> Any:
    return rule_of(rule, word, running_at(frame))


def _note(kind: str, target: Any, rule: Any, frame: FrameType) -> None:
    mark = Mark(kind, rule, module_name(frame), defined_at(rule))
    register(target, mark, frame)


@dataclass(frozen=True, slots=True)
class Attaching:
    """What `custom_fwd(rule)` and `custom_bwd(rule)` give: it attaches the rule to a function."""

    kind: str
    rule: Any

    def __call__(self, function: F) -> F:
        """The function, with the rule."""
        _note(self.kind, function, self.rule, sys._getframe(1))
        return function

    @property
    def message(self) -> str:
        """What is wrong where it is called like a function, as after a bare `@custom_bwd`."""
        return f"custom_{self.kind}({_named(self.rule)}) is a decorator, and no function"

    @property
    def hint(self) -> str:
        """What to write instead."""
        return f"name the rule above the function: @custom_{self.kind}(rule)"


def custom_fwd(rule: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: `rule` is the forward derivative; it maps pairs to a pair."""
    return Attaching("fwd", _rule(rule, "custom_fwd", sys._getframe(1)))


def custom_bwd(rule: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: `rule` is the backward derivative; primals and cotangents to gradients."""
    return Attaching("bwd", _rule(rule, "custom_bwd", sys._getframe(1)))


def custom_fwd_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a rule: it is the forward derivative of `function`."""

    def mark(rule: F) -> F:
        frame = sys._getframe(1)
        _note("fwd", function, _rule(rule, "custom_fwd_of", frame), frame)
        return rule

    return mark


def custom_bwd_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a rule: it is the backward derivative of `function`."""

    def mark(rule: F) -> F:
        frame = sys._getframe(1)
        _note("bwd", function, _rule(rule, "custom_bwd_of", frame), frame)
        return rule

    return mark


def primal_substitute_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a function that stands in for `function` inside derived programs."""

    def mark(rule: F) -> F:
        frame = sys._getframe(1)
        _note("substitute", function, _rule(rule, "primal_substitute_of", frame), frame)
        return rule

    return mark


def prefer_checkpoint(function: F) -> F:
    """Decorator: in a loop the results are stored for the way back, not computed again."""
    return _stored(function, "checkpoint")


def prefer_recompute(function: F) -> F:
    """Decorator: in a loop the results are computed again on the way back, whatever that costs."""
    return _stored(function, "recompute")


def _stored(function: F, how: str) -> F:
    at = running_at(sys._getframe(2))
    target = target_of(function, at)
    if not isinstance(target, FunctionType):
        hint = "mark a function that is written in Python"
        raise RuleError(f"{called(target)} has no results that a loop could keep", at, hint)
    target.__egad_storage__ = how  # type: ignore[attr-defined]
    return function


def _state(function: Any, how: Differentiable, frame: FrameType) -> None:
    at = defined_at(function_of(function)) or running_at(frame)
    register(function, Mark("differentiable", how, module_name(frame), at), frame)


def treat_as_differentiable(function: F) -> F:
    """Decorator: the value is kept, the derivative is zero."""
    _state(function, Differentiable.ZERO, sys._getframe(1))
    return function


def non_differentiable(function: F) -> F:
    """Decorator: no derivative may pass; stop it with `no_diff(…)` where the function is called.

    Of a struct class: its fields carry no derivative, as if each were `no_diff[…]`.
    """
    _state(function, Differentiable.NO, sys._getframe(1))
    return function


def is_non_differentiable(target: Any) -> bool:
    """Whether a struct class is marked `@non_differentiable`."""
    return any(mark.rule is Differentiable.NO for mark in own_marks(target))


_SELF_STOPS = "__egad_no_diff_this__"


def no_diff_this(method: F) -> F:
    """Decorator of a method: no derivative passes through `self`."""
    function = target_of(method, running_at(sys._getframe(1)))
    setattr(function, _SELF_STOPS, function)
    return method


def stops_at_self(method: Any) -> bool:
    """Whether a method is marked `@no_diff_this`."""
    # functools.wraps copies attributes: the mark must belong to this very function.
    return method is not None and getattr(method, _SELF_STOPS, None) is method


def differentiable(function: F) -> F:
    """Decorator without effect: every function that can be read is differentiable."""
    return function


def extensible(function: F) -> F:
    """Decorator without effect: rules may be attached to any function."""
    return function
