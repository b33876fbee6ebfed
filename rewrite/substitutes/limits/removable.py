"""Quotients that have a value where both sides are 0, in whatever way they are written.

A pattern such as `x / (1 - exp(x)) >> -rexprel(x)` says it of x itself. Here x is what the function
is of, and the other side a product in which that is a factor, or a multiple of it:

    0.1 * (v + 40) / (1 - exp(-(v + 40) / 10))    =>    rexprel(-(v + 40) / 10)

One such as `expm1(c * x) / x >> expm1_over(c, x)` says it of what divides, and all else in it, and
one of two functions, `log(x) / (x - 1) >> logrel(x)`, where both are factors of a product.

Takes a program and patterns, gives the program with such quotients replaced. What is never near 0,
as `sqrt(x*x + 1e-6)`, divides as it is, and so does what a guard keeps away from 0 by enough:

    v*t if abs(w) < 1e-6 else v/w * sin(w*t)    has all digits of slopes in float64, not in float32
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce

from ....terms.apply import apply
from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import Term, const, rebuild, substitute, toposort
from ....terms.types import Scalar
from ....terms.value import scalar
from ...egraph.saturate import Kinds, Operators
from ...factors.common import SUMS, built, in_common, of_common_factors, summands, total
from ...factors.factored import FACTORS, WHOLE, Factor, Product
from ...factors.ratios import PRODUCTS, Functions, Ratio, ratios_of
from ...guards import Guard, guards
from ...uses import uses_of
from .chained import is_link, through_functions
from .divided import Bits, bits_among, dividing, gained
from .lengths import Lengths, lengths_of
from .parted import parted, zeros
from .polar import by_sides_of_angles, is_of_angle

_TIMES = 4  # so many quotients in one product
_BESIDE = 0  # stands for the power of a function that wants its argument beside it


@dataclass(frozen=True, slots=True)
class _Made:
    """A quotient that was replaced, and the terms that no longer divide."""

    rule: Rewrite
    function: Term
    gone: tuple[Factor, ...]
    guarded: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """What quotients are looked for with, under which guard; `made` collects what was replaced."""

    found: Functions
    vain: Collection[Term]  # functions that are none
    rules: RuleSet
    made: list[_Made]
    lengths: Lengths
    guard: Guard = field(default_factory=lambda: Guard(None, None, True))

    def stays_away(self, factor: Factor) -> bool:
        """Whether half of the digits of a power are there wherever the guard holds."""
        return self.found.stays_away(factor, self.guard)


def without_removable(
    program: Program,
    patterns: Sequence[Rewrite],
    types: Kinds,
    ops: Operators,
    rules: RuleSet,
    fired: dict[str, int],
) -> Program:
    """The program with quotients of functions and multiples of their arguments replaced.

    Not where the program divides by the same elsewhere, whatever it is given: nothing is gained,
    but at rest, where a result has slopes that others of the same length have not.
    In arms of branches, where what a guard leaves is so near 0 that half of the digits are lost.
    Functions over their arguments come first: in tanh(l) * (x/l) the other factor has no value.
    """
    ratios = [r for rule in patterns for r in ratios_of(rule, types, ops)]
    above = [r for r in ratios if r.power > 0]
    for some in (above, ratios) if len(above) < len(ratios) else (ratios,):
        program = _without_some(program, some, rules, fired)
    return program


def _without_some(
    program: Program, ratios: Sequence[Ratio], rules: RuleSet, fired: dict[str, int]
) -> Program:
    """The program with quotients replaced of which these patterns are."""
    found = Functions(ratios, rules)
    roots = [*program.flat, *program.notes]
    vain: set[Term] = set()
    while found.occur(program.flat):
        made: list[_Made] = []
        look = _Look(found, vain, rules, made, lengths_of(toposort(roots)))
        after = _without(roots, _inner(program.flat), look)
        if not made:
            return program
        flat, named = after[: len(program.flat)], after[len(program.flat) :]
        still = _in_vain(made, program.flat, flat)
        if not still:
            for each in made:
                name = f"{each.rule.at} {each.rule.name}"
                fired[name] = fired.get(name, 0) + 1
            notes = dict(zip(named, program.notes.values(), strict=True))
            return program.with_flat(flat, notes=notes)
        vain |= still
    return program


def _without(roots: Sequence[Term], inner: Collection[Term], look: _Look) -> list[Term]:
    """The roots with what is found replaced; `inner` are looked at as parts of others."""
    done: dict[Term, Term] = {}
    sides: dict[Term, _Sides] = {}
    needed = guards(roots)
    for term in toposort(roots):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        sides[term] = _sides(here, [sides[a] for a in term.args], look.found)
        at = replace(look, guard=needed[term])
        open_ = sides[term].are_worth_a_look() and term not in inner
        for _ in range(_TIMES if open_ else 0):
            new = _replaced(here, at)
            if new is None:
                break
            here = new
        if term.op in SUMS and sides[term].divides:
            here = _of_divided(here, at)
        if here.op in SUMS:
            here = _of_logarithms(here, at)
        done[term] = here
    return [done[root] for root in roots]


def _inner(roots: Sequence[Term]) -> Collection[Term]:
    """Products that are a part of one other product and nothing else, which is looked at whole."""
    terms, product_of = toposort(roots), dict[Term, Term]()
    uses = uses_of(terms, roots)
    sizes: dict[Term, int] = {}
    for term in terms:
        is_product = term.op in PRODUCTS
        size = sum(sizes[a] for a in term.args) if is_product else 1
        sizes[term] = min(size, FACTORS + 1)
        if is_product:
            product_of.update({a: term for a in term.args if a.op in PRODUCTS})
    return {t for t, whole in product_of.items() if uses[t] == 1 and sizes[whole] <= FACTORS}


@dataclass(frozen=True, slots=True)
class _Sides:
    """Which functions a product has above and below its line, by their powers in the patterns."""

    above: frozenset[int] = frozenset()
    below: frozenset[int] = frozenset()
    divides: bool = False
    size: int = 1

    def turned(self) -> _Sides:
        """Those of the reciprocal."""
        return _Sides(self.below, self.above, True, self.size)

    def times(self, other: _Sides) -> _Sides:
        """Those of a product."""
        above, below = self.above | other.above, self.below | other.below
        return _Sides(above, below, self.divides or other.divides, self.size + other.size)

    def are_worth_a_look(self) -> bool:
        """Whether there may be f(x) over x, or x over f(x), or both beside each other."""
        pairs = (1 in self.above and self.divides) or -1 in self.below or _BESIDE in self.above
        return pairs and 1 < self.size <= FACTORS


_PLAIN = _Sides()


def _sides(term: Term, args: Sequence[_Sides], found: Functions) -> _Sides:
    match term.op:
        case "neg":
            return args[0]
        case "rcp":
            return args[0].turned()
        case "mul":
            return args[0].times(args[1])
        case "div":
            return args[0].times(args[1].turned())
    powers = frozenset([r.power if r.order > 0 else _BESIDE for r, _ in found.of(term)])
    if is_of_angle(term):
        return _Sides(powers, divides=True)  # x/l
    if term.op in SUMS:
        divides = any(side.divides for side in args)
        return _Sides(powers | args[0].above & args[1].above, divides=divides)
    return _Sides(powers) if powers else _PLAIN


def _in_vain(made: Sequence[_Made], before: Sequence[Term], after: Sequence[Term]) -> set[Term]:
    """Functions of quotients that are gone where the program divides by the same elsewhere.

    Of a length that is no loss to a result that no longer does: it has gained slopes at rest.
    """
    gone = [factor for each in made for factor in each.gone]
    in_arms = sum(1 << k for k, m in enumerate([m for m in made for _ in m.gone]) if m.guarded)

    def bits_of(divisor: Term, guard: Guard) -> Bits:
        found = bits_among(divisor, gone)
        return found if guard.parent is None else found & in_arms

    was, now = dividing(before, bits_of), dividing(after, bits_of)
    vain, place = set[Term](), 0
    for each in made:
        own = ((1 << len(each.gone)) - 1) << place
        place += len(each.gone)
        of_size = all(factor.is_size for factor in each.gone)
        if any(bits & own for bits in now) and not (of_size and gained(was, now, own)):
            vain.add(each.function)
    return vain


def _replaced(term: Term, look: _Look) -> Term | None:
    """A product with one quotient of a function and its argument replaced; None without any.

    A sum whose summands have the function in common is taken for a product, too.
    """
    product = Product.of(term) if term.op in ("mul", "div") else None
    if product is None:
        return None
    along = by_sides_of_angles(product, look.lengths, look.rules)
    if along is not None:
        along = of_common_factors(along, look.rules, term.type)
    new = _without_quotient(along, 1, term.type, look) if along is not None else None
    new = new or _without_quotient(product, 1, term.type, look)
    sums = [f for f in product.factors if f.power == WHOLE and f.term.op in SUMS]
    for factor in sums if new is None else ():
        shared = in_common(summands(factor.term), look.rules, term.type)
        if shared is not None and any(look.found.of(f.term) for f in shared.factors):
            rest = product.times(Product(1.0, [factor]), -1).times(shared)
            new = _without_quotient(rest, 1, term.type, look)
            if new is not None:
                return new
    return new or _without_quotient(product, -1, term.type, look)


def _without_quotient(product: Product, power: int, real: Scalar, look: _Look) -> Term | None:
    """A product without one quotient whose function is above the line, or below it (-1)."""
    rules = look.rules
    for factor in product.factors:
        for ratio, bound in look.found.of(factor.term) if factor.term not in look.vain else ():
            if ratio.power != power:
                continue
            parts = parted(product, factor, ratio, bound, rules, real)
            if parts is not None and not all(map(look.stays_away, zeros(ratio, bound, parts[2]))):
                rest, table, gone = parts
                guarded = look.guard.parent is not None
                look.made.append(_Made(ratio.rule, factor.term, gone, guarded))
                (value,) = substitute([ratio.result], table)
                return rest.build(rules, value, real)
    return _without_chain(product, power, real, look)


def _without_chain(product: Product, power: int, real: Scalar, look: _Look) -> Term | None:
    """A product without one quotient of a function of functions and what the innermost is of."""
    found, rules = look.found, look.rules
    for factor in product.factors if any(f.power < 0 for f in product.factors) else ():
        if factor.power * power < WHOLE or factor.term in look.vain:
            continue
        for ratio, bound in found.of(factor.term):
            if not is_link(ratio, power):
                continue
            link = (factor, ratio, bound)
            parts = through_functions(product, link, found, look.vain, rules, real)
            if parts is not None and not all(map(look.stays_away, parts[2])):
                rest, values, gone = parts
                divided = gone if power > 0 else (factor,)
                guarded = look.guard.parent is not None
                look.made.append(_Made(ratio.rule, factor.term, divided, guarded))
                return reduce(partial(built, rules, "mul"), values, rest.whole(rules, real))
    return None


def _of_divided(term: Term, look: _Look) -> Term:
    """A sum in which summands that are divided by the same are one quotient, if that has a value.

    v/w * sin(a + w*t) - v/w * sin(a) has one where w is 0.
    """
    added = summands(term)
    divided = [part for part in added if part[1].op in PRODUCTS]
    others = [part for part in added if part[1].op not in PRODUCTS]
    shared = in_common(divided, look.rules, term.type)
    if shared is None or all(f.power >= 0 for f in shared.factors):
        return term
    new = _without_quotient(shared, 1, term.type, look)
    return term if new is None else total([*others, (1, new)], look.rules, term.type)


def _of_logarithms(term: Term, look: _Look) -> Term:
    """A sum in which a difference of logarithms is that of a quotient that has a value.

    log(k) - log(4*pi*sinh(k)) has one where k is 0.
    """
    added, rules = summands(term), look.rules
    signs = {sign for sign, part in added if part.op == "log"}
    for i, (sign, one) in enumerate(added if len(signs) == 2 else ()):
        for j, (other_sign, other) in enumerate(added):
            if not (one.op == other.op == "log" and sign > 0 > other_sign):
                continue
            above, below = (Product.of(log.args[0]) for log in (one, other))
            if above is None or below is None or above.number * below.number <= 0:
                continue
            quotient = above.times(below, -1)
            number, quotient.number = quotient.number, 1.0
            new = _without_quotient(quotient, 1, term.type, look)
            new = new or _without_quotient(quotient, -1, term.type, look)
            if new is not None:
                parts = [new] if number == 1 else [const(number, term.type), new]
                logs = [(1, apply(rules, "log", [scalar(p)], term.type).term) for p in parts]
                rest = [part for k, part in enumerate(added) if k not in (i, j)]
                return total([*rest, *logs], rules, term.type)
    return term
