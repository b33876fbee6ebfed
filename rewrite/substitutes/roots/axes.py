"""Angles from an axis, by what is across it: the cosine of a small angle has half of its digits.

    acos(w / sqrt(w*w + x*x + y*y + z*z))    is    atan2(sqrt(x*x + y*y + z*z), w)
    asin(z / sqrt(x*x + y*y + z*z))          is    atan2(z, sqrt(x*x + y*y))
    atanh(z / sqrt(x*x + y*y + z*z))         is    asinh(z / sqrt(x*x + y*y))

Lengths of two sides are `hypot`, of which rule files know the same, if none of the two is a length.
Who takes the sine or cosine of the angle is better off with that of its cosine. Takes a program,
gives one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, toposort
from ....terms.value import scalar
from ...factors.common import Summand, sides_of, summands, total
from ...factors.factored import ALIKE, WHOLE, Factor, Product

_ANGLES = ("acos", "asin", "atanh")
_BY_COSINE = ({"cos"}, {"sin", "sin of"}, {"sin", "cos", "sin of"})
_LEAST = 3  # squares
_LENGTHS = ("sqrt", "hypot")


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
    if product is None or len(below) != 1:
        return None
    (length,) = below
    side = product.times(Product(1.0, [Factor(length.term, -length.power, length.linear)]))

    def build(op: str, *args: Term) -> Term:
        return apply(rules, op, [scalar(a) for a in args], term.type).term

    other = _beside_length(length, side)
    if other is not None and other.op not in _LENGTHS:
        other = build("abs", other)
    elif other is None:
        is_root = length.power == -WHOLE // 2
        others = across(length.term, side.times(side)) if is_root else []
        if not others:
            return None
        other = build("sqrt", total(others, rules, term.type))
    along = side.whole(rules, term.type)
    match term.op:
        case "acos":
            return build("atan2", other, along)
        case "asin":
            return build("atan2", along, other)
    return build("asinh", build("div", along, other))


def _beside_length(length: Factor, side: Product) -> Term | None:
    """The other one of two sides, if one is a length itself, by which programs divide, too."""
    if length.term.op == "hypot" and length.power == -WHOLE:
        sides = list(length.term.args)
    elif length.power == -WHOLE // 2:
        sides = sides_of(length.term)
    else:
        return None
    own = _sizes(side.times(side))
    for one, other in (sides, sides[::-1]) if len(sides) == 2 else ():
        product = Product.of(one)
        is_length = one.op in _LENGTHS or other.op in _LENGTHS
        if product and is_length and _is_one(own, _sizes(product.times(product))):
            return other
    return None


def across(square: Term, side: Product) -> list[Summand]:
    """The squares in a sum beside that of a side; none where it is no such sum."""
    added = summands(square)
    products = [Product.of(part) for _, part in added]
    is_ramp = any(part.op == CONST for _, part in added)
    if len(added) < (2 if is_ramp else _LEAST) or any(sign < 0 for sign, _ in added):
        return []
    if not all(p is not None and is_square(p) for p in products):
        return []
    own = _sizes(side)
    left = [a for a, p in zip(added, products, strict=True) if p and not _is_one(own, _sizes(p))]
    return left if len(left) == len(added) - 1 else []


def is_square(product: Product) -> bool:
    """Whether a product is the square of a real, as it is written."""
    return product.number > 0 and all(f.power % (2 * WHOLE) == 0 for f in product.factors)


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
