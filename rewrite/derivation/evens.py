"""Even functions of multiples of roots, as functions of the square: smooth where the root is 0.

    sin(sqrt(k)*x) / (sqrt(k)*x)    has a slope in k at k = 0, which the chain rule has as 0 * inf

Rule files say `cardinal_sine(sqrt(x)) >> cardinal_sine_of_root(x)`. Here the root is a factor of
what the function is of: a rate, a curvature, what is left of damping. Takes a program and patterns,
gives a program.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.program import Program
from ...terms.rule import Rewrite, RuleSet
from ...terms.term import VAR, Term, rebuild, substitute, toposort
from ..egraph.encode import typed
from ..egraph.rulebook import meeting_types
from .factored import WHOLE, Product


def of_squares_of_roots(
    program: Program, patterns: Sequence[Rewrite], rules: RuleSet, fired: dict[str, int]
) -> Program:
    """The program with f(c*sqrt(x)) as g(c*c*x) for every pattern that f(sqrt(x)) is g(x)."""
    known = {rule.lhs.op: rule for rule in patterns if _is_of_root(rule.lhs)}
    roots = [*program.flat, *program.notes]
    done: dict[Term, Term] = {}
    for term in toposort(roots):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        rule = known.get(term.op)
        square = _square(here.args[0], rules) if rule is not None and here.args else None
        if rule is not None and square is not None and meeting_types(rule, (term.type,)):
            name = f"{rule.at} {rule.name}"
            fired[name] = fired.get(name, 0) + 1
            (x,) = typed(rule.lhs, term.type).args[0].args
            (here,) = substitute([typed(rule.rhs, term.type)], {x: square})
        done[term] = here
    flat = [done[root] for root in program.flat]
    if flat == program.flat:
        return program
    notes = {done[term]: note for term, note in program.notes.items()}
    return program.with_flat(flat, notes=notes)


def _is_of_root(pattern: Term) -> bool:
    """Whether a pattern is f(sqrt(x))."""
    inside = pattern.args[0] if len(pattern.args) == 1 else pattern
    return inside.op == "sqrt" and inside.args[0].op == VAR


def _square(term: Term, rules: RuleSet) -> Term | None:
    """The square of a product with a root among its factors; None of anything else."""
    product = Product.of(term) if term.op in ("mul", "div", "neg") else None
    if product is None or all(f.power % WHOLE == 0 for f in product.factors):
        return None
    square = Product(product.number**2)
    for factor in product.factors:
        inside = Product.of(factor.term)  # roots are of products, too
        if inside is None:
            return None
        square = square.times(inside, factor.power)
    return square.whole(rules, term.type)
