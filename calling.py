"""The calling conventions of the modes: what a user passes, and what she gets back.

Takes arguments, gives them bound to a program's parameters; takes results by slot, gives
pairs, gradients, Jacobians and Hessians. Knows nothing of kernels.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .agreeing import check_cotangents, of_one_struct, tags_of
from .codegen.host.arrays import Argument, Bound, bind, is_device_array
from .codegen.host.records import (
    Finish,
    copy_tags,
    formed,
    is_tagged,
    mapped,
)
from .codegen.host.results import unbind, unbroadcast
from .codegen.kernel.layout import axes_of, is_opened, items_of
from .depositing import deposit
from .reader.marks import DifferentialPair
from .reader.structs import class_of, made_of
from .results import Named, symmetric
from .rewrite import active
from .terms.errors import DeriveError, DeviceError, nearest
from .terms.program import Program, Slot
from .terms.rule import RuleSet
from .terms.term import is_zero
from .terms.types import Arr, Scalar, Tup, Type, is_differentiable, is_record, leaf_types, shape_of


@dataclass(frozen=True, slots=True)
class Convention:
    """What a call depends on: the mode, the function's program, and the derived one.

    `tags`: which structs the results are, where cotangents have to be of the same.
    """

    mode: str
    primal: Program
    program: Program
    rules: RuleSet
    tags: Program | None


def convention(mode: str, primal: Program, program: Program, rules: RuleSet) -> Convention:
    """How a derived program is called."""
    tags = tags_of(primal, rules) if mode == "bwd" else None
    return Convention(mode, primal, program, rules, tags)


def arrange(derived: Convention, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound:
    """Bind arguments to the parameters of the derived program, broadcast as in NumPy.

    In mode "fwd" the parameters are those of the function, each a number or a
    `diff_pair(p, d)`; in all other modes those of the derived program.
    """
    program = derived.program
    if derived.mode != "fwd":
        named = _by_name(program.name, program.params, args, kwargs)
        plain = [_plain(slot, value) for slot, value in zip(program.params, named, strict=True)]
        bound = bind(program.params, plain, program.name)
        if derived.tags is not None:
            check_cotangents(derived.tags, derived.primal, program, derived.rules, bound)
        return of_one_struct(derived.primal, program, bound) if derived.mode == "hvp" else bound
    primal = derived.primal
    given = _by_name(primal.name, primal.params, args, kwargs)
    diff = {slot.name for slot in active(primal)}
    values, tangents = [], []
    for slot, value in zip(primal.params, given, strict=True):
        paired = isinstance(value, DifferentialPair)
        if paired and slot.name not in diff:
            raise DeviceError(
                f"parameter {slot.name!r} is not differentiated, but a diff_pair was passed",
                hint="pass the plain value, or list the parameter in wrt=",
            )
        values.append(_single(slot, value.p if paired else value))
        if slot.name in diff:
            tangents.append(_single(slot, _tangent(slot, value.d)) if paired else _zeros(slot))
    bound = bind(program.params, [*values, *tangents], program.name)
    return of_one_struct(primal, program, bound)


def _tangent(slot: Slot, given: Any) -> Any:
    """The tangent of a pair; the 0.0 of `diff_pair(p)` stands for zeros of any type."""
    number = isinstance(given, int | float) and given == 0
    return _zeros(slot) if number and not isinstance(slot.type, Scalar) else given


def _zeros(slot: Slot) -> Any:
    return _made(slot.type, iter([0.0 if t.is_real else 0 for t in leaf_types(slot.type)]))


def _made(type_: Type, numbers: Iterator[float]) -> Any:
    """A value of a type, of its components: one that a user could pass."""
    if isinstance(type_, Tup):
        items = [_made(item, numbers) for item in type_.items]
        if not type_.struct:
            return tuple(items)
        fields, cls = dict(zip(type_.names, items, strict=True)), class_of(type_.struct)
        return fields if cls is None else made_of(cls, fields)
    if isinstance(type_, Arr):
        return [_made(type_.item, numbers) for _ in range(type_.size)]
    return _nested(shape_of(type_), numbers)


def _nested(axes: tuple[int, ...], numbers: Iterator[float]) -> Any:
    return [_nested(axes[1:], numbers) for _ in range(axes[0])] if axes else next(numbers)


def _plain(slot: Slot, value: Any) -> Any:
    if isinstance(value, DifferentialPair):
        raise DeviceError(
            f"parameter {slot.name!r} got a diff_pair, which only mode='fwd' takes",
            hint="pass the plain value",
        )
    return _single(slot, value)


def _single(slot: Slot, value: Any) -> Any:
    """A value or a tangent; pairs in it would be read as one more axis of a batch."""
    inside = value if isinstance(value, list | tuple) and not isinstance(slot.type, Tup) else ()
    if any(isinstance(item, DifferentialPair) for item in (value, *inside)):
        raise DeviceError(
            f"parameter {slot.name!r} got a diff_pair inside of a list or of a diff_pair",
            hint="pass one pair of arrays: diff_pair([2.0, 3.0], [1.0, 0.0])",
        )
    return value


def _by_name(
    function: str, slots: Sequence[Slot], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[Any]:
    """Positional and keyword arguments in the order of the parameters, or what they default to."""
    names = [slot.name for slot in slots]
    if len(args) > len(names):
        many = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
        raise DeviceError(f"{function} takes {many} ({', '.join(names)}), got {len(args)}")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise DeviceError(
                f"{function} has no parameter {name!r}{nearest(name, names)}",
                hint=f"its parameters are {', '.join(names)}",
            )
        if name in values:
            raise DeviceError(f"{function} got parameter {name!r} twice")
        values[name] = value
    missing = [slot.name for slot in slots if slot.name not in values and not slot.default]
    if missing:
        shown = [f"{slot.name}=…" if slot.default else slot.name for slot in slots]
        raise DeviceError(
            f"{function} needs {', '.join(missing)}",
            hint=f"it is called as {function}({', '.join(shown)})",
        )
    return [values[s.name] if s.name in values else _made(s.type, iter(s.default)) for s in slots]


def sparsity(derived: Convention) -> Any:
    """The results of a call for a single element, each number as whether it can be other than 0.

    Raises DeriveError in modes whose results are no matrices.
    """
    import numpy as np

    if derived.mode not in ("jacobian", "hessian"):
        raise DeriveError(
            f"mode={derived.mode!r} has no sparsity", hint="mode='jacobian' and mode='hessian' have"
        )
    flat = [[np.asarray(not is_zero(t)) for t in group] for group in derived.program.roots]
    if derived.mode == "hessian":
        return _hessian(derived.primal, flat[0], "number")
    return _jacobian(derived.primal, flat, "number")


def collect(derived: Convention, bound: Bound, outputs: Mapping[str, Any]) -> Any:
    """The results of a call in the form of the mode."""
    program = derived.program
    if derived.mode in ("jacobian", "hessian"):
        return _matrix(derived, bound, outputs)
    flat = unbind(bound, program.results, outputs)
    gradients = {"bwd": 0, "hvp": 0, "value_and_grad": len(derived.primal.results)}
    plain = gradients.get(derived.mode, len(flat))
    flat[:plain] = [
        _shown(slot, value, bound)
        for slot, value in zip(program.results[:plain], flat, strict=False)
    ]
    match derived.mode:
        case "fwd":
            return _pairs(derived.primal, flat)
        case "bwd":
            return _gradients(derived.primal, bound, flat)
        case "hvp":
            return _gradients(derived.primal, bound, flat, "HessianVector")
        case "value_and_grad":
            count = len(derived.primal.results)
            values = _only(derived.primal.results, flat[:count])
            return values, _gradients(derived.primal, bound, flat[count:])
    return _only(program.results, flat)


def _matrix(derived: Convention, bound: Bound, outputs: Mapping[str, Any]) -> Any:
    """The Jacobian or the Hessian, its entries in the precision in which they were computed."""
    entries = bound if bound.kind == "pyopencl" else replace(bound, kind="numpy")
    flat = unbind(entries, derived.program.results, outputs)
    if derived.mode == "hessian":
        return _hessian(derived.primal, flat[0], bound.kind)
    return _jacobian(derived.primal, flat, bound.kind)


def _only(slots: Sequence[Slot], values: Sequence[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    return Named("Results", [slot.name for slot in slots], values)


def _carried(program: Program) -> list[Slot]:
    return [s for s in program.results if s.diff and is_differentiable(s.type)]


def _pairs(primal: Program, flat: Sequence[Any]) -> Any:
    """Primal results with their tangents; a result without a derivative stays as it is."""
    tangents = iter(flat[len(primal.results) :])
    carried = {slot.name for slot in _carried(primal)}
    values = [
        DifferentialPair(value, next(tangents)) if slot.name in carried else value
        for slot, value in zip(primal.results, flat, strict=False)
    ]
    return _only(primal.results, values)


def _gradients(
    primal: Program, bound: Bound, flat: Sequence[Any], title: str = "Gradients"
) -> Named:
    """One gradient per differentiated parameter, in the shape of the argument."""
    given = {a.slot.name: a for a in bound.arguments}
    names, values = [], []
    for slot, gradient in zip(active(primal), flat, strict=True):
        if slot.array:
            deposit(slot, gradient)
            continue
        names.append(slot.name)
        values.append(_unbroadcast(slot, gradient, given, bound.kind))
    return Named(title, names, values)


def _unbroadcast(slot: Slot, gradient: Any, given: Mapping[str, Argument], kind: str) -> Any:
    """A gradient in the shape and form of its argument; tuples item by item."""
    import numpy as np

    if is_opened(slot.type):
        pairs = zip(items_of(slot), gradient, strict=True)
        return tuple(_unbroadcast(item, g, given, kind) for item, g in pairs)
    if isinstance(gradient, float):
        return gradient
    argument = given[slot.name]
    if not is_record(slot.type):
        return unbroadcast(gradient, argument.shape)
    if argument.form == "list":
        return _rows(slot, _summed(slot, gradient, argument))
    if argument.form == "array":
        return _summed(slot, gradient, argument)
    none = np.zeros((), np.int32)  # of a struct that is not there

    def finish(name: str, values: Any) -> Any:
        return _number(unbroadcast(values, argument.own.get(name, none).shape), kind)

    def tag(name: str, _: Any) -> Any:
        return _number(argument.own.get(name, none), kind)

    return _structs(slot, gradient, argument.form, finish, tag)


def _summed(slot: Slot, gradient: Any, argument: Argument) -> Any:
    """The records of the gradient of a batch of structs, summed back to its shape."""
    if gradient.shape == argument.shape and not is_tagged(slot.type):
        return gradient
    if is_device_array(gradient):
        return _to_device(gradient.queue, _summed(slot, gradient.get(), argument))
    leading = argument.shape[: len(argument.shape) - len(axes_of(slot.type))]
    records = mapped(slot.type, gradient, leading, lambda leaf: unbroadcast(leaf, leading))
    own = argument.own[slot.name]
    copy_tags(slot.type, records, own.get() if is_device_array(own) else own)
    return records


def _to_device(queue: Any, array: Any) -> Any:
    return sys.modules["pyopencl.array"].to_device(queue, array)


def _shown(slot: Slot, value: Any, bound: Bound) -> Any:
    """A result in the form of the arguments."""
    if is_opened(slot.type):
        items = zip(items_of(slot), value, strict=True)
        return tuple(_shown(item, v, bound) for item, v in items)
    if not is_record(slot.type) or bound.form == "array":
        return value
    batch = value.ndim - len(axes_of(slot.type))
    mixed = bound.form == "instance" and is_tagged(slot.type)  # each is of one class or another
    if batch and (bound.form == "list" or mixed):
        return _rows(slot, value, batch)
    return _structs(slot, value, bound.form, lambda _, values: _number(values, bound.kind))


def _rows(slot: Slot, records: Any, axes: int = 1) -> list[Any]:
    """A batch of structs, one by one."""
    items = records.get() if is_device_array(records) else records
    if axes > 1:
        return [_rows(slot, row, axes - 1) for row in items]
    return [_structs(slot, row, "instance", lambda _, v: _number(v, "number")) for row in items]


def _number(values: Any, kind: str) -> Any:
    if values.shape != () or is_device_array(values):
        return values
    return values.item() if kind == "number" else values[()]


def _structs(slot: Slot, records: Any, form: str, finish: Finish, tag: Finish | None = None) -> Any:
    import numpy as np

    def make(type_: Tup, values: dict[str, Any]) -> Any:
        if form == "dict":
            return values
        if type_.union and np.ndim(values["tag"]) == 0:
            return values[type_.names[1 + int(values["tag"])]]
        if not type_.struct:
            return tuple(values.values())
        cls = class_of(type_.struct)
        if cls is None:
            return Named(str(type_), list(values), list(values.values()))
        return made_of(cls, values)

    if is_device_array(records):
        records = records.get()
    return formed(slot.name, slot.type, records, finish, make, tag)


def _stacked(items: Sequence[Any]) -> Any:
    """The entries of a matrix, each an array over the batch, as one array with a last axis."""
    import numpy as np

    if len(items) == 1:
        return items[0].reshape((*items[0].shape, 1))
    if is_device_array(items[0]):
        return _to_device(items[0].queue, _stacked([item.get() for item in items]))
    return np.stack([np.asarray(item) for item in items], axis=-1)


def _axes(type_: Type) -> tuple[int, ...]:
    """The axes of a Jacobian for a parameter; a struct is one axis of its real components."""
    if isinstance(type_, Tup) or is_record(type_):
        return (sum(leaf.is_real for leaf in leaf_types(type_)),)
    return shape_of(type_)


def _jacobian(primal: Program, flat: Sequence[Any], kind: str) -> Any:
    """d result / d parameter, in the shape (batch, *result, *parameter)."""
    rest, params, results = iter(flat), active(primal), _carried(primal)
    names, columns = [param.name for param in params], [_axes(param.type) for param in params]
    rows = []
    for slot in results:
        axes, entries = _axes(slot.type), []
        for own in columns:
            value = _stacked(next(rest))
            shaped = value.reshape((*value.shape[:-1], *axes, *own))
            entries.append(_number(shaped, kind))
        rows.append(Named("Jacobian", names, entries))
    return _only(results, rows)


def _hessian(primal: Program, upper: Any, kind: str) -> Named:
    """d^2 f / d a d b for every pair of parameters, mirrored from the upper triangle."""
    params = active(primal)
    sizes = [sum(t.is_real for t in leaf_types(p.type)) for p in params]
    on_device = is_device_array(upper[0])
    queue = upper[0].queue if on_device else None
    stacked = _stacked(upper)
    full = symmetric(stacked.get() if on_device else stacked, sum(sizes))
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    rows = []
    for a, i, m in zip(params, starts, sizes, strict=True):
        blocks = []
        for b, j, n in zip(params, starts, sizes, strict=True):
            block = full[..., i : i + m, j : j + n]
            shaped = block.reshape((*full.shape[:-2], *_axes(a.type), *_axes(b.type)))
            if on_device:
                shaped = _to_device(queue, shaped.copy())
            blocks.append(_number(shaped, kind))
        rows.append(Named("Row", [p.name for p in params], blocks))
    return Named("Hessian", [p.name for p in params], rows)
