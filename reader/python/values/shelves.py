"""Long lists of numbers at an index that is known only when the kernel runs.

A short list is read and written by selects, one per element. A long one goes through memory:
its elements are `load(m, 0), load(m, 1), …` of one memory `m`, which is found again wherever
the whole list is needed, so reading and writing take one operation. Takes lists, gives
values; knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ....terms.apply import apply
from ....terms.errors import TraceError
from ....terms.loop import LOAD, MEMORY, STORE, load, memory, store, table_of
from ....terms.rule import RuleSet
from ....terms.term import CONST, SELECT, Term, const, is_const, substitute
from ....terms.types import Arr, Memory, Scalar, Tup, Type, leaf_types
from ....terms.value import Value, convert, scalar
from ....terms.walk import postorder
from .objects import UNSET, Choice, Listed, Object
from .packing import packed

K = TypeVar("K", bound=Hashable)
#: Lists of at least so many elements are kept in memory where an index is not known.
LONG = 8
_NO_NUMBERS = (Object, Choice, tuple, str, type(None))


def item_type(items: Sequence[Any], real: Scalar) -> Type | None:
    """The type of the elements of a long list of numbers or vectors; None of any other list."""
    if len(items) < LONG:
        return None
    if any(item is UNSET or isinstance(item, _NO_NUMBERS) for item in items):
        return None
    try:
        whole = packed(Listed(items), real)
    except TraceError:
        return None
    return whole.type.item if isinstance(whole.type, Arr) else None


def memories(items: Sequence[Any], type_: Type, real: Scalar) -> list[Term]:
    """The list as one memory for each component of its elements."""
    rows = []
    for item in items:
        row = convert(packed(item, real), type_)
        assert row is not None
        rows.append(row.leaves)
    return [_memory(column) for column in zip(*rows, strict=True)]


def whole_memories(values: Mapping[K, Any]) -> list[list[K]]:
    """The keys of values that are all elements of a memory, or of two of which one holds."""
    found: dict[tuple[Hashable, int], list[dict[int, K]]] = {}
    homes = _Homes()
    for key, value in values.items():
        if isinstance(value, Value):
            known = [homes.of(leaf) for leaf in value.leaves]
            from_ = [home for home in known if home is not None]
            if len(from_) == len(known) and len({(h.size, h.place) for h in from_}) == 1:
                size, k = from_[0].size, from_[0].place
                copies = found.setdefault((tuple(h.source for h in from_), size), [])
                free = next((places for places in copies if k not in places), None)
                if free is None:
                    copies.append(free := {})
                free[k] = key
    groups = [(size, places) for (_, size), copies in found.items() for places in copies]
    return [[places[k] for k in range(size)] for size, places in groups if len(places) == size]


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a term is from: the number of a memory, or of two and a condition; size, position."""

    source: int
    size: int
    place: int


class _Homes:
    """Finds where terms are from, each term once."""

    def __init__(self) -> None:
        self.known: dict[Term, _Home | None] = {}
        self.numbers: dict[Hashable, int] = {}

    def of(self, root: Term) -> _Home | None:
        for term in postorder([root], self._arms):
            if term not in self.known:
                self.known[term] = self._found(term)
        return self.known[root]

    def _arms(self, term: Term) -> Sequence[Term]:
        return term.args[1:] if term.op == SELECT and term not in self.known else ()

    def _found(self, term: Term) -> _Home | None:
        if term.op == SELECT:
            then, other = (self.known[arm] for arm in term.args[1:])
            if then is None or other is None:
                return None
            if (then.size, then.place) != (other.size, other.place):
                return None
            source = self._number((term.args[0], then.source, other.source))
            return replace(then, source=source)
        if term.op != LOAD or term.args[1].op != CONST or term.args[0].type.size < LONG:
            return None
        source = self._number(term.args[0])
        return _Home(source, term.args[0].type.size, int(term.args[1].attr))

    def _number(self, source: Hashable) -> int:
        return self.numbers.setdefault(source, len(self.numbers))


def items_of(found: Sequence[Term], type_: Type, count: int) -> list[Value]:
    """The elements of a list that is in memory."""
    places = [const(k, Scalar.I32) for k in range(count)]
    return [Value(type_, tuple([load(m, k) for m in found])) for k in places]


def read(found: Sequence[Term], type_: Type, index: Term) -> Value:
    """The element at an index, which is in range."""
    return Value(type_, tuple([load(m, index) for m in found]))


def is_table(items: Sequence[Any]) -> bool:
    """Whether a long tuple holds numbers that are known, or rows of one length of them."""
    if len(items) < LONG:
        return False
    kinds = {type(item) for item in items}
    if kinds == {tuple}:
        rows = {len(row) for row in items}
        return len(rows) == 1 and all(map(is_table, zip(*items, strict=True)))
    if kinds == {int}:
        return all(-(2**31) <= item < 2**31 for item in items)
    return kinds in ({bool}, {float}, {int, float})


def looked_up(items: Sequence[Any], real: Scalar, index: Term) -> Any:
    """What a table holds at an index, which is in range: a number, or a row."""
    if isinstance(items[0], tuple):
        columns = zip(*items, strict=True)
        return tuple([looked_up(column, real, index) for column in columns])
    known = {bool: Scalar.BOOL, int: Scalar.I32}.get(type(items[0]), real)
    type_ = real if any(type(item) is float for item in items) else known
    return scalar(load(table_of([const(number, type_) for number in items]), index))


