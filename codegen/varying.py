"""Takes a program, says which parameters each work-item gets on its own, though they are one value.

Intel's CPU compiler (2025.3) crashes, and ends the process, where a loop takes remainders of
integers that are known to be the same for all work-items.
"""

from __future__ import annotations

from ..terms.loop import LOOP
from ..terms.program import Program
from ..terms.rule import RuleSet
from ..terms.term import toposort
from ..terms.types import Scalar
from .schedule import dividing


def varying(program: Program, rules: RuleSet) -> frozenset[str]:
    """The integers among the parameters, if a loop of the program divides integers."""
    divides = dividing(rules)
    bodies = [t.attr.body for t in program.terms() if t.op == LOOP]
    for body in bodies:  # grows: loops inside
        terms = toposort(body.flat)
        if any(divides(t) for t in terms):
            return frozenset(p.name for p in program.params if p.type is Scalar.I32)
        bodies += [t.attr.body for t in terms if t.op == LOOP]
    return frozenset()
