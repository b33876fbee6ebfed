"""Objects that cannot be changed, and why.

Takes objects and a place, raises the error; knows nothing of what changes them.
"""

from __future__ import annotations

from typing import Any

from ....terms.errors import Span, TraceError


def refuse_frozen(object_: Any, at: Span) -> None:
    """Raises TraceError for an object that cannot be changed."""
    if object_.frozen:
        hint = getattr(object_.frozen, "hint", "change a copy instead: local = copy(…)")
        raise TraceError(object_.frozen, at, hint)
