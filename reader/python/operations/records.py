"""Fields, elements and methods of structs and lists: read, changed, made and copied.

Takes objects (objects.py) and values, gives values; knows nothing of syntax.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MethodType
from typing import Any

from ....terms.apply import apply
from ....terms.errors import Span, TraceError, nearest
from ....terms.term import Term, const
from ....terms.types import Scalar
from ....terms.value import scalar
from ...constructors import is_generated
from ...structs import is_frozen, is_named_tuple
from ..values.aliases import without_derivative
from ..values.arms import in_arms
from ..values.branches import Unusable
from ..values.carrying import carries_derivative
from ..values.conditions import both, negated
from ..values.fitting import converted
from ..values.hints import Field, fields
from ..values.keeping import keep_first
from ..values.lengths import count_of, unreadable
from ..values.lent import Column
from ..values.misfits import how_to_begin
from ..values.objects import UNSET, Choice, Instance, Listed, Object, first, is_tuple
from ..values.scope import Session, merged_or_unusable
from ..values.values import describe, lift, normalise
from .bound_methods import KINDS, bound_method
from .columns import entered, leave, read_column, replace_in_column
from .running import Running, at_index, put, put_object

#: Calls a value with arguments: `invoke(callee, args, kwargs, at)`.
Invoke = Callable[[Any, Sequence[Any], Mapping[str, Any], Span], Any]
Condition = tuple[Term, bool]  # a condition, and whether it holds or not


def field_names(value: Any) -> list[str]:
    """What can be written after the dot: fields, properties and methods."""
    found = first(value)
    assert isinstance(found, Instance)
    own = [n for c in found.cls.__mro__[:-1] for n in vars(c) if not n.startswith("_")]
    return [*found.names, *(n for n in dict.fromkeys(own) if n not in found.names)]


def held(object_: Object, index: int, at: Span, what: str = "this element") -> Any:
    """What stands in a field or an element."""
    object_, index = object_.place(index)
    value = object_.items[index]
    if value is UNSET:
        raise TraceError(f"{what} has no value yet", at, "__init__ or __post_init__ assigns it")
    if isinstance(value, Unusable):
        raise unreadable(value, at)
    return value


def attribute(session: Session, value: Any, name: str, at: Span, invoke: Invoke) -> Any:
    """`value.name` of a struct: a field, a property, a bound method, a constant of the class."""
    value = session.present(value, at)
    if isinstance(value, Running):
        known = first(value)
        if name in known.names:
            return _held_at(session, value, known.names.index(name), at)
        return _of_class(session, value, known.cls.__mro__, name, at, invoke)
    if isinstance(value, Choice):
        return of_both(session, value, lambda v: attribute(session, v, name, at, invoke), at)
    if name in value.names:
        return held(value, value.names.index(name), at, f"{value.cls.__name__}.{name}")
    return _of_class(session, value, value.cls.__mro__, name, at, invoke)


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method of `owner`."""

    owner: type
    value: Any


def inherited(session: Session, base: Super, name: str, at: Span, invoke: Invoke) -> Any:
    """`super().name`."""
    value = session.present(base.value, at)
    if isinstance(value, Choice) and not isinstance(value, Running):
        return of_both(
            session,
            value,
            lambda v: inherited(session, Super(base.owner, v), name, at, invoke),
            at,
        )
    order = _class_of(value).__mro__
    return _of_class(session, value, order[order.index(base.owner) + 1 :], name, at, invoke)


def _class_of(value: Any) -> type:
    """The class of an object; a class itself, in its own methods."""
    return value if isinstance(value, type) else first(value).cls


def _of_class(
    session: Session, value: Any, order: Sequence[type], name: str, at: Span, invoke: Invoke
) -> Any:
    if name == "__class__":
        return order[0]
    found = next((vars(c)[name] for c in order if name in vars(c)), UNSET)
    if name == "_replace" and is_named_tuple(order[0]):
        return partial(dataclasses.replace, value)
    match found:
        case property(fget=getter) | cached_property(func=getter) if getter is not None:
            if isinstance(found, cached_property):
                keep_first(session, value, name, at)
            return invoke(getter, [value], {}, at)
    if isinstance(found, KINDS):
        return bound_method(found, value, _class_of(value))
    if found is UNSET or (name.startswith("__") and name != "__init__" and is_generated(found)):
        names = [n for n in field_names(value) if n[0] != "_"]
        message = f"{describe(value)} has no field {name!r}{nearest(name, names)}"
        raise TraceError(message, at, f"it has {', '.join(names[:12])}")
    return MethodType(found, value) if callable(found) else normalise(found, session.real)


def _held_at(session: Session, value: Running, place: Any, at: Span) -> Any:
    """What stands in a field or an element of one of many objects."""
    column, index = value.column(place)
    for object_, k in column:
        held(object_, k, at)
    found = read_column(session, column, index)
    return value.item(place) if found is None else found


