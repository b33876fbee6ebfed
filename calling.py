"""The calling conventions of the modes: what a user passes.

Takes arguments, gives them bound to the parameters of the derived program. Knows nothing of
kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .agreeing import check_cotangents, of_one_struct, tags_of
from .codegen.host.arrays import Binder, Bound
from .codegen.host.records import is_tagged
from .codegen.kernel.layout import items_of, together
from .reader.marks import DifferentialPair
from .reader.structs import class_of, made_of
from .rewrite import active
from .terms.errors import DeviceError, nearest
from .terms.program import Program, Slot
from .terms.rule import RuleSet
from .terms.types import Arr, Scalar, Tup, Type, is_differentiable, leaf_types, shape_of


@dataclass(frozen=True)
class Convention:
    """What a call depends on: the mode, the function's program, and the derived one.

    `tags`: which structs the results are, where cotangents have to be of the same.
    """

    mode: str
    primal: Program
    program: Program
    rules: RuleSet
    tags: Program | None

    @cached_property
    def binder(self) -> Binder:
        """What binds arguments to the parameters."""
        return Binder(self.program.params, self.program.name)

    @cached_property
    def active(self) -> tuple[Slot, ...]:
        """The parameters that the function is differentiated by."""
        return tuple(active(self.primal))

    @cached_property
    def unions(self) -> bool:
        """Whether a tangent can be of another struct than its value."""
        return any(is_tagged(slot.type) for slot in self.active)

    @cached_property
    def entries(self) -> list[list[str]]:
        """The names of a matrix's entries, by block: each result of the program is one."""
        return [[item.name for item in items_of(slot)] for slot in self.program.results]

    @cached_property
    def carried(self) -> tuple[Slot, ...]:
        """The results of the function that have a derivative."""
        return tuple(s for s in self.primal.results if s.diff and is_differentiable(s.type))


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
        if not kwargs and (known := derived.binder.known(args)):
            return known
        named = _by_name(program.name, program.params, args, kwargs, _ADVICE.get(derived.mode, ""))
        plain = [_plain(slot, value) for slot, value in zip(program.params, named, strict=True)]
        bound = derived.binder(plain)
        if derived.tags is not None:
            check_cotangents(derived.tags, derived.primal, program, derived.rules, bound)
        return _of_one_struct(derived, bound) if derived.mode == "hvp" else bound
    primal = derived.primal
    given = _by_name(program.name, primal.params, args, kwargs, _ADVICE["fwd"])
    diff = {slot.name for slot in derived.active}
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
    return _of_one_struct(derived, derived.binder([*values, *tangents]))


def _of_one_struct(derived: Convention, bound: Bound) -> Bound:
    return of_one_struct(derived.primal, derived.program, bound) if derived.unions else bound


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
            return together(type_, items)
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
    inside = tuple(value.values()) if isinstance(value, Mapping) else inside
    where = "a dict" if isinstance(value, Mapping) else "a list or of a diff_pair"
    if any(isinstance(item, DifferentialPair) for item in (value, *inside)):
        raise DeviceError(
            f"parameter {slot.name!r} got a diff_pair inside of {where}",
            hint="pass one pair of arrays: diff_pair([2.0, 3.0], [1.0, 0.0])",
        )
    return value


#: What a mode takes beside the arguments of the function.
_ADVICE = {
    "fwd": "a tangent goes with its value: diff_pair(x, dx)",
    "bwd": "…_bar is the cotangent of a result: with 1.0 its gradient comes out",
    "hvp": "v_… is the direction, one for every parameter",
}


def _by_name(
    function: str,
    slots: Sequence[Slot],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    advice: str,
) -> list[Any]:
    """Positional and keyword arguments in the order of the parameters, or what they default to.

    `advice`: what else there is to say where they are too many or too few.
    """
    names = [slot.name for slot in slots]
    if len(args) > len(names):
        many = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
        message = f"{function} takes {many} ({', '.join(names)}), got {len(args)}"
        raise DeviceError(message, hint=advice)
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
        call = f"it is called as {function}({', '.join(shown)})"
        hint = f"{call}; {advice}" if advice else call
        raise DeviceError(f"{function} needs {', '.join(missing)}", hint=hint)
    return [values[s.name] if s.name in values else _made(s.type, iter(s.default)) for s in slots]
