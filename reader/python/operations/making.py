"""New structs and lists: constructors, defaults and copies.

Takes classes and values, gives objects; knows nothing of syntax.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.value import Value
from ...structs import MISSING, default_of, is_named_tuple
from ..values.hints import fields
from ..values.objects import UNSET, Arrayed, Choice, Instance, Listed, Object
from ..values.scope import Session
from ..values.values import normalise
from .records import Invoke, fitting


def make(
    session: Session,
    cls: type,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Instance:
    """`cls(*args, **kwargs)`: what is not given has its default, or is zero."""
    known = fields(cls, session.real)
    names = [f.name for f in known]
    if inspect.isabstract(cls):
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        hint = f"define {', '.join(missing)} in the class"
        raise TraceError(f"{cls.__name__} is abstract: it has no instances", at, hint)
    init = inspect.getattr_static(cls, "__init__")
    if not is_named_tuple(cls) and init.__code__.co_filename != "<string>":
        # Not the one that dataclass writes.
        made = Instance(cls, names, [UNSET] * len(names))
        invoke(init, [made, *args], kwargs, at)
        return made
    if len(args) > len(names):
        raise TraceError(
            f"{cls.__name__}({', '.join(names)}) takes {len(names)} values, not {len(args)}", at
        )
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            hint = f"its fields are {', '.join(names)}"
            near = nearest(name, names)
            raise TraceError(f"{cls.__name__} has no field {name!r}{near}", at, hint)
        if name in given:
            raise TraceError(f"{cls.__name__}(…) gets {name!r} twice", at)
        given[name] = value
    items = []
    for field in known:
        value = given[field.name] if field.name in given else _default(session, cls, field.name, at)
        items.append(fitting(session, field, cls, value, at))
    made = Instance(cls, names, items)
    after = inspect.getattr_static(cls, "__post_init__", None)
    if after is not None:
        invoke(after, [made], {}, at)
    return made


def _default(session: Session, cls: type, name: str, at: Span) -> Any:
    made = default_of(cls, name)
    if made is MISSING:
        hint = f"give {name}, or a default in the class; fields of @egad.struct start at zero"
        raise TraceError(f"{cls.__name__}(…) needs a value for {name!r}", at, hint)
    return copied(normalise_lists(made, session))


def normalise_lists(value: Any, session: Session) -> Any:
    """A Python value of this program's own: lists can be changed."""
    if isinstance(value, list):
        return Listed([normalise_lists(item, session) for item in value])
    return normalise(value, session.real)


def copied(value: Any, deep: bool = True) -> Any:
    """A value of its own; with `deep`, also of everything in it."""
    return _copied(value, deep, {})


def _copied(value: Any, deep: bool, done: dict[int, Any]) -> Any:
    if isinstance(value, Choice):
        whole = value.whole()
        if whole is not None:
            return whole
        then, other = (_copied(v, deep, done) for v in (value.then, value.other))
        return Choice(value.condition, then, other)
    if isinstance(value, tuple) and deep:
        items = [_copied(item, deep, done) for item in value]
        return tuple(items) if type(value) is tuple else type(value)(*items)
    if isinstance(value, Value):
        return Value(value.type, value.leaves)  # a vector of its own
    if not isinstance(value, Object):
        return value
    if id(value) not in done:
        deep = deep or isinstance(value, Arrayed)  # its rows are no objects in Python
        items = [_copied(item, deep, done) if deep else item for item in value.items]
        done[id(value)] = value.like(items)
    return done[id(value)]
