"""Variables of functions that are over, which functions defined in them still read and change.

Takes values of variables, gives values; knows nothing of functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .branches import Unusable
from .objects import Listed


class Cell(Listed):
    """Holds the value of such a variable: what changes it in a branch or a loop is seen there."""

    __slots__ = ("frame",)

    def __init__(self, items: Sequence[Any], frozen: str = "") -> None:
        super().__init__(items, frozen)
        self.frame: Any = None  # of the function that has changed it last, or is changing it now

    def busy(self, name: str) -> Unusable | None:
        """Why it has no value now, if that function has not returned yet."""
        if self.frame is None or self.frame not in self.frame.session.frames:
            return None
        return lent(name, self.frame.function.name)


def lent(name: str, who: str) -> Unusable:
    """What a variable is for all others while a function changes it."""
    message = f"{name!r} is being changed by {who}, which has not returned yet"
    return Unusable(message, "pass it as a parameter")


def inside(value: Any, name: str) -> Any:
    """What a variable holds."""
    return (value.busy(name) or value.items[0]) if isinstance(value, Cell) else value
