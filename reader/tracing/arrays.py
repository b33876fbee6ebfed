"""NumPy's functions on symbolic values: which operator each of them is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from ...terms.errors import TraceError, nearest
from ...terms.types import Mat, Scalar, Vec
from .calls import call
from .positions import here
from .symbolic import Tracer
from .trace import Trace

# Functions that are an operator of another name, where the rule files say nothing.
_BASIC: Mapping[str, str] = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "equal": "eq",
    "not_equal": "ne",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_not": "logical_not",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "invert": "logical_not",
    "logical_xor": "ne",
    "bitwise_xor": "ne",
    "rad2deg": "degrees",
    "deg2rad": "radians",
    "where": "select",
    "clip": "clamp",
    "cross": "cross",
    "transpose": "transpose",
    "det": "determinant",
}
_FOLDS: Mapping[str, str] = {
    "sum": "add",
    "prod": "mul",
    "max": "max",
    "amax": "max",
    "min": "min",
    "amin": "min",
    "all": "logical_and",
    "any": "logical_or",
}
_REDUCTIONS: Mapping[str, str] = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
}


def call_ufunc(
    trace: Trace, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """`np.sin(x)` and the like."""
    if method == "reduce" and ufunc.__name__ in _REDUCTIONS:
        return _fold(trace, _REDUCTIONS[ufunc.__name__], inputs, {})
    if method != "__call__":
        raise TraceError(f"numpy.{ufunc.__name__}.{method} cannot be traced", here())
    if given := [name for name, value in options.items() if value is not None]:
        raise TraceError(f"numpy.{ufunc.__name__}({given[0]}=...) cannot be traced", here())
    if _is_batch(trace, inputs):
        return _each(lambda *args: call_named(trace, ufunc.__name__, args), inputs)
    return call_named(trace, ufunc.__name__, inputs)


def call_function(trace: Trace, func: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """`np.where(c, a, b)` and the like."""
    name = func.__name__
    if given := [key for key, value in options.items() if value is not None]:
        raise TraceError(f"numpy.{name}({given[0]}=...) cannot be traced", here())
    if name in _FOLDS:
        return _fold(trace, name, args, options)
    return call_named(trace, name, args)


def call_named(trace: Trace, name: str, args: Sequence[Any]) -> Any:
    """The NumPy function called `name`: an operator by the rules, or one of the shapes below.

    Raises TraceError for one that is neither.
    """
    special = _SPECIAL.get(name)
    if special is not None:
        return special(trace, *args)
    by_alias = trace.rules.by_alias
    for module in ("numpy", "numpy.linalg", "scipy.special"):
        if (operator := by_alias.get(f"{module}.{name}")) is not None:
            return call(trace, operator, args)
    if name in _BASIC:
        return call(trace, _BASIC[name], args)
    ufuncs = sys.modules.get("scipy.special")  # its functions are ufuncs of NumPy, too
    home = "scipy.special" if hasattr(ufuncs, name) and not hasattr(numpy, name) else "numpy"
    known = [a.removeprefix(f"{home}.") for a in by_alias if a.startswith(f"{home}.")]
    raise TraceError(
        f"{home}.{name} has no operator{nearest(name, known)}",
        here(),
        "use the functions of egad, or define an operator with the alias "
        f'"{home}.{name}" in a rule file',
    )


def _is_batch(trace: Trace, inputs: Sequence[Any]) -> bool:
    """Whether there is an array that is no vector or matrix of the symbolic values beside it."""
    arrays = [i for i in inputs if getattr(i, "shape", ()) != ()]
    if not arrays:
        return False
    composite = any(
        isinstance(i, Tracer) and not isinstance(i.egad_value.type, Scalar) for i in inputs
    )
    return not composite or any(trace.lift(array) is None for array in arrays)


def _each(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """An array of objects: the function at every element."""
    import numpy as np

    boxed = []
    for given in inputs:
        if isinstance(given, Tracer) and isinstance(given.egad_value.type, Scalar):
            cell = np.empty((), dtype=object)
            cell[()] = given
            given = cell
        boxed.append(given)
    return np.frompyfunc(function, len(inputs), 1)(*boxed)


def _fold(trace: Trace, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    if len(args) != 1:
        raise TraceError(f"numpy.{name} along an axis cannot be traced", here())
    items = _flat(args[0])
    result = items[0]
    for item in items[1:]:
        result = call(trace, _FOLDS[name], (result, item))
    return result


def _flat(given: Any) -> list[Any]:
    """The scalars of a vector, a matrix or a (nested) list."""
    if isinstance(given, Tracer) and isinstance(given.egad_value.type, Scalar):
        return [given]
    if not hasattr(given, "__iter__"):
        return [given]
    return [leaf for item in given for leaf in _flat(item)]


def _power(trace: Trace, base: Any, exponent: Any) -> Any:
    return _wrapped(trace, "power", trace.power(base, exponent))


def _matmul(trace: Trace, a: Any, b: Any) -> Any:
    return _wrapped(trace, "matmul", trace.matmul(a, b))


def _dot(trace: Trace, a: Any, b: Any) -> Any:
    x, y = trace.lift(a), trace.lift(b)
    if x is not None and y is not None and Scalar in (type(x.type), type(y.type)):
        return call(trace, "mul", (a, b))
    return _matmul(trace, a, b)


def _wrapped(trace: Trace, name: str, value: Any) -> Any:
    if value is None:
        raise TraceError(f"numpy.{name}: an argument is no number, vector or matrix", here())
    return Tracer(trace, value)


def _norm(trace: Trace, x: Any) -> Any:
    """The length of a vector; of a matrix, that of all its elements (Frobenius)."""
    value = trace.lift(x)
    if value is not None and isinstance(value.type, Vec):
        return call(trace, "length", (x,))
    if value is not None and isinstance(value.type, Mat):
        squares = [call(trace, "mul", (e, e)) for e in _flat(x)]
        return call(trace, "sqrt", (_fold(trace, "sum", [squares], {}),))
    return call(trace, "abs", (x,))


def _mean(trace: Trace, x: Any) -> Any:
    return call(trace, "div", (_fold(trace, "sum", [x], {}), len(_flat(x))))


def _outer(trace: Trace, a: Any, b: Any) -> Any:
    x, y = trace.lift(a), trace.lift(b)
    if x is None or y is None or not (isinstance(x.type, Vec) and isinstance(y.type, Vec)):
        raise TraceError("numpy.outer needs two vectors", here())
    leaves = [call(trace, "mul", (p, q)).egad_value for p in _flat(a) for q in _flat(b)]
    matrix = Mat(x.type.elem, x.type.size, y.type.size)
    return Tracer(trace, trace.construct(matrix, [Tracer(trace, leaf) for leaf in leaves]))


def _filled(number: float) -> Callable[..., Any]:
    def fill(trace: Trace, x: Tracer) -> Any:
        return Tracer(trace, trace.fit(number, x.egad_value.type))

    return fill


def _shape(trace: Trace, x: Tracer) -> tuple[int, ...]:
    match x.egad_value.type:
        case Vec(size=size):
            return (size,)
        case Mat(rows=rows, cols=cols):
            return rows, cols
    return ()


_SPECIAL: Mapping[str, Callable[..., Any]] = {
    "power": _power,
    "float_power": _power,
    "square": lambda trace, x: call(trace, "mul", (x, x)),
    "positive": lambda trace, x: x,
    "matmul": _matmul,
    "dot": _dot,
    "vdot": _dot,
    "inner": _dot,
    "outer": _outer,
    "norm": _norm,
    "mean": _mean,
    "zeros_like": _filled(0.0),
    "ones_like": _filled(1.0),
    "full_like": lambda trace, x, value: Tracer(trace, trace.fit(value, x.egad_value.type)),
    "copy": lambda trace, x: Tracer(trace, x.egad_value),
    "shape": _shape,
    "ndim": lambda trace, x: len(_shape(trace, x)),
    "real": lambda trace, x: x,
}
