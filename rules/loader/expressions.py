"""Rule expressions: Python expression syntax to terms.

Takes `ast` expressions and the names and signatures in scope, gives terms with their shapes;
knows nothing of blocks and executes nothing.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...terms.errors import nearest
from ...terms.term import CONST, Term, const, const_value
from ...terms.types import COMPONENTS, Scalar
from .calls import Scope, Signature, Typed, call, level, meet
from .parse import CONSTANTS, RESERVED
from .source import MAX_DEPTH, TOO_LARGE, describe

_MAX_POWER = 8
_MODULES = ("math", "numpy", "np", "scipy", "special")


def read(node: ast.expr, scope: Scope, depth: int = 1) -> Typed:
    """The term of an expression; every mistake is a RuleError at its place."""
    if depth > MAX_DEPTH:
        hint = "name parts of it in locals"
        raise scope.error(node, f"the expression is more than {MAX_DEPTH} levels deep", hint)
    reader = _READERS.get(type(node))
    if reader is None:
        hint = "expressions are made of names, numbers, operators and calls"
        raise scope.error(node, f"{describe(node)} is not allowed in a rule", hint)
    return reader(node, scope, depth + 1)


def _name(node: ast.Name, scope: Scope, depth: int) -> Typed:
    name = node.id
    found = scope.names.get(name)
    if found is not None:
        scope.seen.add(name)
        return found
    if name in CONSTANTS:
        return Typed(const(CONSTANTS[name]))
    if name in scope.hidden:
        raise scope.error(node, scope.hidden[name], _in_scope(scope))
    message = f"unknown name {name!r}{nearest(name, [*scope.names, *CONSTANTS])}"
    below = scope.source.defined_below(name, node.lineno)
    hint = f"; it is defined below, in line {below}: move that line up" if below else ""
    raise scope.error(node, message, _in_scope(scope) + hint)


def _in_scope(scope: Scope) -> str:
    return f"in scope: {', '.join(scope.names) or 'nothing'}"


def _constant(node: ast.Constant, scope: Scope, depth: int) -> Typed:
    value = node.value
    if isinstance(value, bool):
        return Typed(const(value, Scalar.BOOL))
    if isinstance(value, int | float):
        if abs(value) > sys.float_info.max:  # 1e400 is inf to Python, without a word
            raise scope.error(node, TOO_LARGE, "write inf")
        return Typed(const(float(value)))
    kind = "a text" if isinstance(value, str) else f"{value!r}"[:40]
    hint = f"write it without quotes: {value[:40]}" if isinstance(value, str) else "write a number"
    raise scope.error(node, f"{kind} is not allowed in a rule expression", hint)


def _unary(node: ast.UnaryOp, scope: Scope, depth: int) -> Typed:
    operand = read(node.operand, scope, depth)
    if isinstance(node.op, ast.Not):
        return call("logical_not", [operand], node, scope)
    if isinstance(node.op, ast.UAdd):
        return operand
    if isinstance(node.op, ast.Invert):
        raise scope.error(node, "~ is not allowed in a rule", "write `not` for conditions")
    if operand.term.op == CONST and operand.term.type is Scalar.REAL:
        return Typed(const(-const_value(operand.term)))
    return call("neg", [operand], node, scope)


_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_div",
    ast.Mod: "floor_mod",
}
_BINARY_HINTS: dict[type[ast.operator], str] = {
    ast.RShift: "`>>` stands once, between the two sides of a rewrite",
    ast.BitXor: "a power is written x**2",
    ast.MatMult: "a matrix product is written matmul(a, b)",
}


def _binary(node: ast.BinOp, scope: Scope, depth: int) -> Typed:
    if isinstance(node.op, ast.Pow):
        return _power(node, scope, depth)
    name = _BINARY.get(type(node.op))
    if name is None:
        hint = _BINARY_HINTS.get(type(node.op), "operators are + - * / // % **")
        raise scope.error(node, "this operator is not allowed in a rule expression", hint)
    args = [read(node.left, scope, depth), read(node.right, scope, depth)]
    return call(name, args, node, scope)


def _power(node: ast.BinOp, scope: Scope, depth: int) -> Typed:
    """x**n for 2 <= n <= 8 is a chain of products: x**5 = x*((x*x)*(x*x)); else pow(x, n)."""
    base, exponent = read(node.left, scope, depth), read(node.right, scope, depth)
    n = const_value(exponent.term) if exponent.term.op == CONST else math.nan
    if n not in range(2, _MAX_POWER + 1):
        return call("pow", [base, exponent], node, scope)
    result, square, bits = None, base, int(n)
    while bits:
        if bits & 1:
            result = square if result is None else call("mul", [result, square], node, scope)
        bits >>= 1
        if bits:
            square = call("mul", [square, square], node, scope)
    assert result is not None
    return result


_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


def _compare(node: ast.Compare, scope: Scope, depth: int) -> Typed:
    for side in (node.left, *node.comparators):
        if isinstance(side, ast.BinOp) and isinstance(side.op, ast.RShift):
            hint = "put brackets around the comparisons: (a < b) >> (b > a)"
            raise scope.error(node, "`>>` binds tighter than comparisons", hint)
    values = [read(part, scope, depth) for part in (node.left, *node.comparators)]
    parts = []
    for index, op in enumerate(node.ops):
        name = _COMPARE.get(type(op))
        if name is None:
            raise scope.error(
                node, "`in` and `is` are not allowed in a rule", "use < <= > >= == !="
            )
        parts.append(call(name, values[index : index + 2], node, scope))
    return _joined("logical_and", parts, node, scope)


def _boolean(node: ast.BoolOp, scope: Scope, depth: int) -> Typed:
    parts = [read(part, scope, depth) for part in node.values]
    name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
    return _joined(name, parts, node, scope)


def _joined(name: str, parts: Sequence[Typed], node: ast.expr, scope: Scope) -> Typed:
    result = parts[0]
    for part in parts[1:]:
        result = call(name, [result, part], node, scope)
    return result


def _choice(node: ast.IfExp, scope: Scope, depth: int) -> Typed:
    args = [read(part, scope, depth) for part in (node.test, node.body, node.orelse)]
    return call("select", args, node, scope)


def _call(node: ast.Call, scope: Scope, depth: int) -> Typed:
    if not isinstance(node.func, ast.Name):
        hint = "write the operator's name alone: sin(x), not math.sin(x)"
        raise scope.error(node.func, f"{describe(node.func)} cannot be called in a rule", hint)
    name = node.func.id
    for keyword in node.keywords:
        raise scope.error(keyword, "arguments are given by position", f"write {name}(…) without =")
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            raise scope.error(argument, "a starred argument is not allowed", "write all")
    args = [read(argument, scope, depth) for argument in node.args]
    if name in ("sum", "rows", "columns"):
        return _over_items(name, args, node, scope)
    return call(name, args, node, scope)


def _over_items(name: str, args: Sequence[Typed], node: ast.Call, scope: Scope) -> Typed:
    axes = 1 if name == "sum" else 2
    if len(args) != 1 or args[0].shape is None or len(args[0].shape) < axes:
        what = "a vector" if axes == 1 else "a matrix"
        raise scope.error(node, f"{name} takes {what}", f"write {name}({'vm'[axes - 1]})")
    shape = args[0].shape
    found = {"sum": shape[1:], "rows": shape, "columns": (*shape[1::-1], *shape[2:])}[name]
    term = Term(name, (args[0].term,), None, args[0].term.type)
    return Typed(term, found, level(args, node, scope))


def _list(node: ast.List, scope: Scope, depth: int) -> Typed:
    items = [read(item, scope, depth) for item in node.elts]
    shapes = {item.shape for item in items}
    if not 2 <= len(items) <= 4 or len(shapes) != 1 or None in shapes:
        hint = "a list is a vector (2 to 4 numbers) or a matrix (2 to 4 rows of one length)"
        raise scope.error(node, "this list is neither a vector nor a matrix", hint)
    shape = items[0].shape
    assert shape is not None
    if len(shape) > 1:
        raise scope.error(node, "lists are at most two levels deep", "a matrix has rows")
    terms, type_ = meet(items, node, scope)
    term = Term("list", tuple(terms), None, type_)
    return Typed(term, (len(items), *shape), level(items, node, scope))


def _tuple(node: ast.Tuple, scope: Scope, depth: int) -> Typed:
    if len(node.elts) < 2:
        raise scope.error(node, "a tuple has at least two items", "write (s, c)")
    items = [read(item, scope, depth) for item in node.elts]
    term = Term("tuple", tuple(item.term for item in items))
    return Typed(term, None, level(items, node, scope))


def _attribute(node: ast.Attribute, scope: Scope, depth: int) -> Typed:
    owner = node.value
    if isinstance(owner, ast.Name) and owner.id not in scope.names and owner.id in _MODULES:
        hint = f"write {node.attr}: operators and constants have plain names in rules"
        raise scope.error(node, "an attribute is not allowed in a rule", hint)
    if node.attr not in COMPONENTS or len(node.attr) != 1:
        hint = "components are .x .y .z .w, or [0] … [3]"
        raise scope.error(node, f"there is no component {node.attr!r}", hint)
    value = read(owner, scope, depth)
    return _component(value, COMPONENTS.index(node.attr), node, scope)


def _subscript(node: ast.Subscript, scope: Scope, depth: int) -> Typed:
    index = node.slice.value if isinstance(node.slice, ast.Constant) else None
    value = read(node.value, scope, depth)
    if type(index) is not int or not 0 <= index < (items_of(value, scope.operators) or 4):
        items = ", ".join(map(str, range(items_of(value, scope.operators) or 4)))
        raise scope.error(node.slice, f"an index is one of {items}", "write v[0] or m[0][1]")
    return _component(value, index, node, scope)


def _component(value: Typed, index: int, node: ast.expr, scope: Scope) -> Typed:
    if value.shape == ():
        hint = "declare a vector or matrix parameter: v: vec3, m: mat2"
        raise scope.error(node, "a number has no components", hint)
    if value.shape and value.shape[0] and index >= value.shape[0]:
        hint = f"the size is {value.shape[0]}, and components count from 0"
        raise scope.error(node, f"there is no component {index}", hint)
    shape = value.shape[1:] if value.shape else ()
    term = Term("component", (value.term,), index, value.term.type)
    return Typed(term, shape, level([value], node, scope))


def items_of(value: Typed, operators: Mapping[str, Sequence[Signature]]) -> int:
    """How many items a tuple has; 0 of anything else, and where it is not known."""
    if value.shape is not None:
        return 0
    if value.term.op == "tuple":
        return len(value.term.args)
    return max([s.count for s in operators.get(value.term.op, ())], default=0)


def _each(node: ast.ListComp, scope: Scope, depth: int) -> Typed:
    match node.generators:
        case [ast.comprehension(target=ast.Name(id=name), ifs=[], is_async=0, iter=iter_)]:
            pass
        case _:
            hint = "write [expression for row in rows(m)]"
            raise scope.error(node, "this comprehension is not allowed in a rule", hint)
    target = node.generators[0].target
    if name in scope.names or name in RESERVED:
        raise scope.error(target, f"the name {name!r} is already in use", "choose another one")
    items = read(iter_, scope, depth)
    if not items.shape:
        hint = "iterate over a vector, rows(m) or columns(m)"
        raise scope.error(iter_, "this is not a sequence", hint)
    variable = Term("var", (), name, items.term.type)
    scope.names[name] = Typed(variable, items.shape[1:])
    try:
        body = read(node.elt, scope, depth)
    finally:
        del scope.names[name]
    if body.shape is None or len(body.shape) > 1:
        hint = "a matrix is a list of rows"
        raise scope.error(node.elt, "the items of a list are numbers or vectors", hint)
    term = Term("each", (items.term, body.term), name, body.term.type)
    return Typed(term, (items.shape[0], *body.shape), level([items, body], node, scope))


_READERS: dict[type[ast.expr], Callable[[Any, Scope, int], Typed]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _choice,
    ast.Call: _call,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.ListComp: _each,
}
