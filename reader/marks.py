"""Marks on functions: custom derivatives, substitutes, and the words `no_diff`, `fwd_diff`, ….

Takes functions and remembers what is said about them; a marked function stays the ordinary
Python function that it was. Knows nothing of how marked functions are read.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from ..terms.errors import RuleError, Span, TraceError
from ..terms.program import Differentiable
from .source import defined_at

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


def diff_pair(p: Any, d: Any = 0.0) -> DifferentialPair[Any]:
    """The pair (p, d) of a value and its tangent; without `d` the tangent is zero."""
    return DifferentialPair(p, d)


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
    """The same value, through which no derivative passes."""
    detached = getattr(x, "__egad_detached__", None)  # symbolic, in a traced function
    return x if detached is None else detached()


def max_iters(n: int) -> None:
    """Bounds the number of iterations of the next loop; does nothing when simply run."""


def force_unroll(iterable: Iterable[T]) -> Iterable[T]:
    """Asks that a loop be unrolled; gives back what it iterates over."""
    return iterable


@dataclass(frozen=True, slots=True)
class Derivative:
    """`fwd_diff(g)` or `bwd_diff(g)`, as used inside a function that is derived."""

    mode: str
    target: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuses: there is no program here to take the derivative in."""
        name = getattr(self.target, "__name__", "g")
        raise TraceError(
            f"{self.mode}_diff({name}) has a meaning only inside a function that is derived",
            hint=f"use egad.derive({name}, mode={self.mode!r}) to compute the derivative here",
        )


def fwd_diff(g: Callable[..., Any]) -> Derivative:
    """The forward derivative of `g`: pairs in, pairs out."""
    return Derivative("fwd", g)


def bwd_diff(g: Callable[..., Any]) -> Derivative:
    """The backward derivative of `g`: primals and cotangents in, gradients out."""
    return Derivative("bwd", g)


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing said about a function: a rule of some kind, by whom, and where."""

    kind: str  # "fwd" | "bwd" | "substitute" | "differentiable"
    rule: Any
    module: str
    at: Span | None


class Marks(NamedTuple):
    """What holds for a function, seen from one module."""

    fwd: Mark | None = None
    bwd: Mark | None = None
    substitute: Mark | None = None
    differentiable: Mark | None = None

    @property
    def differentiability(self) -> Differentiable:
        """How the function takes part in derivatives."""
        return self.differentiable.rule if self.differentiable else Differentiable.YES


_NAMES = {
    "fwd": "forward derivative",
    "bwd": "backward derivative",
    "substitute": "primal substitute",
    "differentiable": "statement about differentiability",
}
_ATTRIBUTE = "__egad_marks__"
_lock = threading.Lock()
# Built-in functions and ufuncs take no attributes. They live as long as the process.
_others: dict[int, tuple[Any, list[Mark]]] = {}


def _stored(target: Any) -> list[Mark]:
    # functools.wraps copies attributes: the list must belong to this very function.
    owner, marks = getattr(target, _ATTRIBUTE, (None, None))
    if owner is target and marks is not None:
        return marks  # type: ignore[no-any-return]
    return _others.get(id(target), (None, []))[1]


def _function_of(target: Any, at: Span | None = None) -> Any:
    """The function that a method's decorator holds: marks may stand above `@staticmethod`."""
    if isinstance(target, staticmethod | classmethod):
        return target.__func__
    if isinstance(target, property):
        if target.fset is not None:
            hint = "write the mark below @property or @….setter, on the function that it means"
            raise RuleError("this property has two functions: the mark may mean either", at, hint)
        return target.fget
    return target


def is_marked(target: Any) -> bool:
    """Whether anything is said about a function."""
    return bool(_stored(getattr(target, "__func__", target)))


def register(target: Any, mark: Mark) -> None:
    """Remember a mark; two different rules of one kind in one module are an error."""
    target = _function_of(target, mark.at)
    if not callable(target):
        raise RuleError(f"{target!r} is not a function: no rule can be attached to it", mark.at)
    with _lock:
        kept = []
        for old in _stored(target):
            if (old.kind, old.module) == (mark.kind, mark.module):
                if not _redefines(old, mark):
                    raise _conflict(target, old, mark)
            else:
                kept.append(old)
        marks = [*kept, mark]
        try:
            setattr(target, _ATTRIBUTE, (target, marks))
        except (AttributeError, TypeError):
            _others[id(target)] = (target, marks)


