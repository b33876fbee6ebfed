"""Logarithms and shares of sums of exponentials, less the largest exponent: none of it overflows.

    log(exp(a) + exp(b) + exp(c))        is    m + log(exp(a - m) + exp(b - m) + exp(c - m))
    exp(a) / (1 + exp(a) + exp(b))       is    exp(a - m) / (exp(-m) + exp(a - m) + exp(b - m))
    log((exp(a*t) + exp(b*t)) / 2) / t   also  with m*t for m, so that t is a factor of all
    log(exp(a) / s)                      is    a - m - log(s/exp(m)), also where the share is 0

m does not vary: neither side depends on it. Positive numbers may stand before exponentials and
sums; in mixtures, where all that is summed has an exponential as a factor, anything may, as weights
and 1/s of densities. Sums of two plain exponentials have rules of their own, and who has subtracted
something from all exponents by hand keeps that. Takes a program, gives one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from math import log

from ....terms.program import Program
from ....terms.rule import RuleSet
from ....terms.term import (
    CONST,
    DETACH,
    SELECT,
    Term,
    const,
    const_value,
    is_zero,
    toposort,
)
from ....terms.types import Scalar
from ...factors.common import SUMS, built, summands, total
from ...factors.factored import WHOLE, Factor, Product

_LEAST, _LEAST_WEIGHTED = 3, 2  # summands
_LOGARITHMS = {"log": 1.0, "log2": 1 / log(2), "log10": 1 / log(10)}
_DEPTH = 8  # of products within products
_LOWEST = {Scalar.F32: -1e38, Scalar.F64: -1e300}


def without_overflow(program: Program, rules: RuleSet) -> Program:
    """The program with the largest exponent subtracted where only quotients count."""
    roots = [*program.flat, *program.notes]
    if not any(term.op == "exp" for term in toposort(roots)):
        return program
    poles = _divided_by(toposort(roots))
    return program.rewritten(lambda _, here: _shifted(here, rules, poles))


def is_of_exponentials(term: Term) -> bool:
    """Whether a logarithm is of a sum of exponentials that is shifted here."""
    return term.op == "log" and bool(_exponents(term.args[0], True))


def _divided_by(terms: Sequence[Term]) -> Collection[Term]:
    """The factors of what a program divides by."""
    products = [Product.of(t.args[-1]) for t in terms if t.op in ("div", "rcp")]
    return {f.term for p in products if p is not None for f in p.factors if f.power > 0}


def _shifted(term: Term, rules: RuleSet, poles: Collection[Term]) -> Term | None:
    """A logarithm, or a quotient, of a sum of exponentials without overflow."""
    if term.op in _LOGARITHMS:
        known = _log_of_share(term.args[0], rules)
        if known is not None:
            return _scaled(known, _LOGARITHMS[term.op], rules)
    if term.op not in ("log", "div", "rcp"):
        return None
    exponents = _exponents(term.args[-1], term.op == "log") or _of_mixture(term)
    if not exponents:
        return None
    rates = _Rates.shared(exponents, poles, rules) if term.op == "log" else None
    shift = rates or _Shift(exponents, rules)
    below = shift.of(term.args[-1])
    if term.op == "log":
        return shift.apply("add", shift.most, shift.apply("log", below))
    above = term.args[0] if term.op == "div" else const(1.0, term.type)
    return shift.apply("div", shift.of(above), below)


def _log_of_share(term: Term, rules: RuleSet) -> Term | None:
    """The logarithm of a share, or of a quotient of two; None of anything else.

    exp(a)/s is 0 far below the largest, and its logarithm infinite: p*log(p) has the slope
    infinity * 0. Two plain exponentials are left to `sigmoid`, whose logarithm is known.
    """
    if term.op != "div":
        return None
    above, below = term.args
    if above.op == "div" and below.op == "div":
        logs = [_log_of_share(share, rules) for share in term.args]
        return None if None in logs else built(rules, "sub", *[t for t in logs if t is not None])
    added = summands(below) if above.op == "exp" and below.op == "add" else []
    exps = [_exponential(part) for _, part in added]
    is_plain = all(part.op == "exp" for _, part in added)
    if above not in exps or None in exps or any(sign < 0 for sign, _ in added):
        return None
    if is_plain and len(added) < _LEAST:
        return None
    return built(rules, "sub", above.args[0], built(rules, "log", below))


def _scaled(term: Term, by: float, rules: RuleSet) -> Term:
    return term if by == 1 else built(rules, "mul", term, const(by, term.type))


def _exponents(term: Term, of_log: bool) -> list[Term]:
    """The exponents of a sum of positive numbers and exponentials; none of anything else."""
    outside, sum_ = _weighted(term)
    added = summands(sum_) if sum_.op == "add" else []
    parts = [_weighted(part) for _, part in added]
    exps = [part.args[0] for _, part in parts if part.op == "exp"]
    numbers = [part for _, part in parts if _is_positive(part)]
    has_weights = outside != 1 or any(w != 1 for w, part in parts if part.op == "exp")
    has_weights |= any(float(const_value(number)) != 1 for number in numbers)
    least = _LEAST_WEIGHTED if has_weights and (of_log or not numbers) else _LEAST
    if len(added) < least or any(sign < 0 for sign, _ in added):
        return []
    if len(exps) < least - 1 or len(exps) + len(numbers) < len(added):
        return []
    exponents = list(dict.fromkeys(exps))
    if _are_shifted(exponents) and not numbers:
        return []
    return exponents + ([const(0.0, term.type)] if numbers else [])


def _of_mixture(term: Term) -> list[Term]:
    """The exponents of a sum of products, each of an exponential and anything else."""
    sum_ = _weighted(term.args[-1])[1]
    added = summands(sum_) if sum_.op == "add" else []
    exps = [_exponential(part) for _, part in added]
    exponents = list(dict.fromkeys([e.args[0] for e in exps if e is not None]))
    if len(exponents) < _LEAST_WEIGHTED or None in exps or any(sign < 0 for sign, _ in added):
        return []
    own = _exponential(term.args[0])
    if term.op != "log" and (term.op != "div" or own is None or own.args[0] not in exponents):
        return []
    is_plain = all(part.op == "exp" for _, part in added)
    return [] if is_plain or _are_shifted(exponents) else exponents


def _are_shifted(exponents: Sequence[Term]) -> bool:
    """Whether the same is subtracted from all of them."""
    less = {e.args[1] if e.op == "sub" else None for e in exponents}
    return None not in less and len(less) == 1


def way_to_exponential(term: Term) -> list[tuple[Term, int]]:
    """The products down to the first exponential among the factors, and the place of each."""
    stack: list[list[tuple[Term, int]]] = [[(term, -1)]]
    while stack:
        way = stack.pop()
        here, _ = way[-1]
        if here.op == "exp":
            return way
        places = {"mul": (1, 0), "div": (0,)}.get(here.op, ())
        if len(way) < _DEPTH:
            stack += [[*way, (here.args[i], i)] for i in places]
    return []


def inside_product(way: Sequence[tuple[Term, int]], new: Term, rules: RuleSet) -> Term:
    """Products with something else in the place of the exponential that a way leads to."""
    for (product, _), (_, place) in zip(way[-2::-1], way[:0:-1], strict=True):
        args = [new if i == place else a for i, a in enumerate(product.args)]
        new = built(rules, product.op, *args)
    return new


def _exponential(term: Term) -> Term | None:
    """The first exponential among the factors of a product."""
    way = way_to_exponential(term)
    return way[-1][0] if way else None


def _weighted(term: Term) -> tuple[float, Term]:
    """A term as a positive number times another one."""
    if term.op in ("mul", "div"):
        one, other = term.args
        if _is_positive(other):
            number = float(const_value(other))
            return (number if term.op == "mul" else 1 / number), one
        if term.op == "mul" and _is_positive(one):
            return float(const_value(one)), other
    return 1.0, term


def _is_positive(term: Term) -> bool:
    return term.op == CONST and float(const_value(term)) > 0


class _Shift:
    """exp(-m) times sums of exponentials, for the largest exponent m."""

    def __init__(self, exponents: Sequence[Term], rules: RuleSet) -> None:
        self.rules = rules
        self.exponents: Collection[Term] = frozenset(exponents)
        self.type = exponents[0].type
        largest = reduce(lambda a, b: self.apply("max", a, b), exponents)
        if self.type in _LOWEST:  # -inf - -inf is no number
            largest = self.apply("max", largest, const(_LOWEST[self.type], self.type))
        self.most = Term(DETACH, (largest,), None, self.type)

    def apply(self, op: str, *args: Term) -> Term:
        return built(self.rules, op, *args)

    def exp(self, exponent: Term) -> Term:
        """exp(-m) times the exponential of one of them."""
        return self.apply("exp", self.apply("sub", exponent, self.most))

    def of(self, term: Term) -> Term:
        """exp(-m) times a term, which goes into the exponentials that it consists of."""
        weight, inside = _weighted(term)
        if weight != 1 and inside.op in SUMS:
            return self.apply("mul", const(weight, self.type), self.of(inside))
        added = summands(term) or [(1, term)]
        return total([(sign, self.product(part)) for sign, part in added], self.rules, self.type)

    def product(self, term: Term) -> Term:
        """exp(-m) times a product: in the exponential among its factors, if there is one."""
        way = way_to_exponential(term)
        if way and way[-1][0].args[0] in self.exponents:
            return inside_product(way, self.exp(way[-1][0].args[0]), self.rules)
        small = self.apply("exp", self.apply("neg", self.most))
        is_one = term.op == CONST and float(const_value(term)) == 1
        return small if is_one else self.apply("mul", term, small)


class _Rates(_Shift):
    """The same where all exponents have one factor t, and m is m/t times it.

    What log(mean(exp(r*t)))/t is where t is 0 is seen then: m/t does not vary, and t is divided by.
    """

    def __init__(self, rates: Mapping[Term, Term], factor: Term, rules: RuleSet) -> None:
        self.rules, self.factor, self.rates = rules, factor, rates
        self.exponents, self.type = rates, factor.type
        largest, least = (
            reduce(lambda a, b: self.apply(op, a, b), dict.fromkeys(rates.values()))
            for op in ("max", "min")
        )
        is_up = Term("ge", (factor, const(0.0, self.type)), None, Scalar.BOOL)
        rate = Term(SELECT, (is_up, largest, least), None, self.type)
        self.rate = Term(DETACH, (rate,), None, self.type)
        self.most = self.apply("mul", self.rate, factor)

    @staticmethod
    def shared(exponents: Sequence[Term], poles: Collection[Term], rules: RuleSet) -> _Rates | None:
        """Those of exponents with a factor in `poles`; None without one."""
        real = exponents[0].type
        products = [Product.of(exponent) for exponent in exponents if not is_zero(exponent)]
        for factor in products[0].factors if products and products[0] is not None else ():
            by = Product(1.0, [Factor(factor.term, WHOLE, factor.linear)])
            if factor.term in poles and all(p and p.power_of(factor) == WHOLE for p in products):
                left = iter([p.times(by, -1).whole(rules, real) for p in products if p is not None])
                rates = {e: e if is_zero(e) else next(left) for e in exponents}
                return _Rates(rates, factor.term, rules)
        return None

    def exp(self, exponent: Term) -> Term:
        """exp(-m) times the exponential of one of them."""
        less = self.apply("sub", self.rates[exponent], self.rate)
        return self.apply("exp", self.apply("mul", less, self.factor))
