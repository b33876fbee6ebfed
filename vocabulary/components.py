"""Values of several components: operators and NumPy functions act on each of them.

Takes components, gives what Python's operators give at each, with division by zero as in
kernels (infinities and NaN); knows nothing of vectors and matrices in particular.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

KINDS = ("bool", "int", "uint", "half", "float", "double")  # from the narrowest to the widest


class Composite:
    """What vectors and matrices share: operators component by component, and NumPy."""

    __slots__ = ("_truth", "kind")
    kind: str
    _truth: Callable[[Any], bool] | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of components, or of rows and columns."""
        raise AttributeError("shape")

    @property
    def leaves(self) -> list[Any]:
        """The components in order, row by row."""
        raise AttributeError("leaves")

    def like(self, kind: str, leaves: Sequence[Any]) -> Any:
        """A value of this shape with other components."""
        raise AttributeError("like")

    @property
    def type_name(self) -> str:
        """`float3`, `int2x2`."""
        return self.kind + "x".join(map(str, self.shape))

    @property
    def egad_parts(self) -> tuple[str, list[Any]]:
        """The name of the type and the components: how readers see a vector of numbers."""
        return self.type_name, self.leaves

    def __repr__(self) -> str:
        return f"{self.type_name}({', '.join(map(repr, self.leaves))})"

    def __bool__(self) -> bool:
        if self._truth is not None:
            return self._truth(self.leaves)
        raise TypeError(f"a {self.type_name} is neither true nor false; use all(...) or any(...)")

    __hash__ = None  # type: ignore[assignment]  # components can be set

    def __copy__(self) -> Any:
        return self.like(self.kind, self.leaves)

    def __deepcopy__(self, memo: object) -> Any:
        return self.__copy__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The components as an array; arrays as components become its leading axes."""
        import numpy as np

        leaves = [np.asarray(leaf) for leaf in self.leaves]
        stacked = np.stack(np.broadcast_arrays(*leaves), axis=-1)
        return stacked.reshape(*stacked.shape[:-1], *self.shape).astype(dtype or stacked.dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        return mapped(lambda *leaves: plain(ufunc(*leaves)), inputs)

    def __eq__(self, other: object) -> Any:
        return _compared(operator.eq, self, other, all)

    def __ne__(self, other: object) -> Any:
        return _compared(operator.ne, self, other, any)

    def __pos__(self) -> Any:
        return self.__copy__()

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other


def converted(kind: str, item: Any) -> Any:
    """A component as `kind`; arrays of components too, symbolic ones stay as they are."""
    item = plain(item)
    if isinstance(item, (bool, int, float)):
        return _TO.get(kind, float)(item)
    if isinstance(item, Composite | str | list | tuple | None):
        raise TypeError(f"{item!r} is not a component of a vector")
    if hasattr(item, "astype"):
        if item.dtype == object:
            return item
        if kind == "bool":
            return item != 0
        if kind == "uint":
            return item.astype("int64").astype("uint32")
        return item.astype("int64" if kind == "int" else item.dtype if _is_real(item) else "f8")
    return item


def _wrapped(item: Any) -> Any:
    """The low 32 bits of a number, as one that wraps: NumPy's."""
    import numpy as np

    return np.uint32(int(item) % 2**32)


_TO: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "uint": _wrapped}


