"""Patterns that are quotients or products of a function and its argument, and their functions.

Takes patterns, gives which terms are f(x) of which of them, and of which x.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...terms.rule import Rewrite, RuleSet
from ...terms.term import CONST, VAR, Term, rebuild, substitute, toposort
from ..egraph.encode import typed
from ..egraph.rulebook import meeting_types
from ..egraph.saturate import Kinds, Operators
from ..guarded.decided import Certain
from ..guarded.images import Images
from ..guarded.numbers import Numbers
from ..guards import Guard
from .common import SUMS
from .factored import WHOLE, Factor, Product

PRODUCTS = ("mul", "div", "neg", "rcp")
_PLAIN = (*PRODUCTS, "sqrt")  # what factors of products are never


@dataclass(frozen=True, slots=True)
class Ratio:
    """A pattern f(x)/x**n or x**n/f(x), or f(c*x)/x, or f(x)/g(x), or x**n*f(x), at a type."""

    rule: Rewrite
    function: Term  # f(x)
    variable: Term
    result: Term
    power: int  # of f(x): 1 or -1
    order: int  # n; -n of a product
    times: Term | None = None  # c
    other: Term | None = None  # g(x), a sum or the root of one
    constants: tuple[Term, ...] = ()  # variables that stand for numbers only


def ratios_of(rule: Rewrite, types: Kinds, ops: Operators) -> Iterator[Ratio]:
    """A pattern as a ratio of f(x) and a power of x, if it is one, at the types of a program."""
    asked = [c.args[0] for c in rule.conditions if c.op == "is_const"]
    if rule.lhs.op not in ("div", "mul") or len(rule.params) > 2:
        return
    if len(asked) < len(rule.conditions):
        return
    sign = 1 if rule.lhs.op == "div" else -1
    for power, (function, other) in ((1, rule.lhs.args), (-sign, rule.lhs.args[::-1])):
        if function.op not in ops or not function.args or function.op in _PLAIN:
            continue
        inside = other.args[0] if other.op == "sqrt" else other
        if inside.op in SUMS and _variables(function) == len(rule.params):
            for meet in meeting_types(rule, types):
                whole, result, sum_ = [typed(t, meet) for t in (function, rule.rhs, other)]
                yield Ratio(rule, whole, whole, result, power, sign, other=sum_)
            continue
        product = Product.of(other)
        factors = product.factors if product is not None and product.number == 1 else []
        if len(factors) != 1 or factors[0].term.op != VAR:
            continue
        order, part = divmod(factors[0].power, WHOLE)
        variable = factors[0].term
        times = _times(function, variable) if power == order == sign else None
        if order <= 0 or part or _variables(function) < len(rule.params):
            continue
        for meet in meeting_types(rule, types):
            terms = [typed(t, meet) for t in (function, variable, rule.rhs, times or variable)]
            whole, x, result, c = terms
            if times is not None:
                (whole,) = substitute([whole], {Term("mul", (c, x), None, c.type): x})
            constants = tuple(typed(each, meet) for each in asked)
            factor = c if times else None
            yield Ratio(rule, whole, x, result, power, sign * order, factor, constants=constants)


def _variables(pattern: Term) -> int:
    return sum(t.op == VAR for t in toposort([pattern]))


def _times(function: Term, variable: Term) -> Term | None:
    """The other factor of f(c*x); None where that is not all that f is of."""
    products = [t for t in toposort([function]) if variable in t.args]
    match products:
        case [Term(op="mul", args=(Term(op=op) as times, x))] if op == VAR and x is variable:
            return times if times is not variable else None
    return None


class Functions:
    """Which terms are f(x) of a pattern, and of which x."""

    def __init__(self, ratios: Sequence[Ratio], rules: RuleSet) -> None:
        self.certain = Certain(Images(rules))
        self.ratios: dict[str, list[Ratio]] = {}
        for ratio in sorted(ratios, key=_rank):
            self.ratios.setdefault(ratio.function.op, []).append(ratio)
        sums = [ratio.function for ratio in ratios if ratio.function.op in SUMS]
        self.inner = {a.op for t in sums for a in t.args if a.args and a.op not in PRODUCTS}
        self.fitting: dict[tuple[str, ...], list[Ratio]] = {}
        self.known: dict[Term, list[tuple[Ratio, Mapping[Term, Term]]]] = {}

    def occur(self, roots: Sequence[Term]) -> bool:
        """Whether a program has any."""
        return any(self.of(term) or term.op in self.inner for term in toposort(roots))

    def stays_away(self, factor: Factor, guard: Guard) -> bool:
        """Whether half of the digits of a power are there wherever a guard holds."""
        return are_away(self.certain.numbers(factor.term, guard), factor)

    def of(self, term: Term) -> list[tuple[Ratio, Mapping[Term, Term]]]:
        """The patterns whose f(x) a term is, each with its x, and what else it names."""
        if term not in self.known:
            bound = [(r, matched(r.function, term)) for r in self._fitting(term)]
            self.known[term] = [
                (r, b)
                for r, b in bound
                if b is not None and all(b[c].op == CONST for c in r.constants)
            ]
        return self.known[term]

    def _fitting(self, term: Term) -> list[Ratio]:
        """The patterns of the operators of a term and its arguments: one in twenty."""
        ops = (term.op, *[a.op for a in term.args])
        if ops not in self.fitting:
            own = self.ratios.get(term.op, ())
            self.fitting[ops] = [r for r in own if _may_match(r.function, ops[1:])]
        return self.fitting[ops]


def _may_match(pattern: Term, ops: Sequence[str]) -> bool:
    """Whether arguments of a pattern are variables, or of these operators."""
    pairs = zip(pattern.args, ops, strict=True)
    return all(a.op in (VAR, op) or (a.op, op) == ("neg", "mul") for a, op in pairs)


def _rank(ratio: Ratio) -> tuple[bool, bool, int, int]:
    """What is looked for first: f(c*x), f(x)/g(x), of products the most of x, and the largest f."""
    of_product = ratio.order < 0
    size = -len(toposort([ratio.function])) if of_product else 0
    return ratio.times is None, ratio.other is None, min(ratio.order, 0), size


def stays_away(images: Images, factor: Factor) -> bool:
    """Whether a power of a term is never so near 0 that half of the digits are lost."""
    return are_away(images.anywhere(factor.term), factor)


def are_away(numbers: Numbers, factor: Factor) -> bool:
    """Whether a power of none of these numbers is so near 0 that half of the digits are lost."""
    eps = float(np.finfo(np.dtype(factor.term.type.value)).eps)
    near = eps ** (0.5 * WHOLE / abs(factor.power))
    return not any(low < near and high > -near for low, high in numbers.parts)


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