def of_both(session: Session, value: Choice, read: Callable[[Any], Any], at: Span) -> Any:
    """What both objects give that a reference may lead to, as one value."""
    then, other = in_arms(session, value.condition, value.then, value.other, read, at)
    if then is other:
        return then
    if callable(first(then)) and callable(first(other)):
        return Choice(value.condition, then, other)
    return session.either(value.condition, then, other, at)


def set_attribute(
    session: Session,
    value: Any,
    name: str,
    new: Any,
    at: Span,
    invoke: Invoke,
    anew: bool = False,
) -> None:
    """`value.name = new` of a struct, for every object that the reference may lead to.

    `anew`: the object is being made, it may be of a frozen class.
    """
    value = session.present(value, at)
    if isinstance(value, Choice) and not isinstance(value, Running):
        _set_in_arms(session, value, name, new, at, invoke, anew)
        return
    known = first(value)
    if name not in known.names:
        found = inspect.getattr_static(known.cls, name, UNSET)
        if isinstance(found, property) and found.fset is not None:
            invoke(found.fset, [value, new], {}, at)
            return
        how = how_to_begin(known.cls, name)
        hint = f"its fields are {', '.join(known.names)}; {how}" if known.names else how
        where = f"field {name!r} of {describe(value)}"
        if found is not UNSET:
            raise TraceError(f"{where} cannot be assigned to: it is no variable", at, hint)
        raise TraceError(f"{where} does not exist{nearest(name, field_names(value))}", at, hint)
    if is_frozen(known.cls) and not anew:
        tuple_ = is_named_tuple(known.cls)
        how = f"write a new one: value._replace({name}=…)" if tuple_ else "build a new one"
        what = "NamedTuple" if tuple_ else "frozen dataclass"
        raise TraceError(f"{known.cls.__name__} is a {what}", at, how)
    index = known.names.index(name)
    field = fields(known.cls, session.real)[index]
    if not isinstance(value, Running):
        new = fitting(session, field, value.cls, new, at)
        _set_known(session, value, index, new, at)
    elif not put(session, value, index, fitting(session, field, known.cls, new, at), at):
        _set_in_arms(session, value, name, new, at, invoke, anew)


def _set_in_arms(
    session: Session, value: Choice, name: str, new: Any, at: Span, invoke: Invoke, anew: bool
) -> None:
    def put_arm(arm: Any) -> None:
        set_attribute(session, arm, name, new, at, invoke, anew)

    in_arms(session, value.condition, value.then, value.other, put_arm, at)


def fitting(session: Session, field: Field, cls: type, new: Any, at: Span) -> Any:
    """What a field holds after a value is stored in it, as its annotation says."""
    what = f"field {field.name!r} of {cls.__name__}"
    if field.type is not None:
        new = converted(new, field.type, session.real, at, what)
    if not field.stops:
        return new
    if carries_derivative(session, new):
        raise TraceError(
            f"this value carries a derivative, but {what} is no_diff: the derivative would be lost",
            at,
            "write detach(…) around the value, or annotate the field without no_diff",
        )
    return without_derivative(session, new, what)


def _put(
    session: Session, object_: Object, index: int, new: Any, at: Span, under: Sequence[Condition]
) -> None:
    if not under:
        _set_known(session, object_, index, new, at)
        return
    where: Term | bool = True
    for condition, holds in under:
        where = both(where, condition if holds else negated(condition))
    new = leave(session, ((object_, index),), const(0, Scalar.I32), new, at, where)
    old = object_.items[index]
    for condition, holds in reversed(under):
        sides = (new, old) if holds else (old, new)
        new = merged_or_unusable(session, condition, *sides, at)
    session.write(object_, index, new, at)


def _set_known(session: Session, object_: Object, index: int, new: Any, at: Span) -> None:
    place = ((object_, index),)
    new = leave(session, place, const(0, Scalar.I32), new, at)
    session.write(object_, index, new, at)
    entered(session, place, new, at)


#: Of a list: a position, the condition for each, or (always, where the second is set) the index.
Place = Callable[[Listed, bool], Any]


def element(session: Session, value: Any, place: Place, at: Span) -> Any:
    """An element of a list; `place` gives its position, or the condition for every position."""
    value = session.present(value, at)
    if isinstance(value, Running):
        return _held_at(session, value, place(first(value), True), at)
    if isinstance(value, Choice):
        return of_both(session, value, lambda v: element(session, v, place, at), at)
    where = place(value, False)
    if isinstance(where, int):
        return held(value, where, at)
    if isinstance(where, Term):
        return read_long(session, value, where, at)
    result = held(value, len(where) - 1, at)
    for index in reversed(range(len(where) - 1)):
        part = held(value, index, at)
        result = session.either(where[index], part, result, at)
    return result


