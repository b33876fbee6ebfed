"""How parameters are passed: the annotations `InOut[T]` and `Out[T]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Passing:
    """The annotation `InOut[T]` or `Out[T]`: the final value is a result of the function."""

    type: Any
    reads: bool  # the value at the start counts

    def over(self, wrapped: Callable[[Any], Any]) -> Passing:
        """The same way to pass another type, made of this one."""
        return Passing(wrapped(self.type), self.reads)

    def __repr__(self) -> str:
        name = "InOut" if self.reads else "Out"
        return f"{name}[{getattr(self.type, '__name__', self.type)}]"


class InOut:
    """`InOut[T]`: a parameter whose final value is a result too."""

    def __class_getitem__(cls, type_: Any) -> Passing:
        return Passing(type_, True)


class Out:
    """`Out[T]`: a parameter that starts at zero and whose final value is a result."""

    def __class_getitem__(cls, type_: Any) -> Passing:
        return Passing(type_, False)
