"""Annotations of parameters, results and variables.

Takes the syntax of an annotation and a frame to look names up in, gives a type and whether
derivatives pass; knows nothing of statements.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from types import GenericAlias, NoneType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from ....terms.errors import Span, TraceError, defined_at
from ....terms.types import Scalar, Type
from ....terms.value import Value
from ... import marks
from ...passing import Passing
from ...structs import ArrayType, is_struct
from .aliases import without_derivative
from .arrays import is_array
from .complexes import is_complex
from .fitting import converted
from .hints import (
    PairHint,
    admits,
    alternatives,
    closed_type,
    is_known_while_reading,
    is_mapping,
    is_ndarray,
    is_number_or_array,
    is_open,
    pair_type,
    plain,
    stops,
    without_none,
)
from .members import as_member, check_integers, enumeration_of, shown
from .objects import Choice, Instance, Listed, Object, first, is_optional
from .once import Once
from .parameters import Parameter
from .scope import Frame, Session
from .values import describe, detached, is_number
from .words import as_type

_KNOWN = (
    "use float, int, bool, double, half, float2…float4, float2x2…float4x4, tuple[…], Pair, "
    "int2…int4, egad.uint (numpy.uint32), Array[float, 3], np.ndarray, a struct class, an Enum"
)
_OF_ARRAYS = (
    "an array of NumPy is np.ndarray or NDArray[np.float64], as large as the argument, or "
    "Array[float, 3]; for a function of one number, which runs on all elements, write float"
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotation says; the type is None where it depends on the value."""

    type: Type | None
    stops: bool = False  # no_diff[…]
    any_pair: bool = False  # Pair without […]: of real numbers, or as the value given
    hint: Any = None
    optional: bool = False  # None may stand here

    @property
    def passing(self) -> Passing | None:
        """`InOut[T]` or `Out[T]`, where it is one of them."""
        return self.hint if isinstance(self.hint, Passing) else None


def annotation(frame: Frame, node: ast.expr | None) -> Annotation | None:
    """The meaning of an annotation; None where there is none, or it is `object` or `Any`.

    Strings and `from __future__ import annotations` mean the same as the expression.
    """
    if node is None:
        return None
    hint = plain(hinted(frame, node))
    if isinstance(hint, ArrayType) and stops(hint):
        message = "single elements cannot be no_diff: an array carries derivatives or does not"
        raise frame.error(node, message, f"write no_diff[Array[…, {hint.size}]]")
    of_numpy = isinstance(hint, type) and hint.__module__ == "numpy" and not is_ndarray(hint)
    if of_numpy and as_type(hint, Scalar.F32) is None:
        hint_ = "use float, double, half, bool, or of 32 bits: int, which has a sign, or egad.uint"
        raise frame.error(node, f"egad has no type {hint.__name__}", hint_)
    found = meaning(hint, frame.session.real) if hint is not None else None
    if found is None and not (_says_nothing(hint) or _is_mixed(hint)):
        raise _error(frame, node)
    return found


def of_kernel(frame: Frame, node: ast.expr | None) -> Annotation | None:
    """As `annotation`, of what a kernel takes or gives: there, members are integers.

    What may be a number or a struct, `float | Point`, has no type there.
    """
    found = annotation(frame, node)
    if node is not None and found is None:
        hint = plain(hinted(frame, node))
        if _is_mixed(hint) and not _says_nothing(hint):
            raise _error(frame, node)
    if found is not None and node is not None:
        check_integers(enumeration_of(found.hint), frame.span(node))
    return found


def expected(frame: Frame, param: Parameter) -> Annotation | None:
    """What is said about a parameter of the frame's function: with the default None, also that."""
    said = annotation(frame, param.annotation)
    if said is None or frame.function.defaults.get(param.name, ...) is not None:
        return said
    return replace(said, optional=True)


def meaning(hint: Any, real: Scalar) -> Annotation | None:
    """What a hint says about a value; None where it says nothing or is no type."""
    hint, optional = without_none(hint)
    if optional:
        found = meaning(hint, real)
        return None if found is None else replace(found, optional=True)
    if (hint.type if isinstance(hint, Passing) else hint) is marks.DifferentialPair:
        return Annotation(pair_type(real), any_pair=True, hint=hint)
    if isinstance(hint, TypeVar):
        return None
    type_ = None if is_mapping(hint) else closed_type(hint, real)
    if type_ is None and enumeration_of(hint) is not None:
        return Annotation(None, hint=hint)  # members that are texts are known while reading
    if type_ is None and (_says_nothing(hint) or not is_open(hint)):
        return None
    inner = hint.type if isinstance(hint, Passing) else hint
    return Annotation(type_, isinstance(inner, marks.NoDiffType), hint=hint)


