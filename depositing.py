"""Arrays of modules that backward rules add or store to: what a call has found goes into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .codegen.host.converting import is_device_array
from .codegen.host.results import unbroadcast
from .reader.globals import value_at
from .terms.errors import DeviceError
from .terms.program import Slot
from .terms.types import Tup, Type, shape_of


def deposit(slot: Slot, gradient: Any) -> None:
    """Add to the array that a slot stands for, summed over the batch in its order.

    Of an array that rules store to the gradient is a pair: what is stored, and how often.
    """
    type_, stores = (slot.type.items[0], True) if isinstance(slot.type, Tup) else (slot.type, False)
    array = _found(slot, type_)
    if not stores:
        _each(array, _total(gradient, type_), lambda old, new, _: old + new)
        return
    values, times = (_total(part, type_) for part in gradient)
    most = times.max()
    if most > 1:
        place = ", ".join(str(int(axis[0])) for axis in (times == most).nonzero())
        raise DeviceError(
            f"element [{place}] of {_name(slot)!r} is stored to {int(most)} times: which of the "
            "values would stay is not defined",
            hint="add to it, or store to an element of its own in every call of the rule",
        )
    _each(array, values, lambda old, new, stored: new if stored else old, times)


def _total(gradient: Any, type_: Type) -> Any:
    import numpy as np

    total = unbroadcast(gradient, shape_of(type_))
    return total.get() if is_device_array(total) else np.asarray(total)


def _each(array: Any, new: Any, change: Callable[[Any, Any, Any], Any], times: Any = None) -> None:
    """Change every element of a list of lists, or of an array, in place."""
    import numpy as np

    for place in np.ndindex(new.shape):
        holder = array
        for i in place[:-1]:
            holder = holder[i]
        value = new[place] if hasattr(array, "dtype") else new[place].item()
        holder[place[-1]] = change(holder[place[-1]], value, times is not None and times[place])


def _name(slot: Slot) -> str:
    return slot.array.partition(":")[2]


def _found(slot: Slot, type_: Type) -> Any:
    array = value_at(slot.array)
    size = getattr(array, "shape", None) or _shape(array)
    if size != shape_of(type_):
        raise DeviceError(
            f"{_name(slot)!r}, which a rule adds to, is not the array of shape "
            f"{shape_of(type_)} that it was",
            hint="derive again where the array is another one",
        )
    return array


def _shape(array: Any) -> tuple[int, ...]:
    if not isinstance(array, list):
        return ()
    return (len(array), *(_shape(array[0]) if array else ()))
