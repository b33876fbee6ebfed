"""Iterations that begin with a length which the program divides by.

    t = l
    for _ in range(8): t = t - (t + k*t**3 - l) / (1 + 3*k*t*t)
    tan(t) * x/l

is how a camera finds the angle of incidence by Newton's steps. The angle is 0 with l, as algebra
sees where the loop is written out. Takes a program, gives one.
"""

from __future__ import annotations

from ....terms.loop import LOOP
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, toposort
from ...factors.factored import Factor, Product
from ...loops.unrolling import written_out


def without_iterations(program: Program, rules: RuleSet) -> Program:
    """The program with short loops written out whose state begins with such a length."""
    terms = toposort([*program.flat, *program.notes])
    loops = [term for term in terms if term.op == LOOP]
    if not loops:
        return program
    below = {f.term for t in terms if t.op in ("div", "rcp") for f in _sizes(t.args[-1])}
    begun = {loop for loop in loops if any(f.term in below for f in _begins_with(loop))}
    return written_out(program, begun, rules)


def _begins_with(loop: Term) -> list[Factor]:
    """The lengths that the first state of a loop is a multiple of."""
    state = loop.args[1 : 1 + loop.attr.carried]
    return [factor for first in state for factor in _sizes(first)]


def _sizes(term: Term) -> list[Factor]:
    """The factors of a term that are lengths, or powers of them."""
    product = Product.of(term)
    return [f for f in product.factors if f.is_size] if product is not None else []
