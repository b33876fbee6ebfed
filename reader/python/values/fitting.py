"""Values made to fit the type that an annotation or a slot says.

Takes a value and a type, gives a value of it, or the error that it does not fit. Knows nothing of
syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from ....terms.bits import COUNT
from ....terms.errors import Span
from ....terms.term import const
from ....terms.types import Arr, Mat, Scalar, Tup, Type, Vec, leaf_types
from ....terms.value import Value, cast, convert, scalar
from ...marks import DifferentialPair
from ...structs import class_of, key_of
from .arrays import of_vector
from .keyed import Keyed
from .misfits import misfit
from .objects import Choice, Instance, Listed, Mapped, objects_of
from .packing import in_order, instances, packed_as, tuple_of, type_of, unpacked
from .values import as_tuple, is_number, lift, number, stacked

_WIDE = (Scalar.WIDE, Scalar.LOOSE)  # integers of Python, which an int may be


def converted(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """The value as `type_`; static numbers stay static. Raises TraceError where it does not fit.

    Integers become real, widths of reals change; a real never becomes an integer by itself.
    """
    if isinstance(type_, Arr):
        return _as_array(value, type_, real, at, what)
    if isinstance(type_, Tup):
        if type_.struct:
            return _as_struct(value, type_, real, at, what)
        if type_.form == "list":
            return _as_list(value, type_, real, at, what)
        if type_.form == "dict":
            return _as_dictionary(value, type_, real, at, what)
        if isinstance(value, Listed):
            value = tuple(value.items)
        value = value.ordered(type_.entries) if isinstance(value, Keyed) else value
        if not isinstance(value, tuple) or len(value) != len(type_.items):
            raise misfit(value, type_, at, what)
        items = [converted(v, t, real, at, what) for v, t in zip(value, type_.items, strict=True)]
        return tuple_of(type_, items)
    if isinstance(type_, Scalar) and is_number(value):
        plain = number(value)
        if type_ is Scalar.BOOL and isinstance(plain, bool):
            return plain
        if type_ is Scalar.I32 and isinstance(plain, int):
            return value if isinstance(value, Enum) else int(plain)  # a member stays one
        fits = isinstance(plain, int) and (type_ is Scalar.LOOSE or 0 <= plain < COUNT)
        if type_.is_unsigned and fits:
            return scalar(const(plain % COUNT, type_))
        if type_.is_real and not isinstance(plain, bool):
            return float(plain)
        raise misfit(value, type_, at, what)
    given = value
    value = as_tuple(value)
    if isinstance(value, tuple) and not isinstance(value, DifferentialPair):
        value = stacked(value, real) or value  # a static list where a vector is asked for
    if type_ is Scalar.I32 and getattr(value, "type", None) in _WIDE:
        return value  # an integer of Python, which an int may be
    fits = isinstance(value, Value) and _widens(value.type, type_)
    result = convert(value, type_) if fits else None
    if result is None:
        raise misfit(given, type_, at, what)
    return result


def _as_struct(value: Any, type_: Tup, real: Scalar, at: Span | None, what: str) -> Any:
    """The reference to a struct of the class (of one of them), unchanged."""
    if isinstance(value, Choice):
        for object_ in objects_of(value):
            _as_struct(object_, type_, real, at, what)
        return value
    members = [t.struct for t in type_.items if isinstance(t, Tup)] if type_.union else []
    if isinstance(value, Instance) and key_of(value.cls) in members:
        return value
    wanted = class_of(type_.struct) if type_.struct and not type_.union else None
    derived = isinstance(value, Instance) and wanted in value.cls.__mro__[1:]
    if derived:  # where a base class is annotated, a class made of it may stand, as in Python
        return value
    if isinstance(value, Instance) and key_of(value.cls) == type_.struct:
        for part, item in zip(type_.items, value.items, strict=True):
            if isinstance(part, Arr | Tup):
                converted(item, part, real, at, what)
        return value
    raise misfit(value, type_, at, what)


def standing(value: Any, type_: Type, real: Scalar, at: Span | None) -> Type:
    """The type of what stands where `type_` is annotated: of a struct made from it, its own."""
    if isinstance(value, DifferentialPair):
        return standing(value.p, type_, real, at)
    if type_ is Scalar.I32 and isinstance(value, Value) and value.type in _WIDE:
        return value.type  # an integer of Python, which an int may be
    if not isinstance(type_, Tup) or type_.union:
        return type_
    if type_.struct:
        base = class_of(type_.struct)
        wider = any(base in i.cls.__mro__[1:] for i in instances(value))
        return type_of(value, real, at) if wider else type_
    if not isinstance(value, tuple) or len(value) != len(type_.items):
        return type_
    items = [standing(v, t, real, at) for v, t in zip(value, type_.items, strict=True)]
    return replace(type_, items=tuple(items))


def _as_array(value: Any, type_: Arr, real: Scalar, at: Span | None, what: str) -> Any:
    """As `_as_list`, of elements of one type."""
    value = of_vector(value) if type_.numpy else value
    return _of_elements(value, type_, [type_.item] * type_.size, real, at, what)


def _as_list(value: Any, type_: Tup, real: Scalar, at: Span | None, what: str) -> Any:
    """The reference to a list of that length, unchanged; of a tuple, a new list."""
    return _of_elements(value, type_, type_.items, real, at, what)


def _as_dictionary(value: Any, type_: Tup, real: Scalar, at: Span | None, what: str) -> Any:
    """The reference to a dictionary with those keys, in their order; in another one, a new one."""
    if isinstance(value, Choice):
        for object_ in objects_of(value):
            _as_dictionary(object_, type_, real, at, what)
        return value
    held = value.items[0] if isinstance(value, Mapped) else None
    alike = isinstance(held, Keyed) and replace(type_, names=(), keys=held.keys_).turns_into(type_)
    if not isinstance(held, Keyed) or not alike:
        raise misfit(value, type_, at, what)
    items = converted(held, replace(type_, form=""), real, at, what)
    return value if held.keys_ == type_.entries else Mapped([items])


def _of_elements(
    value: Any, type_: Type, kinds: Sequence[Type], real: Scalar, at: Span | None, what: str
) -> Any:
    if isinstance(value, Choice):
        for object_ in objects_of(value):
            _of_elements(object_, type_, kinds, real, at, what)
        return value
    given = value.items if isinstance(value, Listed) else value
    if not isinstance(given, list | tuple) or len(given) != len(kinds):
        raise misfit(value, type_, at, what)
    each = zip(given, kinds, strict=True)
    items = [converted(v, kind, real, at, f"an element of {what}") for v, kind in each]
    return value if isinstance(value, Listed) else Listed(items)


def _rank(kind: Scalar) -> int:
    """Reals convert to each other, integers to reals and to those without a sign."""
    return 3 if kind.is_real else 2 if kind.is_unsigned else 1


def _widens(source: Type, target: Type) -> bool:
    return all(
        a is b or (_rank(a) <= _rank(b) > 1 and a is not Scalar.BOOL)
        for a, b in zip(leaf_types(source), leaf_types(target), strict=False)
    )


def broadcast(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """As `converted`; one number also fills a vector, a matrix, or both halves of a pair."""
    if isinstance(type_, Arr) or (isinstance(type_, Tup) and type_.struct):
        if is_number(value):
            number_ = lift(value, real, at).term
            return unpacked(Value(type_, tuple(cast(number_, k) for k in leaf_types(type_))))
    elif isinstance(type_, Tup) and not isinstance(value, tuple) and is_number(value):
        return tuple_of(type_, [broadcast(value, t, real, at, what) for t in type_.items])
    if isinstance(type_, Vec | Mat) and (
        is_number(value) or (isinstance(value, Value) and isinstance(value.type, Scalar))
    ):
        term = lift(value, real, at).term
        return Value(type_, tuple(cast(term, k) for k in leaf_types(type_)))
    return converted(value, type_, real, at, what)


def fitted(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """As `broadcast`, and symbolic throughout: exactly of the type, constants too."""
    whole = packed_as(broadcast(value, type_, real, at, what), type_, real, at)
    exact = convert(in_order(whole, type_), type_)
    if exact is None:
        raise misfit(value, type_, at, what)
    return unpacked(exact)
