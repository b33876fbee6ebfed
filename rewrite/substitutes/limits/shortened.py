"""Quotients in lowest terms: what stands on both sides of the line is a number where it is 0.

    k*f(k) / k    is    f(k)

So comes what a pattern has put in for a function that vanishes, log(cosh(sqrt(k))) / k. Slopes of
what is written so are differences of quotients, and the algebra after derivation finds in some
modes that these cancel, and in others not. Takes a program, gives one.

    l * (x/l)     is    x    for a length l, whoever has written it: a spring that is at rest at 0
    0 * (x/l)     is    0    whatever l is: entries of matrices that are 0
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, is_const, toposort
from ...factors.common import SUMS, of_common_factors, shortly
from ...factors.factored import WHOLE, Product
from .lengths import Lengths, lengths_of
from .polar import by_sides_of_angles, is_of_angle


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


def without_zeros(program: Program, rules: RuleSet) -> Program:
    """The program without products and sums of 0."""
    return program.rewritten(
        lambda _, here: shortly(rules, here.op, *here.args) if _is_of_0(here) else None
    )


def _is_of_0(term: Term) -> bool:
    return term.op in ("mul", *SUMS) and any(is_const(a, 0.0) for a in term.args)


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
        sides = [by_sides_of_angles(p, lengths, rules) for p in (one, other)]
        if any(sides):
            along = [
                of_common_factors(of or p, rules, term.type)
                for of, p in zip(sides, (one, other), strict=True)
            ]
            pairs.insert(0, (along[0], along[1]))
    sign = 1 if term.op == "mul" else -1
    under = {a for length in (lengths or {}).values() for a in length.args}
    for above, beside in pairs:
        some = [f for f in beside.factors if f.is_size or lengths is None or f.term in under]
        gone = {f.term for f in some if sign * f.power * above.power_of(f) < 0}
        if gone:
            whole = above.times(beside, sign)
            looked = [f for f in whole.factors if lengths is None or f.term in gone]
            if all(f.power % WHOLE == 0 for f in looked):  # not sqrt(x)*sqrt(x)
                return whole.whole(rules, term.type)
    return None
