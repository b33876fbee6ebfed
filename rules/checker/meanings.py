"""The mpmath meaning of an operator as a function: a text is parsed once, and never evaluated.

Takes the text, gives a function of the numbers of the parameters. Knows nothing of terms, and of
mpmath only how its constants and numbers are called.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..loader.spelling import MPMATH
from ..meaning import COMPARE

#: The value of a function of mpmath, by its name.
Functions = Callable[[str, list[Any]], Any]
Meaning = Callable[[Sequence[Any], Functions], Any]


class Meaningless(Exception):
    """What is no meaning in real numbers, and why."""


@lru_cache(maxsize=4096)
def meaning_of(text: str, names: tuple[str, ...]) -> Meaning:
    """The function that `text` denotes of the values of `names`.

    Raises Meaningless, then or when called.

    >>> meaning_of("x * x + 1", ("x",))([2], lambda name, args: None)
    mpf('5.0')
    """
    return _node(ast.parse(text.strip(), mode="eval").body, text, names)


def _node(e: ast.expr, text: str, names: tuple[str, ...]) -> Meaning:
    import mpmath

    match e:
        case ast.Name(id=name) if name in names:
            place = names.index(name)
            return lambda given, _: given[place]
        case ast.Name(id=name):
            return lambda *_: getattr(mpmath.mp, name)
        case ast.Constant(value=value):
            number = value if isinstance(value, bool) else mpmath.mpf(value)
            return lambda *_: number
        case ast.UnaryOp(operand=x):
            inner = _node(x, text, names)
            return lambda given, functions: -inner(given, functions)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _pair(COMPARE[type(op)], left, right, text, names)
        case ast.BinOp(op=op, left=left, right=right):
            return _pair(_BINARY.get(type(op), _quotient), left, right, text, names)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, [_node(a, text, names) for a in args], text)
    raise Meaningless(f"mpmath meaning: {ast.unparse(e)}")


def _pair(
    compute: Callable[[Any, Any], Any],
    left: ast.expr,
    right: ast.expr,
    text: str,
    names: tuple[str, ...],
) -> Meaning:
    if [getattr(side, "id", "") for side in (left, right)] == list(names):
        return lambda given, _: compute(*given)  # a + b: most meanings of two numbers
    one, other = _node(left, text, names), _node(right, text, names)
    return lambda given, functions: compute(one(given, functions), other(given, functions))


def _call(name: str, args: list[Meaning], text: str) -> Meaning:
    if name not in MPMATH:
        raise Meaningless(f"mpmath has no function {name!r}")

    def call(given: Sequence[Any], functions: Functions) -> Any:
        values = [arg(given, functions) for arg in args]
        try:
            return functions(name, values)
        except TypeError as error:  # another number of arguments than the function takes
            raise Meaningless(f"the mpmath meaning {text!r} cannot be computed: {error}") from None

    return call


def _quotient(a: Any, b: Any) -> Any:
    """a / b, of which infinity and NaN are values."""
    if b != 0:
        return a / b
    from mpmath import mp

    return mp.nan if a == 0 or a != a else mp.sign(a) * mp.inf


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
