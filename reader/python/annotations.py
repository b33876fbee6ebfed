"""Annotations of parameters, results and variables.

Takes the syntax of an annotation and a frame to look names up in, gives a type and whether
derivatives pass; knows nothing of statements.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ...terms.errors import Span, TraceError
from ...terms.types import Scalar, Tup, Type
from .. import marks
from .members import as_member, check_integers, shown
from .scope import Frame, Session
from .values import converted, describe, detached, pair_type
from .words import as_type

_KNOWN = "use float, int, bool, double, half, float2…float4, float2x2…float4x4, tuple[…], Pair"

Members = type[Enum]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotation says."""

    type: Type
    stops: bool = False  # no_diff[…]
    any_pair: bool = False  # Pair without […]: of real numbers, or as the value given
    members: Members | None = None  # the class whose members the integers are


def annotation(frame: Frame, node: ast.expr | None) -> Annotation | None:
    """The meaning of an annotation; None where there is none, or it is `object` or `Any`.

    Strings and `from __future__ import annotations` mean the same as the expression.
    """
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return annotation(frame, _parsed(frame, node, node.value))
        return None if node.value is None else _refuse(frame, node)
    if isinstance(node, ast.Subscript):
        return _subscript(frame, node)
    obj = _object(frame, node)
    if isinstance(obj, marks.NoDiffType):  # an alias: Fixed = no_diff[float]
        found = as_type(obj.type, frame.session.real)
        return Annotation(found, True) if found is not None else _refuse(frame, node)
    if obj is marks.DifferentialPair:
        return Annotation(pair_type(frame.session.real), any_pair=True)
    if isinstance(obj, type) and issubclass(obj, Enum):
        check_integers(obj, frame.span(node))
        return Annotation(Scalar.I32, members=obj)
    if obj is object or getattr(obj, "__name__", "") == "Any" or _is_callable_type(obj):
        return None
    found = as_type(obj, frame.session.real)
    return Annotation(found) if found is not None else _refuse(frame, node)


def conform(session: Session, value: Any, said: Annotation, at: Span | None, what: str) -> Any:
    """The value as an annotation says. Raises TraceError where it does not fit."""
    if said.any_pair and isinstance(value, marks.DifferentialPair):
        return value
    if said.members is not None:
        return _member(said.members, value, at, what)
    value = converted(value, said.type, session.real, at, what)
    return detached(value) if said.stops else value


def _member(of: Members, value: Any, at: Span | None, what: str) -> Any:
    found = as_member(of, value)
    if found is None:
        message = f"{what} must be a member of {of.__name__}, not {describe(value)}"
        raise TraceError(message, at, f"its members are {shown(of)}")
    return found


def not_a_number(frame: Frame, node: ast.expr | None) -> str:
    """What an annotation asks for that no kernel has: "str", "Callable"; "" for all others."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return not_a_number(frame, _parsed(frame, node, node.value))
    if isinstance(node, ast.Subscript):
        return not_a_number(frame, node.value)
    if not isinstance(node, ast.Name | ast.Attribute):
        return ""
    obj = _object(frame, node)
    return str(obj.__name__) if _is_callable_type(obj) else ""


def _is_callable_type(obj: Any) -> bool:
    return getattr(obj, "__name__", "") == "Callable" or obj is str


def _parsed(frame: Frame, node: ast.Constant, text: str) -> ast.expr:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise frame.error(node, f"the annotation {text!r} is not a type", _KNOWN) from None
    for inner in ast.walk(tree):
        ast.copy_location(inner, node)
    return tree


def _object(frame: Frame, node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        try:
            return frame.lookup(node)
        except TraceError as error:
            raise TraceError(error.message, error.at, _KNOWN) from None
    if isinstance(node, ast.Attribute):
        return getattr(_object(frame, node.value), node.attr, None)
    raise _error(frame, node)


def _subscript(frame: Frame, node: ast.Subscript) -> Annotation | None:
    base = _object(frame, node.value)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if base is marks.no_diff:
        inner = annotation(frame, node.slice)
        return Annotation(inner.type, True) if inner else _refuse(frame, node)
    if getattr(base, "__name__", "") == "Callable":
        return None
    parts = [annotation(frame, item) for item in items]
    types = [p.type for p in parts if p is not None]
    if len(types) != len(parts):
        return _refuse(frame, node)
    if base is marks.DifferentialPair and len(types) == 1:
        return Annotation(pair_type(types[0]))
    if base is tuple or getattr(base, "__name__", "") == "Tuple":
        return Annotation(Tup(tuple(types)))
    return _refuse(frame, node)


def _error(frame: Frame, node: ast.expr) -> TraceError:
    return frame.error(node, f"{ast.unparse(node)!r} is not a type that egad knows", _KNOWN)


def _refuse(frame: Frame, node: ast.expr) -> Annotation:
    raise _error(frame, node)
