"""Variables that are a value or None: a loop carries both, and whether it is there.

    best = None
    for i in range(n):
        if best is None or f(i) > best: best = f(i)    =>    (there, best)

Takes the variable for the values alone, gives the one for both. Knows nothing of how loops are
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ....terms.term import Term
from ....terms.types import Scalar, Tup
from ....terms.value import Value, scalar
from ..values.conditions import resolved
from ..values.objects import Choice, is_optional
from ..values.packing import unpacked
from ..values.variables import Variable, zeros


@dataclass
class Optional(Variable):
    """A value or None: `of` carries the value, where there is one."""

    of: Variable = field(kw_only=True)
    was_none: bool = False  # before the loop
    always: bool = False  # it is a value after every trip

    @property
    def begins(self) -> bool:
        """Whether it is a value or None before the loop."""
        return self.was_none or super().begins

    @property
    def refers(self) -> bool:
        """Whether the value is a reference to an object from before the loop."""
        return self.of.refers

    def lowered(self, value: Any) -> Any:
        """Whether there is a value, and which."""
        if value is None:
            return False, unpacked(Value(self.of.type, zeros(self.of.type)))
        if is_optional(value):
            return scalar(value.condition), self.of.lowered(value.then)
        return True, self.of.lowered(value)

    def raised(self, value: Value) -> Any:
        """The value, or None."""
        there, inner = value.items()
        return Choice(there.term, self.of.raised(inner), None)

    def final(self, value: Any, ran: bool | Term) -> Any:
        """What it is after the loop: `ran` says whether there was a trip."""
        return value.then if self.always and ran is True else value


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
    name: str, known: Variable | None, of: Variable, before: Any, was_none: bool
) -> Optional:
    """The variable for such a place, given that for its values; `known` where it stays that."""
    if isinstance(known, Optional) and known.of is of:
        return known
    columns = [(0,), *(tuple(i + 1 for i in own) for own in of.columns)]
    whole = Tup((Scalar.BOOL, of.type))
    return Optional(name, whole, before, columns, of=of, was_none=was_none)
