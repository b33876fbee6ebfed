"""Variables that are a number or vector, or None: a loop carries both, and whether it is there.

    best = None
    for i in range(n):
        if best is None or f(i) > best: best = f(i)    =>    (there, best)

Takes values before a loop and after a trip, gives the variable for both. Knows nothing of how loops
are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from ....terms.errors import Span
from ....terms.term import Term
from ....terms.types import Scalar, Tup, Type, leaf_types
from ....terms.value import Value, scalar
from ..values.branches import Unusable
from ..values.conditions import resolved
from ..values.objects import Choice
from ..values.packing import unpacked
from ..values.values import Mismatch, is_number, is_optional
from ..values.variables import Variable, carried_type, join, lost, zeros


@dataclass
class Optional(Variable):
    """A value or None: `begins` says whether it is one of them before the loop."""

    begins: bool = True
    always: bool = False  # it is a value after every trip

    def begin(self, real: Scalar, at: Span) -> None:
        """Take down the value before the loop, None too."""
        if self.first is None and self.begins:
            self.first = self.fitted(self.before, real, at, "before the loop")

    def lowered(self, value: Any) -> Any:
        """Whether there is a value, and which."""
        if value is None:
            return False, unpacked(Value(self.inner, zeros(self.inner)))
        if is_optional(value):
            return scalar(value.condition), value.then
        return True, value

    def raised(self, value: Value) -> Any:
        """The value, or None."""
        there, inner = unpacked(value)
        return Choice(there.term, inner, None)

    def final(self, value: Any, ran: bool | Term) -> Any:
        """What it is after the loop: `ran` says whether there was a trip."""
        return value.then if self.always and ran is True else value

    @property
    def inner(self) -> Type:
        """The type of the value."""
        assert isinstance(self.type, Tup)
        return self.type.items[1]


def settle(found: Sequence[tuple[Optional, Term]]) -> None:
    """Note which variables are values after every trip, `found` saying of each whether it is.

    They are after the first trip, given what they begin with, and stay so: together.
    """
    always = [(v, there) for v, there in found if v.begins and not is_optional(v.before)]
    while True:
        first = {v.bound[0]: v.before is not None for v, _ in always}
        later = dict.fromkeys(first, True)
        kept = [
            (v, there)
            for v, there in always
            if resolved(there, first) is True and resolved(there, later) is True
        ]
        if len(kept) == len(always):
            break
        always = kept
    for variable, _ in found:
        variable.always = any(variable is v for v, _ in always)


def is_presence(before: Any, after: Any, known: Variable | None, was_none: bool) -> bool:
    """Whether a place is a value in one trip and None in another."""
    if isinstance(known, Optional) or is_optional(before) or is_optional(after):
        return True
    here = before is not None or known is not None
    return (was_none and after is not None) or (here and not was_none and after is None)


def optional(
    name: str,
    before: Any,
    after: Any,
    known: Variable | None,
    was_none: bool,
    real: Scalar,
    at: Span,
) -> Optional | Unusable:
    """The variable for such a place; `known` where it stays that."""
    given = [v.then if is_optional(v) else v for v in (before, after) if v is not None]
    if not all(isinstance(v, Value) or is_number(v) for v in given):
        return lost(name, before, after, at, Mismatch())
    try:
        type_ = _joined([carried_type(v, real) for v in given], known)
    except Mismatch as error:
        return lost(name, before, after, at, error)
    if isinstance(known, Optional) and known.inner == type_:
        return known
    whole = Tup((Scalar.BOOL, type_))
    columns = [(k,) for k in range(len(leaf_types(whole)))]
    return Optional(name, whole, before, columns, begins=was_none or before is not None)


def _joined(types: Sequence[Type], known: Variable | None) -> Type:
    own = [known.inner if isinstance(known, Optional) else known.type] if known else []
    return reduce(join, [*own, *types])
