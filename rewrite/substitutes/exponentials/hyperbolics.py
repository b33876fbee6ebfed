"""Quotients of sums of hyperbolic functions, which are inf/inf far out, by what does not overflow.

    sinh(x)/(cosh(x) + c)                   is    S/(C + c*exp(-m))
    (sinh(x) - sin(x))/(cosh(x) - cos(x))   is    (S - sin(x)*exp(-m))/(C - cos(x)*exp(-m))

S and C are sinh(x)*exp(-m) and cosh(x)*exp(-m), with the largest exponent m, which does not vary as
no quotient depends on it. Slopes are right sooner than values: their squares overflow at half of
the exponent. Quotients without sums have patterns of their own, and where all is 0/0 its gap is
found before. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import DETACH, Term, const, toposort
from ...factors.common import SUMS, built
from ...factors.factored import WHOLE, Factor, Product
from .saturating import LINEAR, linear, times

_HYPERBOLIC = {"sinh": "scaled_sinh", "cosh": "scaled_cosh"}
_LEAVES = (*_HYPERBOLIC, "exp")
_MOST = 3  # exponents, of which the largest is found


def by_scaled(program: Program, rules: RuleSet) -> Program:
    """The program with such quotients by scaled functions."""
    if not any(t.op in _HYPERBOLIC for t in toposort([*program.flat, *program.notes])):
        return program
    return program.rewritten(lambda _, here: _scaled(here, rules))


def by_tangents(program: Program, rules: RuleSet) -> Program:
    """The program with cosh(x)/sinh(x) as 1/tanh(x), in whatever product both are.

    So is (exp(x) + exp(y))/(exp(x) - exp(y)) as 1/tanh((x - y)/2). Before gaps are looked for,
    which would take both apart: cosh(x)/sinh(x) - 1/x is a function that patterns know, by the
    tangent.
    """
    ops = {t.op for t in toposort(program.flat)}
    if not (ops.issuperset(_HYPERBOLIC) or ("exp" in ops and ops.intersection(SUMS))):
        return program
    return program.rewritten(lambda _, here: _by_tangent(here, rules))


def _by_tangent(term: Term, rules: RuleSet) -> Term | None:
    product = Product.of(term) if term.op in ("mul", "div") else None
    for factor in product.factors if product is not None else ():
        assert product is not None
        below = Factor(Term("sinh", factor.term.args, None, term.type), WHOLE, None)
        if factor.term.op == "cosh" and factor.power >= WHOLE and product.divides_by(below):
            over = Product(1.0, [below]).times(Product(1.0, [replace(factor, power=WHOLE)]), -1)
            return _over_tangent(product.times(over), factor.term.args[0], rules)
    return _by_exponentials(product, rules) if product is not None else None


def _by_exponentials(product: Product, rules: RuleSet) -> Term | None:
    """(exp(x) + exp(y))/(exp(x) - exp(y)) in a product by 1/tanh((x - y)/2)."""
    for above in product.factors:
        sums = above.linear if above.power >= WHOLE else None
        if sums is None or len(sums) != 2 or len(set(sums.values())) > 1:
            continue
        if any(t is not None and t.op != "exp" for t in sums):
            continue
        for below in product.below:
            if below.linear is None or below.linear.keys() != sums.keys():
                continue
            first, second = below.linear.values()
            if first == -second and product.power_of(below) <= -WHOLE:
                pair = Product(1.0, [replace(above, power=WHOLE)])
                over = Product(1.0, [replace(below, power=WHOLE)]).times(pair, -1)
                left = product.times(over)
                left.number *= sums[next(iter(sums))] / first
                x, y = (None if t is None else t.args[0] for t in below.linear)
                return _over_tangent(left, _half_difference(x, y, rules), rules)
    return None


def _half_difference(x: Term | None, y: Term | None, rules: RuleSet) -> Term:
    """(x - y)/2, of which one may be 0."""
    if x is None or y is None:
        one = x or y
        assert one is not None
        both = one if x is not None else built(rules, "neg", one)
    else:
        both = built(rules, "sub", x, y)
    return built(rules, "mul", const(0.5, both.type), both)


def _over_tangent(left: Product, x: Term, rules: RuleSet) -> Term:
    """A product over tanh(x)."""
    one = built(rules, "div", const(1.0, x.type), built(rules, "tanh", x))
    return left.build(rules, one, x.type)


def _scaled(term: Term, rules: RuleSet) -> Term | None:
    """A quotient by a sum with hyperbolic functions; None of anything else."""
    if term.op != "div":
        return None
    sides = [linear(side) for side in term.args]
    leaves = dict.fromkeys(t for side in sides for t in side if t.op in _LEAVES)
    exponents = dict.fromkeys(_exponent(t, rules) for t in leaves)
    if not all(sides) or not 0 < len(exponents) <= _MOST:
        return None
    found = _degrees([t for side in sides for t in side])
    above, below = (found.get(side) for side in term.args)
    if above is None or not below or above > below or not _is_sum(sides[1], found):
        return None
    largest = reduce(lambda a, b: built(rules, "max", a, b), exponents)
    most = Term(DETACH, (largest,), None, term.type)
    rest = built(rules, "exp", built(rules, "neg", most))
    done: dict[Term, Term] = {}
    for here in dict.fromkeys(t for side in sides for t in side):
        done[here] = _less(here, found, done, (most, rest), rules)
    over = built(rules, "div", *[done[side] for side in term.args])
    for _ in range(below - above):
        over = built(rules, "mul", rest, over)
    return over


def _exponent(leaf: Term, rules: RuleSet) -> Term:
    """What the exponential of a function grows with."""
    return leaf.args[0] if leaf.op == "exp" else built(rules, "abs", leaf.args[0])


def _degrees(order: list[Term]) -> Mapping[Term, int | None]:
    """How many exponentials are factors of each; None of what divides by one, or of too many."""
    found: dict[Term, int | None] = {}
    for term in order:
        args = [found[a] for a in term.args] if term.op in LINEAR else []
        known = [d for d in args if d is not None]
        if len(known) < len(args):
            found[term] = None
        elif term.op == "mul":
            found[term] = sum(known) if sum(known) <= _MOST else None
        elif term.op == "div":
            found[term] = known[0] if known[1:] == [0] else None
        else:
            found[term] = max(known, default=int(term.op in _LEAVES))
    return found


def _is_sum(side: list[Term], degree: Mapping[Term, int | None]) -> bool:
    """Whether a hyperbolic function is a summand of something."""
    return any(t.op in SUMS and degree[t] for t in side) and any(t.op in _HYPERBOLIC for t in side)


def _less(
    term: Term,
    degree: Mapping[Term, int | None],
    done: Mapping[Term, Term],
    by: tuple[Term, Term],
    rules: RuleSet,
) -> Term:
    """A term times exp(-m) for each exponential among its factors."""
    most, rest = by
    if not degree[term]:
        return term
    if term.op in _HYPERBOLIC:
        return built(rules, _HYPERBOLIC[term.op], term.args[0], most)
    if term.op == "exp":
        return built(rules, "exp", built(rules, "sub", term.args[0], most))
    args = [done[a] for a in term.args]
    if term.op in SUMS:
        for i, arg in enumerate(term.args):
            for _ in range((degree[term] or 0) - (degree[arg] or 0)):
                args[i] = times(args[i], rest, rules)
    return built(rules, term.op, *args)
