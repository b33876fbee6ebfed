"""Sums taken apart: what all summands have as a factor, times what is left.

    r * sin(a + t) - r * sin(a), r = v/w    is    v/w * (sin(a + t) - sin(a))
    f + k * f*f*f                           is    f * (1 + k * f*f)

Takes terms, gives products; knows nothing of what they are for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ...terms.apply import apply
from ...terms.rule import RuleSet
from ...terms.term import CONST, Term, const, const_value, is_const
from ...terms.types import Scalar
from ...terms.value import scalar
from ..fold import evaluate
from .factored import WHOLE, Factor, Product, without_factors

SUMS = ("add", "sub")
ALGEBRA = frozenset({"add", "sub", "mul", "div", "neg", "rcp"})
_SUMMANDS = 8
ROUNDING = 2.0**-48  # relative: what is left of constants that cancel

Summand = tuple[int, Term]  # its sign


def summands(term: Term) -> list[Summand]:
    """What a sum adds up, in order; nothing of too many."""
    found: list[Summand] = []
    stack: list[Summand] = [(1, term)]
    while stack:
        sign, here = stack.pop()
        match here.op:
            case "add" | "sub":
                stack.append((sign if here.op == "add" else -sign, here.args[1]))
                stack.append((sign, here.args[0]))
            case "neg":
                stack.append((-sign, here.args[0]))
            case _:
                found.append((sign, here))
        if len(found) + len(stack) > _SUMMANDS:
            return []
    return found


def sides_of(square: Term) -> list[Term]:
    """What a sum is the squares of, as `x*x`; nothing if it is a sum of others, too."""
    added = summands(square)
    squares = [t for sign, t in added if sign > 0 and t.op == "mul" and t.args[0] is t.args[1]]
    return [t.args[0] for t in squares] if len(squares) == len(added) else []


def square_of(length: Term) -> Term:
    """What the length of two sides is the root of."""
    x, y = (Term("mul", (side, side), None, length.type) for side in length.args)
    return Term("add", (x, y), None, length.type)


def built(rules: RuleSet, op: str, *args: Term) -> Term:
    """An operator at numbers of one real type."""
    return apply(rules, op, [scalar(a) for a in args], args[0].type).term


def shortly(rules: RuleSet, op: str, *args: Term) -> Term:
    """An operator on numbers of one real type, without what 0 and 1 do nothing for."""
    match op, args:
        case "add", (a, b) if is_const(a, 0.0) or is_const(b, 0.0):
            return b if is_const(a, 0.0) else a
        case "sub", (a, b) if is_const(b, 0.0):
            return a
        case "sub", (a, b) if is_const(a, 0.0):
            return shortly(rules, "neg", b)
        case "mul", (a, b) if is_const(a, 0.0) or is_const(b, 1.0):
            return a
        case "mul", (a, b) if is_const(a, 1.0) or is_const(b, 0.0):
            return b
        case "div", (a, b) if is_const(a, 0.0) or is_const(b, 1.0):
            return a
        case "div", (a, Term(op="div", args=(b, c))):
            return shortly(rules, "div", shortly(rules, "mul", a, c), b)
        case "neg", (Term(op="neg", args=(a,)),):
            return a
        case "neg", (Term(op="mul", args=(a, b)),) if is_const(b, -1.0):
            return a
        case "pow", (a, b) if is_const(b, 1.0):
            return a
        case "pow", (a, b) if is_const(b, 0.0):
            return const(1.0, a.type)
    if all(a.op == CONST for a in args):
        number = evaluate(rules, op, args[0].type, args, False)
        if number is not None:
            return const(0.0, number.type) if _is_rounding(op, number, args) else number
    return without_factors(Term(op, tuple(args), None, args[0].type))


def _is_rounding(op: str, number: Term, args: Sequence[Term]) -> bool:
    """Whether constants cancel but for their last digits: sqrt(pi)/2 * 2/sqrt(pi) - 1."""
    return op in SUMS and abs(const_value(number)) < ROUNDING * abs(const_value(args[0]))


def total(added: Sequence[Summand], rules: RuleSet, real: Scalar) -> Term:
    """Summands as a sum, those that are added before those that are subtracted."""

    def together(op: str, *args: Term) -> Term:
        return apply(rules, op, [scalar(a) for a in args], real).term

    above = [term for sign, term in added if sign > 0]
    below = [term for sign, term in added if sign < 0]
    first = above.pop(0) if above else together("neg", below.pop(0))
    plus = reduce(lambda a, b: together("add", a, b), above, first)
    return reduce(lambda a, b: together("sub", a, b), below, plus)


def in_common(added: Sequence[Summand], rules: RuleSet, real: Scalar) -> Product | None:
    """Summands as a product of what they have in common and the rest; None without any."""
    products = [Product.of(term) for _, term in added]
    if len(added) < 2 or not all(products):
        return None
    parts = [product for product in products if product is not None]
    shared = Product()
    for part in parts:
        for factor in part.factors:
            power = min(other.power_of(factor) for other in parts)
            if power and not shared.power_of(factor):
                shared.factors.append(Factor(factor.term, power, factor.linear))
    if not shared.factors:
        return None
    left = [part.times(shared, -1) for part in parts]
    if len({abs(part.number) for part in left}) == 1:
        shared.number = abs(left[0].number)
        left = [Product(part.number / shared.number, part.factors) for part in left]
    rests = [Product(abs(part.number), part.factors).whole(rules, real) for part in left]
    turned = [
        sign if part.number > 0 else -sign for (sign, _), part in zip(added, left, strict=True)
    ]
    rest = total(list(zip(turned, rests, strict=True)), rules, real)
    shared.put(rest, WHOLE)
    return shared


def of_common_factors(product: Product, rules: RuleSet, real: Scalar) -> Product:
    """A product whose sums are what their summands have in common, times the rest."""
    for factor in [f for f in product.factors if f.power == WHOLE and f.term.op in SUMS]:
        shared = in_common(summands(factor.term), rules, real)
        if shared is not None:
            product = product.times(Product(1.0, [factor]), -1).times(shared)
    return product
