"""Takes the NumPy meaning of an operator as text, gives a function over arrays.

The text is parsed, never evaluated: calls of NumPy's and SciPy's element-wise functions,
numbers, the operator's parameters, arithmetic and comparisons. Knows nothing of terms.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..terms.errors import RuleError, Span

Array = np.ndarray[Any, Any]
#: The arrays of the parameters by name, and the type that constants take.
_Node = Callable[[Mapping[str, Array], "np.dtype[Any]"], Any]
#: A meaning: the arrays of the parameters, in order, to the array of the result.
Meaning = Callable[[Sequence[Array]], Any]

# Element-wise functions of NumPy that are not ufuncs, and how many arrays they take here: a
# further one would be where the result is stored, or an option.
_EXTRA = {
    "where": 3,
    "clip": 3,
    "round": 1,
    "around": 1,
    "sinc": 1,
    "nan_to_num": 1,
    "isclose": 2,
    "isposinf": 1,
    "isneginf": 1,
    "fix": 1,
    "real": 1,
    "zeros_like": 1,
    "ones_like": 1,
    "abs": 1,
}
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
#: What comparisons compute, in every meaning.
COMPARE: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_BINARY: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    **COMPARE,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: Mapping[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: np.logical_not,
}


@functools.lru_cache(maxsize=4096)
def compile_meaning(text: str, params: tuple[str, ...], at: Span | None = None) -> Meaning:
    """The function that `text` denotes over the parameters.

    >>> f = compile_meaning("sqrt(x * x + 1)", ("x",))
    >>> f([np.float32([0.0])])
    array([1.], dtype=float32)
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        problem = f"the NumPy meaning {text!r} is not an expression: {error.msg}"
        raise RuleError(problem, at) from None
    node = _node(tree.body, frozenset(params), text, at)
    alone = _alone(tree.body, params, text, at)

    def meaning(args: Sequence[Array]) -> Any:
        try:
            if alone is not None:
                return alone(*args)
            return node(dict(zip(params, args, strict=True)), _constant_type(args))
        except (ArithmeticError, TypeError, ValueError) as error:
            kinds = ", ".join(f"{p}: {a.dtype}" for p, a in zip(params, args, strict=True))
            problem = f"the NumPy meaning {text!r} cannot be computed for {kinds}: {error}"
            raise RuleError(
                problem, at, "state the kinds of the parameters, as in n: int"
            ) from None

    return meaning


def _alone(
    e: ast.expr, params: tuple[str, ...], text: str, at: Span | None
) -> Callable[..., Any] | None:
    """The function of which a meaning is one call, of all parameters in their order: most are."""
    match e:
        case ast.Call(func=func, args=args, keywords=[]):
            names = tuple([a.id if isinstance(a, ast.Name) else "" for a in args])
            return _function(func, len(args), text, at) if names == params else None
    return None


def numpy_arity(name: str) -> int | None:
    """How many arrays NumPy's element-wise function takes; None where there is none.

    >>> numpy_arity("arctan2"), numpy_arity("save")
    (2, None)
    """
    return _EXTRA.get(name) or _ufunc_arity(vars(np).get(name))


def _ufunc_arity(found: object) -> int | None:
    plain = isinstance(found, np.ufunc) and found.nout == 1 and found.signature is None
    return found.nin if plain else None  # type: ignore[attr-defined]


def _constant_type(args: Sequence[Array]) -> np.dtype[Any]:
    """The type of the numbers in a meaning: that of the first operand that is not bool."""
    for arg in args:
        if arg.dtype != np.bool_:
            dtype: np.dtype[Any] = arg.dtype
            return dtype
    return np.dtype(np.bool_)


def _node(e: ast.expr, params: frozenset[str], text: str, at: Span | None) -> _Node:
    """The function of one node; recursion is bounded by the depth of a rule's text."""

    def sub(child: ast.expr) -> _Node:
        return _node(child, params, text, at)

    match e:
        case ast.Name(id=name) if name in params:
            return lambda env, _: env[name]
        case ast.Name(id=name) if name in _CONSTANTS:
            return _constant(_CONSTANTS[name])
        case ast.Constant(value=bool() | int() | float() as value):
            return _constant(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return _constant(-value)
        case ast.UnaryOp(op=op, operand=x):
            return _apply(_UNARY[type(op)], [sub(x)])
        case ast.BinOp(op=op, left=a, right=b) if type(op) in _BINARY:
            return _apply(_BINARY[type(op)], [sub(a), sub(b)])
        case ast.BoolOp(op=op, values=values):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            nodes = [sub(v) for v in values]
            return functools.reduce(lambda a, b: _apply(join, [a, b]), nodes)
        case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in _BINARY:
            return _apply(_BINARY[type(op)], [sub(a), sub(b)])
        case ast.Call(func=func, args=args, keywords=[]):
            return _apply(_function(func, len(args), text, at), [sub(a) for a in args])
    raise RuleError(
        f"the NumPy meaning {text!r} has a part that is not allowed: {ast.unparse(e)}",
        at,
        f"use numbers, {', '.join(sorted(params))}, + - * / // % **, comparisons and element-wise "
        "functions of numpy or scipy.special",
    )


def _constant(value: bool | int | float) -> _Node:
    if isinstance(value, bool):
        truth = np.bool_(value)
        return lambda *_: truth
    whole = math.isfinite(value) and float(value).is_integer() and abs(value) < 2**31

    def node(_: Mapping[str, Array], dtype: np.dtype[Any]) -> Any:
        if dtype.kind == "f" or (dtype.kind == "i" and whole):
            return dtype.type(value)  # 0-d operands must not widen float32 to float64
        return np.int32(value) if whole else np.float64(value)

    return node


def _apply(function: Callable[..., Any], nodes: Sequence[_Node]) -> _Node:
    if len(nodes) == 1:
        (only,) = nodes
        return lambda env, dtype: function(only(env, dtype))
    if len(nodes) == 2:
        a, b = nodes
        return lambda env, dtype: function(a(env, dtype), b(env, dtype))
    return lambda env, dtype: function(*[node(env, dtype) for node in nodes])


def _function(func: ast.expr, count: int, text: str, at: Span | None) -> Callable[..., Any]:
    found: Any = None
    arity: int | None = None
    match func:
        case ast.Name(id=name):
            found, arity = vars(np).get(name), numpy_arity(name)
        case ast.Attribute(value=ast.Name(id="special"), attr=name):
            import scipy.special

            found = vars(scipy.special).get(name)
            arity = _ufunc_arity(found)
    if arity is None:
        raise RuleError(
            f"the NumPy meaning {text!r} calls {ast.unparse(func)!r}, which is not an "
            "element-wise function of numpy or scipy.special",
            at,
            "write sin(x) for numpy.sin, special.erf(x) for scipy.special.erf",
        )
    if arity != count:
        plural = "" if arity == 1 else "s"
        shown = f"{ast.unparse(func)} takes {arity} argument{plural}, not {count}"
        raise RuleError(f"the NumPy meaning {text!r}: {shown}", at)
    result: Callable[..., Any] = found
    return result
