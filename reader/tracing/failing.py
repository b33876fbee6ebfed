"""Errors of Python that a function raises while it is run on symbolic values.

Takes the error, gives one of egad that is of its kind, too: it says where, and can still be caught
as before.
"""

from __future__ import annotations

from functools import lru_cache
from types import TracebackType

from ...terms.errors import Span, TraceError
from .positions import is_user_code, span

_HINT = "its source is not at hand, so that Python runs it, on symbolic values"


def failed(name: str, error: Exception) -> Exception:
    """The error to raise for `error`; one of a class of the user's stays as it is."""
    if type(error).__module__.partition(".")[0] not in ("builtins", "numpy"):
        return error
    kinds = [base for base in type(error).__mro__ if base.__module__ == "builtins"]
    message = f"{name} fails in Python: {kinds[0].__name__}: {error}".removesuffix(": ")
    for kind in kinds:  # some are made of other arguments, and their bases are not
        try:
            found: Exception = _both(kind)(message, _place(error.__traceback__), _HINT)
        except TypeError:
            continue
        return found
    return error


@lru_cache(maxsize=64)
def _both(kind: type[Exception]) -> type[Exception]:
    return type(TraceError.__name__, (TraceError, kind), {"__module__": TraceError.__module__})


def _place(trace: TracebackType | None) -> Span | None:
    """The innermost place that is the user's."""
    found = None
    while trace is not None:
        if is_user_code(trace.tb_frame):
            found = span((trace.tb_frame.f_code, trace.tb_lasti))
        trace = trace.tb_next
    return found
