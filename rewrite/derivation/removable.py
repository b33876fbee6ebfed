"""Quotients that have a value where both sides are 0, in whatever way they are written.

A pattern such as `x / (1 - exp(x)) >> -rexprel(x)` says it of x itself. Here x is what the function
is of, and the other side a product in which that is a factor, or a multiple of it:

    0.1 * (v + 40) / (1 - exp(-(v + 40) / 10))    =>    rexprel(-(v + 40) / 10)

One such as `expm1(c * x) / x >> expm1_over(c, x)` says it of what divides, and all else in it, and
one of two functions, `log(x) / (x - 1) >> logrel(x)`, where both are factors of a product.

Takes a program and patterns, gives the program with such quotients replaced. What is never near 0,
as `sqrt(x*x + 1e-6)`, divides as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...terms.program import Program
from ...terms.rule import Rewrite, RuleSet
from ...terms.term import VAR, Term, rebuild, substitute, toposort
from ...terms.types import Scalar
from ..egraph.encode import typed
from ..egraph.rulebook import meeting_types
from ..egraph.saturate import Kinds, Operators
from ..guarded.images import Images
from ..guards import guards
from ..uses import uses_of
from .factored import FACTORS, WHOLE, Factor, Product

_PRODUCTS = ("mul", "div", "neg", "rcp")
_SUMS = ("add", "sub")
_TIMES = 4  # so many quotients in one product


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A pattern f(x)/x**n or x**n/f(x), or f(c*x)/x, or f(x)/g(x), at a type."""

    rule: Rewrite
    function: Term  # f(x)
    variable: Term
    result: Term
    power: int  # of f(x): 1 or -1
    order: int  # n
    times: Term | None = None  # c
    other: Term | None = None  # g(x), a sum


@dataclass(frozen=True, slots=True)
class _Made:
    """A quotient that was replaced, and the terms that no longer divide."""

    rule: Rewrite
    function: Term
    gone: tuple[Factor, ...]


def without_removable(
    program: Program,
    patterns: Sequence[Rewrite],
    types: Kinds,
    ops: Operators,
    rules: RuleSet,
    fired: dict[str, int],
) -> Program:
    """The program with quotients of functions and multiples of their arguments replaced.

    Not where the program divides by the same elsewhere, whatever it is given: nothing is gained;
    and not in arms of branches, which say themselves where they are right.
    """
    found = _Functions([ratio for rule in patterns for ratio in _ratios(rule, types, ops)], rules)
    roots = [*program.flat, *program.notes]
    vain: set[Term] = set()
    while found.occur(program.flat):
        made: list[_Made] = []
        after = _without(roots, found, vain, rules, made)
        flat, named = after[: len(program.flat)], after[len(program.flat) :]
        divisors = _divisors(flat) if made else []
        still = {m.function for m in made if any(_is_among(g, divisors) for g in m.gone)}
        if not still:
            for each in made:
                name = f"{each.rule.at} {each.rule.name}"
                fired[name] = fired.get(name, 0) + 1
            notes = dict(zip(named, program.notes.values(), strict=True))
            return program.with_flat(flat, notes=notes)
        vain |= still
    return program


def _without(
    roots: Sequence[Term],
    found: _Functions,
    vain: Collection[Term],
    rules: RuleSet,
    made: list[_Made],
) -> list[Term]:
    """The same, but for functions in `vain`; `made` collects what was replaced."""
    done: dict[Term, Term] = {}
    sides: dict[Term, _Sides] = {}
    needed, inner = guards(roots), _inner(roots)
    for term in toposort(roots):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        sides[term] = _sides(here, [sides[a] for a in term.args], found)
        open_ = needed[term].parent is None and sides[term].are_worth_a_look()
        open_ &= term not in inner
        for _ in range(_TIMES if open_ else 0):
            new = _replaced(here, found, vain, rules, made)
            if new is None:
                break
            here = new
        done[term] = here
    return [done[root] for root in roots]


def _inner(roots: Sequence[Term]) -> Collection[Term]:
    """Products that are a part of one other product and nothing else, which is looked at whole."""
    terms, product_of = toposort(roots), dict[Term, Term]()
    uses = uses_of(terms, roots)
    sizes: dict[Term, int] = {}
    for term in terms:
        is_product = term.op in _PRODUCTS
        size = sum(sizes[a] for a in term.args) if is_product else 1
        sizes[term] = min(size, FACTORS + 1)
        if is_product:
            product_of.update({a: term for a in term.args if a.op in _PRODUCTS})
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
        """Whether there may be f(x) over x, or x over f(x)."""
        pairs = (1 in self.above and self.divides) or -1 in self.below
        return pairs and 1 < self.size <= FACTORS


