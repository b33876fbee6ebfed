"""Quotients in lowest terms: what stands on both sides of the line is a number where it is 0.

    k*f(k) / k    is    f(k)

So comes what a pattern has put in for a function that vanishes, log(cosh(sqrt(k))) / k. Slopes of
what is written so are differences of quotients, and the algebra after derivation finds in some
modes that these cancel, and in others not. Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, toposort
from ...factors.factored import WHOLE, Product


def in_lowest_terms(program: Program, written: Program, rules: RuleSet) -> Program:
    """The program with products and quotients without what they have on both sides.

    What stands so in the program that was `written` stays: its algebra is that of whoever wrote it.
    """
    if program.flat == written.flat:
        return program
    known = set(toposort([*written.flat, *written.notes]))
    return program.rewritten(lambda _, here: None if here in known else _shortened(here, rules))


def _shortened(term: Term, rules: RuleSet) -> Term | None:
    """A product or quotient without factors that cancel; None without any such."""
    if term.op not in ("mul", "div"):
        return None
    one, other = map(Product.of, term.args)
    if one is None or other is None:
        return None
    sign = 1 if term.op == "mul" else -1
    if not any(sign * factor.power * one.power_of(factor) < 0 for factor in other.factors):
        return None
    whole = one.times(other, sign)
    is_whole = all(factor.power % WHOLE == 0 for factor in whole.factors)  # not sqrt(x)*sqrt(x)
    return whole.whole(rules, term.type) if is_whole else None
