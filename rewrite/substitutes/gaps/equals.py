"""Quotients over differences of results that may be equal, as derivatives of matrices have them.

    (n - m) / (w - v)    for results v and w of one call, of which m and n are the same function

What rules say of eigenvectors is over differences of eigenvalues. What a matrix makes of them has
a derivative where two are equal all the same: numerators are 0 there, which is seen once they are
put together. Takes a derivative program in which calls with rules stand, gives a program.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.loop import has_loops, map_loops
from ....terms.program import Program
from ....terms.rule import MATH_TAGS, RuleSet
from ....terms.term import CALL, PROJ, Term, const
from ...factors.common import ALGEBRA, shortly
from ...factors.factored import Product
from ...guards import guards
from .distances import Given, Setting, divisors_of
from .gaps import closed


def where_results_are_equal(program: Program, rules: RuleSet) -> Program:
    """The program without quotients that are 0/0 only where two results of one call are equal."""
    if has_loops(program.flat):
        inner = map_loops(program.flat, lambda body: where_results_are_equal(body, rules))
        program = program.with_terms(inner)
    if not any(t.op == CALL for t in program.terms()):
        return program
    patterns = [rule for rule in rules.rewrites if rule.primal and rule.tag in MATH_TAGS["safe"]]
    return closed(_computed(program, rules), patterns, rules, _distances, {})


def _computed(program: Program, rules: RuleSet) -> Program:
    """The program as patterns have it: without what 0 and 1 do nothing for."""
    return program.rewritten(
        lambda _, term: shortly(rules, term.op, *term.args) if _is_algebra(term) else None
    )


def _is_algebra(term: Term) -> bool:
    """Whether a term is a sum or a product of real numbers."""
    return term.op in ALGEBRA and term.type.is_real


def _distances(roots: Sequence[Term], at: Setting) -> list[tuple[Term, Given]]:
    """Sums and differences of two results of a call by which a program divides."""
    divisors = divisors_of(guards(roots), inside=at.inside)
    if at.inside and all(guard.parent is None for guard in divisors.values()):
        return []  # they were looked at
    products = [product for d in divisors if (product := Product.of(d)) is not None]
    found: dict[Term, Given] = {}
    for term in [factor.term for product in products for factor in product.factors]:
        if term.op not in ("add", "sub") or term in found:
            continue
        x, y = term.args
        if x is not y and x.op == y.op == PROJ and x.args == y.args:
            one, zero = const(1.0, term.type), const(0.0, term.type)
            start = y if term.op == "sub" else Term("neg", (y,), None, y.type)
            found[term] = {x: (start, one), term: (zero, one)}
    return list(found.items())
