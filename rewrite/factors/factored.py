"""Products taken apart: a number times powers of terms, of which sums are known up to a number.

    -(v + 40) / (10 * k)    is    -0.1 * (v + 40)^1 * k^-1,    and so is (0.4 + 0.01 * v) / -0.1 / k
    q * sqrt(q)             is    q^(3/2)

Powers are counted in halves. Takes terms, gives their factors and terms again; knows nothing of
what they are for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...terms.apply import apply
from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, const, const_value
from ...terms.types import Scalar
from ...terms.value import scalar
from ..fold import has

SIZES = ("hypot", "abs", "sqrt")
WHOLE = 2  # halves
_SUMMANDS, FACTORS = 16, 24  # longer ones are taken for one term
#: By how much quotients of coefficients that should be equal may differ, relative.
ALIKE = 1e-12

Linear = Mapping[Term | None, float]  # of terms and, as None, of 1


@dataclass
class Factor:
    """A power of a term."""

    term: Term
    power: int  # in halves
    linear: Linear | None  # of a sum

    @property
    def is_size(self) -> bool:
        """Whether it is never below 0: a power of a length, or an odd one of a root."""
        return self.term.op in SIZES or self.power % WHOLE != 0


@dataclass
class Product:
    """A number times powers of terms that are no multiples of one another."""

    number: float = 1.0
    factors: list[Factor] = field(default_factory=list)
    below: list[Factor] = field(default_factory=list)  # what divides, also where that cancels

    @staticmethod
    def of(term: Term) -> Product | None:
        """The factors of a term; None of too many, or of 0."""
        found, stack = Product(), [(term, WHOLE)]
        while stack:
            here, power = stack.pop()
            if here.op in ("mul", "div"):
                stack += [
                    (here.args[0], power),
                    (here.args[1], power if here.op == "mul" else -power),
                ]
            elif here.op in ("neg", "rcp"):
                found.number *= -1 if here.op == "neg" else 1
                stack.append((here.args[0], power if here.op == "neg" else -power))
            elif here.op == CONST:
                number = float(const_value(here))
                if not number or not math.isfinite(number):
                    return None
                found.number *= number ** (power // WHOLE)
            elif here.op == "sqrt" and power % WHOLE == 0:
                found.put(here.args[0], power // WHOLE)
            else:
                found.put(here, power)
            if len(found.factors) + len(stack) > FACTORS:
                return None
        return found if found.number and has(term.type, found.number) else None

    def power_of(self, factor: Factor) -> int:
        """How often a term is among the factors, or a multiple of it."""
        return next((f.power for f in self.factors if _ratio(factor, f) is not None), 0)

    def divides_by(self, factor: Factor) -> bool:
        """Whether a term stands below the line, or a multiple of it, even if it cancels."""
        return any(_ratio(factor, f) is not None for f in self.below)

    def put(self, term: Term, power: int) -> None:
        """Multiply by a power of a term that is no product."""
        new = Factor(term, power, _linear(term))
        if power < 0:
            self.below.append(new)
        for factor in self.factors:
            ratio = _ratio(new, factor)
            if ratio == 1 or (ratio is not None and power % WHOLE == 0):
                factor.power += power
                self.number *= ratio ** (power // WHOLE)
                return
        self.factors.append(new)

    def times(self, other: Product, power: int = 1) -> Product:
        """This times a power of another one."""
        factors = [Factor(f.term, f.power, f.linear) for f in self.factors]
        found = Product(self.number * other.number**power, factors)
        for factor in other.factors:
            found.put(factor.term, power * factor.power)
        return found

    def varies(self) -> bool:
        """Whether there is anything but a number."""
        return any(factor.power for factor in self.factors)

    def whole(self, rules: RuleSet, real: Scalar) -> Term:
        """This as a term."""
        first = next((f for f in self.factors if f.power > 0), None)
        if first is None:
            return self.build(rules, const(1.0, real), real)
        power = min(first.power, WHOLE)
        (term,) = _repeated(rules, [Factor(first.term, power, first.linear)], 1, real)
        left = [
            Factor(f.term, f.power - power if f is first else f.power, f.linear)
            for f in self.factors
        ]
        return Product(self.number, left).build(rules, term, real)

    def build(self, rules: RuleSet, first: Term, real: Scalar) -> Term:
        """A term times this."""

        def together(op: str, a: Term, b: Term) -> Term:
            return apply(rules, op, [scalar(a), scalar(b)], real).term

        above = [first, *_repeated(rules, self.factors, 1, real)]
        below = _repeated(rules, self.factors, -1, real)
        if abs(self.number) != 1:
            above.insert(0, const(abs(self.number), first.type))
        found, *others = above
        for factor in others:
            found = together("mul", found, factor)
        if below:
            divisor, *others = below
            for factor in others:
                divisor = together("mul", divisor, factor)
            found = together("div", found, divisor)
        return apply(rules, "neg", [scalar(found)], real).term if self.number < 0 else found


def without_factors(term: Term) -> Term:
    """A term, or the number that it is if it is a product whose factors cancel."""
    whole = Product.of(term) if term.op in ("mul", "div") else None
    return term if whole is None or whole.varies() else const(whole.number, term.type)


def _repeated(rules: RuleSet, factors: Sequence[Factor], sign: int, real: Scalar) -> list[Term]:
    """The factors above the line, or below it, as often as they occur."""
    found: list[Term] = []
    for factor in factors:
        whole, half = divmod(max(sign * factor.power, 0), WHOLE)
        found += [factor.term] * whole
        if half:
            found.append(apply(rules, "sqrt", [scalar(factor.term)], real).term)
    return found


def _ratio(one: Factor, other: Factor) -> float | None:
    """The number by which one term is another; None if there is none."""
    if one.term is other.term:
        return 1.0
    if one.linear is None or other.linear is None or one.linear.keys() != other.linear.keys():
        return None
    ratios = [its / other.linear[key] for key, its in one.linear.items()]
    alike = all(abs(r - ratios[0]) <= ALIKE * abs(r) for r in ratios)
    return ratios[0] if alike else None


def _linear(term: Term) -> Linear | None:
    """A sum as multiples of terms; None for anything else."""
    if term.op not in ("add", "sub"):
        return None
    found: dict[Term | None, float] = {}
    stack: list[tuple[Term, float]] = [(term, 1.0)]
    while stack:
        here, times = stack.pop()
        match here.op:
            case "add" | "sub":
                stack += [
                    (here.args[0], times),
                    (here.args[1], times if here.op == "add" else -times),
                ]
            case "neg":
                stack.append((here.args[0], -times))
            case "mul" if any(a.op == CONST for a in here.args):
                number, other = sorted(here.args, key=lambda a: a.op != CONST)
                stack.append((other, times * float(const_value(number))))
            case "div" if here.args[1].op == CONST and const_value(here.args[1]):
                stack.append((here.args[0], times / float(const_value(here.args[1]))))
            case _:
                key = None if here.op == CONST else here
                own = float(const_value(here)) if key is None else 1.0
                found[key] = found.get(key, 0.0) + times * own
        if len(found) + len(stack) > _SUMMANDS:
            return None
    return None if not all(found.values()) else found
