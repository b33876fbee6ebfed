"""Takes one value that a user passes, gives an array in the dtype of its parameter.

Real arrays of any precision convert to the parameter's precision (float64 to float32 rounds),
integers and booleans convert to reals; reals never convert to integers. Knows nothing of the
other arguments.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from enum import Enum
from numbers import Number
from typing import Any

import numpy as np

from ...terms.errors import DeviceError, shown
from ...terms.program import Slot
from ...terms.types import Scalar, stored_as
from ..kernel.layout import Array, axes_of
from .records import misfit

# Which kinds of NumPy dtypes a parameter accepts; all real precisions convert to each other.
_ACCEPTED = {Scalar.BOOL: "biu", Scalar.I32: "biu", Scalar.U32: "biu"}
_ACCEPTED_REAL = "fbiu"
_LIMITS = {Scalar.I32: (-(2**31), 2**31 - 1), Scalar.U32: (0, 2**32 - 1)}


def is_device_array(value: Any) -> bool:
    """Whether a value is a pyopencl array; does not import pyopencl."""
    module = sys.modules.get("pyopencl.array")
    return module is not None and isinstance(value, module.Array)


def to_device(queue: Any, array: Any) -> Any:
    """A pyopencl array of the same numbers, where there is one already."""
    return sys.modules["pyopencl.array"].to_device(queue, array)


def converted(param: Slot, arg: Any, wanted: np.dtype[Any]) -> Any:
    """The argument as an array of the parameter's dtype, `wanted`; the shape is unchanged."""
    if type(arg) is np.ndarray and arg.dtype == wanted:
        return arg
    if type(arg) is float and wanted.kind == "f":
        return np.array(arg, wanted)
    if _is_masked(arg):
        raise misfit(param, "masked arrays are not supported", "fill it: `array.filled(0.0)`")
    if wanted.names and not is_device_array(arg):
        return np.asarray(arg)  # records.py has checked it
    if is_device_array(arg):
        if arg.dtype == wanted and arg.flags.c_contiguous:
            return arg
        if not arg.flags.forc:
            raise misfit(
                param,
                "the pyopencl array has gaps",
                "take the part on the host: `to_device(queue, whole.get()[::2])`",
            )
        arg = arg.get()
    try:
        value = np.asarray(arg.value if isinstance(arg, Enum) else arg)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        if isinstance(arg, list | tuple) and isinstance(error, ValueError):
            hint = "make them equally long"
            raise misfit(param, "its rows have several lengths", hint) from error
        raise misfit(param, f"not an array of numbers ({error})") from error
    if value.dtype.kind == "O":
        value = _numbers(param, value)
    return _cast(param, value, wanted)


def _is_masked(arg: Any) -> bool:
    """Whether a value is a masked array, or a list with one in it: NumPy would drop the mask."""
    rest = [arg]
    while rest:
        item = rest.pop()
        if isinstance(item, np.ma.MaskedArray):
            return True
        if isinstance(item, list | tuple):
            rest.extend(item)
    return False


def _numbers(param: Slot, objects: Array) -> Array:
    """Members of enumerations and integers of any size as an array of numbers."""
    items = [item.value if isinstance(item, Enum) else item for item in objects.flat]
    kind = stored_as(param.type)
    is_integer = kind in _ACCEPTED
    for item in items:
        if not isinstance(item, int | float | np.number | np.bool_):
            name = "int" if is_integer else "float"
            hint = f"convert it first: {name}(x)" if isinstance(item, Number | Decimal) else ""
            raise misfit(param, f"a {type(item).__name__} does not convert to {kind.value}", hint)
        if is_integer and isinstance(item, int) and not fits(kind, item):
            raise _out_of_range(param, item)
    try:
        plain = np.array(items if is_integer else [float(i) for i in items])
        return plain.reshape(objects.shape)
    except OverflowError as error:
        worst = next(i for i in items if isinstance(i, int) and abs(i) > sys.float_info.max)
        raise misfit(param, f"{shown(worst)} is beyond all {kind.value} numbers") from error


def _cast(param: Slot, value: Array, wanted: np.dtype[Any]) -> Array:
    if value.dtype == wanted:
        return value
    elem = stored_as(param.type)
    if value.size == 0 and value.dtype == np.float64:  # what NumPy makes of an empty list
        return value.astype(wanted)
    if value.dtype.kind not in _ACCEPTED.get(elem, _ACCEPTED_REAL):
        hint = ""
        if value.dtype.kind == "f" and elem is Scalar.BOOL:
            hint = "compare it, for example `x != 0`"
        elif value.dtype.kind == "f":
            hint = f"round it yourself, for example with `.astype(numpy.{elem.value})`"
        elif value.dtype.kind == "c":
            hint = "pass the real and the imaginary part as two parameters"
        raise misfit(param, f"{_kind_name(value)} does not convert to {elem.value}", hint)
    if elem in _LIMITS and value.size:
        for worst in (int(value.min()), int(value.max())):
            if not fits(elem, worst):
                raise _out_of_range(param, worst)
    return value.astype(wanted)


def fits(kind: Scalar, value: int) -> bool:
    """Whether an integer is one of a type's."""
    low, high = _LIMITS.get(kind, _LIMITS[Scalar.I32])
    return low <= value <= high


def _out_of_range(param: Slot, value: int) -> DeviceError:
    kind = stored_as(param.type)
    low, high = _LIMITS.get(kind, _LIMITS[Scalar.I32])
    what = "int32, the integers of kernels" if kind is not Scalar.U32 else "uint32"
    hint = f"they go from {low} to {high}"
    if kind is Scalar.I32 and 0 < value < 2**32:
        hint += f"; for numbers up to 2**32 - 1, annotate {param.name}: egad.uint"
    return misfit(param, f"{shown(value)} does not fit into {what}", hint)


def _kind_name(value: Array) -> str:
    names = {"U": "text", "S": "bytes", "f": "a real number", "V": "an array of records"}
    return names.get(value.dtype.kind, value.dtype.name)


def leading(param: Slot, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The leading axes of an argument, once its trailing axes are seen to fit."""
    trailing = axes_of(param.type)
    split = len(shape) - len(trailing)
    if split < 0 or shape[split:] != trailing:
        what = "components" if len(trailing) == 1 else "rows and columns"
        axes = "axis holds" if len(trailing) == 1 else "two axes hold"
        raise misfit(
            param,
            f"expected trailing axes {trailing}, got an array of shape {shape}",
            f"the last {axes} the {what}; axes before them are the elements of a batch",
        )
    return shape[:split]
