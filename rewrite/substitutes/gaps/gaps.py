"""Quotients that are 0/0 at a point, in whatever way the 0 above the line comes about.

    ((1 + r)**12 - 1) / r       the numerator is 0 where r is, so it is r times something:
                                that is computed (`remainders.py`), and the quotient is gone
    (v*w*(sin(h + w*t) - sin(h)) + ...) / (w*w)     twice
    ((x**q + y**q)/2)**(1/q)    1 to an infinite power where q is 0: what q counts is multiplied out

What `removable.py` finds by one pattern is gone by now; this is for what no single pattern says.
For each distance that a program divides by, terms are numerators over powers of it, as long as
they do not vanish where it does. Takes a program and patterns, gives a program.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import PROJ, VAR, Term, const, is_const, rebuild, substitute, toposort, var
from ...derivation.define import define, stand_ins
from ...egraph.numbers import values
from ...factors.factored import SIZES, WHOLE, Factor, Product
from ...guarded.decided import Certain
from ...guarded.images import Images
from ...guards import Guard, guards
from ..limits.divided import Bits, dividing, gained
from .beyond import beyond_gap
from .distances import Given, Setting, distances, divisors_of
from .nearby import with_series
from .quotients import Quotients
from .remainders import Remainders

_LONGER = 2  # terms that a pole may take which would cancel by itself
_POINTS, _SPREAD = 256, 3.0  # magnitudes are from exp(-3) to exp(3)
_CLOSE, _FEW = 1e-7, 0.05  # relative, and the share of the points that may be further apart


def without_gaps(
    program: Program,
    patterns: Sequence[Rewrite],
    rules: RuleSet,
    fired: dict[str, int],
) -> Program:
    """The program without quotients that algebra and patterns of quotients know to have a value.

    Not where the program divides by the same elsewhere, whatever it is given, unless that is a
    length and some result is rid of it, nor where digits would be lost far from the gap. Poles that
    only cancel, as in 1/(1/a + 1/b), go where the program gets hardly longer. What is in arms comes
    last, so that it hinders nothing else.
    """
    if not any(t.op in ("div", "rcp") for t in toposort([*program.flat, *program.notes])):
        return program
    return closed(program, patterns, rules, distances, fired)


def closed(
    program: Program,
    patterns: Sequence[Rewrite],
    rules: RuleSet,
    find: Callable[[Sequence[Term], Setting], Sequence[tuple[Term, Given]]],
    fired: dict[str, int],
) -> Program:
    """The program without gaps at the distances that are found, where that is worth it."""
    roots, count = [*program.flat, *program.notes], len(program.flat)
    always = Setting(Quotients(patterns), rules, count, Certain(Images(rules)))
    for at in (always, replace(always, inside=True)):
        for distance, given in find(roots, at):
            found = _Gap(distance, given, roots, at)
            after = found.without()
            if after is None:
                continue
            roots = after
            for rule in found.remainders.used:
                name = f"{rule.at} {rule.name}"
                fired[name] = fired.get(name, 0) + 1
    if roots[:count] == program.flat:
        return program
    notes = dict(zip(roots[count:], program.notes.values(), strict=True))
    return program.with_flat(roots[:count], notes=notes)


@lru_cache(maxsize=64)
def _drawn(place: int) -> Any:
    """Numbers for a variable, of which every other one is positive."""
    rng = random.Random(place)
    sizes = [math.exp(rng.uniform(-_SPREAD, _SPREAD)) for _ in range(_POINTS)]
    return np.array([x if k % 2 else rng.choice((x, -x)) for k, x in enumerate(sizes)])


class _Gap:
    """A program, and where one distance is 0."""

    def __init__(
        self,
        distance: Term,
        given: Given,
        roots: Sequence[Term],
        at: Setting,
    ) -> None:
        self.roots, self.at = roots, at
        self.needed = guards(roots)
        self.itself = Factor(distance, WHOLE, None)
        products = [Product.of(d) for d in divisors_of(self.needed, inside=at.inside)]
        factors = [
            factor for product in products if product is not None for factor in product.factors
        ]
        self.remainders = Remainders(distance, given, at.quotients, at.rules, Product(1.0, factors))
        #: Numerators of terms, and the powers of the distance that they are over.
        self.over: dict[Term, tuple[Term, int]] = {}
        self.vanished = False  # some numerator, and not only poles met that cancel
        self.limits = False  # powers of 1 whose exponent is infinite
        self.given, self.series = given, False  # of quotients that nothing else knows

    def without(self) -> list[Term] | None:
        """The roots without the gap; None where there is none, or it has to stay."""
        done: dict[Term, Term] = {}
        made: list[tuple[Term, Term]] = []
        for term in toposort(self.roots):
            here = rebuild(term, tuple([done[a] for a in term.args]))
            done[term] = here
            if here in self.over or not self.at.is_open(self.itself, self.needed[term]):
                continue
            found = self._over(here)
            if found is None:
                continue
            above, power = self._lowest(*found)
            self.vanished |= power < found[1]
            new = self._times(above, -power) if power <= 0 else self._near(here, *found)
            if new is not None and power <= 0:
                made.append((here, new))
                new = beyond_gap(here, new, found[1] - power, self.remainders)
            if new is None:
                self.over[here] = above, power
            else:
                done[term] = new
        if not made and not self.series:
            return None
        after = [done[root] for root in self.roots]
        if not self._is_worth_it(after):
            return None
        was, now = (self._left(some[: self.at.count]) for some in (self.roots, after))
        in_vain = any(now) and not (self.remainders.distance.op in SIZES and gained(was, now, 1))
        return after if not in_vain and all(self._agree(*pair) for pair in made) else None

    def _left(self, roots: Sequence[Term]) -> list[Bits]:
        """Which roots divide by what is 0; limits of powers have guards for what they divide by."""
        if self.limits:
            roots = stand_ins(self.at.rules, roots, self.remainders.distance.type)

        def bits_of(divisor: Term, guard: Guard) -> Bits:
            return int(self.at.is_open(self.itself, guard) and self.remainders.vanishes(divisor))

        return dividing(roots, bits_of)

    def _is_worth_it(self, after: Sequence[Term]) -> bool:
        """Whether a numerator was 0, of a length that of a function; else, if hardly longer."""
        if self.remainders.distance.op == "sqrt" and (self.series or self.remainders.used):
            return True
        hardly = self._size(after) <= self._size(self.roots) + _LONGER
        return hardly or (self.vanished and self.remainders.distance.op != "sqrt")

    def _size(self, roots: Sequence[Term]) -> int:
        return len(toposort(roots[: self.at.count]))

    def _over(self, term: Term) -> tuple[Term, int] | None:
        """A term as a numerator over a power of the distance; None where it is over none."""
        build, over = self.remainders.build, self.over
        if term.op in ("div", "rcp"):
            return self._quotient(term)
        if not any(a in over for a in term.args):
            return None
        parts = [over.get(a, (a, 0)) for a in term.args]
        powers = [power for _, power in parts]
        match term.op:
            case "neg":
                return build("neg", parts[0][0]), powers[0]
            case "mul":
                return build("mul", parts[0][0], parts[1][0]), sum(powers)
            case "add" | "sub":
                most = max(powers)
                args = [self._times(above, most - power) for above, power in parts]
                return build(term.op, *args), most
            case "pow":
                return self._power(*term.args)
        return None

    def _power(self, base: Term, exponent: Term) -> tuple[Term, int] | None:
        """A power that is 1 to an infinite power: (1 + w*r)**(p/w) by w*r and p*r."""
        above, power = self.over.get(exponent, (exponent, 0))
        if power != 1 or base in self.over or not self._is_one(base):
            return None
        rest = self.remainders.rest(base)
        if rest is None:
            return None
        self.limits = self.vanished = True
        step, both = (
            self.remainders.build("mul", rest, t) for t in (self.remainders.distance, above)
        )
        if base.op == "div":
            return Term("power_of_ratio", (base, exponent, both), None, base.type), 0
        return Term("power_of_next", (step, exponent, both), None, base.type), 0

    def _is_one(self, term: Term) -> bool:
        return is_const(self.remainders.start(term) or term, 1.0)

    def _quotient(self, term: Term) -> tuple[Term, int] | None:
        divisor = term.args[-1]
        below, power = self._lowest(*self.over.get(divisor, (divisor, 0)), most=None)
        one = const(1.0, term.type) if term.type.is_real else term
        above, other = (
            (one, 0) if term.op == "rcp" else self.over.get(term.args[0], (term.args[0], 0))
        )
        touched = divisor in self.over or power or other
        return (self.remainders.build("div", above, below), other - power) if touched else None

    def _lowest(self, above: Term, power: int, most: int | None = 0) -> tuple[Term, int]:
        """A numerator that does not vanish, over the power that is left of it, or `most`."""
        if is_const(above, 0.0):
            return above, 0
        while (most is None or power > most) and self.remainders.vanishes(above):
            rest = self.remainders.rest(above)
            if rest is None or rest is above:
                break
            above, power = rest, power - 1
        return above, power

    def _near(self, here: Term, above: Term, power: int) -> Term | None:
        """A quotient that is 0/0 still, by the series of its numerator; None without one."""
        if not self.remainders.vanishes(above):
            return None
        distance, build = self.remainders.distance, self.remainders.build
        new = with_series(here, above, power, distance, self.given, self.at.rules, build)
        self.vanished |= new is not None
        self.series |= new is not None
        return new

    def _times(self, term: Term, power: int) -> Term:
        for _ in range(power):
            term = self.remainders.build("mul", term, self.remainders.distance)
        return term

    def _agree(self, old: Term, new: Term) -> bool:
        """Whether two terms are the same numbers far from the gap: digits were not traded."""
        results = [t for t in toposort([old]) if t.op == PROJ]
        names = {t: var(f"result {k}", t.type) for k, t in enumerate(results)}
        old, new = substitute([old, new], names)
        free = [t for t in toposort([old]) if t.op == VAR]
        if any(t.type is not old.type for t in free):
            return True
        at = {t: _drawn(place) for place, t in enumerate(free)}
        was, now = define(self.at.rules, [old, new], old.type, derived=True)
        found = values(self.at.rules, [was, now], at)
        with np.errstate(all="ignore"):
            off = np.abs(found[now] - found[was]) / np.abs(found[was])
        before, after = (np.broadcast_to(found[t], (_POINTS,)) for t in (was, now))
        gone = (before == 0) & (np.abs(after) <= _CLOSE)  # it has cancelled, and is small
        there = np.isfinite(before) & ~gone
        apart = there & ~(off <= _CLOSE)
        return bool(np.any(there) and np.sum(apart) <= _FEW * np.sum(there))
