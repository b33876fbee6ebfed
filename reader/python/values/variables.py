"""The variables that a loop carries: their types, and whether a trip has changed them.

Takes values before a loop and after a trip, gives the type in which both are carried. Knows
nothing of syntax and of states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.loop import bound
from ....terms.term import Term, const
from ....terms.types import Arr, Memory, Scalar, Tup, Type, Vec, leaf_paths, leaf_types, type_name
from ....terms.value import Value
from .arrays import is_array, type_of_vector, without_order
from .branches import Names, Unusable
from .complexes import is_complex
from .fitting import fitted
from .keyed import Keyed
from .lengths import Uncounted
from .objects import Listed, Mapped, is_function, is_tuple
from .packing import packed, unpacked
from .shelves import gathered, spread
from .values import Mismatch, counted, describe, is_number, is_truth


@dataclass
class Variable:
    """A variable that the loop changes: its type, its value before, its value in the body.

    `columns`: the components that are carried together, as one memory, or alone.
    """

    name: str
    type: Type
    before: Any
    columns: Sequence[tuple[int, ...]]
    first: Value | None = None
    bound: tuple[Term, ...] = ()
    carrying: set[int] = field(default_factory=set)  # columns that get derivatives in the loop
    unordered: bool = False  # whether trips change the order of an array in memory

    @property
    def begins(self) -> bool:
        """Whether it has a value before the loop."""
        return self.before is not None

    @property
    def refers(self) -> bool:
        """Whether it is a reference to an object from before the loop."""
        return False

    def begin(self, real: Scalar, at: Span) -> None:
        """Take down the value before the loop, where there is one."""
        if self.first is None and self.begins:
            self.first = self.fitted(self.before, real, at, "before the loop")

    def fitted(self, value: Any, real: Scalar, at: Span, when: str) -> Value:
        """The value as it is carried. Raises TraceError where it does not fit."""
        return exactly(self.lowered(value), self.type, real, at, f"{self.name!r} {when}")

    def lowered(self, value: Any) -> Any:
        """What is carried of a value."""
        return value

    def raised(self, value: Value) -> Any:
        """The value of what is carried."""
        found = unpacked(value)
        return without_order(found) if self.unordered else found

    def fresh(self) -> Any:
        """The variable in the body."""
        types = leaf_types(self.type)
        self.bound = tuple(
            bound(name, types[own[0]] if len(own) == 1 else Memory(types[own[0]], len(own)))
            for name, own in zip(self.names(), self.columns, strict=True)
        )
        return self.raised(Value(self.type, spread(self.columns, self.bound)))

    def begun(self) -> dict[Term, Term | None]:
        """What the variables in the body begin with; None where derivatives come later."""
        first = zeros(self.type) if self.first is None else self.first.leaves
        firsts = enumerate(zip(self.bound, gathered(self.columns, first), strict=True))
        return {var: None if i in self.carrying else term for i, (var, term) in firsts}

    def names(self) -> list[str]:
        """What is carried: `v.x`, `a[2]`; of a memory, `a`."""
        paths = leaf_paths(self.type)
        return [
            self.name + (paths[own[0]] if len(own) == 1 else re.sub(r"\[\d+\]", "", paths[own[0]]))
            for own in self.columns
        ]


def known_before(names: Names, name: str) -> Any:
    """What a variable was before the loop; None where it was nothing that can be carried."""
    try:
        value = names.find(name)
    except KeyError:
        return None
    return None if isinstance(value, Unusable) else value


def zeros(type_: Type) -> tuple[Term, ...]:
    """A zero for every component of a type."""
    return tuple(const(0, t) for t in leaf_types(type_))


def same(a: Any, b: Any) -> bool:
    """Whether a value has not changed."""
    if a is b:
        return True
    if isinstance(a, Value) and isinstance(b, Value):
        return a == b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if is_number(a) and is_number(b):
        return type(a) is type(b) and repr(a) == repr(b)
    return False


def carried_type(value: Any, real: Scalar, at: Span | None = None) -> Type:
    """The type in which a variable is carried: whole numbers stay whole."""
    return packed(value, real, at).type


_ORDER = (Scalar.I32, Scalar.WIDE, Scalar.LOOSE, Scalar.UINT, Scalar.F16, Scalar.F32, Scalar.F64)
_RANK = {kind: rank for rank, kind in enumerate((Scalar.BOOL, *_ORDER))}


def join(a: Type, b: Type) -> Type:
    """The type that holds both. Raises Mismatch where there is none."""
    if isinstance(a, Arr) is not isinstance(b, Arr):
        a, b = type_of_vector(a), type_of_vector(b)
    if a == b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar) and Scalar.BOOL not in (a, b):
        return max(a, b, key=_RANK.__getitem__)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        if b.turns_into(a):
            items = tuple(b.items[b.entries.index(key)] for key in a.entries)
            b = replace(b, items=items, names=a.names, keys=a.keys)
        if (a.names, a.keys, a.struct) == (b.names, b.keys, b.struct):
            return replace(a, items=tuple(map(join, a.items, b.items)))
        if {a.form, b.form} == {"", "named"} and () in (a.names, b.names):
            return join(replace(a, names=(), form=""), replace(b, names=(), form=""))
    elif isinstance(a, Arr) and isinstance(b, Arr) and (a.size, a.numpy) == (b.size, b.numpy):
        return replace(a, item=join(a.item, b.item))
    elif type(a) is type(b) and len(leaf_types(a)) == len(leaf_types(b)):
        wide = max(leaf_types(a)[0], leaf_types(b)[0], key=_RANK.__getitem__)
        return a if leaf_types(a)[0] is wide else b
    raise Mismatch(str(a), str(b))


def exactly(value: Any, type_: Type, real: Scalar, at: Span | None, what: str) -> Value:
    """The value as one symbolic value of the type. Raises TraceError where it does not fit."""
    if isinstance(value, Value) and value.type == type_:
        return value
    if isinstance(type_, Scalar) and type_ is not Scalar.BOOL and is_truth(value):
        value = counted(value)
    return packed(fitted(value, type_, real, at, what), real, at)


_KNOWN = "or loop over range(n), where n is known while reading"


def lost(name: str, before: Any, after: Any, at: Span, error: Exception) -> Unusable:
    """What stands for a variable that cannot be carried, and why."""
    if isinstance(error, TraceError) and describe(before) == describe(after):
        return Unusable(error.message, error.hint)
    hint = "give it one type before the loop and in it, or use different names"
    if is_function(before) and is_function(after):
        hint = "a loop carries no functions: choose in each trip, by a number that it does carry"
    if is_number(before) and isinstance(after, Value) and isinstance(after.type, Vec):
        hint = f"begin with a vector: {name} = {type_name(after.type)}({before})"
    if is_complex(after) and not is_complex(before):
        hint = f"begin with a complex number: {name} = 0j, or complex(x)"
    kind = Unusable
    if _parts(before) != _parts(after):
        kind, hint = Uncounted, f"give it as many parts before the loop and in it; {_KNOWN}"
    return kind(
        f"{name!r} is {describe(before)} before the loop at line {at.line} and "
        f"{describe(after)} after a trip",
        hint,
    )


def _parts(value: Any) -> int | None:
    """How many elements a list, a tuple or a dictionary has; None of anything else."""
    value = value.items[0] if isinstance(value, Mapped) else value
    if isinstance(value, Keyed):
        return len(value.keys_)
    items = value.items if isinstance(value, Listed) and not is_array(value) else value
    return len(items) if isinstance(items, list) or is_tuple(items) else None