def _is_real(array: Any) -> bool:
    return bool(array.dtype.kind == "f")


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python number."""
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def mapped(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """`function` at the components of vectors or matrices of one shape; numbers are broadcast.

    NotImplemented where the shapes differ.
    """
    found = [a for a in args if isinstance(a, Composite)]
    shape = found[0].shape
    if any(a.shape != shape for a in found):
        return NotImplemented
    columns = []
    for arg in args:
        leaves = _components(arg, shape)
        if leaves is None:
            return NotImplemented
        columns.append(leaves)
    results = [function(*leaves) for leaves in zip(*columns, strict=True)]
    return found[0].like(_kind_of(results, found), results)


def _components(arg: Any, shape: tuple[int, ...]) -> list[Any] | None:
    count = math.prod(shape)
    if isinstance(arg, Composite):
        return arg.leaves
    if isinstance(arg, Number):
        return [arg] * count
    if getattr(arg, "shape", None) == shape:  # an array of the components themselves
        return [plain(leaf) for leaf in arg.reshape(-1)]
    return [arg] * count if hasattr(arg, "dtype") else None


def _kind_of(results: Sequence[Any], args: Sequence[Composite]) -> str:
    if all(isinstance(r, bool) or _dtype(r) == "b" for r in results):
        return "bool"
    if all(isinstance(r, int) or _dtype(r) in ("b", "i", "u") for r in results):
        return "uint" if any(a.kind == "uint" for a in args) else "int"
    kind = widest(*args)
    return "float" if kind in ("bool", "int", "uint") and not _symbolic(results) else kind


def _dtype(result: Any) -> str:
    return str(getattr(getattr(result, "dtype", None), "kind", ""))


def _symbolic(results: Sequence[Any]) -> bool:
    return False if not results else all(hasattr(r, "egad_value") for r in results)


def widest(*args: Composite) -> str:
    """The kind of component that holds those of all."""
    return max((a.kind for a in args), key=KINDS.index)


def _compared(
    function: Callable[[Any, Any], Any], a: Any, b: Any, truth: Callable[[Any], bool] | None
) -> Any:
    result = mapped(function, (a, b))
    if isinstance(result, Composite):
        result.kind = "bool"
        # `v == w` as a condition: all components; `v != w`: any. Others are ambiguous.
        result._truth = truth
    return result


def total(items: Sequence[Any]) -> Any:
    """The sum, from left to right."""
    result = items[0]
    for item in items[1:]:
        result = result + item
    return result


# ---------------------------------------------------------------- arithmetic as in kernels


def divide(a: Any, b: Any) -> Any:
    """a / b, infinite or NaN where b is 0.

    >>> divide(1, 0), divide(-1.0, 0.0), divide(0, 0)
    (inf, -inf, nan)
    """
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _floor_divide(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return a // b if b != 0 else divide(a, b)
    return a // b


def _modulo(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return a % b if b != 0 else math.nan
    return a % b


def _raise(a: Any, b: Any) -> Any:
    try:
        result = a**b
    except ZeroDivisionError:
        return math.inf
    except OverflowError:
        return math.inf if a > 0 or b % 2 == 0 else -math.inf
    return math.nan if isinstance(result, complex) else result


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": divide,
    "floordiv": _floor_divide,
    "mod": _modulo,
    "pow": _raise,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
_COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def _not(a: Any) -> Any:
    return not a if isinstance(a, bool) else ~a


_UNARY = {"neg": operator.neg, "abs": abs, "invert": _not}


def _define(name: str, function: Callable[[Any, Any], Any]) -> None:
    def forward(self: Any, other: Any) -> Any:
        if isinstance(other, Composite) and other.shape != self.shape:
            both = f"{self.type_name} and {other.type_name}"
            advice = " (the matrix product is a @ b)" if name == "mul" else ""
            raise TypeError(f"{name}: {both} have different shapes{advice}")
        return mapped(function, (self, other))

    setattr(Composite, f"__{name}__", forward)
    setattr(Composite, f"__r{name}__", lambda self, other: mapped(function, (other, self)))


def _install() -> None:
    for name, function in _BINARY.items():
        _define(name, function)
    for name, function in _COMPARISONS.items():

        def compare(self: Any, other: Any, function: Any = function) -> Any:
            return _compared(function, self, other, None)

        setattr(Composite, f"__{name}__", compare)
    for name, single in _UNARY.items():

        def apply(self: Any, single: Any = single) -> Any:
            return mapped(single, (self,))

        setattr(Composite, f"__{name}__", apply)


_install()
