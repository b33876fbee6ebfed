"""Takes what a user passes, gives packed arrays of one shape.

A parameter's type says what its trailing axes hold (a vector: its components; a matrix: rows
and columns); the leading axes of all parameters broadcast as in NumPy. Knows nothing of
kernels; pyopencl arrays are recognised, not computed with.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from itertools import groupby
from math import prod
from numbers import Number
from typing import Any

import numpy as np

from ...terms.errors import DeviceError
from ...terms.program import Slot
from ...terms.types import Scalar, is_record, stored_as
from ..kernel.layout import Array, axes_of, dtype_of, is_opened, items_of
from .records import (
    Form,
    Piece,
    batched,
    check_tags,
    form_of,
    is_batch,
    misfit,
    outline,
    pieces_of,
)

# Which kinds of NumPy dtypes a parameter accepts; all real precisions convert to each other.
_ACCEPTED = {Scalar.BOOL: "biu", Scalar.I32: "biu", Scalar.U32: "biu"}
_ACCEPTED_REAL = "fbiu"
MOST_AXES = 28  # of a batch: NumPy broadcasts 32, and Jacobians of matrices have four more
Shape = tuple[int, ...]
Port = tuple[str, Slot, Any]  # the parameter, the argument of the kernel, what is passed
Part = tuple[Piece, Any, Shape]  # what an argument is made of, its array, the array's leading axes
_LIMITS = {Scalar.I32: (-(2**31), 2**31 - 1), Scalar.U32: (0, 2**32 - 1)}


@dataclass(frozen=True)
class Argument:
    """One packed argument; `uniform`: a single value, used by every element."""

    slot: Slot
    array: Any  # C-contiguous, in the parameter's dtype: NumPy, or a pyopencl array
    uniform: bool
    shape: tuple[int, ...]  # as the user gave it, trailing axes included
    param: str  # the parameter's name, for an item of a tuple too
    own: Mapping[str, Any] = field(default_factory=dict)  # a struct's fields, not yet broadcast
    form: Form = "number"  # in which it came, and its gradient goes


@dataclass(frozen=True)
class Bound:
    """Arguments that fit together: `shape` is the common shape of the leading axes."""

    shape: tuple[int, ...]
    arguments: tuple[Argument, ...]
    kind: str  # of the results: "number", "numpy" or "pyopencl"
    queue: Any = None  # of the pyopencl arrays

    @property
    def size(self) -> int:
        """How many elements are computed."""
        return prod(self.shape)

    @property
    def form(self) -> Form:
        """The form of structs among the results: that of the first struct that was passed."""
        forms = [a.form for a in self.arguments if a.form != "number"]
        return forms[0] if forms else "instance"

    @property
    def uniform(self) -> tuple[bool, ...]:
        """Which arguments hold one value for all elements."""
        return tuple(argument.uniform for argument in self.arguments)

    @property
    def uniform_names(self) -> frozenset[str]:
        """The names of the parameters that hold one value for all elements."""
        return frozenset(a.param for a in self.arguments if a.uniform)

    @property
    def inputs(self) -> dict[str, Any]:
        """The packed array of each argument by name."""
        return {argument.slot.name: argument.array for argument in self.arguments}


def spread(bound: Bound, names: Collection[str]) -> Bound:
    """The same arguments, with one value per element for the parameters that are named."""
    with _in_memory(bound.shape):
        arguments = [
            replace(a, array=_repeated(a, bound.shape), uniform=False)
            if a.uniform and a.param in names and isinstance(a.array, np.ndarray)
            else a
            for a in bound.arguments
        ]
    return replace(bound, arguments=tuple(arguments))


@contextmanager
def _in_memory(shape: tuple[int, ...]) -> Iterator[None]:
    """DeviceError where there is no room for arguments that are broadcast."""
    try:
        yield
    except (MemoryError, ValueError) as error:
        raise DeviceError(
            f"the arguments do not fit into memory, broadcast to {shape}: {error}",
            hint="call it on fewer elements at a time",
        ) from error


def _repeated(argument: Argument, shape: tuple[int, ...]) -> Array:
    own = argument.array.reshape(axes_of(argument.slot.type))
    return np.broadcast_to(own, shape + own.shape).copy()


def is_device_array(value: Any) -> bool:
    """Whether a value is a pyopencl array; does not import pyopencl."""
    module = sys.modules.get("pyopencl.array")
    return module is not None and isinstance(value, module.Array)


def bind(params: Sequence[Slot], args: Sequence[Any], function: str = "the function") -> Bound:
    """Check, convert and broadcast the arguments of one call.

    Real arrays of any precision convert to the parameter's precision (float64 to float32
    rounds), integers and booleans convert to reals; reals never convert to integers.
    """
    if len(args) != len(params):
        names = ", ".join(param.name for param in params)
        plural = "" if len(params) == 1 else "s"
        raise DeviceError(
            f"{function} takes {len(params)} argument{plural} ({names}), got {len(args)}"
        )
    ports = _opened(params, args)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        pieces = [(k, p) for k, (_, slot, arg) in enumerate(ports) for p in _pieces(slot, arg)]
        slots, given = [p.slot for _, p in pieces], [p.value for _, p in pieces]
        queue = _common_queue(slots, given)
        values = [_converted(slot, arg) for slot, arg in zip(slots, given, strict=True)]
    leads = [_leading(s, tuple(v.shape)) for s, v in zip(slots, values, strict=True)]
    shape = _broadcast(slots, leads)
    # A tuple or a struct is uniform as a whole, or not at all.
    varying = {ports[k][0] for (k, _), lead in zip(pieces, leads, strict=True) if prod(lead) != 1}
    packed = []
    with _in_memory(shape):
        rows = zip(pieces, values, leads, strict=True)
        for k, group in groupby(rows, key=lambda row: row[0][0]):
            parts = [(piece, value, lead) for (_, piece), value, lead in group]
            there = shape if ports[k][0] in varying else ()
            packed.append(_argument(ports[k], parts, there))
    host = (int, float, list, tuple, Enum)
    plain = shape == () and all(isinstance(a, host) or hasattr(a, "egad_parts") for a in given)
    plain = plain and not any(isinstance(arg, np.generic) for arg in given)
    kind = "pyopencl" if queue is not None else "number" if plain else "numpy"
    return Bound(shape, tuple(packed), kind, queue)


def _argument(port: Port, parts: Sequence[Part], there: Shape) -> Argument:
    """An argument, packed: repeated along `there`, or one value for all elements."""
    owner, slot, arg = port
    if len(parts) == 1 and not parts[0][0].path:
        _, value, lead = parts[0]
        array, own = _packed(value, slot, there, lead), tuple(value.shape)
    else:
        array, own = _assembled(slot, parts, there), outline(arg)
    if is_record(slot.type) and not is_device_array(array):
        check_tags(slot, slot.type, array)
    fields = {piece.slot.name: value for piece, value, _ in parts}
    form = form_of(slot.type, arg)
    fields = {slot.name: arg, **fields} if form == "array" else fields
    return Argument(slot, array, not there, own, owner, fields, form)


def _pieces(slot: Slot, arg: Any) -> Iterator[Piece]:
    return pieces_of(slot, batched(slot, arg, _single) if is_batch(slot.type, arg) else arg)


def _single(slot: Slot, arg: Any) -> Any:
    """A value in a list of structs, converted like an argument, without axes of a batch."""
    value = _converted(slot, arg)
    if lead := _leading(slot, tuple(value.shape)):
        raise misfit(
            slot,
            f"expected one value, got a batch of shape {lead}",
            "the list of structs is the batch; arrays go into the fields of one struct",
        )
    return value.get() if is_device_array(value) else value


def _assembled(slot: Slot, parts: Sequence[Part], shape: Shape) -> Array:
    """The records of a struct, with every field in its place."""
    records = np.zeros((1, *shape, *axes_of(slot.type)), dtype_of(slot.type))
    for piece, value, _ in parts:
        if is_device_array(value):
            value = value.get()
        axes = axes_of(piece.slot.type)
        place = piece.within(records, 1 + len(shape))
        place[0] = value.reshape(axes) if not shape else np.broadcast_to(value, shape + axes)
    return records.reshape(records.shape[1:])


def _common_queue(params: Sequence[Slot], args: Sequence[Any]) -> Any:
    """The queue of the pyopencl arrays, or None; they must live in one context."""
    queue, context, first = None, None, ""
    for param, arg in zip(params, args, strict=True):
        if not is_device_array(arg):
            continue
        if arg.queue is None:
            raise DeviceError(
                f"argument {param.name!r} is a pyopencl array without a queue",
                hint="give it one with `array.with_queue(queue)`",
            )
        if queue is None:
            queue, context, first = arg.queue, arg.context, param.name
        elif arg.context != context:
            raise DeviceError(
                f"arguments {first!r} and {param.name!r} are pyopencl arrays of different contexts",
                hint="create all arrays with queues of one context",
            )
    return queue


def _opened(params: Sequence[Slot], args: Sequence[Any]) -> list[Port]:
    """Tuples replaced by their items, with the parameter of each: a kernel argument per item."""
    ports: list[Port] = []
    stack = [(p.name, p, arg) for p, arg in zip(params, args, strict=True)][::-1]
    while stack:
        owner, slot, arg = stack.pop()
        if not is_opened(slot.type):
            ports.append((owner, slot, arg))
            continue
        items = items_of(slot)
        if not isinstance(arg, tuple | list) or len(arg) != len(items):
            raise misfit(slot, f"expected a tuple of {len(items)} items, got {arg!r:.60}")
        stack.extend((owner, i, a) for i, a in zip(items[::-1], arg[::-1], strict=True))
    return ports


def _converted(param: Slot, arg: Any) -> Any:
    """The argument as an array of the parameter's dtype, shape unchanged."""
    wanted = dtype_of(param.type)
    if _is_masked(arg):
        raise misfit(param, "masked arrays are not supported", "fill it: `array.filled(0.0)`")
    if wanted.names and not is_device_array(arg):
        return arg  # records.py has checked it
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
        raise misfit(param, f"{error}") from error


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
    shown = str(value) if abs(value) < 10**20 else f"{str(value)[:8]}… ({value.bit_length()} bits)"
    kind = stored_as(param.type)
    low, high = _LIMITS.get(kind, _LIMITS[Scalar.I32])
    what = "int32, the integers of kernels" if kind is not Scalar.U32 else "uint32"
    hint = f"they go from {low} to {high}"
    if kind is Scalar.I32 and 0 < value < 2**32:
        hint += f"; for numbers up to 2**32 - 1, annotate {param.name}: egad.uint"
    return misfit(param, f"{shown} does not fit into {what}", hint)