def set_element(
    session: Session,
    value: Any,
    place: Place,
    new: Any,
    at: Span,
    under: Sequence[Condition] = (),
) -> None:
    """`value[place] = new` of a list, for every list that the reference may lead to."""
    value = session.present(value, at)
    running = isinstance(value, Running) and not under
    if running and put(session, value, place(first(value), True), new, at):
        return
    if isinstance(value, Choice):
        for arm, holds in ((value.then, True), (value.other, False)):
            set_element(session, arm, place, new, at, [*under, (value.condition, holds)])
        return
    where = place(value, False)
    if isinstance(where, Term) and write_long(session, value, where, new, at, under):
        return
    if isinstance(where, Term):
        where = _conditions(session, where, len(value.items), at)
    positions = [where] if isinstance(where, int) else range(len(where))
    for index in positions:
        path = under if isinstance(where, int) else [*under, (where[index], True)]
        _put(session, value, index, _like(session, value.items[index], new, at), at, path)


def _conditions(session: Session, index: Term, count: int, at: Span) -> list[Term]:
    numbers = [lift(k, session.real) for k in range(count)]
    pairs = [[scalar(index), k] for k in numbers]
    return [apply(session.rules, "eq", pair, session.real, at).term for pair in pairs]


def read_long(session: Session, value: Listed, index: Term, at: Span) -> Any:
    """An element of a long list: by memory, or by selects where it holds no numbers."""
    items = [held(value, k, at) for k in range(len(value.items))]
    found = read_column(session, _column(value), index)
    if found is not None:
        return found
    running = at_index(session, value, index)
    if running is not None:
        return running
    where = _conditions(session, index, len(items), at)
    result = items[-1]
    for k in reversed(range(len(items) - 1)):
        result = session.either(where[k], items[k], result, at)
    return result


def write_long(
    session: Session,
    value: Listed,
    index: Term,
    new: Any,
    at: Span,
    under: Sequence[Condition],
) -> bool:
    """Write an element of a long list through memory; False where that cannot be."""
    if isinstance(new, Object) and not under:
        running = at_index(session, value, index)
        return running is not None and put_object(session, running, new, at)
    if under or isinstance(new, Object | Choice | tuple | str):
        return False
    for k in range(len(value.items)):
        held(value, k, at)
    return replace_in_column(session, _column(value), index, new, at)


def _column(value: Listed) -> Column:
    return tuple([(value, k) for k in range(len(value.items))])


def _like(session: Session, old: Any, new: Any, at: Span) -> Any:
    """The new element: a number or a vector where there was one, a struct of the same class.

    Either may be None.
    """
    if isinstance(old, Unusable):
        raise unreadable(old, at)
    a, b = first(old), first(new)
    same = type(a) is type(b) if isinstance(a, Object) else not isinstance(b, Object)
    if same and isinstance(a, Instance) and isinstance(b, Instance):
        same = a.cls is b.cls
    if not same and a is not None and b is not None:
        raise TraceError(f"this element is {describe(old)}: it cannot become {describe(new)}", at)
    return new


def as_plain_tuple(session: Session, value: Any, at: Span) -> tuple[Any, ...] | None:
    """The fields of a `NamedTuple`, in order; None of any other value."""
    known = first(value)
    if not isinstance(known, Instance) or not is_named_tuple(known.cls):
        return None
    return tuple(attribute(session, value, name, at, no_call) for name in known.names)


def elements(session: Session, value: Any, at: Span) -> tuple[Any, ...]:
    """The elements of a list."""
    each = range(count_of(value, at))
    return tuple(element(session, value, at_position(i), at) for i in each)


def at_position(index: int) -> Place:
    """The place of an element that is known."""
    return lambda found, always: index


def plain(session: Session, value: Any, at: Span) -> Any:
    """Lists as tuples, also those inside: what functions of NumPy and of egad work with."""
    if isinstance(first(value), Listed):
        return tuple(plain(session, item, at) for item in elements(session, value, at))
    fields_ = as_plain_tuple(session, value, at)
    value = value if fields_ is None else fields_
    if is_tuple(value):
        return tuple(plain(session, item, at) for item in value)
    return value


def no_call(*args: Any) -> Any:
    """What reads and writes of fields need in the place of `Invoke`: fields call nothing."""
    raise AssertionError("fields are not called")


def dunder(value: Any, name: str) -> Any:
    """The method of a struct that an operator calls, bound to it; None where it has none."""
    found = first(value)
    if not isinstance(found, Instance):
        return None
    if isinstance(value, Choice) and not isinstance(value, Running):
        then, other = dunder(value.then, name), dunder(value.other, name)
        return None if then is other is None else Choice(value.condition, then, other)
    function = inspect.getattr_static(found.cls, name, None)
    code = getattr(function, "__code__", None)
    if code is None or code.co_filename == "<string>":  # written by dataclass
        return None
    return MethodType(function, value)
