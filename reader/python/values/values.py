"""The values of the reader: Python objects that stay Python, and symbolic `Value`s.

A static value is any Python object; a symbolic one is a scalar, vector or matrix `Value`.
Tuples hold both and are Python tuples (pairs are `DifferentialPair`s), structs and lists are
references to objects (objects.py), so that only the edges of programs know their types.
Knows nothing of syntax.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from numbers import Rational
from typing import Any

from ....rules.registry import is_compiled_form
from ....terms.conditions import facts
from ....terms.errors import Span, TraceError, shown
from ....terms.loop import KEEP
from ....terms.rule import RuleSet
from ....terms.term import CONST, DETACH, VAR, Term, const
from ....terms.types import Scalar, leaf_types, parse_type, type_name
from ....terms.value import Value, cast, literal, retype, scalar, stack
from ...collected import as_read
from ...marks import DifferentialPair
from ...structs import adopted
from .arrays import as_array, described, foreign, is_array, of_vector
from .blends import arm_of, blend
from .complexes import beside, known_parts
from .conditions import Condition, chosen, resolved
from .hints import fields
from .members import Member, enumeration
from .objects import (
    UNSET,
    Choice,
    Instance,
    Listed,
    Mapped,
    Object,
    Readable,
    are_alike,
    ends_of,
    first,
    is_function,
    is_optional,
    is_tuple,
    of_kind,
)
from .once import Once
from .picked import Picked


def normalise(obj: Any, real: Scalar) -> Any:
    """A Python object as a value: NumPy scalars and small arrays, lists, fractions.

    >>> normalise([1, 2.5], Scalar.F32)
    (1, 2.5)
    """
    if obj is None or isinstance(obj, bool | int | float | str | Value | Enum):
        return obj
    if (complex_ := known_parts(obj)) is not None:
        return _captured(complex_, real)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(obj, numpy.uint32):  # it stays one: what it meets wraps at 2**32
            return scalar(const(int(obj), Scalar.UINT))
        if isinstance(obj, numpy.ndarray) and obj.dtype == numpy.uint32:
            return as_array(
                normalise(obj.tolist() if obj.ndim != 1 else tuple(obj), real),
                foreign("this array"),
            )
        if isinstance(obj, numpy.generic) or (isinstance(obj, numpy.ndarray) and obj.ndim == 0):
            return obj.item()
        if isinstance(obj, numpy.ndarray):
            return as_array(normalise(obj.tolist(), real), foreign("this array"))
    parts = getattr(obj, "egad_parts", None)
    if isinstance(parts, tuple):  # a vector or matrix of numbers, of egad's vocabulary
        type_ = parse_type(parts[0], real)
        assert type_ is not None
        numbers = zip(parts[1], leaf_types(type_), strict=True)
        return Value(type_, tuple(cast(literal(n, real).term, k) for n, k in numbers))
    stands = as_read(obj)
    if stands is not None or (adopted(type(obj)) and not is_compiled_form(obj)):
        return _captured(obj if stands is None else stands, real)
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*(normalise(item, real) for item in obj))
    if isinstance(obj, list | tuple):
        return tuple(normalise(item, real) for item in obj)
    return float(obj) if isinstance(obj, Rational | Decimal) else obj


def _captured(obj: Any, real: Scalar) -> Instance:
    """A struct from outside of the program."""
    names = [f.name for f in fields(type(obj), real)]
    frozen = foreign(f"this {type(obj).__name__}")
    items = [_contained(getattr(obj, name), real, frozen) for name in names]
    return Instance(type(obj), names, items, frozen)


def _contained(obj: Any, real: Scalar, frozen: str) -> Any:
    """What a field of a struct holds: a list stays one, and is as fixed as the struct."""
    if isinstance(obj, list):
        return Listed([_contained(item, real, frozen) for item in obj], frozen)
    return normalise(obj, real)


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


def as_tuple(value: Any) -> Any:
    """Lists as tuples, also those inside: what functions of NumPy and of egad work with."""
    if isinstance(value, Listed):
        return tuple(as_tuple(item) for item in value.items)
    if is_tuple(value):
        return tuple(as_tuple(item) for item in value)
    return value


def is_number(value: Any) -> bool:
    """Whether a value is a static number (an enum member with a numeric value counts)."""
    if isinstance(value, Enum):
        value = value.value
    return isinstance(value, bool | int | float)


def is_truth(value: Any) -> bool:
    """Whether a value is a truth value, known or not."""
    return isinstance(value, bool) or (isinstance(value, Value) and value.type is Scalar.BOOL)


def counted(value: Any) -> Any:
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
    return not isinstance(value, Value | Object | Choice | Once)


def describe(value: Any) -> str:
    """What a value is, for messages: `a float3`, `a tuple`, `the function g`."""
    if isinstance(value, Member):
        return f"{article(value.of.__name__)} {value.of.__name__}"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Value):
        return f"{article(type_name(value.type))} {type_name(value.type)}"
    if isinstance(value, DifferentialPair):
        return "a DifferentialPair"
    if is_optional(value):
        return f"{describe(value.then)} or None"
    if isinstance(value, Choice):
        return " or ".join(dict.fromkeys(describe(o) for o in ends_of(value)))
    if isinstance(value, Instance):
        return f"{article(value.cls.__name__)} {value.cls.__name__}"
    if isinstance(value, Listed):
        return described(value) if is_array(value) else f"a list of {len(value.items)}"
    if isinstance(value, Once | Mapped | Picked):
        return value.described
    if value is UNSET:
        return "nothing"
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int | float):
        return f"the number {shown(value)}"
    if isinstance(value, tuple):
        return str(getattr(value, "described", f"a tuple of {len(value)}"))
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if isinstance(value, type):
        return f"the class {name}"
    if isinstance(name, str) and (callable(value) or isinstance(value, Readable)):
        return f"the function {name}"
    return f"{article(type(value).__name__)} {type(value).__name__}"


def unless_annotated(value: Any, hint: str) -> str:
    """A hint, and for a parameter that is a real number, as it is by default, what to say else."""
    if not (isinstance(value, Value) and isinstance(value.type, Scalar) and value.type.is_real):
        return hint
    if value.term.op != VAR or "." in str(value.term.attr):
        return hint
    how = "a parameter is a number unless it says otherwise: xs: list[float], v: float3, p: Body"
    return f"{hint}; {how}"


def article(word: str) -> str:
    """`a` or `an`."""
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
    if is_optional(value):
        raise may_be_none(value, at)
    hint = "a number, a vector or a matrix is needed here"
    if isinstance(value, Once | range):
        hint = "take its items: list(…)"
    elif isinstance(value, DifferentialPair):
        hint = "use its fields: .p is the value, .d the tangent"
    elif isinstance(value, tuple):
        hint = "take an item (t[0], or unpack: a, b = t), or build a vector: float2(a, b)"
    elif isinstance(first(value), Instance):
        hint = "take a field of it"
    elif isinstance(first(value), Listed):
        hint = "take an element of it (a[0]), or build a vector or an array: float3(a), np.array(a)"
    elif value is None:
        hint = "give it a value where it has none: if x is None: x = …"
    elif callable(value):
        hint = "call it: write the arguments in parentheses"
    raise TraceError(f"cannot compute with {describe(value)}", at, hint)


def cast_to(value: Value, elem: Scalar) -> Value:
    """Every component converted to `elem`, as an explicit conversion does."""
    return Value(retype(value.type, elem), tuple(cast(t, elem) for t in value.leaves))


def fresh(value: Any) -> Any:
    """The result of an operation: a vector is a new one, even of the numbers of another."""
    new = type(value) is Value and len(value.leaves) > 1
    return Value(value.type, value.leaves) if new else value


#: Objects by their ids, and what was made of them.
Copies = dict[int, tuple[Object, Object]]


def detached(value: Any, done: Copies | None = None) -> Any:
    """The value, through which no derivative passes: of a struct or list, a copy.

    `done`: objects that are copied, by their ids, and their copies.
    """
    done = {} if done is None else done
    if isinstance(value, Choice):
        whole = value.whole()
        if whole is not None:
            return detached(whole, done)
        return Choice(value.condition, detached(value.then, done), detached(value.other, done))
    if isinstance(value, Object):
        if id(value) not in done:
            new = value.like([detached(item, done) for item in value.items])
            done[id(value)] = (value, new)
        return done[id(value)][1]
    if isinstance(value, tuple):
        return of_kind(value, [detached(item, done) for item in value])
    if not isinstance(value, Value):
        return value
    leaves = tuple(
        Term(DETACH, (t,), None, t.type) if t.type.is_real and t.op not in (CONST, DETACH) else t
        for t in value.leaves
    )
    same = leaves == value.leaves and len(leaves) == 1
    return value if same else Value(value.type, leaves)


def kept(value: Any, storage: str) -> Any:
    """The value, which a loop around this point is to store for the way back, or not to."""
    if isinstance(value, tuple):
        return of_kind(value, [kept(item, storage) for item in value])
    if not isinstance(value, Value):
        return value
    plain = (CONST, VAR)
    leaves = [t if t.op in plain else Term(KEEP, (t,), storage, t.type) for t in value.leaves]
    return Value(value.type, tuple(leaves))


class Mismatch(Exception):
    """Two branches give values that cannot be one value: what each of them gives."""

    hint = ""  # what to write instead, where that is known


def mismatch(then: Any, other: Any) -> Mismatch:
    """The error for two values that cannot be one."""
    error = Mismatch(describe(then), describe(other))
    if isinstance(then, Enum) and type(then) is type(other):
        error.hint = f"give every member of {type(then).__name__} an integer value"
    elif hasattr(then, "keys_") and hasattr(other, "keys_"):
        error.hint = "give it the same keys on every way, such as d[key] = 0.0 before"
    elif isinstance(then, str) and isinstance(other, str):
        error.args = repr(then), repr(other)
        error.hint = "a kernel has no strings: use the members of an Enum"
    return error


def merged(rules: RuleSet, condition: Term, then: Any, other: Any, real: Scalar) -> Any:
    """`condition ? then : other` of any two values. Raises Mismatch where there is no such."""
    if is_array(then) is not is_array(other):
        then, other = of_vector(then), of_vector(other)
    then, other = beside(then, other), beside(other, then)
    if then is other:
        return then
    if is_function(then) and is_function(other):
        return Choice(condition, arm_of(then, condition, True), arm_of(other, condition, False))
    if any(v is None or is_optional(v) for v in (then, other)):
        return _optional(rules, condition, then, other, real)
    if isinstance(then, Object | Choice) and isinstance(other, Object | Choice):
        then, other = arm_of(then, condition, True), arm_of(other, condition, False)
        if then is other:
            return then
        if are_alike(first(then), first(other)):
            return Choice(condition, then, other)
        raise mismatch(then, other)
    if isinstance(then, tuple) and isinstance(other, tuple):
        alike = type(then) is type(other)
        if not (alike or (is_tuple(then) and is_tuple(other))) or len(then) != len(other):
            raise mismatch(then, other)
        items = [merged(rules, condition, a, b, real) for a, b in zip(then, other, strict=True)]
        return of_kind(then, items) if alike else tuple(items)
    if _same(then, other):
        return then
    if _mergeable(then) and _mergeable(other):
        if is_truth(then) != is_truth(other):
            then, other = (counted(v) if is_truth(v) else v for v in (then, other))
        found = blend(condition, lift(then, real), lift(other, real), real)
        if found is not None:
            of = enumeration(then)
            same = of is not None and of is enumeration(other)
            return Member(found.type, found.leaves, of) if same and of is not None else found
    raise mismatch(then, other)


def may_be_none(value: Choice, at: Span | None) -> TraceError:
    """The error where a value is needed."""
    return TraceError(
        f"this is {describe(value)}: which of them, is known only at run time",
        at,
        "ask before it is used: if x is not None: …; begin with a number, not with None; and let a "
        "function give one on every path: an if without an else, or without a return, gives None",
    )


def _optional(rules: RuleSet, condition: Term, then: Any, other: Any, real: Scalar) -> Any:
    """`condition ? then : other` where one of them is None, or may be."""
    (a, there), (b, here) = (
        _presence(value, dict(facts(condition, holds)))
        for value, holds in ((then, True), (other, False))
    )
    if any(
        not (v is None or _mergeable(v) or isinstance(v, Object | Choice | tuple)) for v in (a, b)
    ):
        raise mismatch(then, other)
    value = b if there is False else a
    if there is not False and here is not False:
        value = merged(rules, condition, a, b, real)
    present = chosen(condition, there, here)
    if isinstance(present, bool):
        return value if present else None
    return Choice(present, value, None)


def _presence(value: Any, known: Mapping[Term, bool]) -> tuple[Any, Condition]:
    """A value, and under which condition there is one, given what is known."""
    if value is None:
        return None, False
    if is_optional(value):
        return value.then, resolved(value.condition, known)
    return value, True


def _mergeable(value: Any) -> bool:
    return isinstance(value, Value) or is_number(value)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    if isinstance(a, float):  # 0.0 is not -0.0
        return repr(a) == repr(b)
    return isinstance(a, int | str | Enum) and a == b
