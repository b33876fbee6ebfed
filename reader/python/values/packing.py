"""Values with everything in them as one symbolic value.

Takes values of the reader, gives one `Value` over flat components and back again. Knows nothing of
syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....terms.apply import select_leaves
from ....terms.errors import Span, TraceError
from ....terms.lowering import read_as
from ....terms.term import Term, const
from ....terms.types import Arr, Scalar, Tup, Type, leaf_types
from ....terms.value import Value, cast, convert, outline, pack, retype
from ...marks import DifferentialPair
from ...structs import class_of, key_of
from .arrays import arrayed, is_array
from .branches import Unusable
from .conditions import as_term, equals
from .hints import PAIR_NAMES, fields, pair_type, union_type
from .keyed import Keyed, keyed, mapped
from .members import restored
from .misfits import misfit
from .objects import UNSET, Choice, Instance, Listed, Mapped, is_optional, named_tuple
from .values import (
    describe,
    detached,
    is_number,
    is_static,
    lift,
    may_be_none,
)


def packed(value: Any, real: Scalar, at: Span | None = None) -> Value:
    """Any value, with everything in it, as one symbolic value: `unpacked` takes it apart."""
    if is_optional(value):
        raise may_be_none(value, at)
    if isinstance(value, Choice):
        alone = value.whole()
        if alone is not None:
            return packed(alone, real, at)
        if len({o.cls for o in instances(value)}) > 1:
            return _either_class(value, real, at)
        then, other = packed(value.then, real, at), packed(value.other, real, at)
        other = in_order(other, then.type)
        both = select_leaves(value.condition, then, other, real)
        return _either_class(value, real, at) if both is None else both
    if isinstance(value, Instance):
        return _packed_instance(value, real, at)
    if isinstance(value, Listed):
        return _packed_list(value, real, at)
    if isinstance(value, Mapped):
        held = packed(value.items[0], real, at)
        assert isinstance(held.type, Tup)
        return Value(replace(held.type, form="dict"), held.leaves)
    if isinstance(value, Unusable):
        raise TraceError(value.reason, at, value.hint)
    if not isinstance(value, tuple):
        return lift(value, real, at)
    whole = pack([packed(item, real, at) for item in value])
    if isinstance(value, DifferentialPair):
        assert isinstance(whole.type, Tup)
        return Value(Tup(whole.type.items, PAIR_NAMES), whole.leaves)
    assert isinstance(whole.type, Tup)
    return Value(_called(value, whole.type.items), whole.leaves)


def in_order(value: Value, type_: Type) -> Value:
    """Dictionaries in it with their entries in the order of a type that has the same."""
    held = value.type
    if held == type_:
        return value
    if isinstance(held, Arr) and isinstance(type_, Arr):
        items = [in_order(item, type_.item) for item in value.items()]
        same = len({item.type for item in items}) == 1
        leaves = tuple(t for item in items for t in item.leaves)
        return Value(replace(held, item=items[0].type), leaves) if same else value
    if not isinstance(held, Tup) or not isinstance(type_, Tup):
        return value
    items = list(value.items())
    if held.turns_into(type_):
        table = dict(zip(held.entries, items, strict=True))
        items = [table[key] for key in type_.entries]
        held = replace(held, names=type_.names, keys=type_.keys)
    if len(items) != len(type_.items):
        return value
    whole = pack([in_order(item, t) for item, t in zip(items, type_.items, strict=True)])
    assert isinstance(whole.type, Tup)
    return Value(replace(held, items=whole.type.items), whole.leaves)


def _called(value: tuple[Any, ...], items: tuple[Type, ...]) -> Tup:
    """The type of a tuple of items of these types: a dictionary, or one with names, has those."""
    if isinstance(value, Keyed):
        return Tup(items, value.keys_) if value.has_names else Tup(items, keys=value.keys_)
    names = getattr(value, "_fields", ())
    return Tup(items, names, form="named" if names else "")


def tuple_of(type_: Tup, items: Sequence[Any]) -> Any:
    """The items as the type says: a pair, a dictionary, a list, a tuple, which may have names."""
    if type_.form == "named":
        return named_tuple(type_.names)(*items)
    if type_.names == PAIR_NAMES:
        return DifferentialPair(*items)
    if type_.form == "list":
        return Listed(list(items))
    table = dict(zip(type_.entries, items, strict=True)) if type_.entries else None
    if type_.form == "dict":
        return mapped(table or {})
    return tuple(items) if table is None else keyed(table)


def instances(value: Any) -> list[Instance]:
    """The structs that a reference may lead to, in order."""
    if isinstance(value, Choice):
        return [*instances(value.then), *instances(value.other)]
    return [value] if isinstance(value, Instance) else []


def _either_class(value: Choice, real: Scalar, at: Span | None) -> Value:
    """A reference to structs of different classes: one of several structs, with a tag."""
    classes = list(dict.fromkeys(o.cls for o in instances(value)))
    name = "_or_".join(cls.__name__ for cls in classes)
    type_ = union_type(name, classes, real) if len(classes) > 1 else None
    if not isinstance(type_, Tup):
        raise TraceError(f"{describe(value)}: this is not one type", at)
    return _tagged(value, type_, real, at)


def packed_as(value: Any, type_: Type | None, real: Scalar, at: Span | None = None) -> Value:
    """As `packed`; where the type asks for one of several structs, with its tag."""
    if isinstance(type_, Tup) and type_.union:
        return _tagged(value, type_, real, at)
    if isinstance(type_, Arr) and isinstance(value, Listed) and len(value.items) == type_.size:
        parts = [packed_as(item, type_.item, real, at) for item in value.items]
        fitting = [convert(part, type_.item) for part in parts]
        if None not in fitting:
            return Value(type_, tuple(t for p in fitting if p is not None for t in p.leaves))
    return packed(value, real, at)


def _packed_instance(value: Instance, real: Scalar, at: Span | None) -> Value:
    parts = []
    for field, item in zip(fields(value.cls, real), value.items, strict=True):
        if item is UNSET:
            name = f"{value.cls.__name__}.{field.name}"
            raise TraceError(
                f"{name} has no value yet", at, "give it one in __init__ or __post_init__"
            )
        part = packed_as(item, field.type, real, at)
        if field.type is not None:
            fitting = convert(part, field.type)
            if fitting is None:
                raise misfit(item, field.type, at, f"field {field.name!r}")
            part = fitting
        parts.append(part)
    whole = pack(parts)
    assert isinstance(whole.type, Tup)
    return Value(Tup(whole.type.items, value.names, key_of(value.cls)), whole.leaves)


def _packed_list(value: Listed, real: Scalar, at: Span | None) -> Value:
    """An array where all elements are of one type (of one width: the widest), else as they are."""
    parts = [packed(item, real, at) for item in value.items]
    if not parts:
        raise TraceError("a list without elements has no type", at)
    parts = [in_order(p, parts[0].type) for p in parts]
    common = _common([p.type for p in parts])
    if common is None:
        whole = pack(parts)
        assert isinstance(whole.type, Tup)
        return Value(replace(whole.type, form="list"), whole.leaves)
    fitting = [convert(p, common) for p in parts]
    leaves = tuple(t for p in fitting if p is not None for t in p.leaves)
    return Value(Arr(common, len(parts), is_array(value)), leaves)


_UNSIGNED = (Scalar.WIDE, Scalar.LOOSE, Scalar.UINT)
_WIDTH = (Scalar.BOOL, Scalar.I32, *_UNSIGNED, Scalar.F16, Scalar.F32, Scalar.F64)


def _common(types: Sequence[Type]) -> Type | None:
    """The type in which the elements of a list meet; None where there is none."""
    outlines = {(str(retype(t, Scalar.REAL)), outline(t)) for t in types}
    if len(outlines) > 1:
        return None
    kinds = [leaf_types(t) for t in types]
    if len({*types}) == 1:
        return types[0]
    if any(Scalar.BOOL in k for k in kinds) or any(len({*k}) > 1 for k in kinds):
        return None
    return retype(types[0], max((k[0] for k in kinds), key=_WIDTH.index))


def unpacked(value: Value) -> Any:
    """A value as the reader works with it: tuples are Python tuples, structs new objects."""
    if isinstance(value.type, Arr):
        items = [unpacked(item) for item in value.items()]
        return arrayed(items) if value.type.numpy else Listed(items)
    if not isinstance(value.type, Tup):
        if Scalar.U32 in (value.type, getattr(value.type, "elem", None)):
            leaves = tuple([cast(t, Scalar.UINT) for t in value.leaves])
            return Value(read_as(value.type), leaves)
        return value
    items = [unpacked(item) for item in value.items()]
    if value.type.union:
        return _alternatives(items[0].term, items[1:])
    if value.type.struct:
        return instance(value.type.struct, items)
    return tuple_of(value.type, items)


def zeros(type_: Type) -> Any:
    """A new value of which all is zero."""
    return unpacked(Value(type_, tuple(const(0, kind) for kind in leaf_types(type_))))


def _alternatives(tag: Term, members: Sequence[Any]) -> Any:
    """A reference to one of several structs, as the tag says."""
    result = members[-1]
    for index in reversed(range(len(members) - 1)):
        result = Choice(as_term(equals(tag, index)), members[index], result)
    return result


def _tagged(value: Any, type_: Tup, real: Scalar, at: Span | None) -> Value:
    """One of several structs with its tag; the others are zero."""
    if isinstance(value, Choice):
        then, other = (_tagged(arm, type_, real, at) for arm in (value.then, value.other))
        both = select_leaves(value.condition, then, other, real)
        assert both is not None
        return both
    leaves: list[Term] = []
    for index, item in enumerate(type_.items[1:]):
        if key_of(value.cls) == getattr(item, "struct", ""):
            tag = const(index, Scalar.I32)
            leaves += packed(value, real, at).leaves
        else:
            leaves += [const(0, kind) for kind in leaf_types(item)]
    return Value(type_, (tag, *leaves))


def instance(key: str, items: Sequence[Any]) -> Instance:
    """A new object of the struct class with that key; no derivative enters no_diff fields."""
    cls = class_of(key)
    if cls is None:
        raise TraceError(f"the struct class {key} no longer exists")
    known = fields(cls, Scalar.F32)
    held = [restored(f.hint, v) for f, v in zip(known, items, strict=True)]
    held = [detached(v) if f.stops else v for f, v in zip(known, held, strict=True)]
    return Instance(cls, [f.name for f in known], held)


def type_of(value: Any, real: Scalar, at: Span | None = None) -> Type:
    """The type under which a value becomes an argument; plain numbers are real."""
    if isinstance(value, Value):
        return value.type
    if isinstance(value, Instance):
        kinds = [
            f.type or type_of(v, real, at)
            for f, v in zip(fields(value.cls, real), value.items, strict=True)
        ]
        return Tup(tuple(kinds), value.names, key_of(value.cls))
    if isinstance(value, Listed):
        types = [type_of(item, real, at) for item in value.items]
        common = _common(types) if types else None
        if common is None:
            return Tup(tuple(types), form="list")
        return Arr(common, len(types), is_array(value))
    if isinstance(value, Mapped):
        held = type_of(value.items[0], real, at)
        return replace(held, form="dict") if isinstance(held, Tup) else held
    if isinstance(value, Choice):
        return packed(value, real, at).type
    if isinstance(value, DifferentialPair):
        of = value.d if is_static(value.p) and not is_static(value.d) else value.p
        return pair_type(type_of(of, real, at))
    if isinstance(value, tuple):
        return _called(value, tuple(type_of(item, real, at) for item in value))
    if isinstance(value, bool):
        return Scalar.BOOL
    return real if is_number(value) else lift(value, real, at).type