def _says_nothing(hint: Any) -> bool:
    hint = without_none(hint)[0]
    name = getattr(hint, "__name__", "")
    plain = hint is None or hint is object or hint is str or isinstance(hint, TypeVar)
    plain = plain or is_mapping(hint) or is_known_while_reading(hint) or is_number_or_array(hint)
    return plain or name in ("Any", "Callable", "Self")


def _is_mixed(hint: Any) -> bool:
    """Whether a hint is a union of what is annotated alone, too: `float | Point`, `T | list[T]`.

    A value that is one of them stays as it is, as in Python.
    """
    members = alternatives(without_none(hint)[0])
    return len(members) > 1 and all(
        meaning(member, Scalar.F32) is not None or _says_nothing(member) for member in members
    )


def conform(session: Session, value: Any, said: Annotation, at: Span | None, what: str) -> Any:
    """The value as an annotation says. Raises TraceError where it does not fit."""
    if said.any_pair and isinstance(value, marks.DifferentialPair):
        return value
    if said.optional and value is None:
        return None
    if said.optional and is_optional(value):
        there = conform(session, value.then, said, at, what)
        return Choice(value.condition, there, None)
    of = enumeration_of(said.hint)
    if of is not None:
        return _member(of, value, at, what)
    if said.type is not None:
        value = converted(value, said.type, session.real, at, what)
    elif get_origin(said.hint) is tuple:
        value = _open_tuple(session, value, get_args(said.hint), at, what)
    else:
        _check_open(value, said.hint, at, what)
    return stopped(value, said.hint, partial(without_derivative, session, what=what))


def stopped(value: Any, hint: Any, detach: Callable[[Any], Any] = detached) -> Any:
    """The value, through whose parts that are annotated no_diff[…] no derivative passes."""
    inner = hint.type if isinstance(hint, Passing) else hint
    if isinstance(inner, marks.NoDiffType):
        return detach(value)
    if get_origin(inner) is not tuple or not isinstance(value, tuple) or not _stops(inner):
        return value
    return tuple(stopped(v, part, detach) for v, part in zip(value, get_args(inner), strict=True))


def _stops(hint: Any) -> bool:
    if get_origin(hint) is tuple:
        return any(_stops(part) for part in get_args(hint))
    return isinstance(hint, marks.NoDiffType)


def _member(of: type[Enum], value: Any, at: Span | None, what: str) -> Any:
    if isinstance(value, Value):  # a member that is known may be anything
        check_integers(of, at)
    found = as_member(of, value)
    if found is None:
        message = f"{what} must be a member of {of.__name__}, not {describe(value)}"
        raise TraceError(message, at, f"its members are {shown(of)}")
    return found


def not_a_number(frame: Frame, node: ast.expr | None) -> str:
    """What an annotation asks for that no kernel has: "str", "Callable"; "" for all others.

    Of literals those that are no numbers: `Literal["x", "y"]`.
    """
    match node:
        case ast.Constant(value=str() as text):
            return not_a_number(frame, _parsed(frame, node, text))
        case ast.Subscript(value=ast.Name() | ast.Attribute() as base) if _is_literal(frame, base):
            return "" if all(map(is_number, get_args(hinted(frame, node)))) else ast.unparse(node)
        case ast.Subscript(value=base):
            return not_a_number(frame, base)
        case ast.Name() | ast.Attribute():
            hint = hinted(frame, node)
            name = getattr(hint, "__name__", "")
            other = hint is str or name == "Callable" or is_mapping(hint)
            other = other or is_known_while_reading(hint)
            return str(name) if other else ""
    return ""


def _is_literal(frame: Frame, node: ast.expr) -> bool:
    return hinted(frame, node) is Literal


def _open_tuple(
    session: Session, value: Any, hints: Sequence[Any], at: Span | None, what: str
) -> Any:
    if not isinstance(value, tuple) or len(value) != len(hints):
        raise TraceError(f"{what} must be a tuple of {len(hints)}, not {describe(value)}", at)
    items = []
    for i, (item, hint) in enumerate(zip(value, hints, strict=True)):
        said = meaning(hint, session.real)
        of = f"item {i} of {what}"
        items.append(item if said is None else conform(session, item, said, at, of))
    return tuple(items)


def check_protocol(hint: Any, at: Span | None) -> None:
    """Marks on the methods of a protocol would have no effect. Raises TraceError for them."""
    for name, method in vars(hint).items() if isinstance(hint, type) else ():
        if not is_struct(hint) and (marks.is_marked(method) or marks.stops_at_self(method)):
            raise TraceError(
                f"{hint.__name__}.{name} is marked, but only declared: the mark has no effect",
                defined_at(method) or at,
                "mark the methods of the implementations",
            )


