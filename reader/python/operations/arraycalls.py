"""A call of a function of NumPy, or of a method of an array, as its meaning is given it.

Takes nothing, knows no function by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ..values.scope import Session
from .elementwise import by_numpy, gathered, made
from .operators import Here
from .records import Invoke


@dataclass(frozen=True)
class ArrayCall:
    """A call of a function of NumPy, or of a method of an array."""

    session: Session
    callee: Any
    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    at: Span
    invoke: Invoke

    def numbers(self, value: Any) -> Any:
        """The numbers of an argument."""
        return gathered(self.session, value, self.at)

    def made(self, found: Any, kind: type | None = None) -> Any:
        """An array, or arrays."""
        if isinstance(found, list):
            return tuple(self.made(part, kind) for part in found)
        return made(self.session, found, kind)

    def again(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """What another function gives."""
        return self.invoke(function, args, kwargs, self.at)

    def known(self, *words: str) -> dict[str, Any]:
        """The keyword arguments, which are some of these. Raises TraceError for others."""
        for word in self.kwargs:
            if word not in words:
                message = f"{self.name}() takes no keyword argument {word!r} here"
                raise TraceError(f"{message}{nearest(word, words)}", self.at)
        return dict(self.kwargs)

    def computed(self) -> Any:
        """What NumPy computes with the reader's numbers."""
        found = by_numpy(self.session, self.callee, self.args, self.kwargs, self.at, self.name)
        return self.made(found)

    @property
    def here(self) -> Here:
        """The place, for operators."""
        return Here(self.session, self.at)
