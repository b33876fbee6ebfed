"""Functions of NumPy at complex numbers, which are objects of a class of egad (complexes.py).

Takes a function and argument values, gives a value, or `UNKNOWN` where none of them is complex.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ...complexes import OF_NUMPY
from ..values.arrays import is_array
from ..values.complexes import is_complex
from ..values.objects import first
from ..values.scope import Session
from ..values.values import is_number, number
from ..values.words import qualified
from .library import UNKNOWN
from .records import Invoke


def call_complex(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """The value of a function of NumPy at complex numbers; UNKNOWN where there are none."""
    if not any(map(is_complex, args)):
        return UNKNOWN
    names = [n.removeprefix("numpy.") for n in qualified(callee) if n.startswith("numpy.")]
    if not names:
        return UNKNOWN
    function = next((OF_NUMPY[name] for name in names if name in OF_NUMPY), None)
    if function is None:
        message = f"np.{names[0]}() of complex numbers is not in the language"
        raise TraceError(message, at, "compute with z.real and z.imag, which are arrays of reals")
    return invoke(function, args, kwargs, at)


def known_zero(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> bool:
    """`is_known_zero(part)`."""
    (part,) = args
    if is_array(part):
        items = first(part).items
        return all(known_zero(session, [item], kwargs, at) for item in items)
    return is_number(part) and number(part) == 0
