"""What comes out of a call, by mode: pairs, gradients, matrices.

Takes the outputs of a call by name, gives them in the form of the arguments. Knows nothing of
kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .calling import Convention
from .codegen.host.arrays import Argument, Bound, Fit
from .codegen.host.converting import is_device_array, to_device
from .codegen.host.records import Finish, copy_tags, formed, is_tagged, mapped
from .codegen.host.results import number, unbind, unbroadcast
from .codegen.kernel.layout import axes_of, is_opened, items_of, together
from .depositing import deposit
from .matrices import matrix
from .reader.marks import DifferentialPair
from .reader.structs import class_of, made_of
from .results import Named, only
from .terms.program import Slot
from .terms.types import Tup, is_record


def collect(derived: Convention, bound: Bound, outputs: Mapping[str, Any]) -> Any:
    """The results of a call in the form of the mode."""
    program, results = derived.program, derived.primal.results
    if derived.mode in ("jacobian", "hessian"):
        return matrix(derived, bound, outputs)
    flat = unbind(bound.fit, program.results, outputs)
    gradients = {"bwd": 0, "hvp": 0, "value_and_grad": len(results)}
    plain = gradients.get(derived.mode, len(flat))
    shown = zip(program.results[:plain], flat, strict=False)
    flat[:plain] = [_shown(slot, value, bound.fit) for slot, value in shown]
    match derived.mode:
        case "fwd":
            return _pairs(derived, flat)
        case "bwd":
            return _gradients(derived, bound, flat)
        case "hvp":
            return _gradients(derived, bound, flat, "HessianVector")
        case "value_and_grad":
            values = only(results, flat[: len(results)])
            return values, _gradients(derived, bound, flat[len(results) :])
    return only(program.results, flat)


def _pairs(derived: Convention, flat: Sequence[Any]) -> Any:
    """Primal results with their tangents; a result without a derivative stays as it is."""
    results = derived.primal.results
    tangents = iter(flat[len(results) :])
    values = [
        DifferentialPair(value, next(tangents)) if slot in derived.carried else value
        for slot, value in zip(results, flat, strict=False)
    ]
    return only(results, values)


def _gradients(
    derived: Convention, bound: Bound, flat: Sequence[Any], title: str = "Gradients"
) -> Named:
    """One gradient per differentiated parameter, in the shape of the argument."""
    names, values = [], []
    for slot, gradient in zip(derived.active, flat, strict=True):
        if slot.array:
            deposit(slot, gradient)
            continue
        names.append(slot.name)
        values.append(_unbroadcast(slot, gradient, bound))
    return Named(title, names, values)


def _unbroadcast(slot: Slot, gradient: Any, bound: Bound) -> Any:
    """A gradient in the shape and form of its argument; tuples item by item."""
    if is_opened(slot.type):
        pairs = zip(items_of(slot), gradient, strict=True)
        return together(slot.type, [_unbroadcast(item, g, bound) for item, g in pairs])
    if isinstance(gradient, float):
        return gradient
    argument = bound.fit.given[slot.name]
    if not is_record(slot.type):
        return unbroadcast(gradient, argument.shape)
    own = bound.own[slot.name]
    if argument.form == "list":
        return _rows(slot, _summed(argument, gradient, own))
    if argument.form == "array":
        return _summed(argument, gradient, own)
    return _of_struct(argument, gradient, own, bound.fit.kind)


def _of_struct(argument: Argument, gradient: Any, own: Mapping[str, Any], kind: str) -> Any:
    """The gradient of a struct whose fields were broadcast, each in the shape of the field."""
    import numpy as np

    none = np.zeros((), np.int32)  # of a struct that is not there

    def finish(name: str, values: Any) -> Any:
        return number(unbroadcast(values, own.get(name, none).shape), kind)

    def tag(name: str, _: Any) -> Any:
        return number(own.get(name, none), kind)

    return _structs(argument.slot, gradient, argument.form, finish, tag)


def _summed(argument: Argument, gradient: Any, own: Mapping[str, Any]) -> Any:
    """The records of the gradient of a batch of structs, summed back to its shape."""
    type_ = argument.slot.type
    if gradient.shape == argument.shape and not is_tagged(type_):
        return gradient
    if is_device_array(gradient):
        return to_device(gradient.queue, _summed(argument, gradient.get(), own))
    leading = argument.shape[: len(argument.shape) - len(axes_of(type_))]
    records = mapped(type_, gradient, leading, lambda leaf: unbroadcast(leaf, leading))
    given = own[argument.slot.name]
    copy_tags(type_, records, given.get() if is_device_array(given) else given)
    return records


def _shown(slot: Slot, value: Any, fit: Fit) -> Any:
    """A result in the form of the arguments."""
    if is_opened(slot.type):
        items = zip(items_of(slot), value, strict=True)
        return together(slot.type, [_shown(item, v, fit) for item, v in items])
    if not is_record(slot.type) or fit.form == "array":
        return value
    batch = value.ndim - len(axes_of(slot.type))
    mixed = fit.form == "instance" and is_tagged(slot.type)  # each is of one class or another
    if batch and (fit.form == "list" or mixed):
        return _rows(slot, value, batch)
    return _structs(slot, value, fit.form, lambda _, values: number(values, fit.kind))


def _rows(slot: Slot, records: Any, axes: int = 1) -> list[Any]:
    """A batch of structs, one by one."""
    items = records.get() if is_device_array(records) else records
    if axes > 1:
        return [_rows(slot, row, axes - 1) for row in items]
    return [_structs(slot, row, "instance", lambda _, v: number(v, "number")) for row in items]


def _structs(slot: Slot, records: Any, form: str, finish: Finish, tag: Finish | None = None) -> Any:
    import numpy as np

    def make(type_: Tup, values: dict[str, Any]) -> Any:
        if form == "dict":
            return values
        if type_.union and np.ndim(values["tag"]) == 0:
            return values[type_.names[1 + int(values["tag"])]]
        if not type_.struct:
            return together(type_, [*values.values()])
        cls = class_of(type_.struct)
        if cls is None:
            return Named(str(type_), list(values), list(values.values()))
        return made_of(cls, values)

    if is_device_array(records):
        records = records.get()
    return formed(slot.name, slot.type, records, finish, make, tag)
