"""Vectors and matrices of numbers, so that functions over `float3` run as ordinary Python.

Takes components (numbers, NumPy arrays of numbers for many vectors at once, or symbolic
scalars), gives small mutable vectors; knows nothing of programs or rules. Real components are
computed in double precision; division by zero gives infinities and NaN, as in kernels.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from .components import Composite, converted, plain, total, widest

_LETTERS = ("xyzw", "rgba")


class Vector(Composite):
    """A vector of 2 to 4 components: `v.x`, `v.zy = w.xy`, `v[i]`, arithmetic."""

    __slots__ = ("_items",)

    def __init__(self, kind: str, items: Sequence[Any]) -> None:
        self.kind = kind
        self._truth = None
        self._items = [converted(kind, item) for item in items]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of components."""
        return (len(self._items),)

    @property
    def leaves(self) -> list[Any]:
        """The components in order."""
        return list(self._items)

    def like(self, kind: str, leaves: Sequence[Any]) -> Any:
        """A vector of this shape with other components."""
        return Vector(kind, leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        return build, (self.kind, self.shape, self.leaves)

    def __array_function__(self, func: Any, types: Any, args: Any, options: Any) -> Any:
        return _from_array(func(*_to_arrays(args), **options))

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._items))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            items = self._items[key]
            return Vector(self.kind, items) if 2 <= len(items) <= 4 else items
        return self._items[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            places = range(len(self))[key]
            for place, item in zip(places, _spread(value, len(places)), strict=True):
                self._items[place] = converted(self.kind, item)
            return
        self._items[operator.index(key)] = converted(self.kind, value)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vector) and len(other) == len(self):
            return total([a * b for a, b in zip(self, other, strict=True)])
        if isinstance(other, Matrix) and other.shape[0] == len(self):
            return Vector(widest(self, other), [self @ column for column in other.T])
        return NotImplemented


