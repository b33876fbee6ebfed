"""A call of a function of NumPy, or of a method of an array, as its meaning is given it.

Takes nothing, knows no function by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ....terms.errors import Span, TraceError, nearest
from ....terms.types import Scalar
from ....terms.value import Value
from ..operations.operators import Here
from ..operations.records import Invoke
from ..values.scope import Session
from ..values.values import describe
from .elementwise import by_numpy, gathered, made


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
        names, more = by_place(self.callee, self.name)[1:], self.args[1:]
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


#: What must be known while reading: it says how many elements there are, and which.
_KNOWN = (
    *("shape", "start_or_stop", "stop", "step", "N", "M", "k", "n", "num", "dimensions", "dims"),
    *("axis", "axes", "axis1", "axis2", "source", "destination", "shift", "repeats", "reps"),
    *("pad_width", "obj", "indices_or_sections", "ord", "new_shape"),
)
BIND_IT = (
    "derive it for one value: derive(functools.partial(f, n=5)); a loop may end at run time: "
    "for i in range(n): …"
)


def check_known(
    callee: Any, name: str, args: Sequence[Any], named: Mapping[str, Any], at: Span
) -> None:
    """Raises TraceError for a number of the kernel where NumPy needs one that is known."""
    given = [*args, *named.values()]
    if not any(isinstance(part, Value) for value in given for part in _parts(value)):
        return
    names = by_place(callee, name)
    for word, value in (*zip(names, args, strict=False), *named.items()):
        unknown = next((part for part in _parts(value) if isinstance(part, Value)), None)
        if word in _KNOWN and unknown is not None and isinstance(unknown.type, Scalar):
            said = "number of elements" if word in _SIZES else word
            what = f"np.{name}() needs its {said} while reading"
            why = f"{describe(unknown)} is known only when the kernel runs"
            raise TraceError(f"{what}, and {why}", at, BIND_IT)


_SIZES = ("shape", "dimensions", "N", "M", "num", "new_shape", "start_or_stop", "stop", "step")


def _parts(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)


@cache
def parameters(callee: Any, name: str) -> Mapping[str, bool]:
    """The parameters of a function of NumPy, in order, and whether a place can give each."""
    import numpy

    for known in (callee, getattr(numpy, name, callee)):  # not all versions say it of methods
        try:
            params = [*inspect.signature(known).parameters.values()]
        except (TypeError, ValueError):
            continue
        some = any(p.kind is p.VAR_POSITIONAL for p in params)
        places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return {p.name: p.kind in places and not some for p in params}
    return {}


def by_place(callee: Any, name: str) -> list[str]:
    """The parameters that a place can give."""
    return [word for word, placed in parameters(callee, name).items() if placed]
