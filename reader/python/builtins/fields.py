"""Fields: `v.x`, `v.zyx`, `m._m01`, `object.name`, read and written.

Takes values, gives the part or the value with the part replaced; knows nothing of syntax.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.types import COMPONENTS, Mat, Scalar, Vec
from ....terms.value import Value
from ...marks import DifferentialPair
from ..arrays.numpying import method_of_array, methods_of_arrays
from ..arrays.parts import flat
from ..arrays.picking import method_of_picked
from ..operations import dictionaries
from ..operations.access import parts_of, replaced, set_item
from ..operations.growing import RESIZING
from ..operations.methods import method_of
from ..operations.ordering import is_sequence
from ..operations.plain import attribute_of, is_plain
from ..operations.records import Invoke, Super, attribute, inherited, of_both
from ..operations.slices import transposed
from ..values.arrays import is_array
from ..values.entries import is_dictionary
from ..values.members import Member
from ..values.objects import Choice, Instance, Listed, Object, Partial, first, is_optional
from ..values.picked import Picked
from ..values.scope import Session
from ..values.values import describe, normalise, unless_annotated

_COLOURS = "rgba"
_OF_LISTS = (*RESIZING, "remove", "sort", "reverse", "index", "count", "copy")


def get_field(session: Session, value: Any, name: str, at: Span, invoke: Invoke) -> Any:
    """`value.name`: a component, a swizzle, a field or method, an attribute of a module."""
    if isinstance(value, Super):
        return inherited(session, value, name, at, invoke)
    value = session.present(value, at) if is_optional(value) else value
    if isinstance(first(value), Instance):
        return attribute(session, value, name, at, invoke)
    if isinstance(value, Picked):
        return method_of_picked(value, name, at, invoke)
    if is_array(value) and name == "flat":
        return flat(session, value, at)
    if is_array(value):
        method = method_of_array(value, name)
        if method is None:
            raise _no_method(value, name, methods_of_arrays(), at)
        return invoke(method, [], {}, at) if name == "T" else method
    if name == "__getitem__" and (is_sequence(value) or is_dictionary(value)):
        return Partial(operator.getitem, (value,), {})  # max(range(3), key=xs.__getitem__)
    found = is_sequence(value) and name in ("index", "count")
    if found and name not in getattr(value, "_fields", ()):
        return Partial(getattr(list, name), (value,), {})
    if isinstance(first(value), Listed) and name in _OF_LISTS[:-1]:
        return Partial(getattr(list, name), (value,), {})
    if isinstance(first(value), Listed):
        method = method_of(session, value, name, at)
        if method is None:
            raise _no_method(value, name, _OF_LISTS, at)
        return method
    if isinstance(value, Choice) and isinstance(first(value), type):
        return of_both(session, value, lambda v: get_field(session, v, name, at, invoke), at)
    if is_dictionary(value):
        return dictionaries.method_of(session, value, name, at)
    if isinstance(value, Member):
        return _of_member(value, name, at, invoke)
    if is_plain(value):
        return attribute_of(session, value, name, at)
    if isinstance(value, Value):
        if isinstance(value.type, Mat) and name == "T":
            return transposed(value)
        if isinstance(value.type, Vec | Mat):
            method = method_of(session, value, name, at) or method_of_array(value, name)
            if method is not None:
                return method
        entry = _entry(value, name)
        if entry is not None:
            return value.item(entry[0]).item(entry[1])
        places = _swizzle(value, name, at)
        if len(places) == 1:
            return value.item(places[0])
        assert isinstance(value.type, Vec)
        return Value(Vec(value.type.elem, len(places)), tuple(value.leaves[i] for i in places))
    try:
        return normalise(getattr(value, name), session.real)
    except AttributeError:
        raise _no_attribute(session, value, name, at) from None
    except Exception as error:  # a property or module that fails on its own
        raise TraceError(f"reading {name!r} of {describe(value)} fails: {error}", at) from None


def has_field(session: Session, value: Any, name: str, at: Span, invoke: Invoke) -> bool:
    """Whether there is `value.name`, of a value that is settled."""
    if isinstance(value, Instance):
        return name in value.names or hasattr(value.cls, name)
    if not isinstance(value, Value | Object | Member):
        return hasattr(value, name)
    try:
        get_field(session, value, name, at, invoke)
    except TraceError:
        return False
    return True


def _of_member(value: Member, name: str, at: Span, invoke: Invoke) -> Any:
    """What a member has that only the kernel knows: its number, and the methods of its class."""
    match inspect.getattr_static(value.of, name, None):
        case _ if name == "value":
            return Value(value.type, value.leaves)
        case property(fget=getter) if getter is not None:
            return invoke(getter, [value], {}, at)
        case FunctionType() as method:
            return MethodType(method, value)
        case classmethod(__func__=method):
            return MethodType(method, value.of)
        case staticmethod(__func__=method):
            return method
    message = f"{name!r} of {describe(value)} is known only when the kernel runs"
    raise TraceError(message, at, "use .value, a method, or compare with the members")


def _no_attribute(session: Session, value: Any, name: str, at: Span) -> TraceError:
    if isinstance(value, ModuleType):
        message = f"module {value.__name__!r} has no {name!r}"
        if name in session.rules.words:
            return TraceError(message, at, f"egad has it: {name}(…), which needs no import")
        return TraceError(f"{message}{nearest(name, dir(value))}", at)
    fields = [n for n in getattr(value, "_fields", dir(value)) if not n.startswith("_")]
    hint = f"it has {', '.join(fields[:12])}" if fields and not callable(value) else ""
    if type(value) is tuple and name in RESIZING:
        hint = "a tuple, and a list from outside of the function, stays as it is: xs = list(…)"
    elif type(value) is tuple:
        hint = "its items have no names: take one by its place, t[0], or all of them, a, b = t"
    if isinstance(value, DifferentialPair):
        hint = f"a pair has a value and a tangent: .p.{name} and .d.{name}"
        if is_plain(value.p):
            hint = "a pair has a value, .p, and a tangent, .d"
    return TraceError(f"{describe(value)} has no field {name!r}{nearest(name, fields)}", at, hint)


def _no_method(value: Any, name: str, known: Sequence[str], at: Span) -> TraceError:
    if name in RESIZING:
        message = f"an array keeps its shape: .{name} is not in the language"
        return TraceError(message, at, "begin with a list, [], and end with np.array(xs)")
    message = f"{describe(value)} has no field {name!r}{nearest(name, known)}"
    return TraceError(message, at, f"take an element: a[0]; it has {', '.join(known[:12])}")


def _swizzle(value: Value, name: str, at: Span) -> list[int]:
    """The component numbers that a field name stands for."""
    if isinstance(value.type, Vec):
        for letters in (COMPONENTS, _COLOURS):
            valid = letters[: value.type.size]
            if 1 <= len(name) <= 4 and all(c in valid for c in name):
                return [valid.index(c) for c in name]
        valid = COMPONENTS[: value.type.size]
        hint = f"its fields are {', '.join(valid)} and combinations such as .{valid[::-1]}"
    else:
        hint = "a matrix has rows m[0], elements m[0][1], m[0, 1] or m._m01, and .T"
    raise TraceError(f"{describe(value)} has no field {name!r}", at, hint)


def _entry(value: Value, name: str) -> tuple[int, int] | None:
    """Row and column of `m._m01`, which counts from 0, and of `m._12`, which counts from 1."""
    found = re.fullmatch(r"_(m?)(\d)(\d)", name)
    if found is None or not isinstance(value.type, Mat):
        return None
    row, column = (int(digit) - (not found[1]) for digit in found.groups()[1:])
    inside = 0 <= row < value.type.rows and 0 <= column < value.type.cols
    return (row, column) if inside else None


def set_field(session: Session, value: Any, name: str, new: Any, at: Span) -> Any:
    """The vector `value` after `value.name = new`."""
    if not isinstance(value, Value) or isinstance(value.type, Scalar):
        hint = "only structs, lists, vectors and matrices can be changed; build a new value"
        hint = unless_annotated(value, hint)
        raise TraceError(f"cannot assign to a field of {describe(value)}", at, hint)
    entry = _entry(value, name)
    if entry is not None:
        row = set_item(session, value.item(entry[0]), entry[1], new, at)
        return replaced(session, value, {entry[0]: row})
    places = _swizzle(value, name, at)
    if len(set(places)) != len(places):
        raise TraceError(f".{name} names a component twice: it cannot be assigned to", at)
    parts = parts_of(session, new, len(places), f".{name}", at)
    return replaced(session, value, dict(zip(places, parts, strict=True)))
