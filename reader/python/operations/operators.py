"""The operators of Python: `+`, `@`, `<`, `and`, `~`, on values.

Takes an operator node and the values of its operands, gives a value: Python computes what is
known while reading, the rest becomes terms. Knows nothing of how operands are found.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, Flag
from typing import Any

from ....terms.bits import COUNT
from ....terms.errors import Span, TraceError
from ....terms.operators import bitwise, power
from ....terms.term import CONST, SELECT, Term, const, const_value
from ....terms.types import Scalar
from ....terms.value import Value, scalar
from ...structs import LONGEST
from ..values.entries import is_dictionary
from ..values.members import Member, enumeration, refuse_member, restored
from ..values.objects import is_tuple
from ..values.scope import Frame, Session
from ..values.values import (
    Mismatch,
    as_tuple,
    describe,
    is_number,
    is_static,
    is_truth,
    lift,
    merged,
    normalise,
    number,
)
from ..values.words import NO_COMPLEX
from . import dictionaries
from .arithmetic import operate, product, times
from .powers import whole_power
from .wholes import as_integer

_BINARY: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("div", operator.truediv),
    ast.FloorDiv: ("floor_div", operator.floordiv),
    ast.Mod: ("floor_mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul),
    ast.BitAnd: ("bit_and", operator.and_),
    ast.BitOr: ("bit_or", operator.or_),
    ast.BitXor: ("bit_xor", operator.xor),
    ast.LShift: ("shift_left", operator.lshift),
    ast.RShift: ("shift_right", operator.rshift),
}
#: The names of comparisons, and what they are of numbers that are known.
COMPARE: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
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
_ALL = scalar(const(COUNT - 1, Scalar.WIDE))


@dataclass(frozen=True, slots=True)
class Here:
    """A place in the source for operators that do not stand there themselves."""

    session: Session
    at: Span

    def span(self, node: ast.AST) -> Span:
        """The place."""
        return self.at

    def error(self, node: ast.AST, message: str, hint: str = "") -> TraceError:
        """The error there."""
        return TraceError(message, self.at, hint)


Where = Frame | Here


def binary(frame: Where, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
    """`left op right`."""
    name, compute = _BINARY[type(op)]
    session, at = frame.session, frame.span(node)
    if is_dictionary(left) or is_dictionary(right):
        return dictionaries.joined(session, op, left, right, at)
    if is_static(left) and is_static(right):
        return _static(frame, node, compute, left, right)
    if _flags(left, right) is None or not isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        refuse_member(at, left, right)
    if isinstance(left, tuple) and isinstance(right, tuple) and isinstance(op, ast.Add):
        return (*left, *right)
    if isinstance(op, ast.Mult):
        for items, times_ in ((left, right), (right, left)):
            if is_tuple(items) and isinstance(times_, int):
                if len(items) * times_ > LONGEST:
                    message = f"{len(items) * times_} elements are too many for a kernel"
                    raise TraceError(message, frame.span(node))
                return items * times_
    if isinstance(op, ast.MatMult):
        left, right = as_tuple(left), as_tuple(right)
    for value in (left, right):
        if not isinstance(value, tuple) or not isinstance(op, ast.MatMult):
            lift(value, session.real, at)
    if isinstance(op, ast.Pow):
        base, exponent = lift(left, session.real), lift(right, session.real)
        whole = whole_power(session, base, exponent, at)
        if whole is None:
            whole = power(session.rules, base, exponent, session.real, at)
        return whole
    if isinstance(op, ast.MatMult):
        return product(session, left, right, at)
    if isinstance(op, ast.Mod) and is_number(right) and number(right) == COUNT:
        whole = lift(left, session.real, at)
        if not any(t.type.is_real for t in whole.leaves):  # 2**32 itself is beyond all integers
            return bitwise(session.rules, "bit_and", [whole, _ALL], session.real, at)
    if isinstance(op, ast.Mult):
        return times(session, left, right, at)
    if isinstance(op, _BITWISE):
        return _bits(session, name, left, right, at)
    found = operate(session, name, [left, right], at)
    if isinstance(op, ast.Mod) and is_number(right) and getattr(found, "type", None) is Scalar.I32:
        session.ranges[found.term] = _remainders(int(number(right)))
    return found


def _remainders(divisor: int) -> tuple[int, int]:
    """Python's `n % divisor` has the sign of the divisor, and is nearer to 0."""
    return (0, divisor - 1) if divisor > 0 else (divisor + 1, 0)


def _static(
    frame: Where, node: ast.AST, compute: Callable[[Any, Any], Any], left: Any, right: Any
) -> Any:
    if compute is operator.pow and isinstance(right, int) and abs(right) > _STATIC_POWER_LIMIT:
        right = float(right)
    try:
        result = compute(left, right)
    except Exception as error:
        refuse_member(frame.span(node), left, right)
        message, hint = f"this fails: {error}", ""
        if isinstance(error, OverflowError):
            message = "this is beyond all numbers"
        if not (is_number(left) and is_number(right)):
            message = f"cannot compute with {describe(left)} and {describe(right)}"
        if callable(left) or callable(right):
            hint = "call it: write the arguments in parentheses"
        raise frame.error(node, message, hint) from None
    if isinstance(result, complex):
        raise frame.error(node, "the result is a complex number", NO_COMPLEX)
    return normalise(result, frame.session.real)  # comparisons of NumPy's numbers give its truths


