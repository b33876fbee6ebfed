"""Operators at numbers: takes an operator and Python values, gives Python values, with NumPy.

Knows nothing of how operators are named or traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..codegen.host.reference import evaluate
from ..rules import load
from ..terms.apply import apply
from ..terms.errors import TraceError
from ..terms.lowering import in_memory, lowered, parameter
from ..terms.program import Program, Slot
from ..terms.rule import Operator
from ..terms.types import Mat, Scalar, Tup, Type, Vec, leaf_types, parse_type, shape_of, stored_as
from .components import KINDS, Composite
from .vectors import build

_REALS = {"float16": Scalar.F16, "float32": Scalar.F32, "float64": Scalar.F64}
_INT_LIMIT = 2**31
_KINDS = {Scalar.BOOL: "bool", Scalar.I32: "int", Scalar.U32: "uint"}


@dataclass(frozen=True, slots=True)
class _Argument:
    """An argument taken apart: its components, its type, and how it was given."""

    leaves: tuple[Any, ...]
    type: Type
    real: Scalar | None = None  # the precision of an array; numbers have none of their own
    kind: str = ""  # of a vector: `float`, `double`, …
    stacked: bool = False  # an array whose last axes are the components of vectors


def compute(name: str, args: Sequence[Any]) -> Any:
    """The operator at these arguments: numbers to numbers, arrays to arrays, vectors to vectors.

    Raises TraceError for arguments that it does not take.
    """
    overloads = load().operators[name]
    found = [_argument(name, a, _wanted(overloads, i)) for i, a in enumerate(args)]
    if name == "mul" and not any(isinstance(a.type, Scalar) for a in found):
        # As in shading languages; component by component is a * b.
        name = "matmul" if any(isinstance(a.type, Mat) for a in found) else "dot"
    precise = [a.real for a in found if a.real is not None]
    real = max(precise, key=list(_REALS.values()).index) if precise else Scalar.F64
    program = _program(name, tuple(_typed(a, real) for a in found), real)
    paths = [path for slot in program.params for path in slot.paths()]
    leaves = [leaf for a in found for leaf in a.leaves]
    flat = evaluate(program, load(), dict(zip(paths, leaves, strict=True)))
    kind = max((a.kind for a in found if a.kind), key=KINDS.index, default="float")
    stacked = any(a.stacked for a in found)
    return _assembled([_plain(leaf) for leaf in flat], program.results[0].type, kind, stacked)


def _wanted(overloads: Sequence[Operator], index: int) -> int:
    """How many axes of an array are components, for the parameter of this index."""
    kinds = {o.params[index].kind[:3] for o in overloads if index < len(o.params)}
    return {"vec": 1, "mat": 2}.get(kinds.pop(), 0) if len(kinds) == 1 else 0


@lru_cache(maxsize=1024)
def _program(name: str, types: tuple[Type, ...], real: Scalar) -> Program:
    slots = [Slot(f"a{i}", type_) for i, type_ in enumerate(types)]
    result = apply(load(), name, [parameter(slot) for slot in slots], real)
    done = lowered(result.leaves)
    stored = tuple(replace(slot, type=in_memory(slot.type)) for slot in slots)
    roots = (tuple(done.get(t, t) for t in result.leaves),)
    return Program(name, stored, (Slot("out", in_memory(result.type)),), roots)


def _typed(argument: _Argument, real: Scalar) -> Type:
    """The type over the precision of the whole call, where the argument has none of its own."""
    match argument.type:
        case Scalar.REAL:
            return real
        case Vec(elem=Scalar.REAL, size=size):
            return Vec(real, size)
        case Mat(elem=Scalar.REAL, rows=rows, cols=cols):
            return Mat(real, rows, cols)
    return argument.type


def _argument(name: str, given: Any, axes: int) -> _Argument:
    if isinstance(given, bool):
        return _Argument((given,), Scalar.BOOL)
    if isinstance(given, int) and -_INT_LIMIT <= given < _INT_LIMIT:
        return _Argument((given,), Scalar.I32)
    if isinstance(given, (int, float)):
        return _Argument((float(given),), Scalar.REAL)
    if isinstance(given, Composite):
        return _composite(given)
    if isinstance(given, (list, tuple, np.ndarray, np.generic)):
        return _array(name, np.asarray(given), axes)
    raise TraceError(
        f"{name} is a function of numbers, arrays and vectors, not of {type(given).__name__}"
    )


def _composite(given: Composite) -> _Argument:
    type_ = parse_type(given.type_name, Scalar.REAL)
    assert type_ is not None
    dtypes = [str(leaf.dtype) for leaf in given.leaves if isinstance(leaf, np.ndarray)]
    real = max((_REALS[d] for d in dtypes if d in _REALS), key=_order, default=None)
    return _Argument(tuple(given.leaves), type_, real, given.kind)


def _order(real: Scalar) -> int:
    return list(_REALS.values()).index(real)


def _array(name: str, array: Any, axes: int) -> _Argument:
    elem, real = _element(name, array)
    shape = array.shape[array.ndim - axes :] if axes else ()
    if not shape:
        return _Argument((array,), elem, real)
    if len(shape) != axes or not all(2 <= size <= 4 for size in shape):
        raise TraceError(f"{name}: an array of shape {array.shape} holds no vectors or matrices")
    parts = array.reshape(*array.shape[: array.ndim - axes], -1)
    leaves = tuple(parts[..., i] for i in range(parts.shape[-1]))
    type_ = Vec(elem, shape[0]) if axes == 1 else Mat(elem, shape[0], shape[1])
    return _Argument(leaves, type_, real, stacked=True)


def _element(name: str, array: Any) -> tuple[Scalar, Scalar | None]:
    """The type of an array's elements, and the precision that it brings."""
    match array.dtype.kind:
        case "b":
            return Scalar.BOOL, None
        case "u" if array.dtype == np.uint32:
            return Scalar.UINT, None
        case "i" | "u":
            small = array.size == 0 or (array.min() >= -_INT_LIMIT and array.max() < _INT_LIMIT)
            return (Scalar.I32 if small else Scalar.REAL), None
        case "f" if str(array.dtype) in _REALS:
            real = _REALS[str(array.dtype)]
            return real, real
    raise TraceError(f"{name}: an array of {array.dtype} holds no numbers that egad computes with")


def unsigned(leaf: Any) -> Any:
    """Bits as a number without a sign."""
    return np.uint32(leaf % 2**32) if isinstance(leaf, int) else leaf.astype(np.uint32)


def _plain(leaf: Any) -> Any:
    return leaf.item() if leaf.shape == () else leaf


def _assembled(leaves: list[Any], type_: Type, kind: str, stacked: bool) -> Any:
    if isinstance(type_, Scalar):
        return unsigned(leaves[0]) if type_ is Scalar.U32 else leaves[0]
    if isinstance(type_, Tup):
        parts, rest = [], leaves
        for item in type_.items:
            count = len(leaf_types(item))
            parts.append(_assembled(rest[:count], item, kind, stacked))
            rest = rest[count:]
        return tuple(parts)
    shape = shape_of(type_)
    if stacked:
        whole = np.stack([np.asarray(leaf) for leaf in leaves], axis=-1)
        return whole.reshape(*whole.shape[:-1], *shape)
    elem = stored_as(type_)
    if elem in _KINDS:
        kind = _KINDS[elem]
    elif kind in _KINDS.values():
        kind = "float"
    return build(kind, shape, leaves)
