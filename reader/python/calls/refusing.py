"""Calls of egad itself that have no place in a function that is derived.

Takes what is called, raises TraceError with what to write instead.
"""

from __future__ import annotations

import sys
from typing import Any

from ....terms.errors import Span, TraceError
from ...marks import Attaching

_API = f"{__name__.partition('.')[0]}.api"


def refuse(callee: Any, at: Span | None) -> None:
    """Raise TraceError for `derive`, what it gives, and decorators that have no function yet."""
    if _is_api(callee):
        message = "derive, and what it gives, cannot be called in a function that is itself derived"
        raise TraceError(message, at, "write fwd_diff(g)(…) or bwd_diff(g)(…) there")
    if isinstance(callee, Attaching):
        raise TraceError(callee.message, at, callee.hint)


def _is_api(callee: Any) -> bool:
    """Whether it is `derive`, or an object that it gives, or a method of one."""
    made = callee if hasattr(callee, "__qualname__") else type(callee)
    home = sys.modules.get(_API)
    return getattr(made, "__module__", "") == _API and hasattr(
        home, made.__qualname__.partition(".")[0]
    )