def _check_open(value: Any, hint: Any, at: Span | None, what: str) -> None:
    check_protocol(hint, at)
    if isinstance(value, Choice):
        for arm in (value.then, value.other):
            _check_open(arm, hint, at, what)
        return
    if isinstance(value, Once) and get_origin(hint) is list:
        return  # what `Iterable[float]` is, too
    if is_ndarray(hint.type if isinstance(hint, marks.NoDiffType | Passing) else hint):
        if not is_array(value) and not is_complex(value):
            how = "np.array(…) makes one of a list"
            how = how if isinstance(first(value), Listed) else "leave it away, or write float"
            raise TraceError(f"{what} must be an array of NumPy, not {describe(value)}", at, how)
        return
    cls = value.cls if isinstance(value, Instance) else None
    fits = isinstance(value, Object | tuple) and admits(hint, cls)
    if not fits and isinstance(hint, type | marks.NoDiffType | Passing):
        name = getattr(hint, "__name__", repr(hint))
        inner = hint.type if isinstance(hint, marks.NoDiffType | Passing) else hint
        known = getattr(inner, "__dict__", {}) if inner is not list else {}
        methods = [n for n in known if not n.startswith("_")]
        has = f"a struct with {', '.join(methods)}" if cls and methods else ""
        raise TraceError(f"{what} must be a {name}, not {describe(value)}", at, has)
    if not fits:
        raise TraceError(f"{what} must be {hint}, not {describe(value)}", at)


def hinted(frame: Frame, node: ast.expr) -> Any:
    """The annotation as a Python object: where it names what nothing keeps, as Python has it.

    The `n` of `Array[float, n]` is in no closure, if the body of the function does not use it.
    """
    try:
        return hint_of(frame, node)
    except TraceError:
        known = frame.function.evaluated(node)
        if known is None or isinstance(known, str):
            raise
        return known


def hint_of(frame: Frame, node: ast.expr) -> Any:
    """The annotation as a Python object."""
    match node:
        case ast.Constant(value=str() as text):
            return hint_of(frame, _parsed(frame, node, text))
        case ast.Constant(value=value):
            return value
        case ast.Name():
            try:
                return frame.lookup(node)
            except TraceError as error:
                raise TraceError(error.message, error.at, _KNOWN) from None
        case ast.Attribute(value=base, attr=name):
            return getattr(hint_of(frame, base), name, _error)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            sides = [hint_of(frame, side) for side in (left, right)]
            sides = [NoneType if side is None else side for side in sides]
            members = tuple(member for side in sides for member in alternatives(side))
            if all(isinstance(m, type) or callable(m) for m in members):
                return Union[members]  # noqa: UP007  # the members are known only here
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIZES:
            a, b = hint_of(frame, left), hint_of(frame, right)
            if isinstance(a, int) and isinstance(b, int):
                return _SIZES[type(op)](a, b)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as size)):
            return -size
        case ast.Subscript():
            return _subscript(frame, node)
    raise _error(frame, node)


def _power(a: int, b: int) -> int:
    return int(a**b) if 0 <= b < 99 else 0  # what is larger is no length either


_SIZES: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul},
    **{ast.FloorDiv: operator.floordiv, ast.Pow: _power},
}


def _parsed(frame: Frame, node: ast.Constant, text: str) -> ast.expr:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise frame.error(node, f"the annotation {text!r} is not a type", _KNOWN) from None
    for inner in ast.walk(tree):
        ast.copy_location(inner, node)
    return tree


def _subscript(frame: Frame, node: ast.Subscript) -> Any:
    base = hint_of(frame, node.value)
    if getattr(base, "__name__", "") == "Callable":
        return None
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if base is Annotated:
        return hint_of(frame, items[0])
    if base is Literal and all(isinstance(item, ast.Constant) for item in items):
        return base[tuple(item.value for item in items if isinstance(item, ast.Constant))]
    args = [hint_of(frame, item) for item in items]
    if base is marks.DifferentialPair and len(args) == 1:
        return PairHint(args[0])
    if base is tuple or getattr(base, "__name__", "") == "Tuple":
        return GenericAlias(tuple, tuple(args))
    try:
        return base[tuple(args) if len(args) > 1 else args[0]]
    except (TypeError, IndexError):
        raise _error(frame, node) from None
    except TraceError as error:
        raise frame.error(node, error.message, error.hint) from None


def _error(frame: Frame, node: ast.expr) -> TraceError:
    text = ast.unparse(node)
    known = _OF_ARRAYS if "NDArray" in text or "ndarray" in text else _KNOWN
    return frame.error(node, f"{text!r} is not a type that egad knows", known)
