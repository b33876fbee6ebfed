"""The functions and methods of NumPy on arrays: which of them does what.

Four ways lead through NumPy itself: functions of numbers are called at each element; what moves
elements is asked of an array of their places (parts.py), and gives views; what only asks for a
shape is asked of an array of zeros; and what adds and multiplies computes with the reader's numbers
(elementwise.py). Takes a function and argument values, gives a value, or `UNKNOWN`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.types import Mat, Scalar, Vec
from ....terms.value import Value
from ..libraries.arraying import OF_UFUNCS, WITH_ARRAYS
from ..libraries.sampled import OF_SAMPLES, WITH_FUNCTIONS
from ..operations.library import UNKNOWN, knows
from ..operations.records import Invoke, as_plain_tuple, plain
from ..operations.written import written
from ..values.arrays import is_array, shape_of
from ..values.entries import Shown
from ..values.objects import Listed, Partial, first, is_tuple
from ..values.once import Once
from ..values.scope import Session
from ..values.values import describe, is_number, is_static
from ..values.words import qualified
from . import folding, reducing, shaping
from .arraycalls import ArrayCall, check_known
from .elementwise import gathered, made
from .numbers import at_each, clip, is_operator, logical_not, looked_up, of_known, of_numbers, where


def call_array(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """The value of a function of NumPy at arrays; UNKNOWN where these are none, or it is none."""
    names = _names(callee)
    given = [*args, *kwargs.values()]
    ufunc: Any = getattr(callee, "__self__", None)
    if type(ufunc).__name__ == "ufunc" and callee.__name__ in OF_UFUNCS:
        return invoke(OF_UFUNCS[callee.__name__], [ufunc, *args], kwargs, at)
    if type(ufunc).__name__ == "ufunc" and callee.__name__ in folding.OF_UFUNCS:
        whole = ArrayCall(session, ufunc, ufunc.__name__, args, kwargs, at, invoke)
        return _guarded(partial(folding.of_ufunc, callee.__name__, of_numbers(whole)), whole)
    if not names and type(callee).__name__ == "ufunc" and written(callee) is not None:
        whole = ArrayCall(session, callee, callee.__name__, args, kwargs, at, invoke)
        return UNKNOWN if _are_numbers(given) else _guarded(at_each, whole)  # one of SciPy's
    if not names:
        _refuse_math(callee, given, at)
        return UNKNOWN
    name = next((n for n in names if n in _HANDLERS), names[0])
    args = [_taken(session, name, value, at) for value in args]
    given = [*args, *kwargs.values()]
    if name not in _AT_RUN_TIME:
        check_known(callee, name, args, kwargs, at)
    if not any(_holds_array(value) for value in given):
        rows = [plain(session, value, at) for value in given]
        no_lists = all(type(row) is not tuple for row in rows)  # a list is an array to NumPy
        elsewhere = knows(session, callee) or written(callee) is not None
        elsewhere = elsewhere and name not in (*_ARRAYS, "clip")
        static = is_static(tuple(rows)) and name not in WITH_FUNCTIONS  # what it calls is read
        if static or callee in _OF_PYTHON or (no_lists and elsewhere and not kwargs):
            return UNKNOWN
    call = ArrayCall(session, callee, name, *_by_position(callee, args, kwargs), at, invoke)
    if name in _HANDLERS:
        handler = _HANDLERS[name]
        if handler is at_each:
            return _guarded(at_each, call)
        return _guarded(partial(reducing.into, handler=handler), call)
    if type(callee).__name__ != "ufunc" or (_are_numbers(given) and not is_operator(name)):
        return UNKNOWN  # a function of numbers that is not known, whoever asks
    return _guarded(at_each, call)


def _taken(session: Session, name: str, value: Any, at: Span) -> Any:
    """An argument as NumPy takes it: a named tuple is one, and an iterator is one object."""
    if isinstance(value, Once | Shown) and name not in _RUNNING:
        what = describe(value) if isinstance(value, Once) else f"the {value.what} of a dictionary"
        message = f"np.{name} takes {what} as one object, not its items"
        raise TraceError(message, at, f"give them as a list: np.{name}([…])")
    row = as_plain_tuple(session, value, at)
    return value if row is None else row


def _by_position(
    callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Arguments, of which those that a function needs stand in their places, as in `f(shape=3)`."""
    if not kwargs:
        return args, kwargs
    try:
        params = [*inspect.signature(callee).parameters.values()]
    except (TypeError, ValueError):  # nothing says what it takes
        return args, kwargs
    found, named = list(args), dict(kwargs)
    for param in params[len(args) :]:
        if param.default is not param.empty or param.name not in named:
            break
        found.append(named.pop(param.name))
    return found, named


