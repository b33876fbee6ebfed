"""A logarithm less the share that its slope cancels with, over the square: how a halo attracts.

    (log(1 + x) - x/(1 + x)) / x**2    is    m(x)/x**2, a function with a series near 0
    (x/(1 + x) - log(1 + x)) / x**3    is    -(m(x)/x**2)/x

Gaps that are found one by one, 1/(1 + x) - (1 - log(1 + x)/x)/x, cancel far from 0. Takes a
program, gives one.
"""

from __future__ import annotations

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, const, is_const, toposort
from ...factors.common import SUMS, built, summands
from ...factors.factored import WHOLE, Factor, Product
from ..gaps.remainders import Plain

_LOGARITHMS = frozenset({"log", "log1p"})


def by_masses(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients by the function."""
    ops = {t.op for t in toposort([*program.flat, *program.notes])}
    if not (ops & _LOGARITHMS and "div" in ops and ops.intersection(SUMS)):
        return program
    return program.rewritten(lambda _, here: _attraction(here, rules))


def _attraction(term: Term, rules: RuleSet) -> Term | None:
    """A quotient of such a sum by a square at least; None of anything else."""
    product = Product.of(term) if term.op == "div" else None
    for factor in product.factors if product is not None else ():
        assert product is not None
        found = _mass(factor.term) if factor.power == WHOLE and factor.term.op in SUMS else None
        if found is None:
            continue
        sign, x = found
        below = Product.of(x)
        if below is None or not below.varies():
            continue
        square = below.times(below)
        if any(product.power_of(f) * f.power > -f.power * f.power for f in square.factors):
            continue
        own = Product(float(sign), [Factor(factor.term, WHOLE, factor.linear)])
        over = built(rules, "log_share_over", x)
        return product.times(own, -1).times(square).build(rules, over, term.type)
    return None


def _mass(term: Term) -> tuple[int, Term] | None:
    """The sign and x of log(1 + x) - x/(1 + x)."""
    added = summands(term)
    for (sign, part), (turned, other) in (added, added[::-1]) if len(added) == 2 else ():
        more = _more_than_one(part)
        if more is not None and turned == -sign and other.op == "div" and _is_share(other, more):
            return sign, more
    return None


def _more_than_one(term: Term) -> Term | None:
    """x of log(1 + x)."""
    if term.op == "log1p":
        return term.args[0]
    if term.op != "log" or term.args[0].op != "add":
        return None
    a, b = term.args[0].args
    return b if is_const(a, 1.0) else a if is_const(b, 1.0) else None


def _is_share(term: Term, more: Term) -> bool:
    """Whether a quotient is x/(1 + x), by algebra."""
    real = more.type
    whole = Term("add", (const(1.0, real), more), None, real)
    share = Term("div", (more, whole), None, real)
    return is_const(Plain().of(Term("sub", (term, share), None, real)), 0.0)
