"""Jacobians and Hessians, made of their entries.

Takes the outputs of a call by name, each entry an array over the elements of the batch; gives a
named tuple of blocks in the shape (batch, *result, *parameter). Knows nothing of kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import Any

from .calling import Convention
from .codegen.host.arrays import Bound
from .codegen.host.converting import is_device_array, to_device
from .codegen.host.results import number
from .results import Named, only, symmetric
from .terms.errors import DeriveError
from .terms.term import is_zero
from .terms.types import Tup, Type, is_record, leaf_types, shape_of

Shape = tuple[int, ...]
Entries = Sequence[Sequence[Any]]  # by result of the program


def sparsity(derived: Convention) -> Any:
    """The results of a call for a single element, each number as whether it can be other than 0.

    Raises DeriveError in modes whose results are no matrices.
    """
    import numpy as np

    if derived.mode not in _MATRICES:
        raise DeriveError(
            f"mode={derived.mode!r} has no sparsity", hint="mode='jacobian' and mode='hessian' have"
        )
    entries = [[np.array([not is_zero(t)]) for t in group] for group in derived.program.roots]
    return _MATRICES[derived.mode](derived, entries, (), "number")


def matrix(derived: Convention, bound: Bound, outputs: Mapping[str, Any]) -> Any:
    """The Jacobian or the Hessian, its entries in the precision in which they were computed."""
    entries = [[outputs[name] for name in names] for names in derived.entries]
    return _MATRICES[derived.mode](derived, entries, bound.fit.shape, bound.fit.kind)


def _stacked(entries: Sequence[Any], shape: Shape) -> Any:
    """Entries, each an array over the batch, as one array of this shape."""
    import numpy as np

    first = entries[0]
    if len(entries) == 1:
        return first.reshape(shape)
    if is_device_array(first):
        return to_device(first.queue, _stacked([entry.get() for entry in entries], shape))
    dtypes = {entry.dtype: None for entry in entries}
    block = np.empty((len(first), len(entries)), np.result_type(*dtypes))
    for k, entry in enumerate(entries):
        block[:, k] = entry
    return block.reshape(shape)


def _axes(type_: Type) -> Shape:
    """The axes of a Jacobian for a parameter; a struct is one axis of its real components."""
    if isinstance(type_, Tup) or is_record(type_):
        return (sum(leaf.is_real for leaf in leaf_types(type_)),)
    return shape_of(type_)


def _jacobian(derived: Convention, groups: Entries, lead: Shape, kind: str) -> Any:
    """d result / d parameter, in the shape (batch, *result, *parameter)."""
    rest, names = iter(groups), [param.name for param in derived.active]
    columns = [_axes(param.type) for param in derived.active]
    rows = []
    for slot in derived.carried:
        axes = lead + _axes(slot.type)
        blocks = [number(_stacked(next(rest), axes + own), kind) for own in columns]
        rows.append(Named("Jacobian", names, blocks))
    return only(derived.carried, rows)


def _hessian(derived: Convention, groups: Entries, lead: Shape, kind: str) -> Named:
    """d^2 f / d a d b for every pair of parameters, mirrored from the upper triangle."""
    params, (upper,) = derived.active, groups
    names = [p.name for p in params]
    axes = [_axes(p.type) for p in params]
    sizes = [prod(own) for own in axes]
    on_device = is_device_array(upper[0])
    stacked = _stacked(upper, (*lead, len(upper)))
    full = symmetric(stacked.get() if on_device else stacked, sum(sizes))
    ends = list(accumulate(sizes))
    rows = []
    for a, m, i in zip(axes, sizes, ends, strict=True):
        blocks = []
        for b, n, j in zip(axes, sizes, ends, strict=True):
            block = full[..., i - m : i, j - n : j].reshape((*lead, *a, *b))
            if on_device:
                block = to_device(upper[0].queue, block.copy())
            blocks.append(number(block, kind))
        rows.append(Named("Row", names, blocks))
    return Named("Hessian", names, rows)


_MATRICES = {"jacobian": _jacobian, "hessian": _hessian}
