"""What raises in Python, and where: conditions, in the syntax, that can be asked before.

    r = a / b    raises ZeroDivisionError where    b == 0

Takes expressions; knows nothing of statements. What is asked is what Python's numbers do: arrays
divide by 0 without a word.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
)
from typing import Any

from ...constructors import is_generated_init
from ...source import source_of
from ..values.objects import Partial
from ..values.scope import Function
from ..values.words import qualified


@dataclass(frozen=True, slots=True)
class Point:
    """A place that raises an exception where a condition holds."""

    raised: type[Exception]
    holds: ast.expr


class Unseen(Exception):
    """A place that may raise nobody knows what."""

    def __init__(self, node: ast.AST, message: str) -> None:
        super().__init__(message)
        self.node, self.message = node, message


def _is_zero(y):
    return y == 0 if isinstance(y, int | float | complex) else False


def _is_zero_below(x, y):
    return x == 0 and y < 0 if isinstance(x, int | float) else False


def _is_large(x, y):
    if isinstance(x, int) and isinstance(y, int):
        return False
    return x != 0 and _overflows(x**y, x, y) if isinstance(x, int | float) else False


def _overflows(result, *args):
    return math.isinf(result) and not any(math.isinf(a) for a in args)


def _is_no_root(x, y):
    return -math.inf < x < 0 and math.isfinite(y) and y != math.floor(y)


def _is_pole(x):
    return -math.inf < x <= 0 and x == math.floor(x)


#: Asked in the place of a call of the function, with its arguments.
_ASKED: Mapping[type[Exception], Mapping[str, Callable[..., Any]]] = {
    ValueError: {
        "sqrt": lambda x: x < 0,
        **dict.fromkeys(("log", "log2", "log10"), lambda x, base=2: x <= 0 or base <= 0),
        "log1p": lambda x: x <= -1,
        **dict.fromkeys(("asin", "acos"), lambda x: abs(x) > 1),
        "atanh": lambda x: abs(x) >= 1,
        "acosh": lambda x: x < 1,
        "fmod": lambda x, y: x == x and y == y and (y == 0 or math.isinf(x)),
        "pow": lambda x, y: (x == 0 and -math.inf < y < 0) or _is_no_root(x, y),
        "gamma": lambda x: x == -math.inf or _is_pole(x),
        "lgamma": lambda x: _is_pole(x),
        "round": lambda x, digits=None: digits is None and x != x,
        **dict.fromkeys(("int", "floor", "ceil", "trunc"), lambda x: x != x),
    },
    ZeroDivisionError: {"log": lambda x, base=2: base == 1},
    OverflowError: {
        "exp": lambda x: _overflows(math.exp(x), x),
        "exp2": lambda x: _overflows(math.exp2(x), x),
        "expm1": lambda x: _overflows(math.expm1(x), x),
        "sinh": lambda x: _overflows(math.sinh(x), x),
        "cosh": lambda x: _overflows(math.cosh(x), x),
        "pow": lambda x, y: _overflows(math.pow(x, y), x, y),
        "gamma": lambda x: _overflows(math.gamma(x), x),
        "round": lambda x, digits=None: digits is None and math.isinf(x),
        **dict.fromkeys(("int", "floor", "ceil", "trunc"), lambda x: math.isinf(x)),
    },
}
_BUILT_IN = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType)
_OPERATORS = (ast.Div, ast.FloorDiv, ast.Mod)
#: The functions of conditions, and what is raised, by names that no variable has.
ASKING: Mapping[str, Callable[..., Any]] = {
    **{f"raises {raised.__name__}": raised for raised in _ASKED},
    "raises zero": _is_zero,
    "raises power": _is_zero_below,
    "raises large": _is_large,
    **{
        f"raises {raised.__name__} {name}": function
        for raised, functions in _ASKED.items()
        for name, function in functions.items()
    },
}
_LATER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Places:
    """The places of expressions that raise what is caught, in the order of evaluation.

    `found` gives the function that a name, or an attribute, stands for; None where it is none.
    """

    def __init__(self, found: Callable[[ast.expr], Any], caught: Sequence[type]) -> None:
        self.found, self.caught = found, tuple(caught)

    def points(self, node: ast.AST, under: Sequence[ast.expr] = ()) -> Iterator[Point]:
        """Those of an expression that is evaluated `under` conditions."""
        match node:
            case ast.IfExp(test=test, body=body, orelse=other):
                yield from self.points(test, under)
                yield from self.points(body, [*under, test])
                yield from self.points(other, [*under, ast.UnaryOp(ast.Not(), test)])
            case ast.BoolOp(op=op, values=values):
                yield from self.points(values[0], under)
                so_far = list(under)
                for before, value in pairwise(values):
                    goes_on = isinstance(op, ast.And)
                    so_far.append(before if goes_on else ast.UnaryOp(ast.Not(), before))
                    yield from self.points(value, so_far)
            case ast.Compare(left=left, ops=[_, _, *_] as ops, comparators=others):
                yield from self.points(ast.Compare(left, ops[:1], others[:1]), under)
                for k, other in enumerate(others[1:], 1):
                    so_far = [*under, ast.Compare(left, ops[:k], others[:k])]
                    yield from self.points(other, so_far)
            case ast.Lambda():
                return
            case _ if isinstance(node, _LATER):
                if any(True for _ in self._inside(node)):
                    raise Unseen(node, "what a comprehension raises is not asked before")
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from self.points(child, under)
                for point in self.own(node):
                    yield Point(point.raised, _all([*under, point.holds]))

    def _inside(self, node: ast.AST) -> Iterator[Point]:
        for inner in ast.walk(node):
            yield from self.own(inner)

    def own(self, node: ast.AST) -> Iterator[Point]:
        """Those of one operator, or of one call."""
        match node:
            case ast.BinOp(op=op, right=right) if isinstance(op, _OPERATORS):
                if not (isinstance(right, ast.Constant) and right.value):
                    yield from self._asked(ZeroDivisionError, "raises zero", [right])
            case ast.AugAssign(target=target, op=op, value=value):
                yield from self.own(ast.BinOp(_loaded(target), op, value))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                if not isinstance(right, ast.Constant):  # that is a power from 0 on
                    yield from self._asked(ZeroDivisionError, "raises power", [left, right])
                yield from self._asked(OverflowError, "raises large", [left, right])
            case ast.Call(keywords=[_, *_]) if self.names(node):
                return  # round(x, ndigits=2) raises nothing
            case ast.Call(func=called, args=args):
                names = self.names(node)
                if any(name.startswith("cmath.") for name in names):
                    message = f"what {ast.unparse(called)}() raises is not asked before"
                    raise Unseen(node, message)
                for raised, functions in _ASKED.items():
                    for name in functions:
                        if {f"math.{name}", f"builtins.{name}"} & {*names}:
                            yield from self._asked(raised, f"raises {raised.__name__} {name}", args)
                if not names and not (isinstance(called, ast.Name) and called.id in ASKING):
                    self._check(node, self.found(called))

    def _asked(
        self, raised: type[Exception], name: str, args: Sequence[ast.expr]
    ) -> Iterator[Point]:
        if not issubclass(raised, self.caught):
            return
        for arg in args:
            if any(not self._is_pure(inner) for inner in ast.walk(arg)):
                raise Unseen(arg, "this is asked what it raises before: give it a name first")
        yield Point(raised, ast.Call(ast.Name(name, ast.Load()), list(args), []))

    def _is_pure(self, node: ast.AST) -> bool:
        changes = isinstance(node, ast.NamedExpr | ast.Yield | ast.Await)
        return not changes and (not isinstance(node, ast.Call) or bool(self.names(node)))

    def names(self, node: ast.Call) -> tuple[str, ...]:
        """The names under which the function of a call is known."""
        callee = self.found(node.func)
        return qualified(callee) if callee is not None else ()

    def _check(self, node: ast.Call, callee: Any) -> None:
        """Raises Unseen where a function may raise something itself."""
        if callee is None or may_raise(callee):
            name = ast.unparse(node.func)
            raise Unseen(node, f"what {name}() raises inside is not asked before")


def may_raise(callee: Any) -> bool:
    """Whether something in a function, or in one that it calls, may raise."""
    seen: dict[int, None] = {}
    stack = [callee]
    while stack:
        function = stack.pop()
        function = function.__func__ if isinstance(function, MethodType) else function
        if id(function) in seen or qualified(function):
            continue
        seen[id(function)] = None
        if isinstance(function, Partial):
            stack.append(function.of)
            continue
        if isinstance(function, type):
            made = (getattr(function, name, None) for name in ("__init__", "__post_init__"))
            stack += [m for m in made if isinstance(m, FunctionType) and not is_generated_init(m)]
            continue
        if isinstance(function, _BUILT_IN):
            continue  # what these raise is known while reading
        if not isinstance(function, FunctionType | Function):
            return True
        source = function.source if isinstance(function, Function) else source_of(function)
        if source is None or _has_points(source.node, _variables(function), stack):
            return True
    return False


def _variables(function: FunctionType | Function) -> Mapping[str, Any]:
    return function.outside if isinstance(function, Function) else function.__globals__


def _has_points(whole: ast.AST, variables: Mapping[str, Any], called: list[Any]) -> bool:
    """Whether something raises in a function; those that it calls are added to a list."""
    found = partial(_of_module, variables=variables)
    places = Places(found, (Exception,))
    for node in ast.walk(whole):
        if isinstance(node, ast.Raise | ast.Assert):
            return True
        if isinstance(node, ast.Call) and not places.names(node):
            called.append(found(node.func))
        elif any(True for _ in places.own(node)):
            return True
    return False


def _of_module(node: ast.expr, variables: Mapping[str, Any]) -> Any:
    """What a name, or an attribute of a module, stands for among the variables of a module."""
    match node:
        case ast.Name(id=name):
            return variables.get(name, getattr(builtins, name, None))
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return getattr(variables.get(name), attribute, None)
    return None


def _all(conditions: Sequence[ast.expr]) -> ast.expr:
    return conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), list(conditions))


def _loaded(target: ast.expr) -> ast.expr:
    """What a target stands for before it is assigned."""
    match target:
        case ast.Name(id=name):
            return ast.Name(name, ast.Load())
        case ast.Attribute(value=value, attr=attribute):
            return ast.Attribute(value, attribute, ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value, index, ast.Load())
    return target
