"""Expressions: syntax in, values out.

Takes an expression node and the frame of its function, gives its value: Python values are
computed by Python while reading, symbolic ones become terms. Knows nothing of statements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.term import Term
from ....terms.types import Mat, Vec
from ....terms.value import Value, scalar
from ... import marks
from ...collected import stand_in
from ...structs import Array, owner_of
from ..arrays.parts import get_part
from ..builtins.fields import get_field
from ..calls.calls import call
from ..calls.programs import no_finals
from ..operations.arithmetic import operate
from ..operations.iterating import items_of, truth_of
from ..operations.library import UNKNOWN
from ..operations.operators import either
from ..operations.records import Super, dunder
from ..values.aliases import Holders
from ..values.arms import in_arms, under
from ..values.conditions import Condition, chosen, negated
from ..values.entries import entries_of
from ..values.hints import parameters_of
from ..values.members import member_named
from ..values.objects import Arrayed, Listed, Object, first, is_optional
from ..values.picked import Picked
from ..values.scope import Final, Frame, Function, nested
from ..values.values import Mismatch, describe, is_number, merged, normalise
from .comprehensions import comprehension, generated
from .dictionaries import display, of_comprehension, set_of
from .overloads import apply_binary, apply_comparison, apply_unary
from .reductions import reduced, reduces
from .texts import text
from .waiting import in_order

_REFUSED: Mapping[type[ast.expr], tuple[str, str]] = {
    ast.Slice: (
        "a slice among several indices",
        "a column of a matrix is transpose(m)[k], of a list of lists [row[k] for row in m]",
    ),
    ast.Await: ("await", "a derived function computes, it does not wait"),
    ast.Yield: ("yield in an expression", "write it as a statement of its own"),
    ast.YieldFrom: ("yield in an expression", "write it as a statement of its own"),
}


def evaluate(frame: Frame, node: ast.expr) -> Any:
    """The value of an expression. Raises TraceError for what the language does not have."""
    handler = _HANDLERS.get(type(node))
    if handler is not None:
        return handler(frame, node)
    what, hint = _REFUSED.get(type(node), (type(node).__name__, ""))
    raise frame.error(node, f"{what} is not in the language", hint)


def calls(frame: Frame, node: ast.expr, meaning: object) -> bool:
    """Whether an expression is a call of a certain word, by its name or that of its module.

    Nothing else is evaluated: it may have effects, and will be evaluated in its turn.
    """
    match node:
        case ast.Call(func=ast.Name()):
            return evaluate(frame, node.func) is meaning
        case ast.Call(func=ast.Attribute(value=ast.Name() as module)):
            known = isinstance(evaluate(frame, module), ModuleType)
            return known and evaluate(frame, node.func) is meaning
    return False


def condition(frame: Frame, node: ast.expr, construct: str) -> Condition:
    """The truth of an expression: a bool where it is known while reading, else a term."""
    if isinstance(node, ast.BoolOp):
        return _truths(frame, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return negated(condition(frame, node.operand, "not"))
    value = evaluate(frame, node)
    if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
        hint = "pick by component with select(c, a, b)"
        if construct in ("and", "or"):
            hint = f"combine by component: a {'&' if construct == 'and' else '|'} b"
        message = f"the condition of {construct} must be one truth value, not {describe(value)}"
        raise frame.error(node, message, hint)
    return _truth(frame, value, node)


def _truth(frame: Frame, value: Any, node: ast.expr) -> Condition:
    """The truth of a value that is not a vector or a matrix."""
    return truth_of(frame.session, value, frame.span(node), partial(call, frame.session))


def _truths(frame: Frame, node: ast.BoolOp) -> Condition:
    """The truth of `a and b and …`: that of the operands, whatever their types."""
    is_and = isinstance(node.op, ast.And)
    open_: list[Term] = []
    result: Condition = is_and
    for part in node.values:
        before = [(held, is_and) for held in open_]
        read = partial(condition, frame, part, "and" if is_and else "or")
        result = under(frame.session, before, read, frame.span(part))
        if result is not is_and and isinstance(result, bool):
            break
        if not isinstance(result, bool):
            open_.append(result)
    if not isinstance(result, bool):
        open_.pop()
    for held in reversed(open_):
        result = chosen(held, result, False) if is_and else chosen(held, True, result)
    return result


def _constant(frame: Frame, node: ast.Constant) -> Any:
    return normalise(node.value, frame.session.real) if type(node.value) is complex else node.value


def _list(frame: Frame, node: ast.List) -> Listed:
    return Listed(_tuple(frame, node))


def _tuple(frame: Frame, node: Any) -> tuple[Any, ...]:
    return tuple(_values(frame, node.elts))


def _values(frame: Frame, nodes: Sequence[ast.expr]) -> list[Any]:
    """The values of several expressions, from the left; `*xs` gives several."""
    inner = [n.value if isinstance(n, ast.Starred) else n for n in nodes]
    items: list[Any] = []
    for node, value in zip(nodes, in_order(frame, inner, evaluate), strict=True):
        if isinstance(node, ast.Starred):
            unpacked = items_of(
                frame.session, value, frame.span(node), partial(call, frame.session)
            )
            if unpacked is None:
                raise frame.error(node, f"{describe(value)} cannot be unpacked")
            items.extend(unpacked)
        else:
            items.append(value)
    return items


# --- operators ------------------------------------------------------------------------------


def _binary(frame: Frame, node: ast.BinOp) -> Any:
    # a + b + c + … nests to the left: walk down, then compute upwards, without recursion.
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    value = evaluate(frame, spine[-1].left)
    for part in reversed(spine):
        sides = in_order(frame, [part.left, part.right], evaluate, [value])
        value = apply_binary(frame, part, part.op, *sides)
    return value


def _unary(frame: Frame, node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.Not):
        held = negated(condition(frame, node.operand, "not"))
        return held if isinstance(held, bool) else scalar(held)
    return apply_unary(frame, node, evaluate(frame, node.operand))


def _boolean(frame: Frame, node: ast.BoolOp) -> Any:
    """`a and b and …` is `b if a else a`, from the right, and the same for `or`."""
    is_and = isinstance(node.op, ast.And)
    word = "and" if is_and else "or"
    open_: list[tuple[Term, Any]] = []
    result: Any = None
    for i, part in enumerate(node.values):
        before = [(held, is_and) for held, _ in open_]
        result = under(frame.session, before, partial(evaluate, frame, part), frame.span(part))
        if i == len(node.values) - 1:
            break
        if isinstance(result, Value) and isinstance(result.type, Vec | Mat):
            hint = f"combine by component: a {'&' if is_and else '|'} b"
            raise frame.error(part, f"{word} needs one truth value, not {describe(result)}", hint)
        held = _truth(frame, result, part)
        if held is not is_and and isinstance(held, bool):
            break
        if not isinstance(held, bool):  # what is true is not None
            there = not is_and and is_optional(result)
            open_.append((held, result.then if there else result))
    at = frame.span(node)
    for held, value in reversed(open_):
        result = either(frame, is_and, held, value, result, at)
    return result


def _compare(frame: Frame, node: ast.Compare) -> Any:
    left = evaluate(frame, node.left)
    result: Any = True
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        known = isinstance(result, Value) and len(result.leaves) == 1
        before = [(result.term, True)] if known else []
        among = isinstance(op, ast.In | ast.NotIn) and isinstance(comparator, ast.Set)
        read = partial(_tuple if among else evaluate, frame, comparator)
        right = under(frame.session, before, read, frame.span(comparator))
        part = apply_comparison(frame, node, op, left, right)
        left = right
        if not isinstance(part, Value | Arrayed | Picked):
            if not part:
                return False
        elif result is True:
            result = part
        else:
            result = operate(frame.session, "logical_and", [result, part], frame.span(node))
    return result


def _choice(frame: Frame, node: ast.IfExp) -> Any:
    held = condition(frame, node.test, "a if c else b")
    if isinstance(held, bool):
        return evaluate(frame, node.body if held else node.orelse)
    then, other = in_arms(
        frame.session,
        held,
        node.body,
        node.orelse,
        lambda arm: evaluate(frame, arm),
        frame.span(node),
    )
    try:
        return merged(frame.session.rules, held, then, other, frame.session.real)
    except Mismatch as error:
        a, b = error.args
        message = f"this gives {a} or {b}, depending on the condition"
        hint = error.hint or "both values must be of one type"
        raise frame.error(node, message, hint) from None


# --- parts and calls ------------------------------------------------------------------------


def _attribute(frame: Frame, node: ast.Attribute) -> Any:
    value, invoke = stand_in(evaluate(frame, node.value)), partial(call, frame.session)
    return frame.settled(get_field(frame.session, value, node.attr, frame.span(node), invoke))


def _subscript(frame: Frame, node: ast.Subscript) -> Any:
    value = evaluate(frame, node.value)
    return frame.settled(subscript(frame, value, node, lambda: index(frame, node.slice)))


def subscript(frame: Frame, value: Any, node: ast.Subscript, place: Callable[[], Any]) -> Any:
    """`value[place()]`."""
    if isinstance(value, type) and parameters_of(value):
        return value  # A[float](…): the values say what A is generic over
    if value is Array:
        try:
            return Array.__class_getitem__(place())
        except TraceError as error:
            raise frame.error(node, error.message, error.hint) from None
    if (getter := dunder(value, "__getitem__")) is not None:
        return call(frame.session, getter, [place()], {}, frame.span(node))
    if isinstance(value, type | marks._NoDiff):
        return member_named(value, place, ast.unparse(node), frame.span(node))
    return get_part(frame.session, value, place(), frame.span(node))


def index(frame: Frame, node: ast.expr) -> Any:
    """The value of an index: a number, a slice of numbers, or a tuple of these."""
    if isinstance(node, ast.Slice):
        bounds = [
            None if part is None else evaluate(frame, part)
            for part in (node.lower, node.upper, node.step)
        ]
        return slice(*bounds)
    if isinstance(node, ast.Tuple) and any(isinstance(part, ast.Slice) for part in node.elts):
        return tuple(index(frame, part) for part in node.elts)
    return evaluate(frame, node)


def _lambda(frame: Frame, node: ast.Lambda) -> Any:
    return nested(frame, node, lambda default: evaluate(frame, default))


def _named(frame: Frame, node: ast.NamedExpr) -> Any:
    """`name := value`: the name is one of the function, where this is evaluated."""
    value = evaluate(frame, node.value)
    frame.state.names.local[node.target.id] = value
    return value


_PLACES = (ast.Name, ast.Attribute)


def _super(frame: Frame, node: ast.Call) -> Super:
    """`super()` in a method of a struct."""
    owner = owner_of(frame.function.origin)
    if owner is None or not frame.function.params:
        raise frame.error(node, "super() is in the language only in methods of structs")
    return Super(owner, frame.state.names.find(frame.function.params[0].name))


def _call(frame: Frame, node: ast.Call) -> Any:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return _super(frame, node)
    callee = evaluate(frame, node.func)
    if callee is marks.no_diff and node.args and isinstance(node.args[0], _PLACES):
        name = ast.unparse(node.args[0])
        what = "variable" if isinstance(node.args[0], ast.Name) else "field"
        raise frame.error(
            node,
            f"no_diff({name}) stops the derivative of a call, but {name!r} is a {what}",
            f"write detach({name})",
        )
    if reduces(callee, node):
        found = reduced(frame, callee, node, evaluate)
        if found is not UNKNOWN:
            return found
    given = _values(frame, [*node.args, *(k.value for k in node.keywords)])
    count = len(given) - len(node.keywords)
    args, kwargs = given[:count], _named_arguments(frame, node, given[count:])
    session, at = frame.session, frame.span(node)
    session.finals = no_finals()
    holders = Holders(frame, args if _hands_back(callee) else ())
    value = call(session, callee, args, kwargs, at)
    for final in session.finals:
        if not holders.take(final, at):
            _check_seen(final, callee, at)
    return value


def _named_arguments(frame: Frame, node: ast.Call, values: Sequence[Any]) -> dict[str, Any]:
    """The arguments by name: `k=v`, and the entries of what stands after `**`."""
    found: dict[str, Any] = {}
    for keyword, value in zip(node.keywords, values, strict=True):
        at = frame.span(keyword.value)
        entries = {keyword.arg: value} if keyword.arg else entries_of(frame.session, value, at)
        if entries is None or not all(isinstance(key, str) for key in entries):
            raise frame.error(
                keyword.value, f"after ** stands a dictionary with names, not {describe(value)}"
            )
        for name in entries:
            if name in found:
                raise frame.error(keyword.value, f"the argument {name!r} is given twice")
        found |= entries
    return found


def _hands_back(callee: Any) -> bool:
    """Whether a function has a parameter annotated InOut[…] or Out[…]."""
    if isinstance(callee, Function):
        args = callee.source.node.args
        return "Out" in ast.unparse(args)
    hints = getattr(callee, "__annotations__", {})
    return isinstance(hints, dict) and any("Out" in repr(hint) for hint in hints.values())


def _check_seen(final: Final, callee: Any, at: Span) -> None:
    """The caller must see the final value of an InOut parameter, as it does in Python."""
    if final.start is final.value or (is_number(final.start) and final.start == final.value):
        return
    name = getattr(callee, "name", None) or getattr(callee, "__name__", "the function")
    kind = "a new object" if isinstance(first(final.start), Object) else "a number or a vector"
    raise TraceError(
        f"{name} assigns {kind} to its parameter {final.name!r}, which the caller does not see",
        at,
        "in Python only structs and lists are changed by a call: return the new value, or "
        "assign to fields and elements",
    )


_HANDLERS: Mapping[type[ast.expr], Callable[[Frame, Any], Any]] = {
    ast.Constant: _constant,
    ast.Name: lambda frame, node: frame.lookup(node),
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.ListComp: lambda frame, node: Listed(comprehension(frame, node, evaluate)),
    ast.GeneratorExp: lambda frame, node: generated(frame, node, evaluate),
    ast.Set: lambda frame, node: set_of(frame, node, _tuple(frame, node)),
    ast.SetComp: lambda frame, node: set_of(frame, node, comprehension(frame, node, evaluate)),
    ast.Dict: lambda frame, node: display(frame, node, evaluate),
    ast.DictComp: lambda frame, node: of_comprehension(frame, node, evaluate),
    ast.JoinedStr: lambda frame, node: text(frame, node, evaluate),
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Call: _call,
}