_PLAIN = _Sides()


def _sides(term: Term, args: Sequence[_Sides], found: _Functions) -> _Sides:
    match term.op:
        case "neg":
            return args[0]
        case "rcp":
            return args[0].turned()
        case "mul":
            return args[0].times(args[1])
        case "div":
            return args[0].times(args[1].turned())
    powers = frozenset([ratio.power for ratio, _ in found.of(term)])
    return _Sides(powers) if powers else _PLAIN


def _divisors(roots: Sequence[Term]) -> list[Factor]:
    """By what a program divides, whatever it is given."""
    needed = guards(roots)
    below = [t.args[-1] for t in needed if t.op in ("div", "rcp") and needed[t].parent is None]
    products = [Product.of(term) for term in below]
    return [factor for product in products if product is not None for factor in product.factors]


def _is_among(factor: Factor, others: Sequence[Factor]) -> bool:
    return Product(1.0, list(others)).power_of(factor) != 0


def _ratios(rule: Rewrite, types: Kinds, ops: Operators) -> Iterator[_Ratio]:
    """A pattern as a ratio of f(x) and a power of x, if it is one, at the types of a program."""
    if rule.lhs.op != "div" or rule.conditions or len(rule.params) > 2:
        return
    for power, (function, other) in ((1, rule.lhs.args), (-1, rule.lhs.args[::-1])):
        if function.op not in ops or not function.args or function.op in _PRODUCTS:
            continue
        if other.op in _SUMS and _variables(function) == len(rule.params):
            for meet in meeting_types(rule, types):
                whole, result, sum_ = [typed(t, meet) for t in (function, rule.rhs, other)]
                yield _Ratio(rule, whole, whole, result, power, 1, other=sum_)
            continue
        product = Product.of(other)
        factors = product.factors if product is not None and product.number == 1 else []
        if len(factors) != 1 or factors[0].term.op != VAR:
            continue
        order, part = divmod(factors[0].power, WHOLE)
        variable = factors[0].term
        times = _times(function, variable) if power == order == 1 else None
        if order <= 0 or part or _variables(function) < len(rule.params):
            continue
        for meet in meeting_types(rule, types):
            terms = [typed(t, meet) for t in (function, variable, rule.rhs, times or variable)]
            whole, x, result, c = terms
            if times is not None:
                (whole,) = substitute([whole], {Term("mul", (c, x), None, c.type): x})
            yield _Ratio(rule, whole, x, result, power, order, c if times else None)


def _variables(pattern: Term) -> int:
    return sum(t.op == VAR for t in toposort([pattern]))


def _times(function: Term, variable: Term) -> Term | None:
    """The other factor of f(c*x); None where that is not all that f is of."""
    products = [t for t in toposort([function]) if variable in t.args]
    match products:
        case [Term(op="mul", args=(Term(op=op) as times, x))] if op == VAR and x is variable:
            return times if times is not variable else None
    return None


class _Functions:
    """Which terms are f(x) of a pattern, and of which x."""

    def __init__(self, ratios: Sequence[_Ratio], rules: RuleSet) -> None:
        self.images = Images(rules)
        self.ratios: dict[str, list[_Ratio]] = {}
        for ratio in sorted(ratios, key=lambda r: r.times is None):
            self.ratios.setdefault(ratio.function.op, []).append(ratio)
        self.known: dict[Term, list[tuple[_Ratio, Mapping[Term, Term]]]] = {}

    def occur(self, roots: Sequence[Term]) -> bool:
        """Whether a program has any."""
        return bool(self.ratios) and any(self.of(term) for term in toposort(roots))

    def stays_away(self, factor: Factor) -> bool:
        """Whether a power of a term is never so near 0 that half of the digits are lost."""
        eps = float(np.finfo(np.dtype(factor.term.type.value)).eps)
        near = eps ** (0.5 * WHOLE / abs(factor.power))
        parts = self.images.anywhere(factor.term).parts
        return not any(low < near and high > -near for low, high in parts)

    def of(self, term: Term) -> list[tuple[_Ratio, Mapping[Term, Term]]]:
        """The patterns whose f(x) a term is, each with its x, and what else it names."""
        if term not in self.known:
            bound = [(r, matched(r.function, term)) for r in self.ratios.get(term.op, ())]
            self.known[term] = [(r, b) for r, b in bound if b is not None]
        return self.known[term]