def _kind_name(value: Array) -> str:
    names = {"U": "text", "S": "bytes", "f": "a real number"}
    return names.get(value.dtype.kind, value.dtype.name)


def _leading(param: Slot, shape: tuple[int, ...]) -> tuple[int, ...]:
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


def _broadcast(params: Sequence[Slot], leads: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    common: tuple[int, ...] = ()
    for i, lead in enumerate(leads):
        if len(lead) > MOST_AXES:
            problem = f"a batch has at most {MOST_AXES} axes, not {len(lead)}"
            raise misfit(params[i], problem, "give it fewer: `array.reshape(…)`")
        try:
            common = np.broadcast_shapes(common, lead)
        except ValueError as error:
            known = [(p, s) for p, s in zip(params[:i], leads[:i], strict=True) if s]
            shown = ", ".join(f"{p.name} {s}" for p, s in [*known, (params[i], lead)])
            if "too large" in str(error):
                raise DeviceError(
                    f"the arguments do not fit into memory when they are broadcast: {shown}",
                    hint="call it on fewer elements at a time",
                ) from error
            raise DeviceError(
                f"the leading axes of the arguments do not broadcast: {shown}",
                hint="aligned at the right, axes must be equal or 1, as in NumPy",
            ) from error
    return common


def _packed(value: Any, param: Slot, shape: tuple[int, ...], lead: tuple[int, ...]) -> Any:
    """The value repeated along `shape`, C-contiguous; single values come to the host."""
    trailing = axes_of(param.type)
    if is_device_array(value):
        if shape and shape == lead:
            return value
        value = value.get()
    if lead != shape:  # broadcast to its own shape it would be read-only, and copied for a kernel
        value = np.broadcast_to(value, shape + trailing) if shape else value.reshape(trailing)
    # ascontiguousarray makes at least one axis of none
    return np.ascontiguousarray(value).reshape(shape + trailing)
