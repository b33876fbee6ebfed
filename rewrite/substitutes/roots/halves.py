"""Halves of powers: smooth where a root is 0, and by the chain rule infinity times 0.

    t * t, t = a*sqrt(b)/c         is    a/c * b * (a/c)
    hypot(x, y)**2                 is    x*x + y*y
    t**4, t = sqrt(1 - c*c)/c      is    ((1 - c*c)/c/c)**2
    sqrt(c**7 / (c**7 + k))        is    norm_of(...), flat where c is 0

Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Set

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import CONST, Term, const, const_value, rebuild, toposort
from ....terms.value import scalar
from ...factors.common import square_of
from ...factors.factored import WHOLE, Factor, Product
from ...guards import guards
from .evens import needed
from .squares import divisors

_PRODUCTS = frozenset({"mul", "div", "neg"})
_SQUARE = 2 * WHOLE


def of_whole_powers(program: Program, rules: RuleSet) -> Program:
    """The program with products of a root and itself by what it is the root of.

    Where the root itself stays, its slope is infinite in any case, and they stay, too.
    """
    kept: frozenset[Term] = frozenset()
    while True:
        done, met = _written(program, rules, kept)
        stay = met & needed([done[root] for root in program.flat])
        if not stay:
            return program.with_terms(done) if met else program
        kept |= stay


def of_odd_powers(program: Program, rules: RuleSet) -> Program:
    """The program with roots of an odd power and something else, but for what it divides by."""
    roots = [*program.flat, *program.notes]
    terms = toposort(roots)
    odd = {t: found for t in terms if (found := _odd(t)) is not None}
    if not odd:
        return program
    poles = divisors(terms, guards(roots))

    def step(term: Term, here: Term) -> Term | None:
        found = _odd(here) if term in odd and not poles & {term, odd[term].term} else None
        return None if found is None else _flat(here, found)

    return program.rewritten(step)


def _odd(term: Term) -> Factor | None:
    """The one factor under a root that is an odd power of at least 5.

    Of a length, its square may be a factor, too.
    """
    product = Product.of(term.args[0]) if term.op == "sqrt" else None
    if product is None:
        return None
    found = []
    for factor in product.factors:
        square = _square_of(factor.term)
        twice = 0 if square is None else product.power_of(Factor(square, WHOLE, None))
        power = factor.power + 2 * twice
        if power >= 5 * WHOLE and power % _SQUARE == WHOLE:
            found.append(Factor(factor.term, power, factor.linear))
    return found[0] if len(found) == 1 else None


def _flat(root: Term, odd: Factor) -> Term:
    """A root whose slope is 0 where a factor is, which may be all that can be 0."""
    product = Product.of(root.args[0])
    own = {odd.term, _square_of(odd.term)}
    rest = [f for f in product.factors if f.term not in own] if product is not None else []
    if all(factor.power < 0 for factor in rest):
        return Term("norm_of", root.args, None, root.type)
    return Term("weighted_norm", (*root.args, odd.term), None, root.type)


def _square_of(length: Term) -> Term | None:
    """What a length is the root of."""
    return square_of(length) if length.op == "hypot" else None


def _written(
    program: Program, rules: RuleSet, kept: Set[Term]
) -> tuple[dict[Term, Term], frozenset[Term]]:
    """The terms without roots that meet, but for those that are kept; what has met."""
    done: dict[Term, Term] = {}
    inside: dict[Term, frozenset[Term]] = {}  # the roots that are factors of a product
    found: set[Term] = set()
    for term in toposort([*program.flat, *program.notes]):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        if here.op in ("sqrt", "hypot"):
            inside[here] = frozenset([here])
        elif here.op in _PRODUCTS or _is_even(here):
            operands = here.args[:1] * 2 if here.op == "pow" else here.args
            each = [inside.get(a, frozenset()) for a in operands]
            own = frozenset().union(*each) if here.op != "pow" else frozenset()
            twice = each[0].intersection(*each[1:]) - kept if len(each) > 1 else frozenset()
            new = _without(here, twice, rules) if twice else None
            if new is not None:
                found |= twice
                here, own = new, own - twice
            inside[here] = own
        done[term] = here
    return done, frozenset(found)


def _square_in(product: Product, root: Term) -> None:
    """A length among the factors by what it is the root of, as a root is there anyway."""
    square = _square_of(root)
    if square is not None:
        power = product.power_of(Factor(root, WHOLE, None))
        product.put(root, -power)
        product.put(square, power // WHOLE)


def _is_even(term: Term) -> bool:
    """Whether a term is a square, or a square of one."""
    if term.op != "pow" or term.args[1].op != CONST:
        return False
    exponent = const_value(term.args[1])
    return exponent > 0 and exponent % 2 == 0


def _without(term: Term, roots: Set[Term], rules: RuleSet) -> Term | None:
    """A product by what its roots are of; None where they divide, or do not meet in pairs.

    What is there twice besides is a factor at either end: its square may be too large.
    """
    if term.op == "pow":
        base, half = term.args[0], const_value(term.args[1]) / 2
        square = apply(rules, "mul", [scalar(base)] * 2, term.type).term
        found = _without(square, roots, rules)
        if found is None or half == 1:
            return found
        return rebuild(term, (found, const(half, term.args[1].type)))
    product = Product.of(term)
    if product is None:
        return None
    for root in roots:
        _square_in(product, root)
    under = {_square_of(root) or root.args[0] for root in roots}
    below = [f for f in product.factors if f.term in under]
    if len(below) < len(under) or any(f.power <= 0 or f.power % WHOLE for f in below):
        return None
    ends, between = Product(), Product(product.number)
    for factor in product.factors:
        times = 0 if factor.term in under else int(factor.power / _SQUARE)
        for part, power in ((ends, times * WHOLE), (between, factor.power - times * _SQUARE)):
            if power:
                part.factors.append(Factor(factor.term, power, factor.linear))
    if not ends.factors:
        return between.whole(rules, term.type)
    end = ends.whole(rules, term.type)
    first = between.build(rules, end, term.type)
    return apply(rules, "mul", [scalar(first), scalar(end)], term.type).term