class Matrix(Composite):
    """A matrix of 2 to 4 rows and columns: `m[0][1] = x`, `m @ v`, arithmetic by components."""

    __slots__ = ("_rows",)

    def __init__(self, kind: str, rows: Sequence[Sequence[Any]]) -> None:
        self.kind = kind
        self._truth = None
        self._rows = [Vector(kind, row) for row in rows]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and of columns."""
        return len(self._rows), len(self._rows[0])

    @property
    def leaves(self) -> list[Any]:
        """The components, row by row."""
        return [item for row in self._rows for item in row]

    @property
    def T(self) -> Matrix:
        """Rows become columns."""
        return Matrix(self.kind, list(zip(*self._rows, strict=True)))

    def like(self, kind: str, leaves: Sequence[Any]) -> Any:
        """A matrix of this shape with other components."""
        return build(kind, self.shape, leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        return build, (self.kind, self.shape, self.leaves)

    def __array_function__(self, func: Any, types: Any, args: Any, options: Any) -> Any:
        return _from_array(func(*_to_arrays(args), **options))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Vector]:
        return iter(list(self._rows))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and isinstance(key[0], slice):
            return _items_of(self, key)
        return self._rows[key[0]][key[1]] if isinstance(key, tuple) else self._rows[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, tuple) and isinstance(key[0], slice):
            rows = self._rows[key[0]]
            for row, item in zip(rows, _spread(value, len(rows)), strict=True):
                row[key[1]] = item
            return
        if isinstance(key, tuple):
            self._rows[key[0]][key[1]] = value
            return
        row = self._rows[operator.index(key)]
        row._items[:] = Vector(self.kind, _spread(value, len(row)))._items

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vector) and self.shape[1] == len(other):
            return Vector(widest(self, other), [row @ other for row in self])
        if isinstance(other, Matrix) and self.shape[1] == len(other):
            return Matrix(widest(self, other), [row @ other for row in self])
        return NotImplemented


# ---------------------------------------------------------------- construction


def build(kind: str, shape: tuple[int, ...], leaves: Sequence[Any]) -> Any:
    """The vector or matrix of these components."""
    if len(shape) == 1:
        return Vector(kind, leaves)
    cols = shape[1]
    return Matrix(kind, [leaves[i * cols : (i + 1) * cols] for i in range(shape[0])])


def construct(kind: str, shape: tuple[int, ...], args: Sequence[Any]) -> Any:
    """`float3(x, v2)`: the components of all arguments in order, or one number for all.

    >>> construct("float", (3,), [1, construct("float", (2,), [0.5])])
    float3(1.0, 0.5, 0.5)
    """
    name = kind + "x".join(map(str, shape))
    count = math.prod(shape)
    if len(args) == 1 and isinstance(args[0], Matrix) and len(shape) == 2:
        return build(kind, shape, _corner(args[0], shape, name))
    leaves = [leaf for arg in args for leaf in _leaves(arg, shape)]
    if len(leaves) == 1:
        leaves = leaves * count
    if len(leaves) != count:
        raise TypeError(f"{name} has {count} components, {len(leaves)} are given")
    return build(kind, shape, leaves)


def _leaves(arg: Any, shape: tuple[int, ...]) -> list[Any]:
    if isinstance(arg, Composite):
        return arg.leaves
    value = getattr(arg, "egad_value", None)  # symbolic
    if isinstance(arg, (list, tuple)) or (value is not None and len(value.leaves) > 1):
        return [leaf for item in arg for leaf in _leaves(item, shape)]
    if getattr(arg, "shape", ()) == shape:  # an array of the components themselves
        return [plain(leaf) for leaf in arg.reshape(-1)]
    return [arg]


def _corner(matrix: Matrix, shape: tuple[int, ...], name: str) -> list[Any]:
    if matrix.shape[0] < shape[0] or matrix.shape[1] < shape[1]:
        raise TypeError(f"a {matrix.type_name} is too small for a {name}")
    return [leaf for row in list(matrix)[: shape[0]] for leaf in row[0 : shape[1]]]


def _items_of(matrix: Matrix, key: tuple[slice, Any]) -> Any:
    """`m[:, k]` as a vector, `m[:2, 1:]` as a matrix, where they have two to four items."""
    rows = matrix._rows[key[0]]
    parts = [row[key[1]] for row in rows]
    if not 2 <= len(parts) <= 4:
        return parts[0] if len(parts) == 1 else parts
    if isinstance(key[1], slice):
        return Matrix(matrix.kind, [list(part) for part in parts])
    return Vector(matrix.kind, parts)


def _spread(value: Any, count: int) -> list[Any]:
    leaves = _leaves(value, (count,))
    if len(leaves) not in (1, count):
        raise ValueError(f"{count} components cannot be set from {len(leaves)}")
    return leaves * count if len(leaves) == 1 else leaves


def _swizzle(lanes: Sequence[int]) -> property:
    highest = max(lanes)

    def check(self: Vector) -> None:
        if highest >= len(self._items):
            name = "".join("xyzw"[i] for i in lanes)
            raise AttributeError(f"a {self.type_name} has no component {name!r}")

    def get(self: Vector) -> Any:
        check(self)
        if len(lanes) == 1:
            return self._items[lanes[0]]
        return Vector(self.kind, [self._items[i] for i in lanes])

    def put(self: Vector, value: Any) -> None:
        check(self)
        leaves = Vector(self.kind, _spread(value, len(lanes)))._items
        for lane, leaf in zip(lanes, leaves, strict=True):
            self._items[lane] = leaf

    return property(get, put if len(set(lanes)) == len(lanes) else None)


def _entry(row: int, column: int) -> property:
    """One element of a matrix, by a name as in shading languages."""

    def check(self: Matrix) -> None:
        rows, columns = self.shape
        if row >= rows or column >= columns:
            raise AttributeError(f"a {self.type_name} has no element [{row}][{column}]")

    def get(self: Matrix) -> Any:
        check(self)
        return self[row, column]

    def put(self: Matrix, value: Any) -> None:
        check(self)
        self[row, column] = value

    return property(get, put)


def _install() -> None:
    for row, column in product(range(4), repeat=2):
        for name in (f"_m{row}{column}", f"_{row + 1}{column + 1}"):  # from 0, and from 1
            setattr(Matrix, name, _entry(row, column))
    for count in range(1, 5):
        for lanes in product(range(4), repeat=count):
            for letters in _LETTERS:
                setattr(Vector, "".join(letters[i] for i in lanes), _swizzle(lanes))


_install()


# ---------------------------------------------------------------- NumPy


def _to_arrays(given: Any) -> Any:
    import numpy as np

    if isinstance(given, Composite):
        return np.asarray(given)
    if isinstance(given, (list, tuple)):
        return type(given)(_to_arrays(item) for item in given)
    return given


def _from_array(result: Any) -> Any:
    """A NumPy result as a vector or matrix where it has the shape of one."""
    shape = getattr(result, "shape", ())
    if len(shape) in (1, 2) and all(2 <= size <= 4 for size in shape):
        kind = {"b": "bool", "i": "int"}.get(result.dtype.kind, "float")
        return build(kind, shape, [plain(leaf) for leaf in result.reshape(-1)])
    return plain(result)
