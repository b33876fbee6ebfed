"""New structs and lists: constructors, defaults and copies.

Takes classes and values, gives objects; knows nothing of syntax.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.value import Value
from ...constructors import (
    arguments_of,
    for_init_only,
    is_generated,
    made_at_once,
    not_taken,
    responsible,
    standing,
)
from ...structs import MISSING, default_of, is_named_tuple
from ..values.arms import in_arms
from ..values.hints import fields
from ..values.keeping import Kept
from ..values.keyed import mapped
from ..values.objects import (
    UNSET,
    Arrayed,
    Choice,
    Instance,
    Listed,
    Object,
    first,
    objects_of,
    of_kind,
)
from ..values.scope import Session
from ..values.values import describe, normalise
from .records import Invoke, attribute, fitting, no_call, set_attribute


def make(
    session: Session,
    cls: type,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Instance:
    """`cls(*args, **kwargs)`: what is not given has its default, or is zero."""
    names = [f.name for f in fields(cls, session.real)]
    if inspect.isabstract(cls):
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        hint = f"define {', '.join(missing)} in the class"
        raise TraceError(f"{cls.__name__} is abstract: it has no instances", at, hint)
    if is_named_tuple(cls):
        given = _given(session, cls, args, kwargs, at)
        return Instance(cls, names, [_fitting(session, cls, n, given[n], at) for n in names])
    made = Instance(cls, names, [_begun(session, cls, name) for name in names])
    owner, init = responsible(cls, "__init__")
    if not is_generated(init):
        invoke(init, [made, *args], kwargs, at)
        return made
    given = _given(session, owner, args, kwargs, at)
    for name, value in _stored(session, owner, given).items():
        made.items[names.index(name)] = _fitting(session, cls, name, value, at)
    _finish(session, owner, made, given, at, invoke)
    return made


def initialise(
    session: Session,
    init: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> None:
    """`init(made, …)`, where nobody has written it: `super().__init__(x)` in a struct."""
    value = session.present(args[0], at) if args else None
    known = first(value)
    owner = _owner(known.cls, init) if isinstance(known, Instance) else None
    if owner is None:
        raise TraceError(f"this __init__ is not one of {describe(value)}", at)
    given = _given(session, owner, args[1:], kwargs, at)
    for name, new in _stored(session, owner, given).items():
        set_attribute(session, value, name, new, at, no_call, anew=True)
    _finish(session, owner, value, given, at, invoke)


def assign(session: Session, args: Sequence[Any], at: Span, invoke: Invoke, *, anew: bool) -> None:
    """`setattr(value, "x", new)`; `anew`: as `object.__setattr__`, also of a frozen class."""
    if len(args) != 3 or not isinstance(first(args[0]), Instance) or not isinstance(args[1], str):
        hint = "write setattr(v, 'x', value), with a name that is known while reading"
        raise TraceError("this takes a struct, the name of a field and a value", at, hint)
    value, name, new = args
    set_attribute(session, value, name, new, at, invoke, anew=anew)


def _owner(cls: type, init: Any) -> type | None:
    """The class whose `__init__` this is."""
    return next((c for c in cls.__mro__ if vars(c).get("__init__") is init), None)


def _finish(
    session: Session, owner: type, made: Any, given: Mapping[str, Any], at: Span, invoke: Invoke
) -> None:
    """Call `__post_init__`, as an `__init__` does whose class has one."""
    if owner is object or inspect.getattr_static(owner, "__post_init__", None) is None:
        return
    _, after = responsible(first(made).cls, "__post_init__")
    invoke(after, [made, *(given[name] for name in for_init_only(owner))], {}, at)


def _begun(session: Session, cls: type, name: str) -> Any:
    found = standing(cls, name)
    return UNSET if found is MISSING else copied(normalise_lists(found, session))


def _given(
    session: Session, cls: type, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> dict[str, Any]:
    """The arguments of a constructor by their names, with the defaults of those not given."""
    taken = arguments_of(cls) if cls is not object else ()
    names = [argument.name for argument in taken]
    positional = [argument.name for argument in taken if not argument.by_name]
    if len(args) > len(positional):
        shown = ", ".join(map(str, taken))
        message = f"{cls.__name__}({shown}) takes {len(positional)} values, not {len(args)}"
        named = names[len(positional) :]
        how = f"by name only: {', '.join(f'{n}=…' for n in named)}" if named else ""
        raise TraceError(message, at, how or _left_out(cls))
    given = dict(zip(positional, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise _no_argument(cls, name, names, at)
        if name in given:
            raise TraceError(f"{cls.__name__}(…) gets {name!r} twice", at)
        given[name] = value
    for name in names:
        if name not in given:
            given[name] = _default(session, cls, name, at)
    return given


def _left_out(cls: type) -> str:
    """Which fields a constructor does not take, for messages."""
    names = not_taken(cls) if cls is not object else ()
    return f"{', '.join(names)}: field(init=False), which no argument gives" if names else ""


def _no_argument(cls: type, name: str, names: Sequence[str], at: Span) -> TraceError:
    if cls is not object and name in not_taken(cls):
        message = f"{cls.__name__}(…) does not take {name!r}: it is field(init=False)"
        return TraceError(message, at, f"it takes {', '.join(names)}; assign to .{name} afterwards")
    hint = f"its fields are {', '.join(names)}"
    return TraceError(f"{cls.__name__} has no field {name!r}{nearest(name, names)}", at, hint)


def _stored(session: Session, cls: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """What `__init__` assigns, by fields: its arguments, and what it makes itself."""
    if cls is object:
        return {}
    found = {a.name: given[a.name] for a in arguments_of(cls) if a.stored}
    for name in not_taken(cls):
        made = made_at_once(cls, name)
        if made is not MISSING:
            found[name] = copied(normalise_lists(made, session))
    return found


def _fitting(session: Session, cls: type, name: str, value: Any, at: Span) -> Any:
    field = next(f for f in fields(cls, session.real) if f.name == name)
    return fitting(session, field, cls, value, at)


def replaced(
    session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span, invoke: Invoke
) -> Any:
    """`dataclasses.replace(value, x=…)`: the constructor is called with what is not replaced."""
    if len(args) != 1 or not isinstance(first(args[0]), Instance):
        raise TraceError("replace takes one struct, and fields by keyword", at)
    value = session.present(args[0], at)
    classes = {end.cls for end in objects_of(value) if isinstance(end, Instance)}
    if isinstance(value, Choice) and len(classes) > 1:
        arms = in_arms(
            session,
            value.condition,
            value.then,
            value.other,
            lambda arm: replaced(session, [arm], kwargs, at, invoke),
            at,
        )
        return session.either(value.condition, *arms, at)
    cls = first(value).cls
    for name in not_taken(cls):
        if name in kwargs:
            message = f"replace cannot give {name!r} of {cls.__name__}: it is field(init=False)"
            raise TraceError(message, at, f"assign to it afterwards: new.{name} = …")
    given = dict(kwargs)
    for argument in arguments_of(cls):
        if argument.name in given:
            continue
        if not argument.stored and default_of(cls, argument.name) is MISSING:
            message = f"replace needs a value for {argument.name!r} of {cls.__name__}"
            raise TraceError(message, at, f"it is an InitVar: write {argument.name}=…")
        given[argument.name] = attribute(session, value, argument.name, at, invoke)
    return make(session, cls, [], given, at, invoke)


def _default(session: Session, cls: type, name: str, at: Span) -> Any:
    made = default_of(cls, name)
    if made is MISSING:
        hint = f"give {name}, or a default in the class; fields of @egad.struct start at zero"
        raise TraceError(f"{cls.__name__}(…) needs a value for {name!r}", at, hint)
    return copied(normalise_lists(made, session))


def normalise_lists(value: Any, session: Session) -> Any:
    """A Python value of this program's own: lists and dictionaries can be changed."""
    if isinstance(value, list):
        return Listed([normalise_lists(item, session) for item in value])
    if isinstance(value, dict):
        return mapped({key: normalise_lists(item, session) for key, item in value.items()})
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
        return of_kind(value, items)
    if isinstance(value, Value):
        return Value(value.type, value.leaves)  # a vector of its own
    if not isinstance(value, Object):
        return value
    if id(value) not in done:
        deep = deep or isinstance(value, Arrayed)  # its rows are no objects in Python
        items = [_copied(item, deep, done) if deep else item for item in value.items]
        done[id(value)] = made = value.like(items)
        made.frozen = value.frozen if isinstance(value.frozen, Kept) else ""
    return done[id(value)]
