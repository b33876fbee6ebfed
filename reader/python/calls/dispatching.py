"""`functools.singledispatch`: which function is meant, by the class of the first argument.

Of a `singledispatchmethod` it is the first after the object. Takes the dispatcher and argument
values, gives the value of the call.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span
from ..operations.bound_methods import ByArgument, bound_method
from ..operations.records import Invoke
from ..values.arms import in_arms
from ..values.objects import Choice, Instance, first
from ..values.scope import Session
from .kinds import type_in_python

_CODE = functools.singledispatch(lambda value: value).__code__  # type: ignore[attr-defined]


def is_dispatcher(callee: Any) -> bool:
    """Whether a function only asks for the class of its first argument."""
    return isinstance(callee, ByArgument) or getattr(callee, "__code__", None) is _CODE


def dispatched(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """The value of what a dispatcher calls; of one object or another, both as the branch says."""
    of_method = isinstance(callee, ByArgument)
    held, args = ([*args[:1]], args[1:]) if of_method else ([], args)
    value = session.settled(args[0]) if args else None
    if isinstance(value, Choice):
        then, other = in_arms(
            session,
            value.condition,
            value.then,
            value.other,
            lambda arm: dispatched(session, callee, [*held, arm, *args[1:]], kwargs, at, invoke),
            at,
        )
        return session.either(value.condition, then, other, at)
    cls = value.cls if isinstance(value, Instance) else type_in_python(value)
    if not of_method:
        return invoke(callee.dispatch(cls), args, kwargs, at)
    (owner,) = held
    of = owner if isinstance(owner, type) else first(owner).cls
    return invoke(bound_method(callee.choose(cls), owner, of), args, kwargs, at)