def matched(pattern: Term, term: Term) -> Mapping[Term, Term] | None:
    """What the variables of a pattern are in a term; None where it is no instance of it."""
    bound: dict[Term, Term] = {}
    stack = [(pattern, term)]
    while stack:
        wanted, found = stack.pop()
        if wanted.op == VAR:
            if bound.setdefault(wanted, found) is not found:
                return None
        elif wanted.args:
            found = _as_negative(found) if wanted.op == "neg" else found
            if (wanted.op, wanted.attr, wanted.type) != (found.op, found.attr, found.type):
                return None
            stack += zip(wanted.args, found.args, strict=True)
        elif wanted is not found:
            return None
    return bound


def _as_negative(term: Term) -> Term:
    """A product as the negative of another one, where a factor is negative: (-a)*t as -(a*t)."""
    if term.op == "mul":
        for i, factor in enumerate(term.args):
            if factor.op == "neg":
                args = (*term.args[:i], factor.args[0], *term.args[i + 1 :])
                return Term("neg", (rebuild(term, args),), None, term.type)
    return term


def _replaced(
    term: Term, found: _Functions, vain: Collection[Term], rules: RuleSet, made: list[_Made]
) -> Term | None:
    """A product with one quotient of a function and its argument replaced; None without any."""
    product = Product.of(term) if term.op in ("mul", "div") else None
    for factor in product.factors if product is not None else ():
        for ratio, bound in found.of(factor.term) if factor.term not in vain else ():
            assert product is not None
            with_other = _with_argument if ratio.other is None else _with_sum
            parts = with_other(product, factor, ratio, bound, rules, term.type)
            if parts is not None and not all(map(found.stays_away, parts[2])):
                rest, table, gone = parts
                made.append(_Made(ratio.rule, factor.term, gone))
                (value,) = substitute([ratio.result], table)
                return rest.build(rules, value, term.type)
    return None


# What is left of a product, what the variables of the pattern are, and what no longer divides.
_Parts = tuple[Product, Mapping[Term, Term], tuple[Factor, ...]]


def _with_argument(
    product: Product,
    factor: Factor,
    ratio: _Ratio,
    bound: Mapping[Term, Term],
    rules: RuleSet,
    real: Scalar,
) -> _Parts | None:
    """A product without f(x) and the powers of x that the pattern has beside it."""
    argument = Product.of(bound[ratio.variable])
    gone = _gone(product, factor, ratio, argument) if argument is not None else ()
    if argument is None or not gone:
        return None
    rest = _without_function(product, factor, ratio)
    if ratio.times is None:
        return rest.times(argument, ratio.power * ratio.order), bound, gone
    below = Product(1.0, [_below(f, product) for f in argument.factors])
    left = argument.times(below, -1)
    if not left.varies():
        return None
    table = {ratio.variable: below.whole(rules, real), ratio.times: left.whole(rules, real)}
    return rest.times(below), {**bound, **table}, gone


def _with_sum(
    product: Product, factor: Factor, ratio: _Ratio, bound: Mapping[Term, Term], *_: object
) -> _Parts | None:
    """A product without f(x) and g(x), if that is on the other side of the line."""
    assert ratio.other is not None
    (term,) = substitute([ratio.other], bound)
    sum_ = Product.of(term)
    if sum_ is None or len(sum_.factors) != 1:
        return None
    other = sum_.factors[0]
    if factor.power * ratio.power < WHOLE or product.power_of(other) * ratio.power > -WHOLE:
        return None
    rest = _without_function(product, factor, ratio).times(sum_, ratio.power)
    return rest, bound, (other if ratio.power > 0 else factor,)


def _without_function(product: Product, factor: Factor, ratio: _Ratio) -> Product:
    return product.times(Product(1.0, [Factor(factor.term, WHOLE, factor.linear)]), -ratio.power)


def _below(factor: Factor, product: Product) -> Factor:
    """As much of a factor of the argument as the product divides by."""
    there, most = -product.power_of(factor), factor.power
    return replace(factor, power=max(min(most, there), 0) if most > 0 else min(max(most, there), 0))


def _gone(
    product: Product, function: Factor, ratio: _Ratio, argument: Product
) -> tuple[Factor, ...]:
    """What no longer divides once f(x) and x are one.

    f(x) under the line: all of x has to go from what is above. Above: some of x from below, as
    often as the pattern says.
    """
    zeros = [f for f in argument.factors if f.power > 0]
    if function.power * ratio.power < WHOLE or not zeros:
        return ()
    if ratio.power > 0:
        below = [f for f in zeros if product.power_of(f) < 0]
        often = any(-product.power_of(f) >= ratio.order * f.power for f in below)
        return tuple(below) if often or ratio.order == 1 else ()
    return (function,) if all(product.power_of(f) >= ratio.order * f.power for f in zeros) else ()
