"""Roots of squares with weights that may be 0: flat where squares are 0, steep where weights are.

    sqrt(a*x*x + b*y*y)    at x = y = 0: 0 times infinity by the chain rule; at a = b = 0 infinite
    sqrt(a*x*x + 2*b*x*y + c*y*y)    also with products of what is squared
    sqrt(2*a*b*(1 - cos(t)))    at t = 0: 1 - cos(t) is a square

What has no weight, or one that is never 0, is in `squares`. Takes a program, gives one with such
roots as `weighted_norm(q, s)`, where s is 0 where all squares are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const_value, toposort
from ...factors.common import SUMS, built, summands
from ...factors.factored import WHOLE, Factor, Product
from ...guards import guards
from .squares import divisors

_DEPTH = 3  # of sums in products in sums
_SQUARE = 2 * WHOLE


def of_weighted_squares(program: Program, rules: RuleSet) -> Program:
    """The program with slopes of 0 where all squares under a root are 0.

    Not where the program divides by the same whatever it is given: there is no number in any case.
    """
    roots = [*program.flat, *program.notes]
    order = toposort(roots)
    if not any(term.op == "sqrt" for term in order):
        return program
    needed = guards(roots)
    poles = divisors(order, needed)

    def step(term: Term, here: Term) -> Term | None:
        is_root = term.op == "sqrt" and poles.isdisjoint((term, *term.args))
        size = _size(here.args[0], rules, _DEPTH) if is_root else None
        if size is None or size is here.args[0]:
            return None
        return built(rules, "weighted_norm", here.args[0], size)

    return program.rewritten(step)


def _size(term: Term, rules: RuleSet, depth: int) -> Term | None:
    """What is 0 where all squares in a sum of products with squares are; None of anything else.

    Products of two of what is squared may stand beside them, 2*b*x*y beside x*x and y*y.
    """
    added = summands(term)
    products = [Product.of(part) for _, part in added]
    sizes = [_of_product(product, rules, depth) for product in products]
    squares = [factor for product in products for factor in _squared(product)]
    for (sign, _), product, size in zip(added, products, sizes, strict=True):
        if product is None or (size is None and _met(product, squares) < 2 * WHOLE):
            return None
        if size is not None and sign < 0:
            return None
    found = [size for size in sizes if size is not None]
    return reduce(lambda a, b: built(rules, "add", a, b), found) if found else None


def _squared(product: Product | None) -> list[Factor]:
    """The factors that a product has an even number of times."""
    factors = product.factors if product is not None else []
    return [f for f in factors if f.power >= _SQUARE and f.power % _SQUARE == 0]


def _met(product: Product, squares: Sequence[Factor]) -> int:
    """How often there is anything among the factors that is squared elsewhere."""
    terms = {factor.term for factor in squares}
    return sum(f.power for f in product.factors if f.power > 0 and f.term in terms)


def _of_product(product: Product | None, rules: RuleSet, depth: int) -> Term | None:
    """The squares among the factors of a product."""
    found = [built(rules, "mul", factor.term, factor.term) for factor in _squared(product)]
    for factor in product.factors if product is not None else ():
        if factor.power == WHOLE and (factor.term.op == "versin" or _is_versine(factor.term)):
            found.append(factor.term)
        elif factor.power == WHOLE and factor.term.op in SUMS and depth:
            inner = _size(factor.term, rules, depth - 1)
            found += [inner] if inner is not None else []
    return reduce(lambda a, b: built(rules, "mul", a, b), found) if found else None


def _is_versine(term: Term) -> bool:
    """Whether a term is 1 - cos(x)."""
    if term.op != "sub" or term.args[1].op != "cos":
        return False
    return term.args[0].op == CONST and const_value(term.args[0]) == 1
