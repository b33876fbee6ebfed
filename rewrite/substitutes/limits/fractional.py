"""Broken powers of lengths, together with all other powers of the same length beside them.

    l**1.5 * x/l     is    (x*x + y*y)**0.25 * x    for l = sqrt(x*x + y*y), or hypot(x, y)
    l**1.5           is    (x*x + y*y)**0.75

The slopes of powers of a sum of squares are numbers at rest, as rule files say; by the chain rule
those of a power of a length are 0 times what is none. Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, const_value
from ...factors.common import built, sides_of, square_of
from ...factors.factored import WHOLE, Factor, Product

_PRODUCTS = ("mul", "div", "sqrt", "pow")


def of_powers_of_lengths(program: Program, rules: RuleSet) -> Program:
    """The program with broken powers of lengths as powers of sums of squares."""
    return program.rewritten(
        lambda _, here: _by_squares(here, rules) if here.op in _PRODUCTS else None
    )


def _by_squares(term: Term, rules: RuleSet) -> Term | None:
    """A product with one broken power of a length that is above the line, and none else of it."""
    product = Product.of(term)
    if product is None:
        return None
    powers: dict[Term, list[tuple[Factor, float]]] = {}
    for factor in product.factors:
        square, power = _length(factor)
        if square is not None:
            powers.setdefault(square, []).append((factor, power))
    for square, found in powers.items():
        whole = sum((power for _, power in found), 0.0)
        first = found[0][0].term
        is_so = len(found) == 1 and first.op == "pow" and first.args[0] is square
        if whole <= 0 or is_so or all(power.is_integer() for _, power in found):
            continue
        rest = product.times(Product(1.0, [factor for factor, _ in found]), -1)
        if whole.is_integer():
            rest.put(square, int(whole))
            return rest.whole(rules, term.type)
        half = const(whole / 2, term.type)
        return rest.build(rules, built(rules, "pow", square, half), term.type)
    return None


def _length(factor: Factor) -> tuple[Term | None, float]:
    """The square of the length that a factor is a power of, and the power; None of any other."""
    term, power = factor.term, factor.power / WHOLE
    if term.op == "pow" and term.args[1].op == CONST:
        base = Product.of(term.args[0])
        if base is None or base.number != 1 or len(base.factors) != 1:
            return None, 0.0
        (inner,) = base.factors
        term, power = inner.term, power * const_value(term.args[1]) * inner.power / WHOLE
    if term.op == "sqrt":
        term, power = term.args[0], power / 2
    if term.op == "hypot":
        return square_of(term), power
    return (term, 2 * power) if len(sides_of(term)) > 1 else (None, 0.0)
