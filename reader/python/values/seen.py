"""What is computed with later, as it is now: iterators compute when somebody asks for an item.

Takes values, and the names of variables, and says whether one of them is another one by then.
Knows what is read in an expression, and nothing of what that means.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import MethodType
from typing import Any

from ....terms.errors import Span, TraceError
from ...source import assigned
from .objects import Choice, Object, Partial, ends_of, is_tuple
from .once import Once
from .scope import Frame, Function


@dataclass(slots=True)
class Seen:
    """Objects with what is in them, and variables, by the names that lead to them."""

    objects: list[tuple[str, Object, tuple[Any, ...]]] = field(default_factory=list)
    variables: list[tuple[str, Callable[[], Any], Any]] = field(default_factory=list)
    iterators: list[Once] = field(default_factory=list)
    known: set[int] = field(default_factory=set)  # the objects and functions that are among them

    def add(self, values: Iterable[Any], name: str = "") -> None:
        """Remember what is in these values, and what these functions read, now."""
        stack = [(name, value) for value in values]
        while stack:
            name, value = stack.pop()
            inside: list[Any] = list(value) if is_tuple(value) else []
            if isinstance(value, Once):
                self.iterators.append(value)
                inside += value.over
            if isinstance(value, Partial):
                inside += [value.of, *value.args, *value.named.values()]
            if isinstance(value, MethodType):
                inside += [value.__func__, value.__self__]
            for end in ends_of(value) if isinstance(value, Choice) else [value]:
                if isinstance(end, Object | Function) and id(end) not in self.known:
                    self.known.add(id(end))
                    if isinstance(end, Object):
                        self.objects.append((name, end, tuple(end.items)))
                        inside += end.items
                    elif end.enclosing is not None:
                        stack += self._variables(_read_by(end))
            stack += [(name, item) for item in inside]

    def names(self, frame: Frame, names: Iterable[str]) -> None:
        """Remember these variables of a function, and what is in them, now."""
        for name, value in self._variables((name, _find(frame, name)) for name in names):
            self.add([value], name)

    def _variables(self, finds: Iterable[tuple[str, Callable[[], Any]]]) -> list[tuple[str, Any]]:
        found = [(name, find, find()) for name, find in finds]
        self.variables += [one for one in found if one[2] is not None]
        return [(name, value) for name, _, value in found]

    def changed(self) -> Iterator[str]:
        """The names of what is another one now; of what has none, nothing."""
        for name, find, value in self.variables:
            if find() is not value:
                yield name
        for name, object_, held in self.objects:
            same = len(held) == len(object_.items)
            if not same or any(a is not b for a, b in zip(held, object_.items, strict=True)):
                yield name


def unchanged(seen: Seen, what: str, at: Span, hint: str) -> Callable[[], None]:
    """Raises TraceError where something that was seen is another one now."""

    def check() -> None:
        for inner in seen.iterators:
            inner.check()
        for name in seen.changed():
            message = f"what {what} computes with changes before all is taken from it"
            if name:
                message = f"{what} computes with {name}, which changes before all is taken from it"
            raise TraceError(message, at, hint)

    return check


def _read_by(function: Function) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The variables of the functions around that a function reads, as they are when asked."""
    node = function.source.node
    own = {*assigned(node), *(p.name for p in function.params)}
    names = dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    for name in names:
        if name not in own:
            yield name, partial(_around, function, name)


def _find(frame: Frame, name: str) -> Callable[[], Any]:
    def find() -> Any:
        try:
            return frame.state.names.find(name)
        except KeyError:
            return _around(frame.function, name)

    return find


def _around(function: Function, name: str) -> Any:
    """A variable of the functions around one, as it is now; None where there is none."""
    frame = function.enclosing
    while frame is not None:
        try:
            return function.found(name, frame.state.names)
        except KeyError:
            function, frame = frame.function, frame.function.enclosing
    return None
