"""What derived functions return: named tuples, and how flat results become them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .terms.program import Slot


class Named(tuple[Any, ...]):
    """A tuple whose items have names: `g.a`, `g["a"]`, `g[0]`, `a, x = g`, `dict(g)`.

    >>> Named("Gradients", ("a", "x"), (9.0, 12.0))
    Gradients(a=9.0, x=12.0)
    """

    title: str
    fields: tuple[str, ...]

    def __new__(cls, title: str, fields: Sequence[str], values: Sequence[Any]) -> Named:
        """The tuple of the values, with their names."""
        self = super().__new__(cls, values)
        vars(self).update(title=title, fields=tuple(fields))
        return self

    def __getattribute__(self, name: str) -> Any:
        """An item by its name, before what a tuple has itself: a parameter may be a `count`."""
        fields = object.__getattribute__(self, "__dict__").get("fields", ())
        return self[fields.index(name)] if name in fields else super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        title, fields = _said(self)
        raise AttributeError(f"{title} has no {name!r}; it has {', '.join(fields)}")

    def __getitem__(self, index: Any) -> Any:
        """An item by its place or its name; of a slice the items as a tuple."""
        if not isinstance(index, str):
            return super().__getitem__(index)
        title, fields = _said(self)
        if index not in fields:
            raise KeyError(f"{title} has no {index!r}; it has {', '.join(fields)}")
        return super().__getitem__(fields.index(index))

    def __repr__(self) -> str:
        title, fields = _said(self)
        return f"{title}({', '.join(f'{n}={v!r}' for n, v in zip(fields, self, strict=True))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (*_said(self), tuple(self))

    def _asdict(self) -> dict[str, Any]:
        """The items by name, as for any named tuple."""
        return dict(zip(_said(self)[1], self, strict=True))

    def keys(self) -> tuple[str, ...]:
        """The names, in order."""
        return _said(self)[1]

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs of name and value, in order."""
        return zip(_said(self)[1], self, strict=True)


def _said(named: Named) -> tuple[str, tuple[str, ...]]:
    """Title and names, whatever the names are."""
    own = vars(named)
    return own.get("title", ""), own.get("fields", ())


def only(slots: Sequence[Slot], values: Sequence[Any]) -> Any:
    """The one value, or the named tuple of several."""
    if len(values) == 1:
        return values[0]
    return Named("Results", [slot.name for slot in slots], values)


def symmetric(upper: Any, size: int) -> Any:
    """The full matrix from its upper triangle, row by row, over leading batch axes."""
    index = [[0] * size for _ in range(size)]
    position = 0
    for i in range(size):
        for j in range(i, size):
            index[i][j] = index[j][i] = position
            position += 1
    return upper[..., index]
