"""Reals that are doubled and halved: exact, as long as they are neither too large nor too small.

    amplitude = 0.5 * amplitude    is undone by    amplitude = 2 * amplitude'

A product by a power of two changes the exponent alone. So it is undone where the variable begins
with a number from which as many trips as the loop can make do not lead out of the normal range:
below it digits are lost, and above it is infinity. What begins with any number may be anywhere.

Takes a loop, gives for such updates what undoes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import frexp, isfinite

import numpy as np

from ...terms.loop import Loop
from ...terms.term import CONST, SELECT, Term, const, const_value
from ...terms.types import Scalar
from ..undo.ranges import Ranges
from .growth import most_trips

#: Exponents of normal numbers, as `frexp` counts them.
_NORMAL = {
    type_: (int(np.finfo(numpy).minexp) + 1, int(np.finfo(numpy).maxexp) - 1)
    for type_, numpy in ((Scalar.F16, "f2"), (Scalar.F32, "f4"), (Scalar.F64, "f8"))
}


@dataclass(frozen=True)
class Scale:
    """What undoes a product by a power of two: the one by its reciprocal."""

    target: Term
    back: float
    others: tuple[Term, ...] = ()
    later: bool = False

    def before(self, value: Term, _: Sequence[Term]) -> Term:
        """The value of the variable, given that of the product."""
        factor = const(self.back, value.type)
        return Term("mul", (value, factor), None, value.type)


def scales(term: Term, outer: Ranges) -> dict[Term, Scale]:
    """What undoes updates, by the terms that they are; `outer`: ranges of the loop's arguments."""
    loop: Loop = term.attr
    trips = most_trips(term, outer)
    found: dict[Term, Scale] = {}
    for v, first, step in zip(loop.state, term.args[1:], loop.step, strict=False):
        if v.type.is_real and first.op == CONST and step is not v:
            powers = _powers(step, v)
            if powers is not None and _stays_normal(
                const_value(first), _NORMAL[first.type], powers, trips
            ):
                found |= {t: Scale(v, 1 / factor) for t, factor in powers.items() if t is not v}
    return found


def _powers(step: Term, variable: Term) -> dict[Term, float] | None:
    """The products that a step chooses from, with their factors; None for any other step."""
    found: dict[Term, float] = {}
    stack = [step]
    while stack:
        term = stack.pop()
        if term in found:
            continue
        if term.op == SELECT:
            stack += term.args[1:]
            continue
        factor = _factor(term, variable)
        if factor is None:
            return None
        found[term] = factor
    return found


def _factor(term: Term, variable: Term) -> float | None:
    """By which power of two a term is the variable multiplied."""
    if term is variable:
        return 1.0
    if term.op not in ("mul", "div", "neg", "add") or variable not in term.args:
        return None
    if term.op == "neg":
        return -1.0
    one, other = term.args
    if term.op == "add":
        return 2.0 if one is other else None
    number = other if one is variable else one
    if number.op != CONST or (term.op == "div" and one is not variable):
        return None
    value = float(const_value(number))
    if not isfinite(value) or abs(frexp(value)[0]) != 0.5:
        return None
    return 1 / value if term.op == "div" else value


def _stays_normal(
    first: float, normal: tuple[int, int], powers: Mapping[Term, float], trips: int
) -> bool:
    """Whether a number stays a normal one through so many products, and their factors are."""
    if not isfinite(first) or first == 0:
        return False
    least, most = normal
    exponents = [frexp(factor)[1] for factor in powers.values()]
    turns = [e - 1 for e in exponents]
    low = frexp(first)[1] + trips * min(0, *turns)
    high = frexp(first)[1] + trips * max(0, *turns)
    factors = all(least <= e <= most and least <= 2 - e <= most for e in exponents)
    return factors and least <= low and high <= most