def _bits(session: Session, name: str, left: Any, right: Any, at: Span) -> Value:
    """An operation on bits; of members of one class of flags, another one."""
    operands = [as_integer(session, lift(v, session.real, at), at) for v in (left, right)]
    found = bitwise(session.rules, name, operands, session.real, at)
    of = _flags(left, right)
    return found if of is None else Member(found.type, found.leaves, of)


def _flags(left: Any, right: Any) -> type[Flag] | None:
    """The class of flags of which both are members."""
    of = enumeration(left)
    return of if of is not None and issubclass(of, Flag) and of is enumeration(right) else None


def unary(frame: Where, node: ast.UnaryOp, value: Any) -> Any:
    """`-value`, `+value`, `~value`."""
    at = frame.span(node)
    of = enumeration(value)
    if of is None or not issubclass(of, Flag) or not isinstance(node.op, ast.Invert):
        refuse_member(at, value)
    if is_number(value):
        plain = value if isinstance(value, Flag) else number(value)
        return _UNARY[type(node.op)](plain)
    if of is not None and issubclass(of, Flag) and isinstance(node.op, ast.Invert):
        return _bits(frame.session, "bit_xor", value, ~of(0), at)  # of the flags that there are
    lifted = lift(value, frame.session.real, at)
    if isinstance(node.op, ast.USub):
        return operate(frame.session, "neg", [lifted], at)
    if isinstance(node.op, ast.UAdd):
        return lifted
    session = frame.session
    lifted = as_integer(session, lifted, at)
    return bitwise(session.rules, "bit_not", [lifted], session.real, at)


def either(frame: Frame, is_and: bool, held: Term, value: Any, rest: Any, at: Span) -> Any:
    """`rest if held else value` for `and`, `value if held else rest` for `or`."""
    session = frame.session
    if getattr(value, "type", None) is Scalar.BOOL and is_truth(rest):
        then, other = (rest, False) if is_and else (True, rest)
        arms = [lift(v, session.real, at).term for v in (then, other)]
        if arms[0].op == CONST and arms[1].op == CONST:
            return value if const_value(arms[0]) and not const_value(arms[1]) else then
        return scalar(Term(SELECT, (held, *arms), None, Scalar.BOOL))
    then, other = (rest, value) if is_and else (value, rest)
    try:
        return merged(session.rules, held, then, other, session.real)
    except Mismatch as error:
        a, b = error.args
        word = "and" if is_and else "or"
        raise TraceError(
            f"this gives {a} or {b}: the value of {word} is one of its operands",
            at,
            "give both operands one type, or ask for truth values: a != 0",
        ) from None


def comparison(frame: Where, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    """`left op right`, also `is`."""
    at = frame.span(node)
    name, compute = COMPARE[type(op)]
    if not name:
        return _identity(frame, node, op, left, right)
    if name not in ("eq", "ne"):
        refuse_member(at, left, right)
    if is_dictionary(left) or is_dictionary(right):
        if name not in ("eq", "ne"):
            raise TraceError(f"{describe(left)} and {describe(right)} have no order", at)
        left, right = dictionaries.paired(frame.session, left, right, at)
    if is_static(left) and is_static(right):
        return _static(frame, node, compute, left, right)
    if any(_never_equal(*pair) for pair in ((left, right), (right, left))):
        return name == "ne"
    if (left is None or right is None) and name in ("eq", "ne"):
        return name == "ne"
    if isinstance(left, tuple) and isinstance(right, tuple) and name in ("eq", "ne"):
        equal = _equal_tuples(frame, node, left, right)
        if isinstance(equal, bool):
            return equal == (name == "eq")
        return equal if name == "eq" else operate(frame.session, "logical_not", [equal], at)
    return operate(frame.session, name, [left, right], at)


def _never_equal(member: Any, other: Any) -> bool:
    """Whether a member that is no number is compared with one, which it never equals."""
    of = enumeration(member)
    if of is None or issubclass(of, int | float):
        return False
    return is_number(other) and not isinstance(other, Enum)


def _equal_tuples(
    frame: Where, node: ast.AST, left: tuple[Any, ...], right: tuple[Any, ...]
) -> Any:
    """Whether all items are equal; what comes first of two tuples is told in ordering.py."""
    equal: Any = len(left) == len(right)
    for a, b in zip(left, right, strict=False):
        if equal is False:
            break
        same = comparison(frame, node, ast.Eq(), a, b)
        if equal is not True:
            same = operate(frame.session, "logical_and", [equal, same], frame.span(node))
        equal = same
    return equal


def _identity(frame: Where, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    """`left is right`: of members and truth values, which exist once, it is `==`."""
    _, compute = COMPARE[type(op)]
    if not isinstance(left, Value) and not isinstance(right, Value):
        return compute(left, right)
    if isinstance(right, Enum):  # a member that was kept as its integer, in a field or a loop
        left = restored(type(right), left)
    if isinstance(left, Enum):
        right = restored(type(left), right)
    singles = [isinstance(v, Enum | Member) or is_truth(v) for v in (left, right)]
    if enumeration(left) is enumeration(right) and all(singles):
        equal = ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()
        return comparison(frame, node, equal, left, right)
    if any(singles) or not all(isinstance(v, Value) or is_number(v) for v in (left, right)):
        return isinstance(op, ast.IsNot)
    message = "is asks whether two objects are one: numbers have no identity"
    raise frame.error(node, message, "use ==")
