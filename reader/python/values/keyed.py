"""What dictionaries hold, whose keys are known while reading: tuples that know their keys.

`**kwargs` in a function, `{"a": x}` in an expression: an object (objects.py) that holds one such
tuple, and another one when it changes. All that is said of tuples (what they hold, branches) is
said of them. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from .objects import Mapped


class Keyed(tuple[Any, ...]):
    """What a dictionary holds; its class has the keys."""

    keys_: ClassVar[tuple[Any, ...]] = ()

    def __new__(cls, *items: Any) -> Keyed:
        """One value for each key."""
        return tuple.__new__(cls, items)

    @property
    def described(self) -> str:
        """What it is, for messages."""
        return f"a dictionary of {', '.join(map(repr, self.keys_[:6])) or 'nothing'}"

    @property
    def table(self) -> dict[Any, Any]:
        """The entries, by their keys."""
        return dict(zip(self.keys_, self, strict=True))

    @property
    def has_names(self) -> bool:
        """Whether the keys are names, as the fields of a type are."""
        names = [key for key in self.keys_ if isinstance(key, str) and key.isidentifier()]
        return len(names) == len(self.keys_) and self.keys_ != ("p", "d")  # those are a pair's

    def ordered(self, keys: Sequence[Any]) -> Keyed | None:
        """The same with its keys in this order; None where they are others."""
        table = self.table
        same = len(keys) == len(table) and set(keys) == set(table)
        return keyed({key: table[key] for key in keys}) if same else None


@lru_cache(maxsize=4096)
def _class_for(keys: tuple[Any, ...], kinds: tuple[type, ...]) -> type[Keyed]:
    return type("dictionary", (Keyed,), {"keys_": keys})


def keyed(table: Mapping[Any, Any]) -> Keyed:
    """What a dictionary with these entries holds.

    >>> keyed({"a": 1.0, "b": 2.0}).table["b"]
    2.0
    """
    keys = tuple(table)
    return _class_for(keys, tuple(type(key) for key in keys))(*table.values())


def mapped(table: Mapping[Any, Any]) -> Mapped:
    """A new dictionary with these entries."""
    return Mapped([keyed(table)])
