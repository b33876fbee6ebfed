"""Functions of numbers at each element of arrays: `np.sin(a)`, `np.clip(a, 0, 1)`, `np.interp`.

Takes calls of functions of NumPy, gives values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ..operations.library import UNKNOWN
from ..operations.making import copied
from ..operations.operators import Here, comparison
from ..values.arrays import is_array
from ..values.objects import is_tuple
from ..values.values import describe, is_static, is_truth
from . import folding
from .arraycalls import ArrayCall
from .elementwise import each, not_of, number_binary, number_unary
from .parts import in_place

_BINARY: Mapping[str, ast.operator] = {
    "add": ast.Add(),
    "subtract": ast.Sub(),
    "multiply": ast.Mult(),
    "divide": ast.Div(),
    "true_divide": ast.Div(),
    "floor_divide": ast.FloorDiv(),
    "remainder": ast.Mod(),
    "mod": ast.Mod(),
    "power": ast.Pow(),
    "pow": ast.Pow(),
    "bitwise_and": ast.BitAnd(),
    "bitwise_or": ast.BitOr(),
    "bitwise_xor": ast.BitXor(),
}
_COMPARE: Mapping[str, ast.cmpop] = {
    "less": ast.Lt(),
    "less_equal": ast.LtE(),
    "greater": ast.Gt(),
    "greater_equal": ast.GtE(),
    "equal": ast.Eq(),
    "not_equal": ast.NotEq(),
}
_UNARY: Mapping[str, ast.unaryop] = {
    "negative": ast.USub(),
    "positive": ast.UAdd(),
    "invert": ast.Invert(),
    "bitwise_not": ast.Invert(),
    "bitwise_invert": ast.Invert(),
}
_NODE = ast.Constant(0)


def at_each(call: ArrayCall) -> Any:
    """A function of numbers, at each element; `out` and `where` say which become what it gives."""
    named = call.known("out", "where")
    wanted = getattr(call.callee, "nin", len(call.args))
    if len(call.args) == wanted + 1:  # `np.add(a, b, r)`
        named = {**named, "out": call.args[-1]}
        call = replace(call, args=call.args[:-1])
    if named:
        return _into(replace(call, kwargs={}), **named)
    if wanted != len(call.args):
        raise TraceError(f"{call.name} takes {wanted} arrays, not {len(call.args)}", call.at)
    arrays = [call.numbers(arg) for arg in call.args]
    return call.made(each(call.at, of_numbers(call), arrays))


def _into(call: ArrayCall, out: Any = None, where: Any = True) -> Any:
    """What a function gives, where something holds, in an array."""
    import numpy

    out = out[0] if is_tuple(out) and len(out) == 1 else out
    if not is_array(out):
        message = f"out={describe(out)}" if out is not None else "where= without out="
        hint = f"write np.where(c, np.{call.name}(…), other), or give an array as out="
        raise TraceError(f"{call.name}() cannot take {message} here", call.at, hint)
    found = call.again(numpy.where, where, at_each(call), out)
    return in_place(call.session, out, found, call.at)


def of_numbers(call: ArrayCall) -> Callable[..., Any]:
    """What a function does with the numbers at one place."""
    here = call.here
    if call.name in _BINARY:
        return partial(number_binary, here, _NODE, _BINARY[call.name])
    if call.name in _COMPARE:
        return partial(comparison, here, _NODE, _COMPARE[call.name])
    if call.name == "logical_xor":
        return partial(_one_of_two, here)
    if call.name in _UNARY:
        return partial(number_unary, here, ast.UnaryOp(_UNARY[call.name], _NODE))
    return lambda *numbers: call.invoke(call.callee, numbers, {}, call.at)


def _one_of_two(here: Here, left: Any, right: Any) -> Any:
    """Whether one of two numbers is another than 0, and the other is not."""
    sides = (
        v if is_truth(v) else comparison(here, _NODE, ast.NotEq(), v, 0) for v in (left, right)
    )
    return comparison(here, _NODE, ast.NotEq(), *sides)


def logical_not(call: ArrayCall) -> Any:
    """`np.logical_not(a)`."""
    call.known()
    return call.made(each(call.at, partial(not_of, call.here), [folding.truths(call)]))


def clip(call: ArrayCall) -> Any:
    """`np.clip(a, low, high)`: one of them may be None."""
    import numpy

    named = call.known("a_min", "a_max", "min", "max")
    array, *bounds = call.args
    if len(bounds) > 2:
        raise TypeError  # NumPy's own words say it better
    low, high, *_ = (*bounds, None, None)
    low = named.get("a_min", named.get("min", low))
    high = named.get("a_max", named.get("max", high))
    if low is not None and high is not None and any(map(is_array, (array, low, high))):
        arrays = [call.numbers(v) for v in (array, low, high)]
        return call.made(each(call.at, partial(call.again, numpy.clip), arrays))
    if low is not None and high is not None:
        plainly = call.callee is numpy.clip and not call.kwargs
        return UNKNOWN if plainly else call.again(numpy.clip, array, low, high)
    if low is None and high is None:
        return copied(array) if is_array(array) else array
    if low is None:
        return call.again(numpy.minimum, array, high)
    return call.again(numpy.maximum, array, low)


def where(call: ArrayCall) -> Any:
    """`np.where(c, a, b)`."""
    found = of_known(call) if len(call.args) == 1 else None
    if found is not None:
        return found
    if len(call.args) != 3:
        hint = "np.where(c, a, b) chooses each of them"
        message = "how many elements this gives is known only when the kernel runs"
        raise TraceError(message, call.at, hint)
    return at_each(call)


def of_known(call: ArrayCall) -> Any:
    """What NumPy gives of numbers that are all known while reading; None where some are not."""
    import numpy

    given = [call.numbers(arg) for arg in call.args]
    said = tuple([*call.kwargs.values(), *(item for numbers in given for item in numbers.flat)])
    if not is_static(said):
        return None
    found = call.callee(*[numpy.array(n.tolist()) for n in given], **call.kwargs)
    if isinstance(found, tuple):
        return tuple(call.made(part.astype(object)) for part in found)
    return call.made(found.astype(object))


def looked_up(place: int) -> Callable[[ArrayCall], Any]:
    """`np.interp(x, xp, fp)`, `np.searchsorted(a, v)`: at each number that is looked up."""

    def handler(call: ArrayCall) -> Any:
        numbers = call.numbers(call.args[place])
        if not numbers.ndim:
            return UNKNOWN
        before, after = call.args[:place], call.args[place + 1 :]
        at_one = partial(call.again, call.callee, **call.kwargs)
        found = each(call.at, lambda v: at_one(*before, v, *after), [numbers])
        return call.made(found.copy())  # row after row, in whatever order the numbers stood

    return handler


def is_operator(name: str) -> bool:
    """Whether a function of NumPy is one of Python's operators."""
    return name in _BINARY or name in _COMPARE or name in _UNARY or name == "logical_xor"
