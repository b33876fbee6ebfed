"""Complex numbers beside real ones: which values are complex, and a real one as such."""

from __future__ import annotations

from typing import Any

from ....terms.types import Scalar
from ...collected import stand_in
from .objects import Instance, first

#: What to do where only a real number can stand.
PARTS = "take what is real: z.real, z.imag, abs(z)"


def is_complex(value: Any) -> bool:
    """Whether a value is a complex number, or an array of them."""
    return getattr(first(value), "cls", None) is stand_in(complex)


def is_complex_type(obj: Any) -> bool:
    """Whether an object is `complex`, or one of NumPy's types of complex numbers."""
    return obj is complex or getattr(obj, "__name__", "") in ("complex128", "complex64")


def known_parts(obj: Any) -> Any:
    """What stands for a complex number of Python or NumPy, or an array of them; None of others."""
    kind = getattr(getattr(obj, "dtype", None), "kind", "")
    if not (isinstance(obj, complex) or kind == "c"):
        return None
    return stand_in(complex)(obj.real, obj.imag)


def beside(value: Any, other: Any) -> Any:
    """A real number as the complex one that it is beside a complex one; all else as it is."""
    real = isinstance(value, int | float) or isinstance(getattr(value, "type", None), Scalar)
    if not (real and is_complex(other)):
        return value
    return Instance(stand_in(complex), ("real", "imag"), [value, 0.0])
