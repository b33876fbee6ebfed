"""Even functions of multiples of roots, as functions of the square: smooth where the root is 0.

    sin(sqrt(k)*x) / (sqrt(k)*x)    has a slope in k at k = 0, which the chain rule has as 0 * inf

Rule files say `cardinal_sine(sqrt(x)) >> cardinal_sine_of_root(x)`. Here the root is a factor of
what the function is of: a rate, a curvature, what is left of damping; or it is a length, the angle
of a rotation: smooth in any case, and cheaper of the square. Takes a program and patterns, gives a
program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import VAR, Term, rebuild, substitute, toposort
from ....terms.types import Scalar
from ...egraph.encode import typed
from ...egraph.rulebook import meeting_types
from ...factors.factored import WHOLE, Product

_PRODUCTS = ("mul", "div", "neg")


def of_squares_of_roots(
    program: Program, patterns: Sequence[Rewrite], rules: RuleSet, fired: dict[str, int]
) -> Program:
    """The program with f(c*sqrt(x)) as g(c*c*x) for every pattern that f(sqrt(x)) is g(x).

    Where the root itself stays, its slope is infinite in any case, and the function stays, too; but
    not where it is a length.
    """
    known = {rule.lhs.op: rule for rule in patterns if _is_of_root(rule.lhs)}
    kept: frozenset[Term] = frozenset()
    while True:
        done, found = _written(program, known, rules, kept)
        roots = frozenset(root for _, roots in found for root in roots)
        stay = kept | (roots & needed([done[t] for t in program.flat]))
        if stay == kept:
            break
        kept = stay
    for rule, _ in found:
        name = f"{rule.at} {rule.name}"
        fired[name] = fired.get(name, 0) + 1
    return program.with_terms(done)


def _written(
    program: Program, known: Mapping[str, Rewrite], rules: RuleSet, kept: Set[Term]
) -> tuple[dict[Term, Term], list[tuple[Rewrite, frozenset[Term]]]]:
    """The terms as functions of squares, but for those of roots that are kept; what was met."""
    done: dict[Term, Term] = {}
    roots_of: dict[Term, Term] = {}  # products of lengths as products of roots
    lengths: set[Term] = set()
    found = []
    for term in toposort([*program.flat, *program.notes]):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        rule = known.get(term.op)
        if rule is not None and here.args and meeting_types(rule, (term.type,)):
            inside = here.args[0]
            if _is_of_variable(rule.rhs):  # log(cosh(length)) is cheaper as it is
                inside = roots_of.get(inside, inside)
            roots, square = _square(inside, rules)
            roots -= lengths
            if square is not None and kept.isdisjoint(roots):
                found.append((rule, roots))
                (x,) = typed(rule.lhs, term.type).args[0].args
                (here,) = substitute([typed(rule.rhs, term.type)], {x: square})
        done[term] = here
        if here.op == "norm_of":
            roots_of[here] = Term("sqrt", here.args, None, here.type)
            lengths.add(roots_of[here])
        elif here.op in _PRODUCTS:
            roots_of[here] = rebuild(here, tuple([roots_of.get(a, a) for a in here.args]))
    return done, found


def needed(flat: Sequence[Term]) -> set[Term]:
    """The terms below results whose slopes count: those of conditions do not."""
    terms = toposort(flat)
    users = {a for t in terms if t.type is not Scalar.BOOL for a in t.args}
    return users.union(flat)


def _is_of_root(pattern: Term) -> bool:
    """Whether a pattern is f(sqrt(x))."""
    inside = pattern.args[0] if len(pattern.args) == 1 else pattern
    return inside.op == "sqrt" and _is_of_variable(inside)


def _is_of_variable(pattern: Term) -> bool:
    return len(pattern.args) == 1 and pattern.args[0].op == VAR


def _square(term: Term, rules: RuleSet) -> tuple[frozenset[Term], Term | None]:
    """The roots among the factors of a product, and its square; None of anything else.

    Where a root divides, nothing is smooth.
    """
    product = Product.of(term) if term.op in (*_PRODUCTS, "sqrt") else None
    odd = [f for f in product.factors if f.power % WHOLE] if product else []
    if product is None or not odd or any(f.power < 0 for f in odd):
        return frozenset(), None
    square = Product(product.number**2)
    for factor in product.factors:
        inside = Product.of(factor.term)  # roots are of products, too
        if inside is None:
            return frozenset(), None
        square = square.times(inside, factor.power)
    roots = [Term("sqrt", (f.term,), None, f.term.type) for f in odd]
    return frozenset(roots), square.whole(rules, term.type)
