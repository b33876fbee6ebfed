"""Angles and areas over the root of what they are 0 with.

    acos(c) / sqrt(1 - c)           is    sqrt(2) * A((1 - c)/2)
    acosh(1 + x)**2 / x             is    2 * B(x/2)**2

A and B are asin(sqrt(x))/sqrt(x) and asinh(sqrt(x))/sqrt(x), smooth where x is 0. Digits of x that
1 + x has lost are there again. Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, const_value, toposort
from ...factors.common import built
from ...factors.factored import WHOLE, Factor, Product
from ...factors.ratios import stays_away
from ...guarded.images import Images

#: The functions, and the sign of what c is more than 1 where they are numbers.
_SMOOTH = {"acos": ("cardinal_asin_of_root", -1), "acosh": ("cardinal_asinh_of_root", 1)}


def by_areas(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients by functions that have a value where both sides are 0."""
    if not any(t.op in _SMOOTH for t in toposort([*program.flat, *program.notes])):
        return program
    images = Images(rules)
    return program.rewritten(lambda _, here: _smooth(here, images, rules))


def _smooth(term: Term, images: Images, rules: RuleSet) -> Term | None:
    """A quotient of an angle and roots of what it is 0 with; None of anything else."""
    product = Product.of(term) if term.op == "div" else None
    for angle in product.factors if product is not None else ():
        if product is None or angle.term.op not in _SMOOTH or angle.power < WHOLE:
            continue
        distance = _distance(angle.term, rules)
        for factor in product.factors:
            times = _times(factor.term, distance) if factor.power < 0 else None
            if times is None or stays_away(images, factor):
                continue
            if -factor.power * WHOLE <= angle.power:
                return _over(term, product, angle, factor, times, rules)
    return None


def _distance(angle: Term, rules: RuleSet) -> Term:
    """1 - c of acos(c), c - 1 of acosh(c); of c = 1 + x as they are without rounding."""
    (c,), (_, sign) = angle.args, _SMOOTH[angle.op]
    if c.op == ("add" if sign > 0 else "sub") and _is_one(c.args[0]):
        return c.args[1]
    if c.op == "add" and sign > 0 and _is_one(c.args[1]):
        return c.args[0]
    one = const(1.0, angle.type)
    return built(rules, "sub", c, one) if sign > 0 else built(rules, "sub", one, c)


def _is_one(term: Term) -> bool:
    return term.op == CONST and float(const_value(term)) == 1


def _times(term: Term, distance: Term) -> float | None:
    """By which positive number a term is a multiple of a distance."""
    own, other = Product.of(term), Product.of(distance)
    if own is None or other is None:
        return None
    quotient = own.times(other, -1)
    return quotient.number if quotient.number > 0 and not quotient.varies() else None


def _over(
    term: Term, product: Product, angle: Factor, below: Factor, times: float, rules: RuleSet
) -> Term:
    """acos(c)**n/sqrt(k*w)**n is sqrt(2/k)**n * A(w/2)**n; `below` is k*w."""
    halves = -below.power
    rest = product.times(Product(1.0, [Factor(angle.term, halves * WHOLE, angle.linear)]), -1)
    rest = rest.times(Product(1.0, [Factor(below.term, halves, below.linear)]))
    rest.number *= (2 / times) ** (halves / 2)
    half = built(rules, "mul", const(0.5, term.type), _distance(angle.term, rules))
    smooth = built(rules, _SMOOTH[angle.term.op][0], half)
    rest.put(smooth, halves * WHOLE)
    return rest.whole(rules, term.type)
