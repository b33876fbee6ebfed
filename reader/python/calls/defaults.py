"""The defaults of the parameters of what is derived, for a kernel and as Python has them.

Takes a function and a parameter with its type; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....terms.errors import TraceError
from ....terms.program import Slot
from ....terms.term import const_value, is_const
from ..values.fitting import fitted
from ..values.packing import packed
from ..values.parameters import defaults_of
from ..values.scope import Function, Session


def components(
    session: Session, function: Function, slot: Slot, types: Mapping[str, Any]
) -> tuple[float, ...]:
    """The components of a parameter's default; none without one, and of one that is None.

    Nor of one that does not fit where an argument, which is given then, says the type.
    """
    given = function.defaults.get(slot.name)
    if given is None:
        return ()
    what = f"the default of {slot.name!r}"
    try:
        value = fitted(given, slot.type, session.real, function.at, what)
    except TraceError:
        if slot.name not in types:
            raise
        return ()
    whole = packed(value, session.real)
    return tuple(const_value(t) for t in whole.leaves) if all(map(is_const, whole.leaves)) else ()


def in_python(function: Function) -> dict[str, Any]:
    """The defaults that a call may leave to the function; one of None is left out by itself."""
    origin: Any = function.origin
    given = {} if origin is None else defaults_of(origin)
    return {name: value for name, value in given.items() if value is not None}
