"""The names around a function: its closure, its globals, and what its annotations name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any


class Outside(Mapping[str, Any]):
    """Closure cells over globals, looked up when asked: functions may be defined later.

    Last come the annotations: what only they name is in no cell.
    """

    def __init__(self, function: FunctionType, node: ast.AST) -> None:
        names = function.__code__.co_freevars
        self.cells = dict(zip(names, function.__closure__ or (), strict=True))
        self.globals = function.__globals__
        self.hints = {
            arg.annotation.id: function.__annotations__.get(arg.arg)
            for arg in ast.walk(node)
            if isinstance(arg, ast.arg) and isinstance(arg.annotation, ast.Name)
        }

    def __getitem__(self, name: str) -> Any:
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in self.globals:
            return self.globals[name]
        if isinstance(self.hints.get(name), type):
            return self.hints[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self.cells
        yield from self.globals

    def __len__(self) -> int:
        return len(self.cells) + len(self.globals)
