"""Roots of squares of a unit vector's components, by its components before they were divided.

    sqrt((x/n)**2 + (y/n)**2)        is    sqrt(x*x + y*y) / n    for a length n
    sqrt(1 - (w/n)**2)               is the same for n*n = w*w + x*x + y*y

As written the latter has half of the digits near the axis, and none on it. Takes a program, gives
one; whoever takes the cosine or the sine of an angle has the same root (axes.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term
from ....terms.value import scalar
from ...factors.common import Summand, in_common, summands, total
from ...factors.factored import ALIKE, WHOLE, Factor, Product
from .axes import across, is_square


def by_components(program: Program, rules: RuleSet) -> Program:
    """The program with roots of squares over the square of a length by that length.

    So are their squares, which are there beside them: sqrt(s) * (x/sqrt(s)) * s.
    """
    squares: dict[Term, Term] = {}

    def step(_: Term, here: Term) -> Term | None:
        found = _over_length(here, rules) if here.op == "sqrt" else None
        if found is None:
            return None
        inner, below = found
        squares[here.args[0]] = Product(1.0, below).build(rules, inner, here.type)
        above = apply(rules, "sqrt", [scalar(inner)], here.type).term
        root = [Factor(f.term, f.power // 2, f.linear) for f in below]
        return Product(1.0, root).build(rules, above, here.type)

    roots = program.rewritten(step)
    return roots.rewritten(lambda _, here: squares.get(here)) if squares else roots


def _over_length(root: Term, rules: RuleSet) -> tuple[Term, list[Factor]] | None:
    """What is under a root over the square of a length, and that."""
    added = summands(root.args[0])
    return _less_than_1(added, rules, root) or _divided(added, rules, root)


def _divided(
    added: Sequence[Summand], rules: RuleSet, root: Term
) -> tuple[Term, list[Factor]] | None:
    """What is divided by squares of lengths in all summands, and these."""
    shared = in_common(added, rules, root.type)
    below = [f for f in shared.factors if _is_of_length(f)] if shared is not None else []
    if shared is None or not below:
        return None
    left = [f for f in shared.factors if f not in below]
    return Product(shared.number, left).whole(rules, root.type), below


def _less_than_1(
    added: Sequence[Summand], rules: RuleSet, root: Term
) -> tuple[Term, list[Factor]] | None:
    """The squares beside that of a side, and the square of the length, of 1 less their quotient."""
    parts = [(sign, Product.of(term)) for sign, term in added]
    ones = [p for sign, p in parts if sign > 0 and p and not p.varies()]
    sides = [p for sign, p in parts if sign < 0 and p]
    if len(parts) != 2 or len(ones) != 1 or len(sides) != 1 or abs(ones[0].number - 1) > ALIKE:
        return None
    (side,) = sides
    below = [f for f in side.factors if _is_of_length(f)]
    if len(below) != 1:
        return None
    (length,) = below
    square = side.times(Product(1.0, [Factor(length.term, WHOLE, length.linear)]))
    others = across(length.term, square)
    return (total(others, rules, root.type), below) if others else None


def _is_of_length(factor: Factor) -> bool:
    """Whether it is one over the square of a length: of a sum of two squares, or more."""
    products = [(sign, Product.of(term)) for sign, term in summands(factor.term)]
    return (
        factor.power == -WHOLE
        and len(products) > 1
        and all(sign > 0 and p is not None and is_square(p) for sign, p in products)
    )
