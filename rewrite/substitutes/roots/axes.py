"""Angles from an axis, by what is across it: the cosine of a small angle has half of its digits.

    acos(w / sqrt(w*w + x*x + y*y + z*z))    is    atan2(sqrt(x*x + y*y + z*z), w)
    asin(z / sqrt(x*x + y*y + z*z))          is    atan2(z, sqrt(x*x + y*y))
    atanh(z / sqrt(x*x + y*y + z*z))         is    asinh(z / sqrt(x*x + y*y))

Lengths of two sides are `hypot`, of which rule files know the same. Who takes the sine or cosine of
the angle is better off with that of its cosine. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, toposort
from ....terms.value import scalar
from ...factors.common import Summand, summands, total
from ...factors.factored import ALIKE, WHOLE, Factor, Product

_ANGLES = ("acos", "asin", "atanh")
_BY_COSINE = ({"cos"}, {"sin", "sin of"}, {"sin", "cos", "sin of"})
_LEAST = 3  # squares


def by_sides(program: Program, rules: RuleSet) -> Program:
    """The program with angles whose cosine is a side over a length by both sides."""
    roots = [*program.flat, *program.notes]
    if not any(term.op in _ANGLES for term in toposort(roots)):
        return program
    undone = _undone(toposort(roots))

    def step(term: Term, here: Term) -> Term | None:
        return _angle(here, rules) if here.op in _ANGLES and term not in undone else None

    return program.rewritten(step)


def _undone(terms: Sequence[Term]) -> set[Term]:
    """The angles of which only functions of their cosine are used: cos(3*t), sin(a*t)/sin(t)."""
    uses: dict[Term, set[str]] = {term: set() for term in terms if term.op == "acos"}
    for term in terms:
        for arg in term.args:
            is_multiple = arg.op == "mul" and term.op in ("sin", "cos")
            for angle in arg.args if is_multiple else (arg,):
                kind = term.op if not is_multiple or arg.args[0].op == CONST else f"{term.op} of"
                if angle in uses and term.op != "mul":
                    uses[angle].add(kind)
    return {angle for angle, kinds in uses.items() if kinds in _BY_COSINE}


def _angle(term: Term, rules: RuleSet) -> Term | None:
    """The angle of a side over the root of its square and others."""
    product = Product.of(term.args[0])
    below = [f for f in product.factors if f.power < 0] if product is not None else []
    if product is None or len(below) != 1 or below[0].power != -WHOLE // 2:
        return None
    side = product.times(Product(1.0, [Factor(below[0].term, WHOLE // 2, below[0].linear)]))
    others = _across(below[0].term, side)
    if not others:
        return None

    def build(op: str, *args: Term) -> Term:
        return apply(rules, op, [scalar(a) for a in args], term.type).term

    along = side.whole(rules, term.type)
    across = build("sqrt", total(others, rules, term.type))
    match term.op:
        case "acos":
            return build("atan2", across, along)
        case "asin":
            return build("atan2", along, across)
    return build("asinh", build("div", along, across))


def _across(square: Term, side: Product) -> list[Summand]:
    """The squares in a sum beside that of a side; none where it is no such sum."""
    added = summands(square)
    products = [Product.of(part) for _, part in added]
    is_ramp = any(part.op == CONST for _, part in added)
    if len(added) < (2 if is_ramp else _LEAST) or any(sign < 0 for sign, _ in added):
        return []
    if not all(p is not None and p.number > 0 and _is_square(p) for p in products):
        return []
    own = _sizes(side.times(side))
    left = [a for a, p in zip(added, products, strict=True) if p and not _is_one(own, _sizes(p))]
    return left if len(left) == len(added) - 1 else []


def _is_square(product: Product) -> bool:
    return all(f.power % (2 * WHOLE) == 0 for f in product.factors)


def _sizes(product: Product) -> Product:
    """A square, of which a factor may be the square of a magnitude."""
    found = Product(product.number)
    for factor in product.factors:
        found.put(factor.term.args[0] if factor.term.op == "abs" else factor.term, factor.power)
    return found


def _is_one(one: Product, other: Product) -> bool:
    """Whether the quotient of both is 1."""
    quotient = one.times(other, -1)
    return not quotient.varies() and abs(quotient.number - 1) < ALIKE
