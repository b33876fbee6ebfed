"""The names that egad knows without an import, and the functions of Python that mean them.

Takes Python objects and names, gives operator names and types; knows nothing of syntax. An
object of the public vocabulary says what it means in its attribute `__egad_name__`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from ....terms.rule import RuleSet
from ....terms.types import Scalar, Type, parse_type
from ... import marks, structs
from ...passing import InOut, Out

#: Words of the vocabulary that are neither operators nor types.
_MARKS: Mapping[str, Any] = {
    name: getattr(marks, name)
    for name in (
        "Const",
        "DifferentialPair",
        "Pair",
        "bwd_diff",
        "custom_bwd",
        "custom_bwd_of",
        "custom_fwd",
        "custom_fwd_of",
        "detach",
        "diff_pair",
        "differentiable",
        "extensible",
        "force_unroll",
        "fwd_diff",
        "max_iters",
        "no_diff",
        "no_diff_this",
        "non_differentiable",
        "prefer_checkpoint",
        "prefer_recompute",
        "primal_substitute_of",
        "treat_as_differentiable",
    )
}
MARKS: Mapping[str, Any] = {
    **_MARKS,
    **{n: getattr(structs, n) for n in ("Array", "Buffer", "copy", "struct")},
    **{"InOut": InOut, "Out": Out},
}
#: Modules whose functions are known by name.
WELL_KNOWN = (
    "builtins",
    "math",
    "cmath",
    "numpy",
    "numpy.fft",
    "numpy.linalg",
    "numpy.lib.stride_tricks",
    *(
        f"numpy.polynomial.{name}"
        for name in ("polynomial", "legendre", "chebyshev", "hermite", "hermite_e", "laguerre")
    ),
    "scipy.integrate",
    "scipy.linalg",
    "scipy.spatial.distance",
    "scipy.special",
    "operator",
    "statistics",
    "bisect",
)
_NUMPY_TYPES = {
    "float16": Scalar.F16,
    "float32": Scalar.F32,
    "float64": Scalar.F64,
    "int32": Scalar.I32,
    "int64": Scalar.I32,
    "uint32": Scalar.UINT,
    "bool": Scalar.BOOL,
    "bool_": Scalar.BOOL,
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the vocabulary that was not found as a Python object."""

    name: str

    @property
    def __egad_name__(self) -> str:
        return self.name


#: What is said of complex numbers.
NO_COMPLEX = (
    "write complex(x) where a real number may have a complex root, and complex(x, y) for a number "
    "of two parts"
)


def word(name: str, rules: RuleSet) -> Any:
    """What `name` means in egad's vocabulary; None where it means nothing."""
    if name in MARKS:
        return MARKS[name]
    if name in rules.words or parse_type(name, Scalar.F32) is not None:
        return Word(name)
    return None


def vocabulary(rules: RuleSet) -> list[str]:
    """Every operator and mark, for suggestions."""
    return [*rules.words, *MARKS, "float2", "float3", "float4", "float2x2", "float3x3"]


def word_name(obj: Any) -> str | None:
    """The vocabulary name that an object stands for."""
    if isinstance(obj, marks.DifferentialPair | tuple | type(None)):
        return None
    name = getattr(obj, "__egad_name__", None)
    return name if isinstance(name, str) else None


def as_type(obj: Any, real: Scalar) -> Type | None:
    """The type that an object stands for: `float`, `float3`, `numpy.float32`, …"""
    plain = {float: real, int: Scalar.I32, bool: Scalar.BOOL}
    if isinstance(obj, type) and obj in plain:
        return plain[obj]
    if isinstance(obj, type) and issubclass(obj, Enum):
        return Scalar.I32 if all(isinstance(member.value, int) for member in obj) else None
    name = word_name(obj)
    if name is not None:
        return parse_type(name, real)
    if isinstance(obj, type) and obj.__module__ == "numpy":
        return _NUMPY_TYPES.get(obj.__name__)
    return None


def qualified(obj: Any) -> tuple[str, ...]:
    """The names under which a function of Python, NumPy or SciPy is known.

    >>> import math; qualified(math.fabs)
    ('math.fabs',)
    """
    loaded = tuple(m for m in WELL_KNOWN if m in sys.modules)
    return _qualified(loaded).get(id(obj), ())


@lru_cache(maxsize=8)
def _qualified(modules: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    table: dict[int, tuple[str, ...]] = {}
    for module in modules:
        found = vars(sys.modules[module])
        for name in sorted(found.get("__all__", found)):  # not what it imports itself
            obj = found.get(name)
            if callable(obj) and not name.startswith("_"):
                table[id(obj)] = (*table.get(id(obj), ()), f"{module}.{name}")
    return table


def operator_name(obj: Any, rules: RuleSet) -> str | None:
    """The operator that a function means: `math.sin`, `numpy.arctan2`, a vocabulary word."""
    name = word_name(obj)
    if name is not None:
        return name if name in rules.operators else None
    for full in qualified(obj):
        if full in rules.by_alias:
            return rules.by_alias[full]
        module, _, last = full.rpartition(".")
        if module == "builtins" and last in rules.operators:
            return last
    return None
