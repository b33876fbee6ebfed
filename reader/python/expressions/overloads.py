"""Operators on structs and lists: methods such as `__add__`, equality, `in`, `[0.0] * n`.

Takes an operator and two values, gives a value; what is no struct and no list goes to
operators.py.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from enum import Flag
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ..arrays.arraycalls import BIND_IT
from ..arrays.elementwise import array_binary, array_comparison, array_unary
from ..arrays.parts import in_place
from ..arrays.picking import of_each, refused
from ..calls.calls import call
from ..operations.arithmetic import operate
from ..operations.asked import contains
from ..operations.growing import extended, repeated
from ..operations.iterating import items_of
from ..operations.library import UNKNOWN
from ..operations.operators import COMPARE, binary, comparison, unary
from ..operations.ordering import in_items, ordered
from ..operations.overloaded import combined, compared
from ..operations.records import dunder, elements
from ..values.arrays import is_array
from ..values.complexes import PARTS, is_complex
from ..values.entries import rows_of
from ..values.members import enumeration
from ..values.objects import Instance, Listed, first, is_optional
from ..values.picked import Picked
from ..values.scope import Frame
from ..values.values import describe, fresh, is_number, may_be_none, number
from .equality import equal, in_kinds, same

_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_UNARY: Mapping[type[ast.unaryop], str] = {
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
}


def _is_object(value: Any) -> bool:
    return isinstance(first(value), Instance | Listed)


def apply_binary(frame: Frame, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
    """`left op right`."""
    if isinstance(left, Picked) or isinstance(right, Picked):
        if isinstance(op, ast.MatMult):
            raise refused(frame.span(node))
        return of_each(partial(apply_binary, frame, node, op), [left, right], frame.span(node))
    if not (_is_object(left) or _is_object(right)):
        return fresh(binary(frame, node, op, left, right))
    at, session = frame.span(node), frame.session
    name = _BINARY.get(type(op), "")
    said = combined(session, name, left, right, at, partial(call, session))
    if said is not UNKNOWN:
        return said
    a, b = first(left), first(right)
    if (is_array(left) or is_array(right)) and not isinstance(a, Instance):
        return array_binary(session, node, op, left, right, at)
    if isinstance(op, ast.Add) and isinstance(a, Listed) and isinstance(b, Listed):
        return Listed([*elements(session, left, at), *elements(session, right, at)])
    if isinstance(op, ast.Mult):
        for list_, count in ((left, right), (right, left)):
            if isinstance(first(list_), Listed) and (is_number(count) or _is_integer(count)):
                return Listed(elements(session, list_, at) * _times(frame, node, count))
    for value in (a, b):
        if isinstance(value, Instance):
            raise frame.error(
                node,
                f"{describe(value)} has no operator for this",
                f"define __{'' if value is a else 'r'}{name}__(self, other) in the class",
            )
    if isinstance(op, ast.MatMult):
        left, right = (_vector(frame, v, node) for v in (left, right))
    return fresh(binary(frame, node, op, left, right))


def _is_integer(value: Any) -> bool:
    return isinstance(value, Value) and value.type is Scalar.I32


def _times(frame: Frame, node: ast.AST, count: Any) -> int:
    """How often a list is repeated."""
    if _is_integer(count):
        raise frame.error(
            node,
            f"a list times {describe(count)} that is known only when the kernel runs",
            f"repeat it as often as there can be need for, and count what is used; or {BIND_IT}",
        )
    if not isinstance(number(count), int):
        hint = "a list is repeated: [0.0] * n with an integer; for numbers, take a vector"
        raise frame.error(node, f"a list times {describe(count)}", hint)
    return int(number(count))


def _vector(frame: Frame, value: Any, node: ast.AST) -> Any:
    is_list = isinstance(first(value), Listed)
    return elements(frame.session, value, frame.span(node)) if is_list else value


def apply_in_place(frame: Frame, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
    """The value that `left op= right` assigns."""
    if isinstance(left, Picked):
        what = ast.unparse(getattr(node, "target", node))
        hint = "write x = x + …, which makes a new one; or change the array under the condition"
        raise TraceError(f"{what!r} is {describe(left)}: it stays as it is", frame.span(node), hint)
    method = dunder(left, f"__i{_BINARY.get(type(op), '')}__")
    said = None if method is None else call(frame.session, method, [right], {}, frame.span(node))
    if method is not None and said is not NotImplemented:
        return said
    if is_array(left):
        found = array_binary(frame.session, node, op, left, right, frame.span(node))
        return in_place(frame.session, left, found, frame.span(node))
    if isinstance(first(left), Listed) and isinstance(op, ast.Add):
        invoke = partial(call, frame.session)
        return extended(frame.session, left, right, frame.span(node), invoke)
    found = apply_binary(frame, node, op, left, right)
    if not isinstance(first(left), Listed):
        return found
    return repeated(frame.session, left, found, frame.span(node))


def apply_unary(frame: Frame, node: ast.UnaryOp, value: Any) -> Any:
    """`-value` and its kin."""
    if isinstance(value, Picked):
        return of_each(partial(apply_unary, frame, node), [value], frame.span(node))
    method = dunder(value, f"__{_UNARY.get(type(node.op), '')}__")
    if method is not None:
        return call(frame.session, method, [], {}, frame.span(node))
    if isinstance(first(value), Instance):
        name = _UNARY.get(type(node.op), "")
        message = f"{describe(value)} has no operator for this"
        raise frame.error(node, message, f"define __{name}__(self) in the class")
    if is_array(value):
        return array_unary(frame.session, node, value, frame.span(node))
    return fresh(unary(frame, node, value))


def apply_comparison(frame: Frame, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    """`left op right`: structs and lists are equal as their classes say."""
    none = isinstance(op, ast.Eq | ast.NotEq) and (left is None or right is None)
    if isinstance(op, ast.Is | ast.IsNot) or none:
        found = same(frame, node, left, right)
        return found if isinstance(op, ast.Is | ast.Eq) else _negated(frame, node, found)
    if isinstance(left, Picked) or isinstance(right, Picked):
        each = partial(apply_comparison, frame, node, op)
        return of_each(each, [left, right], frame.span(node))
    if not isinstance(op, ast.In | ast.NotIn):
        for value in filter(is_optional, (left, right)):
            raise may_be_none(value, frame.span(node))
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(frame, node, op, left, right)
    if not isinstance(op, ast.Eq | ast.NotEq) and in_items(left, right):
        name, invoke = COMPARE[type(op)][0], partial(call, frame.session)
        held = ordered(frame.session, name, left, right, frame.span(node), invoke)
        return held if isinstance(held, bool) else scalar(held)
    if not (_is_object(left) or _is_object(right)):
        return comparison(frame, node, op, left, right)
    at, session = frame.span(node), frame.session
    arms = in_kinds(frame, node, op, left, right, apply_comparison)
    if arms is not UNKNOWN:
        return arms
    said = compared(session, COMPARE[type(op)][0], left, right, at, partial(call, session))
    if said is not UNKNOWN:
        return said
    if is_array(left) or is_array(right):
        return array_comparison(session, node, op, left, right, at)
    if isinstance(op, ast.Eq | ast.NotEq):
        found = equal(frame, node, left, right, apply_comparison)
        return found if isinstance(op, ast.Eq) else _negated(frame, node, found)
    hint = PARTS if is_complex(left) or is_complex(right) else "compare a field"
    raise frame.error(node, f"{describe(left)} and {describe(right)} have no order", hint)


def _negated(frame: Frame, node: ast.AST, held: Any) -> Any:
    if isinstance(held, bool):
        return not held
    return operate(frame.session, "logical_not", [held], frame.span(node))


def _membership(frame: Frame, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    """`left in right`: as `__contains__` says, else whether an item is equal to it.

    A text is in another one, though it is none of its characters.
    """
    session, at = frame.session, frame.span(node)
    if isinstance(right, str):
        if not isinstance(left, str):
            raise frame.error(node, f"only a text can be in a text, not {describe(left)}")
        return (left in right) == isinstance(op, ast.In)
    if isinstance(left, Flag) and enumeration(right) is type(left):
        shared = binary(frame, node, ast.BitAnd(), left, right)
        wanted = ast.Eq() if isinstance(op, ast.In) else ast.NotEq()
        return comparison(frame, node, wanted, shared, left)
    invoke = partial(call, session)
    if is_array(right):  # somewhere, as shapes broadcast
        import numpy

        held = array_comparison(session, node, ast.Eq(), right, left, at)
        found = invoke(numpy.any, [held], {}, at)
        return found if isinstance(op, ast.In) else _negated(frame, node, found)
    found = contains(session, right, left, at, invoke)
    if found is UNKNOWN:
        items = rows_of(session, right, at, ordered=False)
        items = items_of(session, right, at, invoke) if items is None else items
        if items is None:
            what = describe(right)
            raise frame.error(node, f"in needs a tuple or a list on its right, not {what}")
        found = _any_equal(frame, node, left, items)
    return found if isinstance(op, ast.In) else _negated(frame, node, found)


def _any_equal(frame: Frame, node: ast.AST, value: Any, items: Sequence[Any]) -> Any:
    found: Any = False
    for item in items:
        held = value is item or apply_comparison(frame, node, ast.Eq(), item, value)
        if held is True:
            return True
        if isinstance(held, Value) and held.type is not Scalar.BOOL:
            raise frame.error(node, "vectors are compared by component", "compare the components")
        if isinstance(held, Value):
            either = partial(operate, frame.session, "logical_or", at=frame.span(node))
            found = held if found is False else either([found, held])
    return found
