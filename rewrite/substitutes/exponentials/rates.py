"""What gaps leave of 1/(exp(x) - 1) - 1/x, as a function that is a number far out.

    (exp(x) - 1 - x)/x**2 / ((exp(x) - 1)/x)    is    1/x - 1/(exp(x) - 1), from 0 to 1

As a quotient it is inf/inf from x = 89 on in single precision, where what was written is right.
Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, toposort
from ...factors.common import built
from ...factors.factored import WHOLE, Factor, Product


def by_rates(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients by `exprel_rate`."""
    if not any(t.op == "exprel2" for t in toposort([*program.flat, *program.notes])):
        return program
    return program.rewritten(lambda _, here: _by_rate(here, rules))


def _by_rate(term: Term, rules: RuleSet) -> Term | None:
    product = Product.of(term) if term.op == "div" else None
    for above in product.factors if product is not None else ():
        if above.term.op != "exprel2" or above.power < WHOLE:
            continue
        assert product is not None
        (x,) = above.term.args
        for below in product.factors:
            times = _of_same(below.term, x) if below.power <= -WHOLE else None
            if times is None:
                continue
            own = [Factor(above.term, WHOLE, None), Factor(below.term, -WHOLE, None)]
            left = product.times(Product(1.0, own), -1).times(times, -1)
            back = x.args[0] if x.op == "neg" else built(rules, "neg", x)
            return left.build(rules, built(rules, "exprel_rate", back), term.type)
    return None


def _of_same(term: Term, x: Term) -> Product | None:
    """What (exp(x) - 1)/x is multiplied by in a term; None of others."""
    if term.op == "exprel" and term.args[0] is x:
        return Product()
    if term.op == "expm1_over" and x.op == "mul" and x.args == term.args:
        return Product.of(term.args[0])
    return None
