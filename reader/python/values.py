"""The values of the reader: Python objects that stay Python, and symbolic `Value`s.

A static value is any Python object; a symbolic one is a scalar, vector or matrix `Value`.
Tuples hold both and are Python tuples (pairs are `DifferentialPair`s), so that only the edges
of programs know tuple types. Knows nothing of syntax.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import Enum
from numbers import Rational
from typing import Any

from ...terms.apply import select_values
from ...terms.errors import Span, TraceError
from ...terms.rule import RuleSet
from ...terms.term import CONST, DETACH, Term
from ...terms.types import Mat, Scalar, Tup, Type, Vec, leaf_types, parse_type, type_name
from ...terms.value import Value, cast, convert, literal, pack, retype, stack
from ..marks import DifferentialPair
from .members import Member, enumeration

PAIR_NAMES = ("p", "d")


def pair_type(type_: Type) -> Tup:
    """The type of a value of `type_` with its tangent."""
    return Tup((type_, type_), PAIR_NAMES)


def normalise(obj: Any, real: Scalar) -> Any:
    """A Python object as a value: NumPy scalars and small arrays, lists, fractions.

    >>> normalise([1, 2.5], Scalar.F32)
    (1, 2.5)
    """
    if obj is None or isinstance(obj, bool | int | float | str | Value | Enum):
        return obj
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(obj, numpy.generic) or (isinstance(obj, numpy.ndarray) and obj.ndim == 0):
            return obj.item()
        if isinstance(obj, numpy.ndarray):
            return _array(normalise(obj.tolist(), real), real)
    parts = getattr(obj, "egad_parts", None)
    if isinstance(parts, tuple):  # a vector or matrix of numbers, of egad's vocabulary
        type_ = parse_type(parts[0], real)
        assert type_ is not None
        numbers = zip(parts[1], leaf_types(type_), strict=True)
        return Value(type_, tuple(cast(literal(n, real).term, k) for n, k in numbers))
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*(normalise(item, real) for item in obj))
    if isinstance(obj, list | tuple):
        return tuple(normalise(item, real) for item in obj)
    if isinstance(obj, Rational):
        return float(obj)
    return obj


def _array(items: tuple[Any, ...], real: Scalar) -> Any:
    """A vector or matrix where the shape allows, else nested tuples."""
    value = stacked(items, real)
    return items if value is None else value


def stacked(items: Sequence[Any], real: Scalar) -> Value | None:
    """Numbers to a vector, vectors or rows of numbers to a matrix; None where they do not fit."""
    parts = []
    for item in items:
        part = stacked(item, real) if isinstance(item, tuple) else item
        if is_number(part):
            part = lift(part, real)
        if not isinstance(part, Value):
            return None
        parts.append(part)
    return stack(parts)


def is_number(value: Any) -> bool:
    """Whether a value is a static number (an enum member with a numeric value counts)."""
    if isinstance(value, Enum):
        value = value.value
    return isinstance(value, bool | int | float)


def is_truth(value: Any) -> bool:
    """Whether a value is a truth value, known or not."""
    return isinstance(value, bool) or (isinstance(value, Value) and value.type is Scalar.BOOL)


def _counted(value: Any) -> Any:
    """A truth value as the number that it is in Python, 0 or 1."""
    if isinstance(value, Value):
        return Value(Scalar.I32, (cast(value.term, Scalar.I32),))
    return int(value)


def number(value: Any) -> Any:
    """The Python number of a static number."""
    return value.value if isinstance(value, Enum) else value


def is_static(value: Any) -> bool:
    """Whether nothing symbolic is inside a value."""
    if isinstance(value, tuple):
        return all(is_static(item) for item in value)
    return not isinstance(value, Value)


def describe(value: Any) -> str:
    """What a value is, for messages: `a float3`, `a tuple`, `the function g`."""
    if isinstance(value, Member):
        return f"{_article(value.of.__name__)} {value.of.__name__}"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Value):
        return f"{_article(type_name(value.type))} {type_name(value.type)}"
    if isinstance(value, DifferentialPair):
        return "a DifferentialPair"
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int | float):
        return f"the number {value!r}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if isinstance(value, type):
        return f"the class {name}"
    if callable(value) and isinstance(name, str):
        return f"the function {name}"
    kind = type(value).__name__
    return f"{_article(kind)} {kind}"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiouAEIOU" else "a"


def lift(value: Any, real: Scalar, at: Span | None = None) -> Value:
    """A number, vector or matrix as a symbolic value. Raises TraceError for anything else."""
    if isinstance(value, Value):
        return value
    if is_number(value):
        try:
            return literal(number(value), real)
        except OverflowError:
            raise TraceError("this integer is too large for any type", at) from None
    hint = "a number, a vector or a matrix is needed here"
    if isinstance(value, DifferentialPair):
        hint = "use its fields: .p is the value, .d the tangent"
    elif isinstance(value, tuple):
        hint = "take an item (t[0], or unpack: a, b = t), or build a vector: float2(a, b)"
    elif callable(value):
        hint = "call it: write the arguments in parentheses"
    raise TraceError(f"cannot compute with {describe(value)}", at, hint)


def packed(value: Any, real: Scalar, at: Span | None = None) -> Value:
    """Any value, also a tuple, as one symbolic value: what `unpacked` takes apart again."""
    if not isinstance(value, tuple):
        return lift(value, real, at)
    whole = pack([packed(item, real, at) for item in value])
    if isinstance(value, DifferentialPair):
        assert isinstance(whole.type, Tup)
        return Value(Tup(whole.type.items, PAIR_NAMES), whole.leaves)
    return whole


def unpacked(value: Value) -> Any:
    """A value as the reader works with it: tuples become Python tuples."""
    if not isinstance(value.type, Tup):
        return value
    items = [unpacked(item) for item in value.items()]
    return DifferentialPair(*items) if value.type.names == PAIR_NAMES else tuple(items)


def type_of(value: Any, real: Scalar, at: Span | None = None) -> Type:
    """The type under which a value becomes an argument; plain numbers are real."""
    if isinstance(value, Value):
        return value.type
    if isinstance(value, DifferentialPair):
        of = value.d if is_static(value.p) and not is_static(value.d) else value.p
        return pair_type(type_of(of, real, at))
    if isinstance(value, tuple):
        return Tup(tuple(type_of(item, real, at) for item in value))
    if isinstance(value, bool):
        return Scalar.BOOL
    return real if is_number(value) else lift(value, real, at).type


def converted(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """The value as `type_`; static numbers stay static. Raises TraceError where it does not fit.

    Integers become real, widths of reals change; a real never becomes an integer by itself.
    """
    if isinstance(type_, Tup):
        if not isinstance(value, tuple) or len(value) != len(type_.items):
            raise _misfit(value, type_, at, what)
        items = [converted(v, t, real, at, what) for v, t in zip(value, type_.items, strict=True)]
        return DifferentialPair(*items) if type_.names == PAIR_NAMES else tuple(items)
    if isinstance(type_, Scalar) and is_number(value):
        plain = number(value)
        if type_ is Scalar.BOOL and isinstance(plain, bool):
            return plain
        if type_ is Scalar.I32 and isinstance(plain, int):
            return int(plain)
        if type_.is_real and not isinstance(plain, bool):
            return float(plain)
        raise _misfit(value, type_, at, what)
    if isinstance(value, tuple) and not isinstance(value, DifferentialPair):
        value = stacked(value, real) or value  # a static list where a vector is asked for
    if not isinstance(value, Value) or not _widens(value.type, type_):
        raise _misfit(value, type_, at, what)
    result = convert(value, type_)
    if result is None:
        raise _misfit(value, type_, at, what)
    return result


def _widens(source: Type, target: Type) -> bool:
    return all(
        a is b or (b.is_real and a is not Scalar.BOOL)
        for a, b in zip(leaf_types(source), leaf_types(target), strict=False)
    )


def _misfit(value: Any, type_: Type, at: Span | None, what: str) -> TraceError:
    wanted = type_name(type_)
    if isinstance(type_, Tup) and type_.names == PAIR_NAMES:
        wanted = "DifferentialPair"
    hint = ""
    if isinstance(value, DifferentialPair):
        hint = "it is a value with its tangent: annotate the parameter as Pair"
    elif isinstance(type_, Scalar) and (isinstance(value, Value) or is_number(value)):
        hint = f"convert with {wanted}(…)"
        if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
            hint = "take a component: v.x, m[0][1]"
    elif isinstance(type_, Vec | Mat) and (is_number(value) or isinstance(value, Value)):
        hint = f"build it: {wanted}(…) takes the components, or one number for all"
    return TraceError(
        f"{what} must be {_article(wanted)} {wanted}, not {describe(value)}", at, hint
    )


def broadcast(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """As `converted`; one number also fills a vector, a matrix, or both halves of a pair."""
    if isinstance(type_, Tup) and not isinstance(value, tuple) and is_number(value):
        items = [broadcast(value, t, real, at, what) for t in type_.items]
        return DifferentialPair(*items) if type_.names == PAIR_NAMES else tuple(items)
    if isinstance(type_, Vec | Mat) and (
        is_number(value) or (isinstance(value, Value) and isinstance(value.type, Scalar))
    ):
        term = lift(value, real, at).term
        kinds = leaf_types(type_)
        return Value(type_, tuple(cast(term, k) for k in kinds))
    return converted(value, type_, real, at, what)


def fitted(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Any:
    """As `broadcast`, and symbolic throughout: exactly of the type, constants too."""
    whole = packed(broadcast(value, type_, real, at, what), real, at)
    exact = convert(whole, type_)
    if exact is None:
        raise _misfit(value, type_, at, what)
    return unpacked(exact)


def cast_to(value: Value, elem: Scalar) -> Value:
    """Every component converted to `elem`, as an explicit conversion does."""
    return Value(retype(value.type, elem), tuple(cast(t, elem) for t in value.leaves))


def detached(value: Any) -> Any:
    """The value, through which no derivative passes."""
    if isinstance(value, tuple):
        items = [detached(item) for item in value]
        return tuple(items) if type(value) is tuple else type(value)(*items)
    if not isinstance(value, Value):
        return value
    leaves = tuple(
        Term(DETACH, (t,), None, t.type) if t.type.is_real and t.op != CONST else t
        for t in value.leaves
    )
    return Value(value.type, leaves)


class Mismatch(Exception):
    """Two branches give values that cannot be one value: what each of them gives."""


def merged(rules: RuleSet, condition: Term, then: Any, other: Any, real: Scalar) -> Any:
    """`condition ? then : other` of any two values. Raises Mismatch where there is no such."""
    if then is other:
        return then
    if isinstance(then, tuple) and isinstance(other, tuple):
        if type(then) is not type(other) or len(then) != len(other):
            raise Mismatch(describe(then), describe(other))
        items = [merged(rules, condition, a, b, real) for a, b in zip(then, other, strict=True)]
        return tuple(items) if type(then) is tuple else type(then)(*items)
    if _same(then, other):
        return then
    if _mergeable(then) and _mergeable(other):
        if is_truth(then) != is_truth(other):
            then, other = (_counted(v) if is_truth(v) else v for v in (then, other))
        found = select_values(rules, condition, lift(then, real), lift(other, real), real)
        if found is not None:
            of = enumeration(then)
            same = of is not None and of is enumeration(other)
            return Member(found.type, found.leaves, of) if same and of is not None else found
    raise Mismatch(describe(then), describe(other))


def _mergeable(value: Any) -> bool:
    return isinstance(value, Value) or is_number(value)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    if isinstance(a, float):  # 0.0 is not -0.0
        return repr(a) == repr(b)
    return isinstance(a, int | str | Enum) and a == b
