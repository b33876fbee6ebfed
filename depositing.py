"""Arrays of modules that backward rules add to: what a call has found is added to them."""

from __future__ import annotations

from typing import Any

from .codegen.arrays import is_device_array, unbroadcast
from .reader.globals import value_at
from .terms.errors import DeviceError
from .terms.program import Slot
from .terms.types import shape_of


def deposit(slot: Slot, gradient: Any) -> None:
    """Add to the array that a slot stands for, summed over the batch in its order."""
    import numpy as np

    array = _found(slot)
    total = unbroadcast(gradient, shape_of(slot.type))
    total = total.get() if is_device_array(total) else np.asarray(total)
    if isinstance(array, list):
        _add(array, total)
    else:
        np.add(array, total, out=array, casting="unsafe")


def _found(slot: Slot) -> Any:
    array = value_at(slot.array)
    size = getattr(array, "shape", None) or _shape(array)
    if size != shape_of(slot.type):
        raise DeviceError(
            f"{slot.array.partition(':')[2]!r}, which a rule adds to, is not the array of shape "
            f"{shape_of(slot.type)} that it was",
            hint="derive again where the array is another one",
        )
    return array


def _shape(array: Any) -> tuple[int, ...]:
    if not isinstance(array, list):
        return ()
    return (len(array), *(_shape(array[0]) if array else ()))


def _add(array: list[Any], total: Any) -> None:
    for i, value in enumerate(total):
        if isinstance(array[i], list):
            _add(array[i], value)
        else:
            array[i] += value.item()
