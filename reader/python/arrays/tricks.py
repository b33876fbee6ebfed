"""`np.r_[a, 0, b]`, `np.c_[a, b]`, `np.mgrid[0:3, 0:2]`: what NumPy writes with an index.

Takes one of these objects and an index, gives an array; knows nothing of syntax.
"""

from __future__ import annotations

from typing import Any

from ....terms.errors import Span, TraceError
from ..operations.slices import known_slice
from ..values.objects import is_tuple
from ..values.scope import Session
from ..values.values import is_static, normalise
from .elementwise import by_numpy, made


def is_trick(value: Any) -> bool:
    """Whether it is `np.r_`, `np.c_`, or one of the grids."""
    if not type(value).__module__.startswith("numpy."):
        return False
    import numpy

    return any(value is getattr(numpy, name) for name in _TRICKS)


_TRICKS = ("r_", "c_", "s_", "index_exp", "mgrid", "ogrid")


def of_trick(session: Session, value: Any, index: Any, at: Span) -> Any:
    """`np.r_[index]` and its like."""
    import numpy

    name = type(value).__name__
    parts = tuple(index) if is_tuple(index) else (index,)
    known = [known_slice(part, at) if isinstance(part, slice) else part for part in parts]
    if all(isinstance(part, slice) or is_static(part) for part in known):
        try:
            found = value[tuple(known) if is_tuple(index) else known[0]]
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise TraceError(f"this fails in NumPy: {error}", at) from None
        return normalise(found, session.real)
    functions: dict[str, Any] = {"RClass": _in_a_row, "CClass": numpy.column_stack}
    function = functions.get(name)
    if function is None or any(isinstance(part, str) for part in known):
        hint = "np.concatenate([a, b]), np.column_stack([a, b]) and np.meshgrid(a, b) take them"
        raise TraceError("this index has parts that are known only when it runs", at, hint)
    pieces = tuple(numpy.r_[part] if isinstance(part, slice) else part for part in known)
    return made(session, by_numpy(session, function, [pieces], {}, at, name))


def _in_a_row(pieces: Any) -> Any:
    import numpy

    return numpy.concatenate([numpy.atleast_1d(piece) for piece in pieces])
