"""Tangents and cotangents of unions: each is of the struct that its value is of.

Takes bound arguments, gives them back, or raises for the derivative of a struct that is not
there, which would be 0 and say nothing of it. Which struct a result is, a program of the tags
alone says, which runs with NumPy. Knows nothing of kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .codegen.host.arrays import Bound
from .codegen.host.converting import is_device_array
from .codegen.host.records import is_lost, is_tagged, misfit
from .codegen.host.reference import evaluate_packed
from .codegen.kernel.layout import opened
from .rewrite import active, without_requests
from .terms.program import Program, Slot, without_arrays
from .terms.rule import RuleSet
from .terms.term import Term, const
from .terms.types import Type, is_differentiable, leaf_types, tags_in


def of_one_struct(primal: Program, program: Program, bound: Bound) -> Bound:
    """The arguments, if the tangent of every union is of the struct that is there."""
    tangents = program.params[len(primal.params) :]
    for slot, tangent in _pairs(zip(active(primal), tangents, strict=False)):
        if slot.name in bound.inputs:
            records = _host(bound.inputs[slot.name])
            _agree(records, tangent, bound, f"{slot.name!r}", "tangent", "")
    return bound


def tags_of(primal: Program, rules: RuleSet) -> Program | None:
    """The program of which structs the results are, all else in them being 0; None: of none."""
    kept = [
        (slot, roots)
        for slot, roots in zip(primal.results, primal.roots, strict=True)
        if is_tagged(slot.type)
    ]
    if not kept:
        return None
    slots = tuple(slot for slot, _ in kept)
    tags = tuple(_only_tags(slot.type, roots) for slot, roots in kept)
    program = Program(primal.name, primal.params, slots, tags)
    return without_requests(without_arrays(program), rules)


def check_cotangents(
    tags: Program, primal: Program, program: Program, rules: RuleSet, bound: Bound
) -> None:
    """Raise DeviceError where the cotangent of a union is of another struct than the result."""
    results = [s for s in primal.results if s.diff and is_differentiable(s.type)]
    bars = program.params[len(primal.params) :]
    pairs = list(_pairs(zip(results, bars, strict=True)))
    found = evaluate_packed(tags, rules, bound.inputs, bound.size) if bound.size else {}
    hint = f"derive({primal.name}, 'primal') says which struct it is; "
    for slot, bar in pairs if found else ():
        _agree(found[slot.name], bar, bound, "the result", "cotangent", hint)


def _pairs(slots: Iterable[tuple[Slot, Slot]]) -> Iterator[tuple[Slot, Slot]]:
    """What has a union in it, item by item, beside its tangent or cotangent."""
    for pair in slots:
        for one, other in zip(*map(opened, pair), strict=True):
            if is_tagged(one.type):
                yield one, other


def _agree(records: Any, slot: Slot, bound: Bound, of: str, what: str, hint: str) -> None:
    if is_lost(slot.type, records, _host(bound.inputs[slot.name])):
        hint = f"{hint}the {what} of a struct is one of the same class"
        raise misfit(slot, f"it is of another struct than {of}", hint)


def _host(array: Any) -> Any:
    return array.get() if is_device_array(array) else array


def _only_tags(type_: Type, roots: Sequence[Term]) -> tuple[Term, ...]:
    kept = tags_in(type_)
    kinds = leaf_types(type_)
    return tuple(
        root if tag else const(0.0 if kind.is_real else 0, kind)
        for tag, root, kind in zip(kept, roots, kinds, strict=True)
    )
