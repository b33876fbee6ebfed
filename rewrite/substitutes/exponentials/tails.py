"""Normal densities over normal tails, which vanish together: exp(-x*x)/erfc(x) is `hazard(x)`.

    phi((x - m)/s) / (1 - Phi((x - m)/s))    the rate of failure, and what truncated normals expect
    exp(x*x) * erfc(x)                       `erfcx(x)`: inf * 0 where it is 1/(sqrt(pi)*x)

Tails may be written by erf. Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, toposort
from ....terms.value import scalar
from ...factors.factored import ALIKE, WHOLE, Factor, Product

_TAILS = frozenset({"erf", "erfc"})


def without_tails(program: Program, rules: RuleSet) -> Program:
    """The program with products of such an exponential and a tail as one function."""
    roots = [*program.flat, *program.notes]
    if not _TAILS & {term.op for term in toposort(roots)}:
        return program
    return program.rewritten(lambda _, here: _ratio(here, rules))


def _ratio(term: Term, rules: RuleSet) -> Term | None:
    """A product with one such pair of factors as a function of what the tail is of."""
    product = Product.of(term) if term.op in ("mul", "div") else None
    for tail in product.factors if product is not None else ():
        found = _tail(tail, rules)
        square = Product.of(found[1]) if found is not None and abs(tail.power) >= WHOLE else None
        if product is None or found is None or square is None:
            continue
        square = square.times(square)
        for exp in product.factors:
            side = _side(exp, square)
            if not side or side * tail.power < 0:
                continue
            op = "erfcx" if side > 0 else "hazard"
            value = apply(rules, op, [scalar(found[1])], term.type).term
            rest = product.times(_one(exp), -1 if exp.power > 0 else 1).times(_one(tail), -side)
            rest.number *= found[0] ** side
            return rest.build(rules, value, term.type)
    return None


def _one(factor: Factor) -> Product:
    return Product(1.0, [Factor(factor.term, WHOLE, factor.linear)])


def _side(exp: Factor, square: Product) -> int:
    """1 of a factor exp(x*x), -1 of exp(-x*x), also where it divides; 0 of any other."""
    exponent = Product.of(exp.term.args[0]) if exp.term.op == "exp" else None
    if exponent is None or abs(exp.power) < WHOLE:
        return 0
    quotient = exponent.times(square, -1)
    if quotient.varies() or abs(abs(quotient.number) - 1) > ALIKE:
        return 0
    return 1 if quotient.number * exp.power > 0 else -1


def _tail(factor: Factor, rules: RuleSet) -> tuple[float, Term] | None:
    """The number and the x of number*erfc(x), which may be written 1 - erf(x) or 1 + erf(-x)."""
    if factor.term.op == "erfc":
        return 1.0, factor.term.args[0]
    linear = factor.linear or {}
    inside = [t for t in linear if t is not None and t.op in _TAILS]
    if len(linear) != 2 or len(inside) != 1 or None not in linear:
        return None
    (tail,), one = inside, linear[None]
    # 1 - erf(x) is erfc(x), 1 + erf(x) is erfc(-x), and so is 2 - erfc(x)
    x = tail.args[0]
    is_turned = linear[tail] * one > 0 if tail.op == "erf" else True
    whole = one if tail.op == "erf" else one / 2
    if abs(abs(linear[tail] / whole) - 1) > ALIKE or (tail.op == "erfc" and linear[tail] * one > 0):
        return None
    return whole, apply(rules, "neg", [scalar(x)], x.type).term if is_turned else x
