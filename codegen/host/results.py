"""Takes what a launch gives, gives results in the shapes and the kinds of the arguments.

Knows nothing of kernels; pyopencl arrays are recognised, not computed with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ...terms.program import Slot
from ...terms.types import is_record, leaf_types
from ..kernel.layout import Array, axes_of, dtype_of, is_opened, items_of
from .arrays import Bound, Fit
from .converting import is_device_array, to_device


def on_queue(bound: Bound, outputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The outputs of a launch as pyopencl arrays, where any argument was one.

    Arguments of another precision, and those of one element, come to the host: then all may be
    there.
    """
    if bound.queue is None:
        return outputs
    return {
        name: value if is_device_array(value) else to_device(bound.queue, value)
        for name, value in outputs.items()
    }


def unbind(fit: Fit, slots: Sequence[Slot], outputs: Mapping[str, Any]) -> list[Any]:
    """The results in the shape and kind of the inputs, in the order of `slots`.

    Python numbers in give Python numbers out (vectors: small NumPy arrays); NumPy gives NumPy.
    """
    return [_result(fit, slot, outputs) for slot in slots]


def number(values: Any, kind: str) -> Any:
    """A single value as a number of the kind of the results."""
    if values.shape != () or is_device_array(values):
        return values
    return values.item() if kind == "number" else values[()]


def _result(fit: Fit, slot: Slot, outputs: Mapping[str, Any]) -> Any:
    if is_opened(slot.type):
        return tuple([_result(fit, item, outputs) for item in items_of(slot)])
    shape = fit.shape + axes_of(slot.type)
    if slot.name not in outputs:
        assert not leaf_types(slot.type)  # structs without fields: no kernel writes them
        return np.empty(shape, dtype_of(slot.type))
    value = outputs[slot.name].reshape(shape)
    if shape or is_record(slot.type):
        return value  # calling.py gives structs the form of the arguments
    if fit.kind == "number":
        return value.item()
    return value[()] if fit.kind == "numpy" else value


def unbroadcast(gradient: Any, shape: tuple[int, ...]) -> Any:
    """The gradient of a broadcast argument: summed back to the argument's own shape.

    The order of the sum is fixed (halves are added, then their halves), so equal input gives
    equal bits everywhere; float16 and float32 are summed in float64 and rounded once.

    >>> unbroadcast(np.ones((2, 3), np.float32), (2, 1)).tolist()
    [[3.0], [3.0]]
    """
    if tuple(np.shape(gradient)) == tuple(shape):
        return gradient
    if is_device_array(gradient):
        return to_device(gradient.queue, unbroadcast(gradient.get(), shape))
    gradient = np.asarray(gradient)
    extra = gradient.ndim - len(shape)
    own = (1,) * extra + tuple(shape)
    summed = [i for i in range(gradient.ndim) if own[i] == 1 and gradient.shape[i] != 1]
    kept = [i for i in range(gradient.ndim) if i not in summed]
    rest = [gradient.shape[i] for i in kept]
    count = prod(gradient.shape[i] for i in summed)
    wide = np.float64 if gradient.dtype.kind == "f" and gradient.dtype.itemsize < 8 else None
    rows = (
        np.transpose(gradient, summed + kept).reshape(count, *rest).astype(wide or gradient.dtype)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        return _halved_sum(rows).astype(gradient.dtype).reshape(shape)[()]


def _halved_sum(rows: Array) -> Array:
    """The sum over the first axis as a balanced tree of elementwise additions."""
    if len(rows) == 0:
        return np.zeros(rows.shape[1:], rows.dtype)
    while len(rows) > 1:
        half = len(rows) // 2
        added = rows[:half] + rows[half : 2 * half]
        rows = np.concatenate([added, rows[2 * half :]]) if len(rows) % 2 else added
    total: Array = rows[0]
    return total
