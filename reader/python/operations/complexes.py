"""Functions of NumPy at complex numbers, which are objects of a class of egad (complexes.py).

Takes a function and argument values, gives a value, or `UNKNOWN` where none of them is complex.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from ...complex_arrays import OF_LISTS, OF_NUMPY, converted
from ..values.arrays import is_array
from ..values.complexes import is_complex, is_complex_type
from ..values.objects import Listed, first
from ..values.scope import Session
from ..values.values import is_number, number
from ..values.words import qualified
from .library import UNKNOWN
from .records import Invoke

#: Functions that make arrays of a type, and how many arguments come before it.
_OF_A_TYPE = {
    **dict.fromkeys(("zeros", "ones", "empty", "eye", "identity", "array", "asarray"), 1),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like"), 1),
    **dict.fromkeys(("full", "full_like"), 2),
}


def call_complex(
    session: Session,
    callee: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    at: Span,
    invoke: Invoke,
) -> Any:
    """The value of a function of NumPy at complex numbers; UNKNOWN where there are none."""
    names = [n.removeprefix("numpy.") for n in qualified(callee) if n.startswith("numpy.")]
    if not names:
        return UNKNOWN
    of_lists = next((OF_LISTS[name] for name in names if name in OF_LISTS), None)
    if of_lists is not None and args and _holds_complex(args[0]):
        return invoke(of_lists, args, kwargs, at)
    before = next((_OF_A_TYPE[name] for name in names if name in _OF_A_TYPE), len(args))
    if is_complex_type(kwargs.get("dtype", args[before] if before < len(args) else None)):
        rest = {word: value for word, value in kwargs.items() if word != "dtype"}
        made = invoke(callee, args[:before], rest, at)
        return made if is_complex(made) else invoke(converted, [made], {}, at)
    if not any(map(is_complex, args)):
        return UNKNOWN
    function = next((OF_NUMPY[name] for name in names if name in OF_NUMPY), None)
    if function is None:
        message = f"np.{names[0]}() of complex numbers is not in the language"
        raise TraceError(message, at, "compute with z.real and z.imag, which are reals")
    return invoke(function, args, kwargs, at)


def _holds_complex(value: Any) -> bool:
    """Whether something in lists of lists is complex."""
    if is_array(value):
        return False
    items = value if isinstance(value, tuple) else ()
    items = first(value).items if isinstance(first(value), Listed) else items
    return is_complex(value) or any(map(_holds_complex, items))


def known_zero(session: Session, args: Sequence[Any], kwargs: Mapping[str, Any], at: Span) -> bool:
    """`is_known_zero(part)`."""
    (part,) = args
    if is_array(part):
        return all(known_zero(session, [item], kwargs, at) for item in first(part).items)
    return is_number(part) and number(part) == 0
