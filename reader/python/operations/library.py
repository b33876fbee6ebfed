"""Functions that are not read but known: Python's built-ins, NumPy's, operators, types.

Takes a callable and argument values, gives a value, or `UNKNOWN` for a callable that means
nothing to egad; knows nothing of syntax and of user functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import reduce
from typing import Any

from ....terms.apply import apply, signature, truth
from ....terms.bits import COUNT
from ....terms.errors import EgadError, Span, TraceError, nearest
from ....terms.operators import power
from ....terms.rule import Operator
from ....terms.types import Mat, Scalar, Vec
from ....terms.value import Value
from ..values.annotations import Annotation, conform
from ..values.objects import Arrayed
from ..values.scope import Function, Session
from ..values.values import (
    Mismatch,
    describe,
    is_number,
    is_static,
    lift,
    merged,
    normalise,
    unless_annotated,
)
from ..values.words import as_type, qualified, word_name
from .arithmetic import operate, product, stack_of, times
from .construct import construct, signed_of
from .making import copied
from .measures import Handler, distance, exactly, hypot, is_large, of_one, rounded
from .slices import transposed

UNKNOWN = object()

# Pure functions that may simply be called while reading, when their arguments are known.
_STATIC_BUILTINS = frozenset(
    [
        "abs",
        "all",
        "any",
        "bin",
        "bool",
        "chr",
        "divmod",
        "float",
        "hex",
        "int",
        "len",
        "max",
        "min",
        "ord",
        "pow",
        "repr",
        "round",
        "sum",
        "str",
    ]
)


def call_known(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    """The value of a known function at `args`; UNKNOWN where egad does not know it."""
    if isinstance(callee, type) and issubclass(callee, Enum):
        (value,) = exactly(callee.__name__, args, 1, at)
        if isinstance(value, str | tuple) and is_static(value):
            return _run(session, callee, args, kwargs, at)
        what = f"the argument of {callee.__name__}"
        return conform(session, value, Annotation(Scalar.I32, hint=callee), at, what)
    type_ = as_type(callee, session.real)
    if type_ is not None:
        _no_keywords(callee, kwargs, at)
        if getattr(callee, "__name__", "") == "int32":  # NumPy keeps the bits
            args = [signed_of(a) for a in args]
        if type_ is Scalar.UINT and word_name(callee):  # egad.uint wraps, numpy.uint32 does not
            args = [a % COUNT if isinstance(a, int) else a for a in args]
        return construct(session, type_, args, at)
    names = [word_name(callee) or "", *qualified(callee)]
    if not any(names):
        return UNKNOWN
    if runs_now(callee, args, kwargs):
        return _run(session, callee, args, kwargs, at)
    for name in names:
        if name in _HANDLERS:
            if kwargs and {*kwargs} <= {_LAST_WORD.get(name)}:
                args, kwargs = [*args, *kwargs.values()], {}
            _no_keywords(callee, kwargs, at)
            return _HANDLERS[name](session, args, at)
    name_ = session.lookup.operator(callee)
    if name_ is None:
        return UNKNOWN
    return operate(session, name_, ordered(session, name_, args, kwargs, at), at)


def knows(session: Session, callee: Any) -> bool:
    """Whether a function that is not read has a meaning all the same."""
    names = [word_name(callee) or "", *qualified(callee)]
    meant = session.lookup.operator(callee) is not None
    return meant or any(name in _HANDLERS for name in names)


def ordered(
    session: Session, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> list[Any]:
    """Arguments of an operator in the order of its parameters."""
    if not kwargs:
        return list(args)
    operator: Operator = session.rules.operator(name)
    names = [p.name for p in operator.params]
    for key in kwargs:
        if key not in names:
            message = f"{signature(operator)} has no parameter {key!r}{nearest(key, names)}"
            raise TraceError(message, at)
        if key in names[: len(args)]:
            raise TraceError(f"{signature(operator)} gets {key!r} twice", at)
    return [*args, *(kwargs[n] for n in names[len(args) :] if n in kwargs)]


def _no_keywords(callee: Any, kwargs: Mapping[str, Any], at: Span) -> None:
    if kwargs:
        name = word_name(callee) or getattr(callee, "__name__", "this function")
        key = next(iter(kwargs))
        raise TraceError(f"{name}() takes no keyword argument {key!r} here", at)


def runs_now(callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a function of a library is simply called: all its arguments are known."""
    if word_name(callee) is not None or not is_static((*args, *kwargs.values())):
        return False
    return any(
        module in ("math", "numpy", "numpy.linalg", "scipy.special", "operator")
        or (module.startswith("numpy.polynomial.") and not isinstance(callee, type))
        or (module == "builtins" and name in _STATIC_BUILTINS)
        for module, _, name in (n.rpartition(".") for n in qualified(callee))
    )


