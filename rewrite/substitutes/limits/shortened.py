"""Quotients in lowest terms: what stands on both sides of the line is a number where it is 0.

    k*f(k) / k    is    f(k)

So comes what a pattern has put in for a function that vanishes, log(cosh(sqrt(k))) / k. Slopes of
what is written so are differences of quotients, and the algebra after derivation finds in some
modes that these cancel, and in others not. Takes a program, gives one.

    l * (x/l)     is    x    for a length l, whoever has written it: a spring that is at rest at 0
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, toposort
from ...factors.factored import WHOLE, Product
from .polar import Lengths, by_sides_of_angles, is_of_angle, lengths_of


def in_lowest_terms(program: Program, written: Program, rules: RuleSet) -> Program:
    """The program with products and quotients without what they have on both sides.

    What stands so in the program that was `written` stays: its algebra is that of whoever wrote it.
    """
    if program.flat == written.flat:
        return program
    known = set(toposort([*written.flat, *written.notes]))
    return program.rewritten(lambda _, here: None if here in known else _shortened(here, rules))


def without_lengths(program: Program, rules: RuleSet) -> Program:
    """The program with products and quotients without lengths that they have on both sides."""
    terms = toposort([*program.flat, *program.notes])
    lengths = lengths_of(terms) if any(map(is_of_angle, terms)) else {}
    return program.rewritten(lambda _, here: _shortened(here, rules, lengths))


def _shortened(term: Term, rules: RuleSet, lengths: Lengths | None = None) -> Term | None:
    """A product or quotient without factors that cancel; None without any such.

    Given lengths, of these alone, and of those that sides of angles are over.
    """
    if term.op not in ("mul", "div"):
        return None
    one, other = map(Product.of, term.args)
    if one is None or other is None:
        return None
    pairs = [(one, other)]
    if lengths:
        along = [by_sides_of_angles(p, lengths) or p for p in (one, other)]
        pairs.insert(0, (along[0], along[1]))
    sign = 1 if term.op == "mul" else -1
    for above, beside in pairs:
        some = [f for f in beside.factors if f.is_size or lengths is None]
        if any(sign * factor.power * above.power_of(factor) < 0 for factor in some):
            whole = above.times(beside, sign)
            if all(f.power % WHOLE == 0 for f in whole.factors):  # not sqrt(x)*sqrt(x)
                return whole.whole(rules, term.type)
    return None
