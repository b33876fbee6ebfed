"""Takes what a user passes, gives packed arrays of one shape.

A parameter's type says what its trailing axes hold (a vector: its components; a matrix: rows
and columns); the leading axes of all parameters broadcast as in NumPy. Knows nothing of
kernels; pyopencl arrays are recognised, not computed with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from ...terms.errors import DeviceError
from ...terms.program import Slot
from ...terms.types import is_record
from ..kernel.layout import Array, axes_of, dtype_of, is_opened, items_of
from .converting import converted, is_device_array, leading
from .records import (
    Form,
    Piece,
    batched,
    check_tags,
    form_of,
    is_batch,
    misfit,
    of_dictionary,
    outline,
    pieces_of,
)

MOST_AXES = 28  # of a batch: NumPy broadcasts 32, and Jacobians of matrices have four more
Shape = tuple[int, ...]
Port = tuple[str, Slot, Any]  # the parameter, the argument of the kernel, what is passed
Part = tuple[Piece, Any]  # what an argument is made of, its array
MOST_FITS = 64  # kept per function
_NUMBERS = {
    float,
    int,
    bool,
    *(t for t in np.sctypeDict.values() if issubclass(t, np.number | np.bool_)),
}


@dataclass(frozen=True)
class Argument:
    """What a call tells of one argument, whatever numbers are in it."""

    slot: Slot
    param: str  # the parameter's name, for an item of a tuple too
    shape: Shape  # as the user gave it, trailing axes included
    uniform: bool  # a single value, used by every element
    dtype: np.dtype[Any]  # in which it is packed
    axes: Shape  # in which it is packed
    form: Form = "number"  # in which it came, and its gradient goes


@dataclass(frozen=True)
class Fit:
    """How arguments fit together: `shape` is the common shape of the leading axes."""

    shape: Shape
    arguments: tuple[Argument, ...]
    kind: str  # of the results: "number", "numpy" or "pyopencl"

    @cached_property
    def size(self) -> int:
        """How many elements are computed."""
        return prod(self.shape)

    @cached_property
    def form(self) -> Form:
        """The form of structs among the results: that of the first struct that was passed."""
        forms = [a.form for a in self.arguments if a.form != "number"]
        return forms[0] if forms else "instance"

    @cached_property
    def uniform_names(self) -> frozenset[str]:
        """The names of the parameters that hold one value for all elements."""
        return frozenset(a.param for a in self.arguments if a.uniform)

    @cached_property
    def given(self) -> dict[str, Argument]:
        """The arguments by name."""
        return {a.slot.name: a for a in self.arguments}


@dataclass(frozen=True)
class Bound:
    """Arguments that fit together, with their numbers."""

    fit: Fit
    inputs: Mapping[str, Any]  # by name; C-contiguous: NumPy, or pyopencl arrays
    own: Mapping[str, Mapping[str, Any]]  # of structs, by name: their fields, not yet broadcast
    queue: Any = None  # of the pyopencl arrays

    @property
    def size(self) -> int:
        """How many elements are computed."""
        return self.fit.size

    @property
    def uniform_names(self) -> frozenset[str]:
        """The names of the parameters that hold one value for all elements."""
        return self.fit.uniform_names


def spread(bound: Bound, names: Collection[str]) -> Bound:
    """The same arguments, with one value per element for the parameters that are named."""
    if not names:
        return bound
    fit, inputs = bound.fit, dict(bound.inputs)
    arguments = list(fit.arguments)
    with _in_memory(fit.shape):
        for k, a in enumerate(arguments):
            value = inputs[a.slot.name]
            if a.uniform and a.param in names and isinstance(value, np.ndarray):
                own = axes_of(a.slot.type)
                axes = fit.shape + own
                inputs[a.slot.name] = np.broadcast_to(value.reshape(own), axes).copy()
                arguments[k] = replace(a, uniform=False, axes=axes)
    return replace(bound, fit=replace(fit, arguments=tuple(arguments)), inputs=inputs)


@contextmanager
def _in_memory(shape: Shape) -> Iterator[None]:
    """DeviceError where there is no room for arguments that are broadcast."""
    try:
        yield
    except (MemoryError, ValueError) as error:
        raise DeviceError(
            f"the arguments do not fit into memory, broadcast to {shape}: {error}",
            hint="call it on fewer elements at a time",
        ) from error


class Binder:
    """Binds the arguments of each call of one function.

    How numbers and arrays fit together follows from their types, dtypes and shapes: it is worked
    out once for each of those. Where structs, tuples, lists or pyopencl arrays are passed it
    depends on what is in them, too.
    """

    def __init__(self, params: Sequence[Slot], function: str) -> None:
        """For functions with these parameters."""
        self._params, self._function = params, function
        self._keeps = not any(is_opened(p.type) or is_record(p.type) for p in params)
        self._known: dict[tuple[Any, ...], Fit] = {}

    def known(self, args: Sequence[Any]) -> Bound | None:
        """What `bind` gives, for arguments of types and shapes that it has been asked for."""
        fit = self._known.get(_kinds(args))
        return None if fit is None else _fitted(fit, args)

    def __call__(self, args: Sequence[Any]) -> Bound:
        """The arguments of a call, bound."""
        if found := self.known(args):
            return found
        bound = bind(self._params, args, self._function)
        kinds = _kinds(args)
        if self._keeps and all(type(kind) is tuple or kind in _NUMBERS for kind in kinds):
            if len(self._known) >= MOST_FITS:
                self._known.clear()
            self._known[kinds] = bound.fit
        return bound


def _kinds(args: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([(a.dtype, a.shape) if type(a) is np.ndarray else type(a) for a in args])


def _fitted(fit: Fit, args: Sequence[Any]) -> Bound:
    pairs = list(zip(fit.arguments, args, strict=True))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = [converted(a.slot, arg, a.dtype) for a, arg in pairs]
    with _in_memory(fit.shape):
        rows = zip(fit.arguments, values, strict=True)
        return Bound(fit, {a.slot.name: _packed(value, a.axes) for a, value in rows}, {})


def bind(params: Sequence[Slot], args: Sequence[Any], function: str = "the function") -> Bound:
    """Check, convert and broadcast the arguments of one call."""
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
        pairs = zip(slots, given, strict=True)
        values = [converted(slot, arg, dtype_of(slot.type)) for slot, arg in pairs]
    leads = [leading(s, tuple(v.shape)) for s, v in zip(slots, values, strict=True)]
    shape = _broadcast(slots, leads)
    # A tuple or a struct is uniform as a whole, or not at all.
    varying = {ports[k][0] for (k, _), lead in zip(pieces, leads, strict=True) if prod(lead) != 1}
    arguments, inputs, own = [], {}, {}
    with _in_memory(shape):
        rows = zip(pieces, values, strict=True)
        for k, group in groupby(rows, key=lambda row: row[0][0]):
            parts = [(piece, value) for (_, piece), value in group]
            owner, slot, _ = ports[k]
            array, argument = _argument(ports[k], parts, shape if owner in varying else ())
            arguments.append(argument)
            inputs[slot.name] = array
            if is_record(slot.type):
                own[slot.name] = _fields(argument, ports[k], parts)
    host = (int, float, list, tuple, Enum)
    plain = shape == () and all(isinstance(a, host) or hasattr(a, "egad_parts") for a in given)
    plain = plain and not any(isinstance(arg, np.generic) for arg in given)
    kind = "pyopencl" if queue is not None else "number" if plain else "numpy"
    return Bound(Fit(shape, tuple(arguments), kind), inputs, own, queue)


def _argument(port: Port, parts: Sequence[Part], there: Shape) -> tuple[Any, Argument]:
    """An argument, packed: repeated along `there`, or one value for all elements."""
    owner, slot, arg = port
    axes = there + axes_of(slot.type)
    if len(parts) == 1 and not parts[0][0].path:
        value = parts[0][1]
        array, shape = _packed(value, axes, stays=bool(there)), tuple(value.shape)
    else:
        array, shape = _assembled(slot, parts, there), outline(arg)
    if is_record(slot.type) and not is_device_array(array):
        check_tags(slot, slot.type, array)
    dtype, form = dtype_of(slot.type), form_of(slot.type, arg)
    return array, Argument(slot, owner, shape, not there, dtype, axes, form)


def _fields(argument: Argument, port: Port, parts: Sequence[Part]) -> dict[str, Any]:
    """What a struct was passed as, by the names of its fields."""
    fields = {piece.slot.name: value for piece, value in parts}
    _, slot, arg = port
    return {slot.name: arg, **fields} if argument.form == "array" else fields


def _pieces(slot: Slot, arg: Any) -> Iterator[Piece]:
    return pieces_of(slot, batched(slot, arg, _single) if is_batch(slot.type, arg) else arg)


def _single(slot: Slot, arg: Any) -> Any:
    """A value in a list of structs, converted like an argument, without axes of a batch."""
    value = converted(slot, arg, dtype_of(slot.type))
    if lead := leading(slot, tuple(value.shape)):
        raise misfit(
            slot,
            f"expected one value, got a batch of shape {lead}",
            "the list of structs is the batch; arrays go into the fields of one struct",
        )
    return value.get() if is_device_array(value) else value


def _assembled(slot: Slot, parts: Sequence[Part], shape: Shape) -> Array:
    """The records of a struct, with every field in its place."""
    records = np.zeros((1, *shape, *axes_of(slot.type)), dtype_of(slot.type))
    for piece, value in parts:
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
        arg = of_dictionary(slot, arg)
        if not isinstance(arg, tuple | list) or len(arg) != len(items):
            raise misfit(slot, f"expected a tuple of {len(items)} items, got {arg!r:.60}")
        stack.extend((owner, i, a) for i, a in zip(items[::-1], arg[::-1], strict=True))
    return ports


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


def _packed(value: Any, axes: Shape, *, stays: bool = True) -> Any:
    """The value repeated along `axes`, C-contiguous; a pyopencl array comes to the host unless it
    `stays`, being as it is to be.
    """
    if value.shape == axes and value.flags.c_contiguous and (stays or not is_device_array(value)):
        return value
    if is_device_array(value):
        value = value.get()
    if value.size != prod(axes):
        value = np.broadcast_to(value, axes)
    # ascontiguousarray makes at least one axis of none
    return np.ascontiguousarray(value).reshape(axes)
