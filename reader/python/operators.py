"""The operators of Python: `+`, `@`, `<`, `in`, `and`, `~`, on values.

Takes an operator node and the values of its operands, gives a value: Python computes what is
known while reading, the rest becomes terms. Knows nothing of how operands are found.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from ...terms.apply import power, truth
from ...terms.errors import Span
from ...terms.term import CONST, SELECT, Term, const_value
from ...terms.types import Scalar
from ...terms.value import Value, scalar
from .arithmetic import operate, product, times
from .scope import Frame
from .values import Mismatch, describe, is_number, is_static, lift, merged, number

_BINARY: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("div", operator.truediv),
    ast.FloorDiv: ("floor_div", operator.floordiv),
    ast.Mod: ("floor_mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul),
    ast.BitAnd: ("logical_and", operator.and_),
    ast.BitOr: ("logical_or", operator.or_),
    ast.BitXor: ("ne", operator.xor),
    ast.LShift: ("", operator.lshift),
    ast.RShift: ("", operator.rshift),
}
_COMPARE: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt),
    ast.GtE: ("ge", operator.ge),
    ast.Eq: ("eq", operator.eq),
    ast.NotEq: ("ne", operator.ne),
    ast.Is: ("", operator.is_),
    ast.IsNot: ("", operator.is_not),
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_STATIC_POWER_LIMIT = 4096


def binary(frame: Frame, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
    """`left op right`."""
    name, compute = _BINARY[type(op)]
    if is_static(left) and is_static(right):
        return _static(frame, node, compute, left, right)
    session, at = frame.session, frame.span(node)
    for value in (left, right):
        if not isinstance(value, tuple) or not isinstance(op, ast.MatMult):
            lift(value, session.real, at)
    if isinstance(op, ast.Pow):
        base, exponent = lift(left, session.real), lift(right, session.real)
        return power(session.rules, base, exponent, session.real, at)
    if isinstance(op, ast.MatMult):
        return product(session, left, right, at)
    if isinstance(op, ast.Mult):
        return times(session, left, right, at)
    if isinstance(op, _BITWISE):
        return _logical(frame, node, name, left, right)
    return operate(session, name, [left, right], at)


def _logical(frame: Frame, node: ast.AST, name: str, left: Any, right: Any) -> Any:
    """`a & b` of truth values; integers have no bit operations."""
    real = frame.session.real
    for value in (lift(left, real), lift(right, real)):
        if not name or any(leaf.type is not Scalar.BOOL for leaf in value.leaves):
            raise frame.error(
                node,
                "bit operations are in the language for truth values only",
                "use and, or, not; shift by multiplying with a power of two",
            )
    return operate(frame.session, name, [left, right], frame.span(node))


def _static(
    frame: Frame, node: ast.AST, compute: Callable[[Any, Any], Any], left: Any, right: Any
) -> Any:
    if isinstance(left, Enum) or isinstance(right, Enum):
        left, right = number(left), number(right)
    if compute is operator.pow and isinstance(right, int) and abs(right) > _STATIC_POWER_LIMIT:
        right = float(right)
    try:
        result = compute(left, right)
    except Exception as error:
        message = f"this fails: {error}"
        if not (is_number(left) and is_number(right)):
            message = f"cannot compute with {describe(left)} and {describe(right)}"
        raise frame.error(node, message) from None
    if isinstance(result, complex):
        raise frame.error(node, "the result is a complex number", "use real numbers")
    return result


def unary(frame: Frame, node: ast.UnaryOp, value: Any) -> Any:
    """`-value`, `+value`, `~value`."""
    at = frame.span(node)
    if is_number(value):
        plain = number(value)
        return _UNARY[type(node.op)](plain)
    lifted = lift(value, frame.session.real, at)
    if isinstance(node.op, ast.USub):
        return operate(frame.session, "neg", [lifted], at)
    if isinstance(node.op, ast.UAdd):
        return lifted
    if any(leaf.type is not Scalar.BOOL for leaf in lifted.leaves):
        raise frame.error(node, "~ is in the language for truth values only", "use not, or -x")
    return operate(frame.session, "logical_not", [lifted], at)


def either(frame: Frame, is_and: bool, held: Term, value: Any, rest: Any, at: Span) -> Any:
    """`rest if held else value` for `and`, `value if held else rest` for `or`."""
    session = frame.session
    if value.type is Scalar.BOOL and _is_bool(rest):
        then, other = (rest, False) if is_and else (True, rest)
        arms = [lift(v, session.real, at).term for v in (then, other)]
        if arms[0].op == CONST and arms[1].op == CONST:
            return value if const_value(arms[0]) and not const_value(arms[1]) else then
        return scalar(Term(SELECT, (held, *arms), None, Scalar.BOOL))
    then, other = (rest, value) if is_and else (value, rest)
    try:
        return merged(session.rules, held, then, other, session.real)
    except Mismatch:
        # The operands are of different kinds: only their truth can be meant.
        pair = [truth(lift(v, session.real, at).term) for v in (then, other)]
        return scalar(Term(SELECT, (held, *pair), None, Scalar.BOOL))


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Value) and value.type is Scalar.BOOL)


def comparison(frame: Frame, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    """`left op right`, also `in` and `is`."""
    at = frame.span(node)
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(frame, node, op, left, right)
    name, compute = _COMPARE[type(op)]
    if not name:  # is, is not: known while reading, nothing symbolic is None
        return compute(left, right)
    if is_static(left) and is_static(right):
        if isinstance(left, Enum) != isinstance(right, Enum):
            left, right = number(left), number(right)
        return _static(frame, node, compute, left, right)
    if (left is None or right is None) and name in ("eq", "ne"):
        return name == "ne"
    return operate(frame.session, name, [left, right], at)


def _membership(frame: Frame, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    if not isinstance(right, tuple):
        raise frame.error(node, f"in needs a tuple on its right, not {describe(right)}")
    found: Any = False
    for item in right:
        equal = comparison(frame, node, ast.Eq(), left, item)
        if not isinstance(equal, Value):
            if equal:
                found = True
                break
        elif found is False:
            found = equal
        else:
            found = operate(frame.session, "logical_or", [found, equal], frame.span(node))
    if isinstance(op, ast.In):
        return found
    if isinstance(found, bool):
        return not found
    return operate(frame.session, "logical_not", [found], frame.span(node))
