"""A call of a function of NumPy, or of a method of an array, as its meaning is given it.

Takes nothing, knows no function by name.
"""

from __future__ import annotations

import inspect
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
            self._check(word, words)
        return dict(self.kwargs)

    def said(self, *words: str) -> dict[str, Any]:
        """What stands behind the first argument, by position or by name: some of these words.

        None says nothing. Raises TraceError for what is not among the words.
        """
        names, more = _behind_the_first(self.callee, self.name), self.args[1:]
        if len(more) > len(names):
            raise TypeError  # NumPy's own words say it better
        given = {**dict(zip(names, more, strict=False)), **self.kwargs}
        given = {word: value for word, value in given.items() if value is not None}
        for word in given:
            self._check(word, words)
        return given

    def _check(self, word: str, words: Sequence[str]) -> None:
        if word not in words:
            kind = "keyword argument" if word in self.kwargs else "argument"
            message = f"{self.name}() takes no {kind} {word!r} here"
            raise TraceError(f"{message}{nearest(word, words)}", self.at)

    def computed(self) -> Any:
        """What NumPy computes with the reader's numbers."""
        found = by_numpy(self.session, self.callee, self.args, self.kwargs, self.at, self.name)
        return self.made(found)

    @property
    def here(self) -> Here:
        """The place, for operators."""
        return Here(self.session, self.at)


def _behind_the_first(callee: Any, name: str) -> list[str]:
    """The parameters of a function of NumPy that can be given by position, but for the first."""
    import numpy

    for known in (callee, getattr(numpy, name, callee)):  # not all versions say it of methods
        try:
            params = inspect.signature(known).parameters.values()
        except (TypeError, ValueError):
            continue
        return [p.name for p in params if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)][
            1:
        ]
    return []
