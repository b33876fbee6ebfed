"""Vectors that are one vector or another, depending on a condition.

    y = p if c else q    =>    y.x = 1 changes p where c holds, and q elsewhere

Takes the vectors in use and one that changes in place, gives what each of them is after it.
Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ....terms.apply import select_leaves
from ....terms.term import CONST, SELECT, Term
from ....terms.types import Mat, Scalar, Type, Vec
from ....terms.value import Value
from .objects import Choice, now


class Blend(Value):
    """A vector or matrix that is `then` where `condition` holds, else `other`."""

    __slots__ = ("born", "condition", "other", "then")
    born: int
    condition: Term
    then: Value
    other: Value

    def __init__(
        self, type_: Type, leaves: tuple[Term, ...], condition: Term, then: Value, other: Value
    ) -> None:
        super().__init__(type_, leaves)
        put = object.__setattr__  # the class above is frozen
        put(self, "born", now())
        put(self, "condition", condition)
        put(self, "then", then)
        put(self, "other", other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return NotImplemented
        return (self.type, self.leaves) == (other.type, other.leaves)

    def __hash__(self) -> int:
        return hash((self.type, self.leaves))

    def __repr__(self) -> str:
        return f"Blend({self.type!r}, {self.leaves!r})"


def blend(condition: Term, then: Value, other: Value, real: Scalar) -> Value | None:
    """`condition ? then : other`, which knows of what; None where the shapes differ."""
    sides = (arm_of(then, condition, True), arm_of(other, condition, False))
    found = select_leaves(condition, *sides, real)
    if found is None or not isinstance(found.type, Vec | Mat):
        return found
    return blended(found, condition, then, other)


def blended(both: Value, condition: Term, then: Value, other: Value) -> Blend:
    """The numbers of `condition ? then : other`, known to be one of the two."""
    return Blend(both.type, both.leaves, condition, *_sides(condition, then, other))


def _sides(condition: Term, then: Value, other: Value) -> tuple[Value, Value]:
    while isinstance(then, Blend) and then.condition is condition:
        then = then.then
    while isinstance(other, Blend) and other.condition is condition:
        other = other.other
    return then, other


def arm_of(value: Any, condition: Term, holds: bool) -> Any:
    """What a value is where the condition holds, or does not: choices by it are made."""
    while isinstance(value, Choice) and value.condition is condition:
        value = value.then if holds else value.other
    if isinstance(value, Value) and any(t.op == SELECT for t in value.leaves):
        return Value(value.type, tuple(_term_where(t, condition, holds) for t in value.leaves))
    return value


def _term_where(term: Term, condition: Term, holds: bool) -> Term:
    while term.op == SELECT and term.args[0] is condition:
        term = term.args[1 if holds else 2]
    return term


#: What vectors become, by the ids of those that do.
Changes = dict[int, tuple[Value, Value]]
Where = frozenset[tuple[Term, bool]]  # conditions, and whether they hold


def atoms(value: Value) -> dict[int, Where]:
    """The vectors that a vector may be, by their ids, and what holds where it is that."""
    found: dict[int, Where] = {id(value): frozenset()}
    pieces = parts([value])
    for whole in reversed(pieces):
        if isinstance(whole, Blend):
            for part, holds in ((whole.then, True), (whole.other, False)):
                here = found[id(whole)] | {(whole.condition, holds)}
                found[id(part)] = found.get(id(part), here) & here
    return {id(v): found[id(v)] for v in pieces if not isinstance(v, Blend)}


def simple(value: Value) -> list[Value]:
    """The vectors that a vector may be."""
    return [part for part in parts([value]) if not isinstance(part, Blend)]


def meet(one: Mapping[int, Where], two: Mapping[int, Where]) -> set[int]:
    """The vectors that both of two vectors may be at the same time."""
    return {atom for atom in one.keys() & two.keys() if not apart(one[atom], two[atom])}


def apart(one: Where, two: Where) -> bool:
    """Whether the conditions of two sets cannot hold together: `c` and `not c`, `i == 1` and 2."""
    numbers = dict(_numbers(two))
    return any((condition, not holds) in two for condition, holds in one) or any(
        numbers.get(term, number) != number for term, number in _numbers(one)
    )


def _numbers(where: Where) -> Iterator[tuple[Term, Any]]:
    """The terms that are known to be certain integers."""
    for condition, holds in where:
        if holds and condition.op == "eq" and condition.args[1].op == CONST:
            yield condition.args[0], condition.args[1].attr


def parts(values: Iterable[Value], stop: Mapping[int, Any] | None = None) -> list[Value]:
    """The values and all that they are blends of, those first that others are made of."""
    found: dict[int, Value] = {}
    stack = list(values)
    while stack:
        value = stack.pop()
        if id(value) in found or (stop and id(value) in stop):
            continue
        found[id(value)] = value
        if isinstance(value, Blend):
            stack += [value.then, value.other]
    return sorted(found.values(), key=lambda v: v.born if isinstance(v, Blend) else 0)


def changed_with(
    pairs: Sequence[tuple[Value, Value]], live: Iterable[Value], real: Scalar
) -> Changes:
    """What vectors in use become where each `old` of a pair becomes its `new`."""
    ends = {id(v) for pair in pairs for v in pair}
    used = {id(v): v for v in live if id(v) not in ends}
    blends = [v for v in used.values() if isinstance(v, Blend)]
    needed = {id(v) for v in parts(used.values())}
    after: Changes = {}
    for old, new in pairs:
        for v in simple(old):
            if id(v) in needed:
                now_ = after.get(id(v), (v, v))[1]
                after[id(v)] = v, where_it_is(old, v, new, now_, real)
    after |= {id(old): (old, new) for old, new in pairs if not isinstance(old, Blend)}
    stop = after | {id(new): (new, new) for _, new in pairs}
    known = {_key(old): (old, new) for old, new in pairs if isinstance(old, Blend)}
    for value in parts([*blends, *(old for old, _ in pairs)], stop):
        if not isinstance(value, Blend):
            continue
        then, other = (after.get(id(v), (v, v))[1] for v in (value.then, value.other))
        kept = then is value.then and other is value.other
        if _key(value) in known:
            old, new = known[_key(value)]
            both: Value = new if kept else Blend(new.type, new.leaves, value.condition, then, other)
            both = after.setdefault(id(old), (old, both))[1]
            after[id(new)] = new, both
        else:
            mixed = value if kept else blend(value.condition, then, other, real)
            assert mixed is not None
            both = mixed
        if both is not value:
            after[id(value)] = value, both
    return after


def _key(value: Blend) -> tuple[Term, int, int]:
    return value.condition, id(value.then), id(value.other)


def same(value: Value, old: Value) -> bool:
    """Whether both are the same vector, in each case."""
    if not isinstance(value, Blend) or not isinstance(old, Blend):
        return value is old
    return _key(value) == _key(old)


def where_it_is(whole: Value, part: Value, new: Value, other: Value, real: Scalar) -> Value:
    """`new` where `whole` is the vector `part`, elsewhere `other`."""
    found: dict[int, Value] = {}
    for value in parts([whole]):
        if not isinstance(value, Blend):
            found[id(value)] = new if value is part else other
            continue
        condition, then, last = value.condition, found[id(value.then)], found[id(value.other)]
        sides = (arm_of(then, condition, True), arm_of(last, condition, False))
        both = then if then is last else select_leaves(condition, *sides, real)
        assert both is not None
        found[id(value)] = both
    return Value(found[id(whole)].type, found[id(whole)].leaves)
