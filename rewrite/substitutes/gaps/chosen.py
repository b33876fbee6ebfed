"""Quotients of what is chosen, by what one arm is 0 with and the other is not.

    f = 2*u/e - u*u/(e*e) if u < e else 1;   f*x/u    is    (...)*x/u if u < e else x/u

    min(u/e, 1)*x/u, for a length u,        is    min((u/e)/u, 1/u)*x,
    max(u - 1, 0)*x/u                       is    max((u - 1)/u, 0)*x

So is friction that is smooth where nothing moves. As it stands no numerator is 0 with u, but that
of the first arm, whose guard leaves u = 0, is. Takes a program and patterns, gives a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import CONST, SELECT, Term, const, const_value, is_const, toposort
from ....terms.types import Scalar
from ....terms.value import scalar
from ...factors.common import SUMS, in_common, summands
from ...factors.factored import WHOLE, Factor, Product
from ...factors.ratios import are_away
from ...guarded.decided import Certain
from ...guarded.images import Images
from ...guards import Guard
from .quotients import Quotients
from .remainders import Plain, Remainders

_ALWAYS = Guard(None, None, True)
_LIMITS = ("min", "max")
_CHOICES = (SELECT, "clamp", *_LIMITS)
_MOST = 64  # so many arms are looked into, each with one divisor


def by_arms(program: Program, patterns: Sequence[Rewrite], rules: RuleSet) -> Program:
    """The program with quotients of such choices as choices of quotients."""
    order = toposort([*program.flat, *program.notes])
    ops = {term.op for term in order}
    if "div" not in ops or ops.isdisjoint(_CHOICES):
        return program
    quotients, certain, plain = Quotients(patterns), Certain(Images(rules)), Plain()
    known: dict[tuple[Term, Term], bool] = {}

    def is_zero_with(arm: Term, divisor: Term) -> bool:
        """Whether an arm is 0 where a divisor is; of so many pairs."""
        if (arm, divisor) not in known and len(known) < _MOST:
            given = {divisor: (const(0.0, arm.type), const(1.0, arm.type))}
            here = Remainders(divisor, given, quotients, rules, Product(), plain)
            known[arm, divisor] = here.vanishes(arm)
        return known.get((arm, divisor), False)

    def vanishes(arm: Term, divisor: Factor, guard: Guard) -> bool:
        """Whether an arm is 0 where a divisor is, and its guard leaves that."""
        if not (is_const(arm, 0.0) or (arm.op != CONST and is_zero_with(arm, divisor.term))):
            return False
        return not are_away(certain.numbers(divisor.term, guard), divisor)

    def limit(
        product: Product, chosen: Factor, sizes: Sequence[Factor], real: Scalar
    ) -> Term | None:
        """The smaller, or the larger, of two numbers over a size, of which one is 0 with it."""
        op, arms = _limit(chosen.term)
        inside = {*toposort(arms)}
        for size in (each for each in sizes if each.term in inside):
            if sum(vanishes(arm, size, _ALWAYS) for arm in arms) == 1:
                over = Product(1.0, [replace(size, power=-size.power)])
                made = [scalar(_over(arm, over, rules, real)) for arm in arms]
                rest = product.times(Product(1.0, [chosen]), -1).times(Product(1.0, [size]))
                return rest.build(rules, apply(rules, op, made, real).term, real)
        return None

    def step(_: Term, here: Term) -> Term | None:
        product = Product.of(here) if here.op in ("mul", "div") else None
        factors = product.factors if product is not None else []
        chosen = next((f for f in factors if f.term.op in _CHOICES and f.power == WHOLE), None)
        below = [replace(f, power=-f.power) for f in factors if f.power < 0]
        if product is None or chosen is None or not below or not isinstance(here.type, Scalar):
            return None
        if chosen.term.op != SELECT:
            return limit(product, chosen, [f for f in below if f.is_size], here.type)
        condition, *arms = chosen.term.args
        sides = [Guard(_ALWAYS, condition, holds) for holds in (True, False)]
        pairs = list(zip(arms, sides, strict=True))
        if not any(sum(vanishes(arm, f, side) for arm, side in pairs) == 1 for f in below):
            return None
        rest = product.times(Product(1.0, [replace(chosen, power=WHOLE)]), -1)
        made = [_over(arm, rest, rules, here.type) for arm in arms]
        return apply(rules, SELECT, [scalar(t) for t in (condition, *made)], here.type).term

    return program.rewritten(step)


def _limit(term: Term) -> tuple[str, Sequence[Term]]:
    """A minimum or maximum, and what it is of; a size between limits is at most the upper one."""
    if term.op in _LIMITS:
        return term.op, term.args
    value, low, high = term.args
    product = Product.of(value)
    sizes = product is not None and product.number > 0 and all(f.is_size for f in product.factors)
    at_most = sizes and low.op == CONST and const_value(low) <= 0
    return "min", (value, high) if at_most else ()


def _over(arm: Term, rest: Product, rules: RuleSet, real: Scalar) -> Term:
    """An arm times a product, without what cancels."""
    if is_const(arm, 0.0):
        return arm
    whole = in_common(summands(arm), rules, real) if arm.op in SUMS else Product.of(arm)
    return rest.build(rules, arm, real) if whole is None else whole.times(rest).whole(rules, real)