def _redefines(old: Mark, new: Mark) -> bool:
    """Whether the new mark is the old one again: a notebook cell or a module run anew."""
    if old.rule is new.rule or isinstance(old.rule, Differentiable):
        return old.rule is new.rule
    if getattr(old.rule, "__qualname__", 0) != getattr(new.rule, "__qualname__", 1):
        return False
    a, b = old.at, new.at
    return a is None or b is None or a.file != b.file or a.line == b.line


def _conflict(target: Any, old: Mark, new: Mark) -> RuleError:
    name = getattr(target, "__name__", repr(target))
    return RuleError(
        f"{name} already has a {_NAMES[old.kind]}, given at {old.at or old.module}",
        new.at,
        "keep one of the two; a rule registered in the module that calls derive() has priority",
    )


def find(target: Any, calling: str) -> Marks | None:
    """The marks of a function: of the calling module, then of its own, then of others."""
    with _lock:
        stored = list(_stored(target))
    if not stored:
        return None
    best: dict[str, Mark] = {}
    own = getattr(target, "__module__", None)
    for level in (
        [m for m in stored if m.module == calling],
        [m for m in stored if m.module == own and m.module != calling],
        [m for m in stored if m.module not in (own, calling)],
    ):
        chosen: dict[str, Mark] = {}
        for mark in level:
            if mark.kind in best:
                continue
            if mark.kind in chosen:
                raise _conflict(target, chosen[mark.kind], mark)
            chosen[mark.kind] = mark
        best.update(chosen)
    return Marks(**best)


def _caller() -> str:
    """The name of the module that called the public function which called this."""
    return str(sys._getframe(2).f_globals.get("__name__", "__main__"))


def _rule(rule: Any, word: str, module: str) -> Any:
    found = rule.__func__ if isinstance(rule, staticmethod) else rule
    if not callable(found):
        raise RuleError(f"{word} needs a function, not {rule!r} (in module {module})")
    return found


def custom_fwd(rule: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: `rule` is the forward derivative; it maps pairs to a pair."""
    module = _caller()
    found = _rule(rule, "custom_fwd", module)

    def mark(function: F) -> F:
        register(function, Mark("fwd", found, module, defined_at(found)))
        return function

    return mark


def custom_bwd(rule: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: `rule` is the backward derivative; primals and cotangents to gradients."""
    module = _caller()
    found = _rule(rule, "custom_bwd", module)

    def mark(function: F) -> F:
        register(function, Mark("bwd", found, module, defined_at(found)))
        return function

    return mark


def custom_fwd_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a rule: it is the forward derivative of `function`."""
    module = _caller()

    def mark(rule: F) -> F:
        found = _rule(rule, "custom_fwd_of", module)
        register(function, Mark("fwd", found, module, defined_at(found)))
        return rule

    return mark


def custom_bwd_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a rule: it is the backward derivative of `function`."""
    module = _caller()

    def mark(rule: F) -> F:
        found = _rule(rule, "custom_bwd_of", module)
        register(function, Mark("bwd", found, module, defined_at(found)))
        return rule

    return mark


def primal_substitute_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a function that stands in for `function` inside derived programs."""
    module = _caller()

    def mark(substitute: F) -> F:
        found = _rule(substitute, "primal_substitute_of", module)
        register(function, Mark("substitute", found, module, defined_at(found)))
        return substitute

    return mark


def prefer_checkpoint(function: F) -> F:
    """Decorator: in a loop the results are stored for the way back, not computed again."""
    _function_of(function).__egad_storage__ = "checkpoint"
    return function


def prefer_recompute(function: F) -> F:
    """Decorator: in a loop the results are computed again on the way back, whatever that costs."""
    _function_of(function).__egad_storage__ = "recompute"
    return function


def treat_as_differentiable(function: F) -> F:
    """Decorator: the value is kept, the derivative is zero."""
    how = Differentiable.ZERO
    register(function, Mark("differentiable", how, _caller(), defined_at(_function_of(function))))
    return function


def non_differentiable(function: F) -> F:
    """Decorator: no derivative may pass; stop it with `no_diff(…)` where the function is called.

    Of a struct class: its fields carry no derivative, as if each were `no_diff[…]`.
    """
    how = Differentiable.NO
    register(function, Mark("differentiable", how, _caller(), defined_at(_function_of(function))))
    return function


def is_non_differentiable(target: Any) -> bool:
    """Whether a function or a struct class is marked `@non_differentiable`."""
    return any(m.kind == "differentiable" and m.rule is Differentiable.NO for m in _stored(target))


_SELF_STOPS = "__egad_no_diff_this__"


def no_diff_this(method: F) -> F:
    """Decorator of a method: no derivative passes through `self`."""
    function = _function_of(method)
    if not callable(function):
        raise RuleError(f"no_diff_this marks a method, not {method!r}")
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
