"""Which methods of two objects an operator asks, and in which order: `a + b`, `a == b`, `a < b`.

The left one is asked before the right one, which is asked its mirrored method; the right one
comes first where its class is derived from the left one's. What answers NotImplemented leaves it
to the other. Takes two values, gives what a method says; knows nothing of syntax.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ....terms.errors import Span
from ....terms.term import Term
from ....terms.value import scalar
from ..values.arms import in_arms
from ..values.conditions import negated
from ..values.objects import Choice, Instance, ends_of
from ..values.scope import Session
from .iterating import truth_of
from .library import UNKNOWN
from .records import Invoke, dunder

#: What the other side is asked instead.
MIRRORED: Mapping[str, str] = {
    **{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"},
    **{"eq": "eq", "ne": "ne"},
}


def combined(session: Session, name: str, left: Any, right: Any, at: Span, invoke: Invoke) -> Any:
    """What `__add__` of one says, or `__radd__` of the other; UNKNOWN where neither says it.

    The right one's comes first only where its class has another one than the left one's has, and
    is not asked at all where both are of one class.
    """
    left, right, mirrored = session.settled(left), session.settled(right), f"__r{name}__"

    def again(a: Any, b: Any) -> Any:
        return combined(session, name, a, b, at, invoke)

    arms = in_classes(session, left, right, again, at, mirrored)
    if arms is not None:
        return UNKNOWN if UNKNOWN in arms else session.either(*arms, at)
    sides = [(left, right, f"__{name}__"), (right, left, mirrored)]
    if _are_of_one_class(left, right):
        sides.pop()
    elif _comes_first(left, right, mirrored):
        sides.reverse()
    for value, other, word in sides:
        method = dunder(value, word)
        answer = NotImplemented if method is None else invoke(method, [other], {}, at)
        if answer is not NotImplemented:
            return answer
    return UNKNOWN


def compared(session: Session, name: str, left: Any, right: Any, at: Span, invoke: Invoke) -> Any:
    """What methods say of `left < right` and its kin; UNKNOWN where none says it."""
    left, right = session.settled(left), session.settled(right)
    sides = [(left, right, name), (right, left, MIRRORED[name])]
    if _comes_first(left, right):
        sides.reverse()
    for value, other, word in sides:
        answer = _asked(session, value, other, word, at, invoke)
        if answer is not NotImplemented:
            return answer
    return UNKNOWN


def _asked(session: Session, value: Any, other: Any, name: str, at: Span, invoke: Invoke) -> Any:
    """What a method answers. What has no `__ne__` of its own negates its `__eq__`."""
    method = dunder(value, f"__{name}__")
    if method is not None:
        return invoke(method, [other], {}, at)
    answer = _asked(session, value, other, "eq", at, invoke) if name == "ne" else NotImplemented
    if answer is NotImplemented:
        return answer
    held = negated(truth_of(session, answer, at, invoke))
    return held if isinstance(held, bool) else scalar(held)


def in_classes(
    session: Session,
    left: Any,
    right: Any,
    read: Callable[[Any, Any], Any],
    at: Span,
    mirrored: str = "",
) -> tuple[Term, Any, Any] | None:
    """A condition, and what `read` gives where it holds and where not: it says who is asked first.

    None where that is known.
    """
    left, right = session.settled(left), session.settled(right)
    orders = {_is_derived(a, b, mirrored) for a in _classes(left) for b in _classes(right)}
    if len(orders) < 2:
        return None
    if isinstance(left, Choice):
        arms = in_arms(
            session, left.condition, left.then, left.other, lambda arm: read(arm, right), at
        )
        return left.condition, *arms
    arms = in_arms(
        session, right.condition, right.then, right.other, lambda arm: read(left, arm), at
    )
    return right.condition, *arms


def _classes(value: Any) -> list[type]:
    """The classes that a value may be of."""
    kinds = {end.cls: None for end in ends_of(value) if isinstance(end, Instance)}
    return [*kinds]


def _are_of_one_class(left: Any, right: Any) -> bool:
    kinds = {getattr(end, "cls", None) for value in (left, right) for end in ends_of(value)}
    return len(kinds) == 1 and None not in kinds


def _comes_first(left: Any, right: Any, mirrored: str = "") -> bool:
    """Whether the right one is asked first."""
    lefts, rights = _classes(left), _classes(right)
    return bool(lefts and rights) and _is_derived(lefts[0], rights[0], mirrored)


def _is_derived(left: type, right: type, mirrored: str) -> bool:
    """Whether the class of the right is derived from the left's, and has a method of its own."""
    if left is right or not issubclass(right, left):
        return False
    if not mirrored:
        return True
    one, other = (inspect.getattr_static(cls, mirrored, None) for cls in (left, right))
    return other is not None and one is not other
