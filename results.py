"""What derived functions return: named tuples, and how flat results become them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class Named(tuple[Any, ...]):
    """A tuple whose items have names: `g.a`, `g[0]`, `a, x = g`.

    >>> Named("Gradients", ("a", "x"), (9.0, 12.0))
    Gradients(a=9.0, x=12.0)
    """

    title: str
    fields: tuple[str, ...]

    def __new__(cls, title: str, fields: Sequence[str], values: Sequence[Any]) -> Named:
        """The tuple of the values, with their names."""
        self = super().__new__(cls, values)
        self.title = title
        self.fields = tuple(fields)
        return self

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", ())
        if name in fields:
            return self[fields.index(name)]
        known = ", ".join(fields)
        raise AttributeError(f"{self.__dict__.get('title')} has no {name!r}; it has {known}")

    def __repr__(self) -> str:
        inside = ", ".join(f"{n}={v!r}" for n, v in zip(self.fields, self, strict=True))
        return f"{self.title}({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (self.title, self.fields, tuple(self))

    def _asdict(self) -> dict[str, Any]:
        """The items by name, as for any named tuple."""
        return dict(zip(self.fields, self, strict=True))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs of name and value, in order."""
        return zip(self.fields, self, strict=True)


def symmetric(upper: Any, size: int) -> Any:
    """The full matrix from its upper triangle, row by row, over leading batch axes."""
    index = [[0] * size for _ in range(size)]
    position = 0
    for i in range(size):
        for j in range(i, size):
            index[i][j] = index[j][i] = position
            position += 1
    return upper[..., index]
