"""Angles in the plane of two sides that are both 0 with a length, by what these are over it.

    atan2(x*sin(c), l*cos(c)), c = atan(l)    is    atan2(x*(sin(c)/l), cos(c))

for a length l of x and y: so the longitude of a map's projection has slopes at its centre. Takes
a program and patterns, gives a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import Term, toposort
from ...factors.common import built
from ...factors.factored import Product
from ...guards import guards
from .distances import Given, divisors_of, length
from .quotients import Quotients
from .remainders import Plain, Remainders

_MOST, _NEAR = 16, 64  # so many angles are looked at, of so few terms


def by_sides_over_lengths(program: Program, patterns: Sequence[Rewrite], rules: RuleSet) -> Program:
    """The program with such angles by sides that are numbers where the length is 0."""
    angles = [t for t in toposort([*program.flat, *program.notes]) if t.op == "atan2"][:_MOST]
    if not angles:
        return program
    quotients, plain = Quotients(patterns), Plain()

    def over(angle: Term) -> Term | None:
        for distance, given in _lengths(angle):
            at = Remainders(distance, given, quotients, rules, Product(), plain)
            rests = [at.rest(side) if at.vanishes(side) else None for side in angle.args]
            y, x = rests
            if y is None or x is None:
                continue
            new = built(rules, "atan2", y, x)
            if not any(map(at.vanishes, divisors_of(guards([new]), inside=True))):
                return new
        return None

    known = {angle: new for angle in angles if (new := over(angle)) is not None}
    return program.rewritten(lambda term, _: known.get(term)) if known else program


def _lengths(angle: Term) -> Iterator[tuple[Term, Given]]:
    """The lengths that both sides vary with."""
    below = [toposort([side]) for side in angle.args]
    if max(map(len, below)) > _NEAR:
        return
    yield from [length(t) for t in below[0] if t in below[1] and t.op in ("sqrt", "hypot")]
