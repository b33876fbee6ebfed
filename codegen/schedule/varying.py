"""Takes a program, says which parameters each work-item gets on its own, though they are one value.

Intel's CPU compiler (2025.3) crashes, and ends the process, where a loop takes remainders of
integers that are known to be the same for all work-items, or where everything is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...terms.loop import LOOP
from ...terms.program import Program, Slot
from ...terms.rule import RuleSet
from ...terms.term import toposort
from ...terms.types import Scalar
from .schedule import dividing


def divides(program: Program, rules: RuleSet) -> bool:
    """Whether a loop of the program divides integers."""
    division = dividing(rules)
    bodies = [t.attr.body for t in program.terms() if t.op == LOOP]
    for body in bodies:  # grows: loops inside
        terms = toposort(body.flat)
        if any(division(t) for t in terms):
            return True
        bodies += [t.attr.body for t in terms if t.op == LOOP]
    return False


def varying(
    params: Sequence[Slot], uniform: Collection[str], divides: bool = True
) -> frozenset[str]:
    """Of a program that divides so, the integers, or one parameter where all would be `uniform`."""
    if not divides:
        return frozenset()
    found = [p.name for p in params if p.type is Scalar.I32]
    if not found and all(p.name in uniform for p in params):
        found = [p.name for p in params if isinstance(p.type, Scalar)][:1]
    return frozenset(found)