def written(found: Sequence[Term], type_: Type, index: Term, new: Value) -> list[Term]:
    """The memories after an element at an index, which is in range, has been replaced."""
    assert len(leaf_types(type_)) == len(new.leaves)
    return [store(m, index, leaf) for m, leaf in zip(found, new.leaves, strict=True)]


def inside(rules: RuleSet, index: Term, count: int, known: bool) -> Term:
    """The index, kept in range where that is not known: a kernel must not write elsewhere."""
    if known:
        return index
    low, high = const(0, Scalar.I32), const(count - 1, Scalar.I32)
    return apply(rules, "clamp", [scalar(index), scalar(low), scalar(high)], Scalar.F32).term


def columns(type_: Type, leaves: Sequence[Term]) -> list[tuple[int, ...]]:
    """The components of a value, by number: those that are one memory together, others alone."""
    found: list[tuple[int, ...]] = []
    start = 0
    for part in type_.items if isinstance(type_, Tup) else (type_,):
        count, item = 1, part
        while isinstance(item, Arr):
            count, item = count * item.size, item.item
        width = len(leaf_types(item))
        own = [tuple(start + k * width + j for k in range(count)) for j in range(width)]
        if count >= LONG and all(_existing([leaves[i] for i in column]) for column in own):
            found += own
        else:
            found += [(i,) for i in range(start, start + count * width)]
        start += count * width
    return found


def gathered(found: Sequence[Sequence[int]], leaves: Sequence[Term]) -> list[Term]:
    """Components as they are carried: a memory for each column of many."""
    return [leaves[own[0]] if len(own) == 1 else _memory([leaves[i] for i in own]) for own in found]


def spread(found: Sequence[Sequence[int]], terms: Sequence[Term]) -> tuple[Term, ...]:
    """All components, of what is carried."""
    leaves: dict[int, Term] = {}
    for own, term in zip(found, terms, strict=True):
        for k, i in enumerate(own):
            leaves[i] = term if len(own) == 1 else load(term, const(k, Scalar.I32))
    return tuple(leaves[i] for i in range(len(leaves)))


def joined_items(items: Sequence[Any], real: Scalar) -> list[Value] | None:
    """The elements of a list after a branch, as those of one memory, if both arms have used it.

    Otherwise the versions of both arms would stay alive beside each other.
    """
    first = items[0] if items else None
    if not isinstance(first, Value) or first.leaves[0].op != SELECT:
        return None
    type_ = item_type(items, real)
    if type_ is None:
        return None
    rows = [packed(item, real).leaves for item in items]
    found = [_existing(column) for column in zip(*rows, strict=True)]
    known = [m for m in found if m is not None]
    return items_of(known, type_, len(items)) if len(known) == len(found) else None


def _memory(column: Sequence[Term]) -> Term:
    """A memory that holds the terms: one that exists already, if they come from one.

    Where most of them do, the others are written into that one. Numbers that are known are a
    table, which nobody has to write.
    """
    if all(t.op == CONST for t in column):
        return table_of(column)
    existing = _existing(column)
    if existing is not None:
        return existing
    found, own = _nearest(column)
    for k, term in enumerate(column):
        if k not in own:
            found = store(found, const(k, Scalar.I32), term)
    return found


def _nearest(column: Sequence[Term]) -> tuple[Term, Collection[int]]:
    """The memory that holds most of some terms, each at its place, and which; or an empty one."""
    homes: dict[Term, list[int]] = {}
    type_ = Memory(column[0].type, len(column))
    for k, term in enumerate(column):
        if term.op == LOAD and term.args[0].type == type_ and is_const(term.args[1], k):
            homes.setdefault(term.args[0], []).append(k)
    for found, own in homes.items():
        if 2 * len(own) > len(column):
            return found, set(own)
    return memory(column[0].type, len(column)), ()


def _existing(column: Sequence[Term]) -> Term | None:
    """The memory that terms come from, or two versions of one under a condition."""
    source = _source(column)
    if source is not None:
        return source
    first = column[0]
    if first.op != SELECT or any(t.op != SELECT or t.args[0] is not first.args[0] for t in column):
        return None
    then, other = (_source([t.args[k] for t in column]) for k in (1, 2))
    return None if then is None or other is None else _either(first.args[0], then, other)


def _source(column: Sequence[Term]) -> Term | None:
    """m, where the terms are load(m, 0), load(m, 1), … to its end."""
    if column[0].op != LOAD:
        return None
    source = column[0].args[0]
    assert isinstance(source.type, Memory)
    if source.type.size != len(column):
        return None
    for k, term in enumerate(column):
        if term.op != LOAD or term.args[0] is not source:
            return None
        if term.args[1].op != CONST or term.args[1].attr != k:
            return None
    return source


def _chain(found: Term) -> list[Term]:
    """A memory and the versions that it was made from, the oldest first."""
    versions = [found]
    while versions[-1].op == STORE:
        versions.append(versions[-1].args[0])
    return versions[::-1]


def _either(condition: Term, then: Term, other: Term) -> Term | None:
    """`condition ? then : other` of two versions of one memory: writes that may not happen."""
    left, right = _chain(then), _chain(other)
    common = 0
    while common < min(len(left), len(right)) and left[common] is right[common]:
        common += 1
    if not common or left[common - 1].op == MEMORY:
        return None
    now = left[common - 1]
    for versions, holds in ((left, True), (right, False)):
        table = {versions[common - 1]: now}
        for version in versions[common:]:
            # What was read from a version that may not exist is read from the one that does.
            index, value = substitute(version.args[1:], table)
            kept = load(now, index)
            arms = (value, kept) if holds else (kept, value)
            now = store(now, index, Term(SELECT, (condition, *arms), None, value.type))
            table[version] = now
    return now