def _run(
    session: Session, callee: Any, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span
) -> Any:
    if any(isinstance(value, Function) for value in (*args, *kwargs.values())):
        message = f"{callee.__name__}(…) would call a function that is read here, not run"
        raise TraceError(message, at, "call it yourself: np.array([f(x) for x in xs])")
    try:
        found = normalise(definite(callee)(*args, **kwargs), session.real)
        return copied(found) if isinstance(found, Arrayed) else found  # one that can be changed
    except EgadError:
        raise
    except Exception as error:
        name = getattr(callee, "__name__", "this call")
        raise TraceError(f"{name}(…) of constants fails: {error}", at) from None


def definite(callee: Any) -> Any:
    """What is called in the place of a function: `numpy.empty` gives zeros, not what lay there."""
    for name in qualified(callee):
        if name in ("numpy.empty", "numpy.empty_like"):
            return getattr(sys.modules["numpy"], name.replace("numpy.empty", "zeros"))
    return callee


# --- built-ins and NumPy --------------------------------------------------------------------


def _extreme(name: str) -> Handler:
    def handler(session: Session, args: Sequence[Any], at: Span) -> Any:
        if len(args) == 1:
            args = _spread(args[0], at)
        if not args:
            raise TraceError(f"{name}() needs a value", at)
        return reduce(lambda a, b: operate(session, name, [a, b], at), args)

    return handler


def _spread(value: Any, at: Span) -> Sequence[Any]:
    if isinstance(value, tuple):
        return value
    if isinstance(value, Value) and isinstance(value.type, Vec | Mat):
        return value.items()
    hint = unless_annotated(value, "give a vector, a tuple or more values")
    raise TraceError(f"{describe(value)} has no items", at, hint)


def _some(name: str, word: str) -> Handler:
    """`any(v)` and `all(v)`: the truth of all components, or of the items of a tuple."""

    def handler(session: Session, args: Sequence[Any], at: Span) -> Any:
        (value,) = exactly(word, args, 1, at)
        truths = [construct(session, Scalar.BOOL, [item], at) for item in _spread(value, at)]
        start = word == "all"
        return reduce(lambda a, b: operate(session, name, [a, b], at), truths) if truths else start

    return handler


def _sum(session: Session, args: Sequence[Any], at: Span) -> Any:
    if not 1 <= len(args) <= 2:
        raise TraceError(f"sum() takes a vector or a tuple, not {len(args)} values", at)
    start = args[1:]
    items = [*start, *_spread(args[0], at)]
    return reduce(lambda a, b: operate(session, "add", [a, b], at), items) if items else 0


def _numpy_sum(session: Session, args: Sequence[Any], at: Span) -> Any:
    (value,) = exactly("numpy.sum", args, 1, at)
    value = stack_of(session, value)
    if isinstance(value, Value) and isinstance(value.type, Scalar):
        return value
    items: Sequence[Any] = _spread(value, at)
    if isinstance(value, Value):
        items = [Value(t.type, (t,)) for t in value.leaves]
    return _sum(session, [tuple(items)], at)


def _product(session: Session, args: Sequence[Any], at: Span) -> Any:
    if len(args) != 2:  # prod(xs, start)
        args = (*exactly("prod", args, 1, at), 1)
    items = (args[1], *_spread(args[0], at)) if args[1:] != (1,) else _spread(args[0], at)
    return reduce(lambda a, b: operate(session, "mul", [a, b], at), items) if items else 1


def _length(session: Session, args: Sequence[Any], at: Span) -> Any:
    (value,) = exactly("len", args, 1, at)
    return len(_spread(value, at))


def _power(session: Session, args: Sequence[Any], at: Span) -> Any:
    """A chain of products where the exponent is a whole number, unless somebody has said what the
    derivative of a power is."""
    base, exponent = (lift(a, session.real, at) for a in exactly("pow", args, 2, at))
    if "pow" in session.rules.restated:
        return apply(session.rules, "pow", [base, exponent], session.real, at)
    return power(session.rules, base, exponent, session.real, at)


def _divided(session: Session, args: Sequence[Any], at: Span) -> Any:
    pair = exactly("divmod", args, 2, at)
    return tuple(operate(session, name, pair, at) for name in ("floor_div", "floor_mod"))


def _log(session: Session, args: Sequence[Any], at: Span) -> Any:
    if len(args) == 1:
        return operate(session, "log", args, at)
    number, base = exactly("log", args, 2, at)
    parts = [operate(session, "log", [part], at) for part in (number, base)]
    return operate(session, "div", parts, at)