def _guarded(handler: Callable[[ArrayCall], Any], call: ArrayCall) -> Any:
    """What a function gives. Its errors are those of NumPy, or of the arguments."""
    try:
        return handler(call)
    except (ValueError, IndexError, TypeError) as error:
        problem: Exception = error
    try:  # it says better what is missing than what unpacks the arguments
        inspect.signature(call.callee).bind(*call.args, **call.kwargs)
    except TypeError as better:
        problem = better
    except ValueError:  # nothing says what it takes
        pass
    raise TraceError(f"{call.name} fails in NumPy: {problem}", call.at)


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(is_number(v) or isinstance(getattr(v, "type", None), Scalar) for v in values)


def _refuse_math(callee: Any, given: Sequence[Any], at: Span) -> None:
    """TraceError for `math.sin(a)` of an array."""
    array = next(filter(is_array, given), None)
    name = getattr(callee, "__name__", "")
    if array is not None and getattr(callee, "__module__", "") == "math" and name not in _OF_LISTS:
        message = f"math.{name} computes with numbers, not with {describe(array)}"
        raise TraceError(message, at, f"np.{name} computes with each element")


_OF_LISTS = ("fsum", "prod", "dist", "sumprod")
_OF_PYTHON = (abs, round, pow)


def _names(callee: Any) -> list[str]:
    """What a function of NumPy, or a method of its arrays, is called there."""
    if _is_method(callee):
        return [callee.__name__]
    if isinstance(callee, type) or not callable(callee):
        return []
    full = [name.partition(".") for name in qualified(callee)]
    return [name for module, _, name in full if module == "numpy" or callee in _OF_PYTHON]


def _is_method(callee: Any) -> bool:
    return getattr(getattr(callee, "__objclass__", None), "__name__", "") == "ndarray"


def _holds_array(value: Any) -> bool:
    stack = [value]
    while stack:
        value = stack.pop()
        if is_array(value):
            return True
        if isinstance(first(value), Listed):
            stack += first(value).items
        elif is_tuple(value):
            stack += value
    return False


def of_arrays(session: Session, callee: Any, args: Sequence[Any], found: Any, at: Span) -> Any:
    """What a function of NumPy gives of arrays: an array, where it would be a vector."""
    is_vector = isinstance(found, Value) and not isinstance(found.type, Scalar)
    if is_vector and _names(callee) and any(map(_holds_array, args)):
        return made(session, gathered(session, found, at))
    return found


def is_of_arrays(callee: Any) -> bool:
    """Whether a function is one of NumPy's that is not read, though it may be written in Python."""
    return any(name in _HANDLERS or name in _SIZED for name in _names(callee))


#: Written in Python by NumPy, in words that say nothing of what is wrong.
_SIZED = ("eye", "ones", "identity", "tri", "indices", "full")
#: What these say of a number is their own.
_RUNNING = ("sum", "fromiter")  # over what gives its items once
_AT_RUN_TIME = ("linspace", "geomspace", "logspace", "reshape", "astype")
_ATTRIBUTES = ("shape", "ndim", "size", "dtype", "T", "flat")


def methods_of_arrays() -> list[str]:
    """What an array has, for suggestions."""
    import numpy

    return [*_ATTRIBUTES, *(name for name in _HANDLERS if hasattr(numpy.ndarray, name))]


def method_of_array(value: Any, name: str) -> Any:
    """`value.name` of an array; None where arrays have no such method."""
    import numpy

    shape = shape_of(value) if is_array(value) else _shape_of_vector(value)
    match name:
        case "shape":
            return shape
        case "ndim":
            return len(shape)
        case "size":
            return int(numpy.prod(shape))
        case "dtype" if is_array(value):
            return numpy.dtype(first(value).kind)
        case "T" if is_array(value):
            return Partial(numpy.transpose, (value,), {})
    method = getattr(numpy.ndarray, name, None)
    if name in ("fill", "sort") and not is_array(value):
        return None  # a vector has no places of its own
    if name in _HANDLERS and method is not None:
        return Partial(method, (value,), {})
    return None


