"""Symbolic values: what is done with them is written down. Knows nothing of where they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from operator import index as as_index
from typing import Any

from ...terms.errors import TraceError
from ...terms.term import CONST, DETACH, Term, const_value
from ...terms.types import COMPONENTS, Mat, Scalar, Type, Vec, type_name
from ...terms.value import Value, stack
from .positions import here
from .trace import Trace


class OutOfRange(TraceError, IndexError):
    """There are not so many components."""


class NoComponent(TraceError, AttributeError):
    """There is no component of this name."""


class Tracer:
    """A value that is not known yet; what is done with it is written down.

    Components can be set (`u.zy = v.xy`, `m[0][1] = x`), as in the vectors of numbers that it
    stands for.
    """

    __slots__ = ("_home", "_trace", "_value")

    def __init__(self, trace: Trace, value: Value, home: tuple[Tracer, int] | None = None) -> None:
        self._trace = trace
        self._value = value
        self._home = home

    @property
    def egad_value(self) -> Value:
        """The type and the terms of this value."""
        return self._value

    @property
    def egad_trace(self) -> Trace:
        """The run that this value belongs to."""
        return self._trace

    def __repr__(self) -> str:
        shown = self._value.leaves[0] if len(self._value.leaves) == 1 else self._value.leaves
        return f"Tracer({type_name(self._value.type)}: {shown})"

    def __egad_detached__(self) -> Tracer:
        """The same value, through which no derivative passes."""
        leaves = tuple(Term(DETACH, (t,), None, t.type) for t in self._value.leaves)
        return Tracer(self._trace, Value(self._value.type, leaves))

    def __copy__(self) -> Tracer:
        return Tracer(self._trace, self._value)

    def __deepcopy__(self, memo: object) -> Tracer:
        return Tracer(self._trace, self._value)

    # ------------------------------------------------------------ components

    def __len__(self) -> int:
        if isinstance(self._value.type, Scalar):
            raise TraceError("a scalar has no length", here())
        return len(self._value)

    def __iter__(self) -> Iterator[Tracer]:
        if isinstance(self._value.type, Scalar):
            raise TraceError("a scalar cannot be iterated over or unpacked", here())
        return iter([self[i] for i in range(len(self._value))])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            found: Any = self
            for part in key:
                found = found[part]
            return found
        size = self._size()
        if isinstance(key, slice):
            return self._part([self._value.item(i) for i in range(*key.indices(size))])
        if isinstance(key, Tracer) and not _is_known(key):
            return Tracer(self._trace, self._trace.pick(self._value.items(), key._value))
        place = self._place(key, size)
        return Tracer(self._trace, self._value.item(place), (self, place))

    def __setitem__(self, key: Any, new: Any) -> None:
        if isinstance(key, tuple) and len(key) > 1:
            self[key[0]][key[1:]] = new
            return
        key = key[0] if isinstance(key, tuple) else key
        items = self._value.items() if self._size() else []
        if isinstance(key, Tracer) and not _is_known(key):
            items = self._trace.replace(items, key._value, self._trace.fit(new, items[0].type))
        else:
            place = self._place(key, len(items))
            items[place] = self._trace.fit(new, items[place].type)
        self._set(Value(self._value.type, tuple(t for item in items for t in item.leaves)))

    def _part(self, items: list[Value]) -> Any:
        whole = stack(items)
        if whole is not None:
            return Tracer(self._trace, whole)
        return [Tracer(self._trace, item) for item in items]

    def _size(self) -> int:
        if isinstance(self._value.type, Scalar):
            raise TraceError(f"a {type_name(self._value.type)} has no components", here())
        return len(self._value)

    def _place(self, key: Any, size: int) -> int:
        try:
            place = as_index(key)
        except TypeError:
            raise TraceError(f"{key!r} is not a component", here()) from None
        if not -size <= place < size:
            raise OutOfRange(f"index {place} is outside of {size} components", here())
        return place % size

    def _set(self, value: Value) -> None:
        self._value = value
        if self._home is not None:
            parent, place = self._home
            parent[place] = self

    def __getattr__(self, name: str) -> Any:
        # NumPy computes np.sin of an array of objects by calling their method `sin`.
        if not name.startswith("_") and isinstance(self._value.type, Scalar):
            operator = self._trace.rules.by_alias.get(f"numpy.{name}")
            if operator is not None:
                return partial(_applied, self, operator, self)
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoComponent(f"a {type_name(self._value.type)} has no component {name!r}", here())

    @property
    def T(self) -> Any:
        """The transpose of a matrix."""
        if isinstance(self._value.type, Mat):
            return _applied(self, "transpose", self)
        return self

    # ------------------------------------------------------------ numbers that are not known

    def __bool__(self) -> bool:
        return bool(self._known("this condition depends on the arguments of the function", _BRANCH))

    def __float__(self) -> float:
        return float(self._known("float() and math functions need a number here", _FLOAT))

    def __int__(self) -> int:
        return int(self._known("int() needs a number here", _INT))

    def __index__(self) -> int:
        if self._value.type is not Scalar.I32:
            problem = f"this place needs an int, not {type_name(self._value.type)}"
            raise TraceError(problem, here(), "annotate the parameter as int, if it is one")
        return int(self._known("range() and list indices need a number here", _INDEX))

    def __complex__(self) -> complex:
        raise TraceError("egad computes with real numbers", here())

    def _known(self, problem: str, advice: str) -> float | int | bool:
        if _is_known(self):
            return const_value(self._value.term)
        raise TraceError(problem, here(), advice)

    # ------------------------------------------------------------ NumPy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return self._trace.call_ufunc(self._trace, ufunc, method, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, options: Any) -> Any:
        return self._trace.call_function(self._trace, func, args, options)

    # ------------------------------------------------------------ operators

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return (
            NotImplemented
            if modulus is not None
            else _wrapped(self, self._trace.power(self, other))
        )

    def __rpow__(self, other: Any) -> Any:
        return _wrapped(self, self._trace.power(other, self))

    def __matmul__(self, other: Any) -> Any:
        return _wrapped(self, self._trace.matmul(self, other))

    def __rmatmul__(self, other: Any) -> Any:
        return _wrapped(self, self._trace.matmul(other, self))

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __pos__(self) -> Tracer:
        return self

    def __round__(self, digits: int | None = None) -> Any:
        if digits:
            advice = f"scale first: round(x * 1e{digits}) / 1e{digits}"
            raise TraceError("round() to decimal digits has no operator", here(), advice)
        return _applied(self, "round", self)

    def __invert__(self) -> Any:
        return _wrapped(self, self._trace.bitwise("bit_not", (self,)))

    __hash__ = object.__hash__


_BRANCH = (
    "the function is traced, because its source cannot be read: write egad.select(c, a, b) or "
    "np.where(c, a, b) for a branch, & | ~ for and/or/not, egad.min and egad.max for min and max; "
    "or keep the function in a file, then `if` can be read"
)
_FLOAT = (
    "use egad.sin or np.sin in place of math.sin; an integer becomes real in any product with a "
    "real: 1.0 * i"
)
_INT = "use egad.trunc, egad.floor or egad.round, which keep the value symbolic"
_INDEX = (
    "a traced function has a fixed number of steps: take the number from outside, not from a "
    "parameter; or keep the function in a file, then the loop can be read"
)


def _is_known(tracer: Tracer) -> bool:
    value = tracer._value
    return isinstance(value.type, Scalar) and value.term.op == CONST


# ---------------------------------------------------------------- operators and swizzles


def _binary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(self: Tracer, other: Any) -> Any:
        value = self._trace.binary(name, self, other)
        return NotImplemented if value is None else Tracer(self._trace, value)

    def reflected(self: Tracer, other: Any) -> Any:
        value = self._trace.binary(name, other, self)
        return NotImplemented if value is None else Tracer(self._trace, value)

    return forward, reflected


def _unary(name: str) -> Callable[[Tracer], Any]:
    return lambda self: _applied(self, name, self)


def _bitwise(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(self: Tracer, other: Any) -> Any:
        return _wrapped(self, self._trace.bitwise(name, (self, other)))

    def reflected(self: Tracer, other: Any) -> Any:
        return _wrapped(self, self._trace.bitwise(name, (other, self)))

    return forward, reflected


def _swizzle(lanes: Sequence[int]) -> property:
    highest = max(lanes)

    def get(self: Tracer) -> Tracer:
        value = self._value
        if not isinstance(value.type, Vec) or highest >= value.type.size:
            raise _missing(value.type, lanes)
        leaves = tuple([value.leaves[i] for i in lanes])
        elem = value.type.elem
        return Tracer(self._trace, Value(Vec(elem, len(lanes)) if len(lanes) > 1 else elem, leaves))

    def put(self: Tracer, new: Any) -> None:
        value = self._value
        if not isinstance(value.type, Vec) or highest >= value.type.size:
            raise _missing(value.type, lanes)
        elem = value.type.elem
        fitted = self._trace.fit(new, Vec(elem, len(lanes)) if len(lanes) > 1 else elem)
        leaves = list(value.leaves)
        for lane, leaf in zip(lanes, fitted.leaves, strict=True):
            leaves[lane] = leaf
        self._set(Value(value.type, tuple(leaves)))

    return property(get, put if len(set(lanes)) == len(lanes) else None)


def _missing(type_: Type, lanes: Sequence[int]) -> NoComponent:
    name = "".join(COMPONENTS[i] for i in lanes)
    size = type_.size if isinstance(type_, Vec) else 0
    advice = f"its components: {', '.join(COMPONENTS[:size])}" if size else ""
    return NoComponent(f"a {type_name(type_)} has no component {name!r}", here(2), advice)


def _wrapped(like: Tracer, value: Value | None) -> Any:
    return NotImplemented if value is None else Tracer(like._trace, value)


def _applied(like: Tracer, name: str, *args: Any) -> Any:
    return _wrapped(like, like._trace.apply(name, args))


COLOURS = "rgba"


def _install() -> None:
    """Give `Tracer` its operators and swizzles."""
    for method, name in _BINARY.items():
        forward, reflected = _binary(name)
        setattr(Tracer, f"__{method}__", forward)
        setattr(Tracer, f"__r{method}__", reflected)
    for method, name in _COMPARISONS.items():
        setattr(Tracer, f"__{method}__", _binary(name)[0])
    for method, name in _UNARY.items():
        setattr(Tracer, f"__{method}__", _unary(name))
    for method, name in _BITWISE.items():
        forward, reflected = _bitwise(name)
        setattr(Tracer, f"__{method}__", forward)
        setattr(Tracer, f"__r{method}__", reflected)
    for count in range(1, 5):
        for lanes in product(range(4), repeat=count):
            for letters in (COMPONENTS, COLOURS):
                setattr(Tracer, "".join(letters[i] for i in lanes), _swizzle(lanes))


_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_div",
    "mod": "floor_mod",
}
_BITWISE = {
    "and": "bit_and",
    "or": "bit_or",
    "xor": "bit_xor",
    "lshift": "shift_left",
    "rshift": "shift_right",
}
_COMPARISONS = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne"}
_UNARY = {"neg": "neg", "abs": "abs", "floor": "floor", "ceil": "ceil", "trunc": "trunc"}

_install()
