"""Objects that can be changed: structs and lists, with Python's meaning of names.

A name, a field or an element holds a reference; a change through one is seen through all.
Contents change in place, and a journal remembers what stood there, so that the arms of a
branch can be read one after the other and then meet. A reference to one object or another,
depending on a condition, is a `Choice`. Knows nothing of syntax.
"""

from __future__ import annotations

from collections import deque, namedtuple
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, TypeGuard

from ....terms.errors import Span, TraceError
from ....terms.term import Term
from ...marks import DifferentialPair
from .frozen import refuse_frozen

UNSET = object()  # what a field holds before `__init__` has given it a value
_clock = count(1)


def now() -> int:
    """A number larger than all before: objects and branches are as old as it says."""
    return next(_clock)


class Object:
    """A struct or a list: `items` hold its fields or elements."""

    __slots__ = ("born", "frozen", "is_chosen", "items", "twins")

    def __init__(self, items: Sequence[Any], frozen: str = "") -> None:
        self.born = now()
        self.is_chosen = False  # whether some reference may lead to this one or to another
        self.items = list(items)
        self.frozen = frozen  # why it cannot be changed
        #: Objects that may be this one, by their ids, and why: a loop has moved references.
        self.twins: dict[int, tuple[Object, str]] = {}

    def place(self, index: int) -> tuple[Object, int]:
        """Where an item stands: here, or in what this is a view of."""
        return self, index

    def parts(self) -> Sequence[Any]:
        """What this refers to."""
        return self.items

    def like(self, items: Sequence[Any]) -> Object:
        """A new object of this kind that holds other items."""
        return type(self)(items)


class Instance(Object):
    """An instance of a struct class."""

    __slots__ = ("cls", "names")

    def __init__(
        self, cls: type, names: Sequence[str], items: Sequence[Any], frozen: str = ""
    ) -> None:
        super().__init__(items, frozen)
        self.cls = cls
        self.names = tuple(names)

    def like(self, items: Sequence[Any]) -> Instance:
        """As `Object.like`."""
        return Instance(self.cls, self.names, items)


class Listed(Object):
    """A list."""

    __slots__ = ()


class Mapped(Object):
    """A dictionary: its one item is what it holds, with the keys (keyed.py)."""

    __slots__ = ("missing",)

    def __init__(self, items: Sequence[Any], frozen: str = "", missing: Any = None) -> None:
        super().__init__(items, frozen)
        self.missing = missing  # makes what stands at a new key, where it is a defaultdict

    def like(self, items: Sequence[Any]) -> Mapped:
        """As `Object.like`."""
        return Mapped(items, missing=self.missing)

    @property
    def keys(self) -> tuple[Any, ...]:
        """The keys, in order."""
        return tuple(getattr(self.items[0], "keys_", ()))

    @property
    def described(self) -> str:
        """What it is, for messages."""
        return str(getattr(self.items[0], "described", "a dictionary"))


class Arrayed(Listed):
    """An array of NumPy: its elements are numbers of one kind, or rows, which are arrays too."""

    __slots__ = ("kind", "layout", "unordered")

    def __init__(self, items: Sequence[Any], kind: type, frozen: str = "") -> None:
        super().__init__(items, frozen)
        self.kind = kind  # of its numbers: float, int or bool
        self.layout: Any = None  # the places of its numbers, once they are asked for
        self.unordered = False  # whether their order in memory depends on trips of a loop

    def like(self, items: Sequence[Any]) -> Arrayed:
        """As `Object.like`."""
        return Arrayed(items, self.kind)


class View(Arrayed):
    """Numbers that stand in other arrays, as NumPy's slices are: what changes, changes in both."""

    __slots__ = ("places",)

    def __init__(self, places: Sequence[tuple[Object, int]], kind: type) -> None:
        self.born, self.frozen, self.twins, self.is_chosen = now(), "", {}, False
        self.kind, self.layout, self.places = kind, None, tuple(places)
        self.unordered = False

    @property
    def items(self) -> list[Any]:  # type: ignore[override]
        """The numbers, as they are now."""
        return [object_.items[index] for object_, index in self.places]

    def place(self, index: int) -> tuple[Object, int]:
        """As `Object.place`."""
        return self.places[index]

    def parts(self) -> Sequence[Any]:
        """As `Object.parts`: the arrays."""
        return list({id(object_): object_ for object_, _ in self.places}.values())