def _shape_of_vector(value: Value) -> tuple[int, ...]:
    kind = value.type
    if isinstance(kind, Mat):
        return (kind.rows, kind.cols)
    return (kind.size,) if isinstance(kind, Vec) else ()


def _read(function: Callable[..., Any]) -> Callable[[ArrayCall], Any]:
    """A function that is written in Python."""
    return lambda call: call.again(function, *call.args, **call.kwargs)


def _unpaired(call: ArrayCall) -> Any:
    """Which elements these are: of numbers that are known while reading."""
    found = of_known(call)
    if found is not None:
        return found
    raise TraceError(
        f"how many elements {call.name}() gives is known only when the kernel runs",
        call.at,
        "choose each of them: np.where(c, a, b)",
    )


_VIEWS = (
    "reshape ravel transpose swapaxes moveaxis squeeze expand_dims flip fliplr flipud rot90 "
    "diagonal atleast_1d atleast_2d broadcast_to split array_split hsplit vsplit flatten "
    "atleast_3d dsplit rollaxis unstack matrix_transpose linalg.matrix_transpose linalg.diagonal "
    "lib.stride_tricks.sliding_window_view"
)
_COMPUTED = (
    "average dot vdot inner outer matmul tensordot "
    "kron cross convolve concatenate stack vstack hstack column_stack append roll tile "
    "repeat diag triu tril delete insert meshgrid pad vander block dstack linalg.matmul "
    "linalg.outer linalg.cross linalg.tensordot linalg.trace correlate"
)
_WRITTEN = {**WITH_ARRAYS, **OF_SAMPLES, **WITH_FUNCTIONS}
_ARRAYS = ("array", "asarray", "asanyarray", "ascontiguousarray")
_REDUCED = "sum prod mean var std cumsum cumprod trace"
_HANDLERS: Mapping[str, Callable[[ArrayCall], Any]] = {
    **dict.fromkeys(_VIEWS.split(), shaping.moved),
    **dict.fromkeys(_COMPUTED.split(), reducing.converted(ArrayCall.computed)),
    **dict.fromkeys(("diff", "einsum"), shaping.moved_or(reducing.converted(ArrayCall.computed))),
    **dict.fromkeys(_REDUCED.split(), reducing.reduced(ArrayCall.computed)),
    **dict.fromkeys(
        ("zeros_like", "ones_like", "empty_like", "size", "shape", "ndim"), shaping.of_shape
    ),
    **dict.fromkeys(("unique", "nonzero", "argwhere", "flatnonzero", "compress"), _unpaired),
    **dict.fromkeys(("max", "amax"), reducing.reduced(folding.extreme(max))),
    **dict.fromkeys(("min", "amin"), reducing.reduced(folding.extreme(min))),
    **dict.fromkeys(_ARRAYS, shaping.array_of),
    **dict.fromkeys(("abs", "pow"), at_each),
    **dict.fromkeys(("round", "around"), folding.at_decimals),
    "ptp": folding.spread,
    "median": folding.middle,
    "any": reducing.reduced(folding.some(ast.BitOr())),
    "all": reducing.reduced(folding.some(ast.BitAnd())),
    "argmax": folding.place_of(ast.Gt()),
    "argmin": folding.place_of(ast.Lt()),
    "sort": folding.ordered,
    "where": where,
    "clip": clip,
    **dict.fromkeys(("interp", "digitize"), looked_up(0)),
    "searchsorted": looked_up(1),
    "logical_not": logical_not,
    "linalg.norm": folding.norm,
    "count_nonzero": folding.count_nonzero,
    "full": shaping.full,
    "linspace": shaping.linspace,
    "full_like": shaping.full_like,
    "copy": shaping.copy_of,
    "astype": shaping.as_type_of,
    "item": shaping.item,
    "tolist": shaping.to_list,
    "fill": shaping.fill,
    "nan_to_num": folding.without_nan,
    "sinc": at_each,
    **{name: _read(function) for name, function in _WRITTEN.items()},
    **{f"nan{name}": partial(folding.besides_nan, name) for name in folding.BESIDES_NAN},
}
