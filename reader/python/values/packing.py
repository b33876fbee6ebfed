"""Values with everything in them as one symbolic value, and values made to fit a type.

Takes values of the reader, gives one `Value` over flat components and back again, and
conversions to the type that an annotation or a slot says. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....terms.apply import select_leaves
from ....terms.bits import COUNT
from ....terms.errors import Span, TraceError
from ....terms.lowering import read_as
from ....terms.term import Term, const
from ....terms.types import Arr, Mat, Scalar, Tup, Type, Vec, leaf_types, type_name
from ....terms.value import Value, cast, convert, pack, retype, scalar
from ...marks import DifferentialPair
from ...structs import class_of, key_of
from .arrays import arrayed, is_array, of_vector
from .branches import Unusable
from .hints import PAIR_NAMES, fields, pair_type, union_type
from .keyed import Keyed, keyed
from .members import restored
from .objects import UNSET, Choice, Instance, Listed, is_optional, objects_of
from .values import (
    article,
    as_tuple,
    describe,
    detached,
    is_number,
    is_static,
    lift,
    may_be_none,
    number,
    stacked,
)


def packed(value: Any, real: Scalar, at: Span | None = None) -> Value:
    """Any value, with everything in it, as one symbolic value: `unpacked` takes it apart."""
    if is_optional(value):
        raise may_be_none(value, at)
    if isinstance(value, Choice):
        alone = value.whole()
        if alone is not None:
            return packed(alone, real, at)
        if len({o.cls for o in _instances(value)}) > 1:
            return _either_class(value, real, at)
        then, other = packed(value.then, real, at), packed(value.other, real, at)
        both = select_leaves(value.condition, then, other, real)
        return _either_class(value, real, at) if both is None else both
    if isinstance(value, Instance):
        return _packed_instance(value, real, at)
    if isinstance(value, Listed):
        return _packed_list(value, real, at)
    if isinstance(value, Unusable):
        raise TraceError(value.reason, at, value.hint)
    if not isinstance(value, tuple):
        return lift(value, real, at)
    whole = pack([packed(item, real, at) for item in value])
    if isinstance(value, DifferentialPair):
        assert isinstance(whole.type, Tup)
        return Value(Tup(whole.type.items, PAIR_NAMES), whole.leaves)
    if isinstance(value, Keyed):
        assert isinstance(whole.type, Tup)
        return Value(Tup(whole.type.items, value.names(at)), whole.leaves)
    return whole


def _tuple_of(type_: Tup, items: Sequence[Any]) -> Any:
    """The items as the type says: as a pair, a dictionary, a list or a tuple."""
    if type_.names == PAIR_NAMES:
        return DifferentialPair(*items)
    if type_.listed:
        return Listed(list(items))
    return keyed(dict(zip(type_.names, items, strict=True))) if type_.names else tuple(items)


def _instances(value: Any) -> list[Instance]:
    """The structs that a reference may lead to, in order."""
    if isinstance(value, Choice):
        return [*_instances(value.then), *_instances(value.other)]
    return [value] if isinstance(value, Instance) else []


def _either_class(value: Choice, real: Scalar, at: Span | None) -> Value:
    """A reference to structs of different classes: one of several structs, with a tag."""
    classes = list(dict.fromkeys(o.cls for o in _instances(value)))
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
            raise TraceError(f"{name} has no value yet", at, "give it one in __init__")
        part = packed_as(item, field.type, real, at)
        if field.type is not None:
            fitting = convert(part, field.type)
            if fitting is None:
                raise _misfit(item, field.type, at, f"field {field.name!r}")
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
    common = _common([p.type for p in parts])
    if common is None:
        whole = pack(parts)
        assert isinstance(whole.type, Tup)
        return Value(replace(whole.type, listed=True), whole.leaves)
    fitting = [convert(p, common) for p in parts]
    leaves = tuple(t for p in fitting if p is not None for t in p.leaves)
    return Value(Arr(common, len(parts), is_array(value)), leaves)


_UNSIGNED = (Scalar.WIDE, Scalar.LOOSE, Scalar.UINT)
_WIDTH = (Scalar.BOOL, Scalar.I32, *_UNSIGNED, Scalar.F16, Scalar.F32, Scalar.F64)


def _common(types: Sequence[Type]) -> Type | None:
    """The type in which the elements of a list meet; None where there is none."""
    outlines = {str(retype(t, Scalar.REAL)) for t in types}
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
    return _tuple_of(value.type, items)


def zeros(type_: Type) -> Any:
    """A new value of which all is zero."""
    return unpacked(Value(type_, tuple(const(0, kind) for kind in leaf_types(type_))))


def _alternatives(tag: Term, members: Sequence[Any]) -> Any:
    """A reference to one of several structs, as the tag says."""
    result = members[-1]
    for index in reversed(range(len(members) - 1)):
        condition = Term("eq", (tag, const(index, Scalar.I32)), None, Scalar.BOOL)
        result = Choice(condition, members[index], result)
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
            return Tup(tuple(types), listed=True)
        return Arr(common, len(types), is_array(value))
    if isinstance(value, Choice):
        return packed(value, real, at).type
    if isinstance(value, DifferentialPair):
        of = value.d if is_static(value.p) and not is_static(value.d) else value.p
        return pair_type(type_of(of, real, at))
    if isinstance(value, tuple):
        names = value.names(at) if isinstance(value, Keyed) else ()
        return Tup(tuple(type_of(item, real, at) for item in value), names)
    if isinstance(value, bool):
        return Scalar.BOOL
    return real if is_number(value) else lift(value, real, at).type


def converted(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """The value as `type_`; static numbers stay static. Raises TraceError where it does not fit.

    Integers become real, widths of reals change; a real never becomes an integer by itself.
    """
    if isinstance(type_, Arr):
        return _as_array(value, type_, real, at, what)
    if isinstance(type_, Tup):
        if type_.struct:
            return _as_struct(value, type_, real, at, what)
        if type_.listed:
            return _as_list(value, type_, real, at, what)
        if isinstance(value, Listed):
            value = tuple(value.items)
        value = value.ordered(type_.names) if isinstance(value, Keyed) else value
        if not isinstance(value, tuple) or len(value) != len(type_.items):
            raise _misfit(value, type_, at, what)
        items = [converted(v, t, real, at, what) for v, t in zip(value, type_.items, strict=True)]
        return _tuple_of(type_, items)
    if isinstance(type_, Scalar) and is_number(value):
        plain = number(value)
        if type_ is Scalar.BOOL and isinstance(plain, bool):
            return plain
        if type_ is Scalar.I32 and isinstance(plain, int):
            return int(plain)
        fits = isinstance(plain, int) and (type_ is Scalar.LOOSE or 0 <= plain < COUNT)
        if type_.is_unsigned and fits:
            return scalar(const(plain % COUNT, type_))
        if type_.is_real and not isinstance(plain, bool):
            return float(plain)
        raise _misfit(value, type_, at, what)
    value = as_tuple(value)
    if isinstance(value, tuple) and not isinstance(value, DifferentialPair):
        value = stacked(value, real) or value  # a static list where a vector is asked for
    if type_ is Scalar.I32 and getattr(value, "type", None) in _UNSIGNED[:2]:
        return value  # an integer of Python, which an int may be
    if not isinstance(value, Value) or not _widens(value.type, type_):
        raise _misfit(value, type_, at, what)
    result = convert(value, type_)
    if result is None:
        raise _misfit(value, type_, at, what)
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
    raise _misfit(value, type_, at, what)


def standing(value: Any, type_: Type, real: Scalar, at: Span | None) -> Type:
    """The type of what stands where `type_` is annotated: of a struct made from it, its own."""
    if isinstance(value, DifferentialPair):
        return standing(value.p, type_, real, at)
    if type_ is Scalar.I32 and isinstance(value, Value) and value.type in _UNSIGNED[:2]:
        return value.type  # an integer of Python, which an int may be
    if not isinstance(type_, Tup) or type_.union:
        return type_
    if type_.struct:
        base = class_of(type_.struct)
        wider = any(base in i.cls.__mro__[1:] for i in _instances(value))
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


def _of_elements(
    value: Any, type_: Type, kinds: Sequence[Type], real: Scalar, at: Span | None, what: str
) -> Any:
    if isinstance(value, Choice):
        for object_ in objects_of(value):
            _of_elements(object_, type_, kinds, real, at, what)
        return value
    given = value.items if isinstance(value, Listed) else value
    if not isinstance(given, list | tuple) or len(given) != len(kinds):
        raise _misfit(value, type_, at, what)
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


def _misfit(value: Any, type_: Type, at: Span | None, what: str) -> TraceError:
    if is_optional(value):
        return may_be_none(value, at)
    wanted = type_name(type_)
    if isinstance(type_, Tup) and type_.names == PAIR_NAMES:
        wanted = "DifferentialPair"
    hint = ""
    if isinstance(type_, Arr) and isinstance(value, Listed | tuple):
        hint = f"it has {type_.size} elements"
    elif wanted == "DifferentialPair":
        hint = "it has no tangent: annotate it without Pair, or pass diff_pair(value, tangent)"
    elif isinstance(value, DifferentialPair):
        hint = "it is a value with its tangent: annotate the parameter as Pair"
    elif isinstance(value, tuple) and not isinstance(type_, Tup | Arr):
        hint = "take an item: t[0], or unpack it: a, b = t"
    elif isinstance(type_, Scalar) and (isinstance(value, Value) or is_number(value)):
        hint = f"convert with {wanted}(…)"
        if any(kind in (Scalar.WIDE, Scalar.LOOSE) for kind in (type_, getattr(value, "type", 0))):
            hint = "integers beyond 31 bits: annotate it egad.uint, or mask: … & 0xFFFFFFFF"
        if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
            hint = "take a component: v.x, m[0][1]"
    elif isinstance(type_, Vec | Mat) and (is_number(value) or isinstance(value, Value)):
        hint = f"build it: {wanted}(…) takes the components, or one number for all"
    elif callable(value):
        hint = "call it: write the arguments in parentheses"
    return TraceError(f"{what} must be {article(wanted)} {wanted}, not {describe(value)}", at, hint)


def broadcast(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """As `converted`; one number also fills a vector, a matrix, or both halves of a pair."""
    if isinstance(type_, Arr) or (isinstance(type_, Tup) and type_.struct):
        if is_number(value):
            number_ = lift(value, real, at).term
            return unpacked(Value(type_, tuple(cast(number_, k) for k in leaf_types(type_))))
    elif isinstance(type_, Tup) and not isinstance(value, tuple) and is_number(value):
        return _tuple_of(type_, [broadcast(value, t, real, at, what) for t in type_.items])
    if isinstance(type_, Vec | Mat) and (
        is_number(value) or (isinstance(value, Value) and isinstance(value.type, Scalar))
    ):
        term = lift(value, real, at).term
        return Value(type_, tuple(cast(term, k) for k in leaf_types(type_)))
    return converted(value, type_, real, at, what)


def fitted(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """As `broadcast`, and symbolic throughout: exactly of the type, constants too."""
    exact = convert(packed_as(broadcast(value, type_, real, at, what), type_, real, at), type_)
    if exact is None:
        raise _misfit(value, type_, at, what)
    return unpacked(exact)
