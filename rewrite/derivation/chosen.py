"""Quotients of what is chosen, by what one arm is 0 with and the other is not.

    f = 2*u/e - u*u/(e*e) if u < e else 1;   f*x/u    is    (...)*x/u if u < e else x/u

So is friction that is smooth where nothing moves. As it stands no numerator is 0 with u, but that
of the first arm, whose guard leaves u = 0, is. Takes a program and patterns, gives a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...terms.apply import apply
from ...terms.program import Program
from ...terms.rule import Rewrite, RuleSet
from ...terms.term import CONST, SELECT, Term, const, toposort
from ...terms.types import Scalar
from ...terms.value import scalar
from ..guarded.decided import Certain
from ..guarded.images import Images
from ..guards import Guard
from .common import SUMS, in_common, summands
from .factored import WHOLE, Factor, Product
from .quotients import Quotients
from .ratios import are_away
from .remainders import Plain, Remainders


def by_arms(program: Program, patterns: Sequence[Rewrite], rules: RuleSet) -> Program:
    """The program with quotients of such choices as choices of quotients."""
    order = toposort([*program.flat, *program.notes])
    if not {SELECT, "div"}.issubset({term.op for term in order}):
        return program
    quotients, certain, plain = Quotients(patterns), Certain(Images(rules)), Plain()

    def vanishes(arm: Term, divisor: Factor, guard: Guard) -> bool:
        """Whether an arm is 0 where a divisor is, and its guard leaves that."""
        if arm.op == CONST or are_away(certain.numbers(divisor.term, guard), divisor):
            return False
        zero, one = const(0.0, arm.type), const(1.0, arm.type)
        given = {divisor.term: (zero, one)}
        return Remainders(divisor.term, given, quotients, rules, Product(), plain).vanishes(arm)

    def step(_: Term, here: Term) -> Term | None:
        product = Product.of(here) if here.op in ("mul", "div") else None
        factors = product.factors if product is not None else []
        chosen = next((f for f in factors if f.term.op == SELECT and f.power == WHOLE), None)
        below = [replace(f, power=-f.power) for f in factors if f.power < 0]
        if product is None or chosen is None or not below or not isinstance(here.type, Scalar):
            return None
        condition, *arms = chosen.term.args
        sides = [Guard(_ALWAYS, condition, holds) for holds in (True, False)]
        pairs = list(zip(arms, sides, strict=True))
        if not any(sum(vanishes(arm, f, side) for arm, side in pairs) == 1 for f in below):
            return None
        rest = product.times(Product(1.0, [replace(chosen, power=WHOLE)]), -1)
        made = [_over(arm, rest, rules, here.type) for arm in arms]
        return apply(rules, SELECT, [scalar(t) for t in (condition, *made)], here.type).term

    return program.rewritten(step)


def _over(arm: Term, rest: Product, rules: RuleSet, real: Scalar) -> Term:
    """An arm times a product, without what cancels."""
    whole = in_common(summands(arm), rules, real) if arm.op in SUMS else Product.of(arm)
    return rest.build(rules, arm, real) if whole is None else whole.times(rest).whole(rules, real)


_ALWAYS = Guard(None, None, True)
