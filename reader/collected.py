"""`deque`, `set`, `frozenset` and `Counter`, in Python: they are read as classes of a user are.

How many things there are in one of them, and which keys it has, is known while reading; values of a
deque and counts may be any. Takes the classes of Python, gives those that stand for them.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from .structs import register

C = TypeVar("C", bound=type)
# By the full names of classes, whose modules need not be there.
_classes: dict[str, type] = {}
_instances: dict[str, Callable[[Any], Any]] = {}


def stand_in(cls: Any) -> Any:
    """The class that is read in the place of one of Python's; any other object as it is."""
    return _classes.get(_full_name(cls), cls) if isinstance(cls, type) else cls


def as_read(obj: Any) -> Any:
    """The instance that is read in the place of one of Python's; None of any other object."""
    made = _instances.get(_full_name(type(obj)))
    return None if made is None else made(obj)


def stands_in(cls: Any) -> bool:
    """Whether a class is read in the place of one of Python's."""
    return cls in _classes.values()


def _full_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


class Namespace:
    """What all that stand for a `types.SimpleNamespace` are made from."""

    def __repr__(self):
        return f"SimpleNamespace({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


_classes["types.SimpleNamespace"] = Namespace


@functools.cache
def namespace_of(*names: str) -> type:
    """The class that is read in the place of a `types.SimpleNamespace` of these names."""
    given = [(name, Any) for name in names]
    made = dataclasses.make_dataclass("SimpleNamespace", given, bases=(Namespace,), repr=False)
    # It is another class than that of `types`, and other names make another one.
    made.__module__, made.__qualname__ = __name__, "_".join(["SimpleNamespace", *names])
    register(made, {})
    return made


def _namespace(known: Any) -> Any:
    return namespace_of(*vars(known))(**vars(known))


def in_order(keys: Iterable[Any]) -> Sequence[Any]:
    """The same on every run, and that of small integers in Python; else as they were added."""
    keys = list(keys)
    try:
        return sorted(keys)
    except TypeError:
        return keys


def stands_for(
    cls: type | str, arguments: Callable[[Any], tuple[Any, ...]] = lambda known: (known,)
) -> Callable[[C], C]:
    """Makes a class stand for one of Python's, or of that name; messages call it by that name.

    `arguments` of an instance of that one make one of the class that is like it.
    """
    full = cls if isinstance(cls, str) else _full_name(cls)

    def decorated(made: C) -> C:
        made.__name__ = full.rpartition(".")[2]
        register(made, {})
        _classes[full] = made
        instances_of(full, lambda known: made(*arguments(known)))
        return made

    return decorated


def instances_of(full: str, make: Callable[[Any], Any]) -> None:
    """What `make` gives stands for an instance of the class of that name, `module.name`."""
    _instances[full] = make


instances_of("types.SimpleNamespace", _namespace)


@stands_for(collections.deque, lambda known: (known, known.maxlen))
class _Deque:
    """A list that grows and shrinks at both ends."""

    def __init__(self, iterable=(), maxlen=None):
        self._items, self.maxlen = [], maxlen
        self.extend(iterable)

    def append(self, x):
        self._items.append(x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, x):
        self._items.insert(0, x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()

    def extend(self, iterable):
        for x in list(iterable):
            self.append(x)

    def extendleft(self, iterable):
        for x in list(iterable):
            self.appendleft(x)

    def pop(self):
        return self._items.pop()

    def popleft(self):
        return self._items.pop(0)

    def insert(self, i, x):
        self._items.insert(i, x)

    def rotate(self, n=1):
        if len(self._items) > 1 and n % len(self._items) != 0:
            k = len(self._items) - n % len(self._items)
            self._items[:] = self._items[k:] + self._items[:k]

    def clear(self):
        self._items.clear()

    def reverse(self):
        self._items.reverse()

    def copy(self):
        return _Deque(self._items, self.maxlen)

    def count(self, x):
        return self._items.count(x)

    def index(self, x):
        return self._items.index(x)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, x):
        return x in self._items

    def __getitem__(self, i):
        return self._items[i]

    def __setitem__(self, i, x):
        self._items[i] = x

    def __delitem__(self, i):
        del self._items[i]

    def __eq__(self, other):
        return isinstance(other, _Deque) and self._items == other._items

    def __add__(self, other):
        return _Deque(self._items + other._items, self.maxlen)

    def __iadd__(self, iterable):
        self.extend(iterable)
        return self


