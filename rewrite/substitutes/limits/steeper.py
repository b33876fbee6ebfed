"""Differences of two poles by what they have in common: inf - inf is no number, inf*(inf - 1) is.

    exp(-(q**12 - q**6)), q = s/r     is     exp(-(q**6 * (q**6 - 1)))
    1 / (2 + a/x**9 - b/x**4)         is     1 / (2 + 1/x**4 * (a/x**5 - b))

What is pushed away by one power and drawn by a lower one has a number where both are infinite, if a
function of their difference has one: a Boltzmann factor at a distance of 0. Only in what such
functions are of. Takes a program, gives one.
"""

from __future__ import annotations

from functools import partial, reduce
from math import gcd

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import Term, const, rebuild, toposort
from ....terms.types import Scalar
from ...factors.common import SUMS, built, summands, total
from ...factors.factored import WHOLE, Factor, Product
from ...factors.poles import ALGEBRA, Poles
from ...guards import guards


def by_steeper_poles(program: Program, rules: RuleSet) -> Program:
    """The program with such differences as products; not in arms, which are choices."""
    roots = [*program.flat, *program.notes]
    order = toposort(roots)
    if not any(t.op in ("div", "rcp") for t in order):
        return program
    poles, needed, wanted = Poles(), guards(roots), set[Term]()
    for term in order:
        poles.add(term)
        if needed[term].parent is None:
            wanted.update(_sums(term, poles))
    done: dict[Term, Term] = {}
    for term in order:
        here = rebuild(term, tuple([done[a] for a in term.args]))
        done[term] = (_by_product(term, poles, rules, done) or here) if term in wanted else here
    return program.with_terms(done) if wanted else program


def _sums(term: Term, poles: Poles) -> list[Term]:
    """The sum with a pole that a function is of, or a quotient divides by, but for factors."""
    below = term.args[-1:] if term.op in ("div", "rcp") else term.args
    if term.op in ALGEBRA and term.op not in ("div", "rcp"):
        return []
    found: list[Term] = []
    for here in below:
        while here.op in ("neg", "mul", "div"):
            infinite = [a for a in here.args if poles.poles[a]]
            if len(infinite) != 1:
                break
            here = infinite[0]
        if here.op in SUMS and poles.poles[here]:
            found.append(here)
    return found


def _by_product(term: Term, poles: Poles, rules: RuleSet, done: dict[Term, Term]) -> Term | None:
    """A sum in which two summands have poles of different orders, and opposite signs."""
    added = summands(term)
    infinite = [(sign, part) for sign, part in added if poles.poles[part]]
    if len(infinite) != 2:
        return None
    products = [Product.of(part) for _, part in infinite]
    where = poles.poles[infinite[0][1]] | poles.poles[infinite[1][1]]
    one, other = products
    if one is None or other is None or len(where) != 1:
        return None
    (variable,) = where
    orders = [poles.powers[part].get(variable, 0.0) for _, part in infinite]
    signs = [sign * _sign(p) for (sign, _), p in zip(infinite, (one, other), strict=True)]
    shared = _shared(one, other)
    if orders[0] == orders[1] or signs[0] == signs[1] or not shared.varies():
        return None
    real = term.type
    rests = [_whole(product.times(shared, -1), rules, real) for product in (one, other)]
    inside = total(
        [(sign, rest) for (sign, _), rest in zip(infinite, rests, strict=True)], rules, real
    )
    both = built(rules, "mul", _whole(shared, rules, real), inside)
    others = [(sign, done[part]) for sign, part in added if not poles.poles[part]]
    return total([*others, (1, both)], rules, real)


def _sign(product: Product) -> int:
    return 1 if product.number > 0 else -1


def _shared(one: Product, other: Product) -> Product:
    """What two products have in common, of each factor the power that is nearer to 0."""
    found = Product()
    for factor in one.factors:
        powers = factor.power, other.power_of(factor)
        if powers[0] * powers[1] > 0:
            power = min(powers, key=abs)
            found.factors.append(Factor(factor.term, power, factor.linear))
    return found


def _whole(product: Product, rules: RuleSet, real: Scalar) -> Term:
    """A product as a power of one of lower powers: (s/r)**6, and not s**6/r**6."""
    times, halves = divmod(reduce(gcd, [f.power for f in product.factors], 0), WHOLE)
    if times < 2 or halves:
        return product.whole(rules, real)
    factors = [Factor(f.term, f.power // times, f.linear) for f in product.factors]
    square, found = Product(1.0, factors).whole(rules, real), list[Term]()
    multiply = partial(built, rules, "mul")
    while times:
        found += [square] if times & 1 else []
        square, times = multiply(square, square), times >> 1
    power = reduce(multiply, found)
    number = product.number
    return power if number == 1 else multiply(const(number, real), power)
