"""Arrays of NumPy while a function is read: made of numbers and rows, and where the numbers stand.

Takes nested numbers, gives arrays (objects.py); knows nothing of what is computed with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import permutations
from math import prod
from typing import Any, TypeVar

from ....terms.types import Arr, Mat, Scalar, Type, Vec
from ....terms.value import Value
from .objects import Arrayed, Listed, Object, View, first, objects_of

A = TypeVar("A", bound=Arrayed)
_KINDS = (bool, int, float)


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where a number of an array stands."""

    object: Object
    index: int


def is_array(value: Any) -> bool:
    """Whether a value is an array of NumPy, or a reference to one of several."""
    return isinstance(first(value), Arrayed)


def arrayed(items: Sequence[Any], frozen: str = "", kind: type | None = None) -> Arrayed:
    """An array of numbers, or of rows; it has the kind of the widest, unless that is given."""
    if kind is None:
        kinds = [v.kind if isinstance(v, Arrayed) else kind_of(v) for v in items]
        kind = max(kinds, key=_KINDS.index, default=float)
    return Arrayed(items, kind, frozen)


def kind_of(number: Any) -> type:
    """What a number is in Python, or what it will be."""
    number = number.value if isinstance(number, Enum) else number
    if not isinstance(number, Value):
        return type(number) if type(number) in _KINDS else float
    assert isinstance(number.type, Scalar)
    return float if number.type.is_real else bool if number.type is Scalar.BOOL else int


def foreign(what: str) -> str:
    """Why something from outside of a function cannot be changed."""
    return f"{what} cannot be changed: it is not a variable of this function"


def as_array(items: Any, frozen: str) -> Any:
    """Nested tuples of numbers as an array; as they are where they are none."""
    rows = [as_array(item, frozen) if isinstance(item, tuple) else item for item in items]
    if any(isinstance(row, Arrayed) for row in rows):
        fits = len({_length(row) for row in rows}) == 1
    else:
        fits = all(_is_number(row) for row in rows)
    return arrayed(rows, frozen) if fits else items


def of_vector(value: Any) -> Any:
    """A vector or matrix as an array, where it meets arrays; anything else as it is.

    It is another object than the vector, so it cannot be changed.
    """
    if not isinstance(value, Value) or not isinstance(value.type, Vec | Mat):
        return value
    why = "this array is a part of a vector: a change of it would change the vector"
    return arrayed([of_vector(item) for item in value.items()], why)


def _length(row: Any) -> int:
    return len(row.items) if isinstance(row, Arrayed) else -1


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (
        isinstance(value, Value) and isinstance(value.type, Scalar)
    )


def type_of_vector(type_: Type) -> Type:
    """The type of the array that a vector or a matrix becomes; any other type as it is."""
    if isinstance(type_, Mat):
        return Arr(Arr(type_.elem, type_.cols, True), type_.rows, True)
    return Arr(type_.elem, type_.size, True) if isinstance(type_, Vec) else type_


def shape_of(array: Any) -> tuple[int, ...]:
    """The shape of an array.

    >>> shape_of(as_array(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), ""))
    (2, 3)
    """
    shape: list[int] = []
    array = first(array)
    while isinstance(array, Arrayed):
        shape.append(len(array.items))
        array = first(array.items[0]) if array.items else None
    return tuple(shape)


def layout_of(array: Arrayed) -> Any:
    """The places of the numbers, as an array of NumPy: what is a view of it is one of them."""
    if array.layout is None:
        import numpy

        lay_out(array, numpy.empty(shape_of(array), object))
    return array.layout


def lay_out(array: Arrayed, like: Any) -> Arrayed:
    """The array, whose numbers stand in memory in the order of another one.

    It says of which forms there are views: `m[:, [1, 0]].ravel()` is a copy, and so is
    `(m.T + 1).ravel()`, as NumPy keeps the order of the array that it computes with.
    """
    import numpy

    array.layout = numpy.empty_like(like, object, subok=False)
    for index, spot in enumerate(_spots(array)):
        array.layout.flat[index] = spot
    return array


def in_order_of(array: Any, numbers: Any) -> Any:
    """The numbers of an array, in the order in which they stand in memory."""
    import numpy

    layout = first(array).layout if is_array(array) else None
    if is_array(array) and first(array).unordered:
        return numbers.view(_unordered_class())
    if layout is None or layout.shape != numbers.shape or 0 in layout.strides:
        return numbers
    found = numpy.empty_like(layout)
    found[...] = numbers
    return found


@cache
def _unordered_class() -> type:
    import numpy

    return type("Unordered", (numpy.ndarray,), {})


def is_unordered(numbers: Any) -> bool:
    """Whether numbers are computed with an array whose order in memory is not known."""
    return bool(numbers.ndim > 1) and isinstance(numbers, _unordered_class())


def other_order(value: Any) -> bool:
    """Whether an array in a value stands in memory in another order than row after row."""
    found = ((array.unordered, array.layout) for array in _all_of(value, Arrayed))
    return any(free or not (at is None or at.flags.c_contiguous) for free, at in found)


def without_order(value: Any) -> Any:
    """The value, of whose arrays nobody knows in which order they stand in memory."""
    for array in _all_of(value, Arrayed):
        array.unordered = len(shape_of(array)) > 1
    return value


def in_every_order(shape: tuple[int, ...]) -> Iterator[Any]:
    """Arrays of that shape whose numbers are their places row after row, for each memory order."""
    import numpy

    places = numpy.arange(prod(shape)).reshape(shape)
    for axes in permutations(range(len(shape))):
        yield places.transpose(axes).copy().transpose(numpy.argsort(axes))


def _spots(array: Arrayed) -> Iterator[Spot]:
    stack: list[Arrayed] = [array]
    while stack:
        here = stack.pop()
        if here.items and isinstance(here.items[0], Listed):
            stack += reversed(here.items)
        else:
            yield from (Spot(*here.place(k)) for k in range(len(here.items)))


def view_of(layout: Any, kind: type) -> Arrayed:
    """The array whose numbers stand at these places."""
    if layout.ndim == 1:
        found: Arrayed = View([(spot.object, spot.index) for spot in layout], kind)
    else:
        found = Arrayed([view_of(row, kind) for row in layout], kind)
    found.layout = layout
    return found


def views_in(value: Any) -> list[View]:
    """The views in a value, and in what it refers to."""
    return list(_all_of(value, View))


def _all_of(value: Any, kind: type[A]) -> Iterator[A]:
    """The arrays of a kind in a value, and in what it refers to, but not inside of these."""
    seen, stack = set(), [value]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack += value
        for object_ in objects_of(value):
            if isinstance(object_, kind):
                yield object_
            elif id(object_) not in seen:
                seen.add(id(object_))
                stack += object_.items


def freeze(array: Arrayed, why: str) -> Arrayed:
    """The array, whose numbers cannot be changed any more."""
    stack = [array]
    while stack:
        here = stack.pop()
        here.frozen = why
        stack += [row for row in here.items if isinstance(row, Arrayed)]
    return array


def described(array: Listed) -> str:
    """What it is, for messages: `an array of 6`, `an array of 3 by 6`."""
    return f"an array of {words(shape_of(array))}"


def words(shape: Sequence[int]) -> str:
    """A shape, for messages.

    >>> words((3, 6))
    '3 by 6'
    """
    return " by ".join(map(str, shape)) or "one number"
