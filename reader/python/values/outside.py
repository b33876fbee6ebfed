"""The names around a function: its closure and its globals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any


class Outside(Mapping[str, Any]):
    """Closure cells over globals, looked up when asked: functions may be defined later."""

    def __init__(self, function: FunctionType) -> None:
        names = function.__code__.co_freevars
        self.cells = dict(zip(names, function.__closure__ or (), strict=True))
        self.globals = function.__globals__

    def __getitem__(self, name: str) -> Any:
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        return self.globals[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.cells
        yield from self.globals

    def __len__(self) -> int:
        return len(self.cells) + len(self.globals)


def to_assign_first(name: str, function: Any) -> str:
    """What to do about a local variable of a function that has no value yet."""
    why = f"it is a local variable because {function.name} assigns it"
    frame = function.enclosing
    while frame is not None:
        if name in frame.state.names:
            other = frame.function.name
            return f"{why}: write nonlocal {name} in {function.name} to change that of {other}"
        frame = frame.function.enclosing
    return f"assign {name!r} first; {why} further down"