def select(session: Session, args: Sequence[Any], at: Span) -> Any:
    """`select(c, a, b)`: `a` where `c` holds, else `b`, component by component."""
    if len(args) == 1:
        message = "which places these are is known only when the kernel runs"
        raise TraceError(message, at, "np.where(c, a, b) chooses one of two values")
    condition, then, other = exactly("select", args, 3, at)
    if is_number(condition):
        return then if condition else other
    condition = lift(stack_of(session, condition), session.real, at)
    if isinstance(condition.type, Scalar):
        try:
            return merged(session.rules, truth(condition.term), then, other, session.real)
        except Mismatch as error:
            a, b = error.args
            if not (is_number(then) or is_number(other)):
                raise TraceError(f"select picks between {a} and {b}", at) from None
    return operate(session, "select", [condition, then, other], at)


def _array(session: Session, args: Sequence[Any], at: Span) -> Any:
    if not args:
        raise TraceError("numpy.array needs a value", at)
    value = stack_of(session, args[0])
    if isinstance(value, Value):
        return value
    hint = "vectors have 2 to 4 components, matrices 2 to 4 rows of 2 to 4 components"
    raise TraceError(f"cannot make a vector or matrix of {describe(value)}", at, hint)


def _dot(session: Session, args: Sequence[Any], at: Span) -> Any:
    a, b = exactly("dot", args, 2, at)
    scalar = [is_number(v) or (isinstance(v, Value) and isinstance(v.type, Scalar)) for v in (a, b)]
    return times(session, a, b, at) if any(scalar) else product(session, a, b, at)


def _mul(session: Session, args: Sequence[Any], at: Span) -> Any:
    return _dot(session, args, at)


def _transpose(session: Session, args: Sequence[Any], at: Span) -> Any:
    (value,) = exactly("transpose", args, 1, at)
    value = lift(stack_of(session, value), session.real, at)
    if not isinstance(value.type, Mat):
        raise TraceError(f"cannot transpose {describe(value)}", at)
    return transposed(value)


def _renamed(name: str, count: int) -> Handler:
    def handler(session: Session, args: Sequence[Any], at: Span) -> Any:
        return operate(session, name, exactly(name, args, count, at), at)

    return handler


def _binary(compute: Callable[[Session, Any, Any, Span], Any], name: str) -> Handler:
    def handler(session: Session, args: Sequence[Any], at: Span) -> Any:
        a, b = exactly(name, args, 2, at)
        return compute(session, a, b, at)

    return handler


def _square(session: Session, args: Sequence[Any], at: Span) -> Any:
    (value,) = exactly("square", args, 1, at)
    return times(session, value, value, at)


def _identity(session: Session, args: Sequence[Any], at: Span) -> Any:
    (value,) = exactly("copy", args, 1, at)
    return Value(value.type, value.leaves) if isinstance(value, Value) else value


#: The last parameter of functions, where it may be given by its name.
_LAST_WORD = {"math.prod": "start", "builtins.round": "ndigits"}


def _where_small(handler: Handler) -> Handler:
    """A function of matrices, of which those that are no type are for others."""

    def handled(session: Session, args: Sequence[Any], at: Span) -> Any:
        large = len(args) == 1 and is_large(session, args[0])
        return UNKNOWN if large else handler(session, args, at)

    return handled


_HANDLERS: Mapping[str, Handler] = {
    "min": _extreme("min"),
    "max": _extreme("max"),
    "builtins.min": _extreme("min"),
    "builtins.max": _extreme("max"),
    "numpy.min": _extreme("min"),
    "numpy.max": _extreme("max"),
    "numpy.amin": _extreme("min"),
    "numpy.amax": _extreme("max"),
    "builtins.any": _some("logical_or", "any"),
    "builtins.all": _some("logical_and", "all"),
    "numpy.any": _some("logical_or", "any"),
    "numpy.all": _some("logical_and", "all"),
    "builtins.sum": _sum,
    "math.fsum": _sum,
    "numpy.sum": _numpy_sum,
    "math.prod": _product,
    "numpy.prod": _product,
    "builtins.len": _length,
    "builtins.pow": _power,
    "builtins.divmod": _divided,
    "builtins.round": rounded,
    "round": rounded,
    "numpy.round": rounded,
    "numpy.around": rounded,
    "select": select,
    "numpy.where": select,
    "numpy.array": _array,
    "numpy.asarray": _array,
    "numpy.copy": _identity,
    "mul": _mul,
    "numpy.dot": _dot,
    "numpy.inner": _dot,
    "numpy.matmul": _binary(product, "matmul"),
    "numpy.multiply": _binary(times, "multiply"),
    "numpy.cross": _renamed("cross", 2),
    "numpy.linalg.norm": _renamed("length", 1),
    "determinant": of_one("determinant"),
    "inverse": of_one("inverse"),
    "numpy.linalg.det": _where_small(of_one("determinant")),
    "numpy.linalg.inv": _where_small(of_one("inverse")),
    "numpy.transpose": _transpose,
    "transpose": _transpose,
    "numpy.square": _square,
    "math.log": _log,
    "math.hypot": hypot,
    "math.dist": distance,
}