@stands_for(frozenset)
class _FrozenSet:
    """Known things, each once."""

    def __init__(self, iterable=()):
        self._table = {x: None for x in iterable}

    def __len__(self):
        return len(self._table)

    def __iter__(self):
        return iter(in_order(self._table))

    def __contains__(self, x):
        return x in list(self._table)

    def __eq__(self, other):
        return isinstance(other, _FrozenSet) and len(self) == len(other) and self.issubset(other)

    def __le__(self, other):
        return self.issubset(other)

    def __lt__(self, other):
        return len(self) < len(other) and self.issubset(other)

    def __ge__(self, other):
        return self.issuperset(other)

    def __gt__(self, other):
        return len(self) > len(other) and self.issuperset(other)

    def __or__(self, other):
        return self.union(other)

    def __and__(self, other):
        return self.intersection(other)

    def __sub__(self, other):
        return self.difference(other)

    def __xor__(self, other):
        return self.symmetric_difference(other)

    def issubset(self, other):
        return all([x in other for x in self._table])

    def issuperset(self, other):
        return all([x in self for x in other])

    def isdisjoint(self, other):
        return not any([x in self for x in other])

    def union(self, *others):
        return type(self)([*self._table, *[x for other in others for x in other]])

    def intersection(self, *others):
        return type(self)([x for x in self._table if all([x in other for other in others])])

    def difference(self, *others):
        return type(self)([x for x in self._table if not any([x in other for other in others])])

    def symmetric_difference(self, other):
        both = type(self)(other)
        return self.difference(both).union(both.difference(self))

    def copy(self):
        return type(self)(self._table)


@stands_for(set)
class _Set(_FrozenSet):
    """Known things, each once; more or fewer of them later."""

    def add(self, x):
        self._table[x] = None

    def discard(self, x):
        self._table.pop(x, None)

    def remove(self, x):
        del self._table[x]

    def pop(self):
        x = next(iter(self))
        del self._table[x]
        return x

    def clear(self):
        self._table.clear()

    def update(self, *others):
        for other in others:
            for x in list(other):
                self._table[x] = None

    def intersection_update(self, *others):
        self._table = self.intersection(*others)._table

    def difference_update(self, *others):
        self._table = self.difference(*others)._table

    def symmetric_difference_update(self, other):
        self._table = self.symmetric_difference(other)._table

    def __ior__(self, other):
        self.update(other)
        return self

    def __iand__(self, other):
        self.intersection_update(other)
        return self

    def __isub__(self, other):
        self.difference_update(other)
        return self

    def __ixor__(self, other):
        self.symmetric_difference_update(other)
        return self


@stands_for(collections.Counter)
class _Counter:
    """How many of each known thing there are."""

    def __init__(self, iterable=(), **counts):
        self._table = {}
        self.update(iterable, **counts)

    def update(self, iterable=(), **counts):
        for key, n in [*_counts(iterable), *counts.items()]:
            self._table[key] = self[key] + n

    def subtract(self, iterable=(), **counts):
        for key, n in [*_counts(iterable), *counts.items()]:
            self._table[key] = self[key] - n

    def __getitem__(self, key):
        return self._table.get(key, 0)

    def __setitem__(self, key, n):
        self._table[key] = n

    def __delitem__(self, key):
        self._table.pop(key, None)

    def __contains__(self, key):
        return key in self._table

    def __len__(self):
        return len(self._table)

    def __iter__(self):
        return iter(self._table)

    def __eq__(self, other):
        keys = {**self._table, **dict(_counts(other))}
        return all([self[key] == other[key] for key in keys])

    def __add__(self, other):
        keys = {**self._table, **other._table}
        return _Counter({key: self[key] + other[key] for key in keys if self[key] + other[key] > 0})

    def __sub__(self, other):
        keys = {**self._table, **other._table}
        return _Counter({key: self[key] - other[key] for key in keys if self[key] > other[key]})

    def items(self):
        return self._table.items()

    def keys(self):
        return self._table.keys()

    def values(self):
        return self._table.values()

    def get(self, key, default=None):
        return self._table.get(key, default)

    def pop(self, key, *default):
        return self._table.pop(key, *default)

    def clear(self):
        self._table.clear()

    def copy(self):
        return _Counter(self)

    def total(self):
        return sum(self._table.values())

    def elements(self):
        return iter([key for key, n in self._table.items() for _ in range(n)])

    def most_common(self, n=None):
        found = sorted(self._table.items(), key=lambda entry: entry[1], reverse=True)
        return found if n is None else found[:n]


def _counts(iterable):
    if isinstance(iterable, dict | _Counter):
        return list(iterable.items())
    return [(key, 1) for key in iterable or ()]
