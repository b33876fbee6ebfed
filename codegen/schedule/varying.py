"""Takes a program, says which parameters each work-item gets on its own, though they are one value.

Intel's CPU compiler (2025.3) crashes, and ends the process, where all work-items are known to
leave a loop after the same trip, where everything in a loop is known to be the same for them,
or where a loop takes remainders of integers that are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...terms.loop import LOOP, Loop
from ...terms.program import Program, Slot
from ...terms.rule import RuleSet
from ...terms.term import Term, is_const, toposort
from ...terms.types import Scalar
from .dividing import dividing


@dataclass(frozen=True)
class Hazards:
    """What of a program the compiler must not know to be one value."""

    loops: bool = False
    divides: bool = False  # a loop divides integers
    leaving: frozenset[str] = frozenset()  # parameters on which it depends when a loop is left


def hazards(program: Program, rules: RuleSet) -> Hazards:
    """The hazards of a program."""
    outer = [t for t in program.terms() if t.op == LOOP]
    if not outer:
        return Hazards()
    leaving = toposort([t for t in outer if _leaves_early(t.attr)])
    owners = {leaf: p.name for p in program.params for leaf in p.leaves()}
    names = frozenset(owners[t] for t in leaving if t in owners)
    return Hazards(True, _divides(outer, rules), names)


def _leaves_early(loop: Loop) -> bool:
    """Whether a loop, or one in it, may end before its trips are over."""
    loops = [loop]
    for each in loops:  # grows: loops inside
        if not is_const(each.go):
            return True
        loops += [t.attr for t in toposort(each.body.flat) if t.op == LOOP]
    return False


def _divides(outer: Iterable[Term], rules: RuleSet) -> bool:
    division = dividing(rules)
    bodies = [t.attr.body for t in outer]
    for body in bodies:  # grows: loops inside
        terms = toposort(body.flat)
        if any(division(t) for t in terms):
            return True
        bodies += [t.attr.body for t in terms if t.op == LOOP]
    return False


def varying(params: Sequence[Slot], uniform: Collection[str], hazards: Hazards) -> frozenset[str]:
    """Of the parameters that are `uniform`, those that each work-item is to get on its own."""
    names = [p.name for p in params if p.name in uniform]
    if not hazards.loops:
        return frozenset()
    if len(names) == len(params):  # one element: it costs nothing
        return frozenset(names)
    found = {p.name for p in params if p.type is Scalar.I32} if hazards.divides else set()
    if hazards.leaving and hazards.leaving <= set(names):
        found |= hazards.leaving
    return frozenset(found)
