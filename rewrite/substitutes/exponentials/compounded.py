"""Powers of nearly 1 with large exponents, as they are where both go to their limits together.

    (1 + k*x)**(-1/k)     is exp(-x) where k is 0
    (1 + r/n)**(n*t)      is exp(r*t) where n is large; before, 1 + r/n has lost the digits of r
    (b**b/a**a)**(1/(b - a))    is exp of (b*log(b) - a*log(a))/(b - a), which has a limit

For (1 + u)**p it is p*u that counts, where what the one is divided by is a factor of the other:
p*u is multiplied out. Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, is_const, toposort
from ....terms.value import scalar
from ...factors.common import SUMS, built
from ...factors.factored import Product
from ...guards import guards


def without_limits(program: Program, rules: RuleSet) -> Program:
    """The program with such powers by their limits; not in arms, which say where they are right."""
    roots = [*program.flat, *program.notes]
    if not any(term.op == "pow" for term in toposort(roots)):
        return program
    needed = guards(roots)

    def step(term: Term, here: Term) -> Term | None:
        is_open = term.op == "pow" and needed[term].parent is None
        return (_limited(here, rules) or _exponential(here, rules)) if is_open else None

    return program.rewritten(step)


def _limited(power: Term, rules: RuleSet) -> Term | None:
    """(1 + u)**p by p*u, if that has a factor less than both."""
    base, exponent = power.args
    step = _step(base, rules)
    u = Product.of(step) if step is not None else None
    p = Product.of(exponent)
    if step is None or u is None or p is None:
        return None
    if not any(f.power * p.power_of(f) < 0 for f in u.factors):
        return None
    both = p.times(u).whole(rules, power.type)
    args = [scalar(step), scalar(exponent), scalar(both)]
    return apply(rules, "power_of_next", args, power.type).term


def _exponential(power: Term, rules: RuleSet) -> Term | None:
    """A quotient of powers, to what is divided by a difference, by the logarithm of the quotient.

    Where both powers are equal it is 1 to an infinite power, which is 1 by IEEE 754.
    """
    base, exponent = power.args
    if base.op != "div" or any(p.op != "pow" or p.args[1].op == CONST for p in base.args):
        return None
    p = Product.of(exponent)
    if p is None or not any(f.power < 0 and f.linear is not None for f in p.factors):
        return None
    above, below = (
        built(rules, "mul", q.args[1], built(rules, "log", q.args[0])) for q in base.args
    )
    return built(rules, "exp", built(rules, "mul", exponent, built(rules, "sub", above, below)))


def _step(base: Term, rules: RuleSet) -> Term | None:
    """What a sum is more than 1."""
    if base.op not in SUMS:
        return None
    one, other = base.args
    if is_const(one, 1.0):
        negated = base.op == "sub"
        return apply(rules, "neg", [scalar(other)], base.type).term if negated else other
    return one if base.op == "add" and is_const(other, 1.0) else None