class Readable:
    """A function that is read where it is called."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Partial(Readable):
    """A function with some of its arguments: `functools.partial(f, x)`, `a.sum`."""

    of: Any
    args: tuple[Any, ...]
    named: Mapping[str, Any]

    @property
    def name(self) -> str:
        """That of the function."""
        return str(getattr(self.of, "name", None) or getattr(self.of, "__name__", "partial"))


def is_function(value: Any) -> bool:
    """Whether a value, or each that a reference may lead to, is a function or a class."""
    found = first(value)
    return isinstance(found, Readable) or callable(found)


class Choice:
    """A reference to `then` where `condition` holds, else to `other`."""

    __slots__ = ("condition", "other", "then")

    def __init__(self, condition: Term, then: Any, other: Any) -> None:
        self.condition = condition
        self.then = then
        self.other = other
        may_lead_to((then, other))

    def whole(self) -> Object | None:
        """A new object that holds what this one holds; None where that takes a choice."""
        return None


def may_lead_to(ends: Sequence[Any]) -> None:
    """Objects are marked to which a reference may lead: few are, and others need no search."""
    for end in ends:
        if isinstance(end, Object):
            end.is_chosen = True


def is_optional(value: Any) -> bool:
    """Whether a value is something, or None, as a condition says at run time."""
    return isinstance(value, Choice) and value.other is None


def given(value: Any) -> Any:
    """What a value is, where it is not None."""
    return value.then if is_optional(value) else value


def is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    """Whether a value is a tuple, with or without names; a value with its tangent is none."""
    named = isinstance(value, tuple) and hasattr(value, "_fields")
    return type(value) is tuple or (named and not isinstance(value, DifferentialPair))


@cache
def named_tuple(names: tuple[str, ...]) -> Any:
    """The class of the tuples whose items have these names: one, so that branches meet."""
    return namedtuple("Gradients", names, rename=True)


def of_kind(value: tuple[Any, ...], items: Sequence[Any]) -> tuple[Any, ...]:
    """These items as a tuple of the kind that a value is: with its names, if it has any."""
    return tuple(items) if type(value) is tuple else type(value)(*items)


def first(value: Any) -> Any:
    """An object that a reference may lead to: all of them are of one kind."""
    while isinstance(value, Choice):
        value = value.then
    return value


def ends_of(value: Any) -> list[Any]:
    """What a reference may lead to."""
    found, stack = [], [value]
    while stack:
        value = stack.pop()
        if isinstance(value, Choice):
            stack += [value.then, value.other]
        else:
            found.append(value)
    return found


def are_alike(a: Any, b: Any) -> bool:
    """Whether a reference may lead to one or to the other: both have the same parts."""
    if isinstance(a, Listed) and isinstance(b, Listed):
        return len(a.items) == len(b.items)
    if isinstance(a, Mapped) and isinstance(b, Mapped):
        return set(a.keys) == set(b.keys)
    return isinstance(a, Instance) and isinstance(b, Instance)


def objects_of(value: Any) -> list[Object]:
    """The objects that a reference may lead to."""
    return [end for end in ends_of(value) if isinstance(end, Object)]


def references(roots: Iterable[Any]) -> dict[int, int]:
    """How many variables, fields and elements may refer to each object, by its id."""
    found: dict[int, int] = {}
    stack = list(roots)
    while stack:
        value = given(stack.pop())
        if isinstance(value, tuple):
            stack.extend(value)
        for key, object_ in {id(o): o for o in objects_of(value)}.items():
            if key not in found:
                stack.extend(object_.parts())
            found[key] = found.get(key, 0) + 1
    return found


def ways(roots: Iterable[tuple[str, Any]]) -> dict[int, str]:
    """How each object is reached, by its id: `cloth`, `cloth.at[0]`; the shortest way."""
    found: dict[int, str] = {}
    queue = deque(roots)
    while queue:
        way, value = queue.popleft()
        value = given(value)
        if isinstance(value, tuple):
            keys = getattr(value, "keys_", range(len(value)))
            queue.extend((f"{way}[{k!r}]", item) for k, item in zip(keys, value, strict=True))
        for object_ in objects_of(value):
            if id(object_) not in found:
                found[id(object_)] = way
                queue.extend((way + member(object_, i), v) for i, v in enumerate(object_.items))
    return found


def member(object_: Object, index: int) -> str:
    """A field or an element in Python: `.x` or `[2]`."""
    if isinstance(object_, Mapped):
        return ""  # what it holds says which
    return f".{object_.names[index]}" if isinstance(object_, Instance) else f"[{index}]"


#: The place of all items of a list together: there are more or fewer of them.
ALL = -1
Changes = dict[int, tuple[Object, dict[int, Any]]]  # by the object's id: what stood in its items
Changed = dict[tuple[int, int], tuple[Object, Any]]  # by id and index: what stands there now


def _keep(object_: Object, old: dict[int, Any], index: int) -> None:
    """Note what stands in a place, or in all of them, that changes for the first time."""
    if ALL in old:
        return
    if index != ALL:
        old.setdefault(index, object_.items[index])
        return
    before = list(object_.items)
    for place, value in old.items():
        before[place] = value
    old.clear()
    old[ALL] = before


class Journal:
    """What was changed since each of the branches that are being read began."""

    def __init__(self, since: int = 0) -> None:
        self.since = since  # older objects belong to a program around this one
        self.layers: list[tuple[int, Changes]] = []
        self.ties: list[tuple[Object, Object]] = []  # pairs that may be one object

    def write(self, object_: Object, index: int, value: Any, at: Span) -> None:
        """Put a value into a field or an element. Raises TraceError for a captured object."""
        object_, index = object_.place(index)
        refuse_frozen(object_, at)
        if object_.born < self.since:
            raise TraceError(
                "this changes a struct or list of the function around it, inside a derivative "
                "or a function with a rule of its own",
                at,
                "pass it as a parameter, and return the new value",
            )
        self.put(object_, index, value)

    def put(self, object_: Object, index: int, value: Any) -> None:
        """As `write`, into any object."""
        object_, index = object_.place(index)
        # What is younger than the branch is not seen by the other arm.
        if self.layers and object_.born < self.layers[-1][0]:
            _, old = self.layers[-1][1].setdefault(id(object_), (object_, {}))
            _keep(object_, old, index)
        if index == ALL:
            object_.items = list(value)
        else:
            object_.items[index] = value

    def tie(self, one: Object, other: Object, why: str) -> None:
        """Both may be one object."""
        if one is not other and id(other) not in one.twins:
            one.twins[id(other)] = (other, why)
            other.twins[id(one)] = (one, why)
            self.ties.append((one, other))

    def untie(self, count: int) -> None:
        """All but the first so many pairs are apart again: their objects are gone."""
        while len(self.ties) > count:
            one, other = self.ties.pop()
            del one.twins[id(other)], other.twins[id(one)]

    def begin(self) -> None:
        """An arm of a branch begins."""
        self.layers.append((now(), {}))

    def changed(self) -> list[tuple[Object, int, Any, Any]]:
        """What the arm that is being read has changed so far: from what, and to what."""
        found = []
        for object_, old in self.layers[-1][1].values():
            if ALL in old:
                rows = enumerate(zip(old[ALL], object_.items, strict=False))
                found += [(object_, k, a, b) for k, (a, b) in rows if a is not b]
            else:
                found += [(object_, k, value, object_.items[k]) for k, value in old.items()]
        return found

    def resized(self) -> list[tuple[Object, int]]:
        """The lists that the arm has made longer or shorter, and how long they were."""
        before = ((object_, old.get(ALL)) for object_, old in self.layers[-1][1].values())
        return [
            (object_, len(items))
            for object_, items in before
            if items is not None and len(items) != len(object_.items)
        ]

    def undo(self) -> Changed:
        """The arm is over: what it changed, and to what; the old values stand there again."""
        changed: Changed = {}
        for object_, old in self.layers.pop()[1].values():
            for index, value in old.items():
                if index == ALL:
                    changed[id(object_), ALL] = (object_, object_.items)
                    object_.items = value
                    continue
                changed[id(object_), index] = (object_, object_.items[index])
                object_.items[index] = value
        return changed

    def redo(self, changed: Changed, at: Span) -> None:
        """Put the values there again."""
        for (_, index), (object_, value) in changed.items():
            self.write(object_, index, value, at)
