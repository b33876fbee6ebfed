"""Quotients as factors with exponents: what is above and below the line goes.

Takes result terms, gives pairs of equal terms: a product of quotients as the program computes it,
and without the factors that cancel, wherever these stand:

    rcp(a) * ((a*x) / b)    as    x / b

Squares of roots are what these are roots of. Several of such are divided by one at a time: their
product is a fourth power, which is infinite long before each of them is.

    (d / (sqrt(x*x) * sqrt(y*y)))**2    as    (d / (x*x)) * (d / (y*y))

A power that is written as an exponential stands beside its base below the line, where a rule makes
both one power: (a * exp(y*log(x))) / (b*x) as (exp(y*log(x)) / x) * (a / b).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from ...terms.term import CONST, Term, const, toposort
from ..guarded.images import never_negative
from ..uses import uses_of
from .products import Product
from .summands import used_often

_FACTORS = 24  # of one quotient, above and below
#: Operators that divide.
QUOTIENTS = ("div", "rcp")
_ROOTS = ("sqrt", "rsqrt")


@dataclass(frozen=True)
class Quotient:
    """A sign, and factors with exponents, of which some have met and gone (`cancels`).

    `divisions` counts those that nothing else uses: they are saved. `powers` are quotients of a
    power, which nothing else uses, and its base; `apart` is divided by one at a time.
    """

    negative: bool
    factors: dict[Term, int]
    cancels: bool
    divisions: int
    powers: tuple[Term, ...] = ()
    apart: tuple[Term, ...] = ()

    @staticmethod
    def of(term: Term, whole: frozenset[Term], uses: Mapping[Term, int]) -> Quotient | None:
        """The factors of a term, others in `whole` not taken apart; None for too many."""
        negative, cancels, divisions, factors = False, False, 0, dict[Term, int]()
        stack = [(term, 1, True)]
        while stack:
            here, side, own = stack.pop()
            own &= here is term or uses[here] == 1
            divisions += own and here.op in QUOTIENTS
            if here.op == "mul" and (here is term or here not in whole):
                stack += [(a, side, own) for a in reversed(here.args)]
            elif here.op == "div":
                stack += [(here.args[1], -side, own), (here.args[0], side, own)]
            elif here.op in ("rcp", "neg"):
                negative ^= here.op == "neg"
                stack.append((here.args[0], -side if here.op == "rcp" else side, own))
            else:
                before = factors.get(here, 0)
                cancels |= before * side < 0
                factors[here] = before + side
            if len(factors) + len(stack) > _FACTORS:
                return None
        cancels |= _roots_met(factors)
        powers = tuple(_powers(factors, uses))
        return Quotient(negative, factors, cancels, divisions, powers)

    @property
    def gains(self) -> bool:
        """Whether factors go, or a power meets its base, and no other division comes."""
        saved = self.divisions > 0 or min(self.factors.values()) >= 0
        return bool(self.powers) or (self.cancels and saved)

    def without_roots(self) -> Quotient | None:
        """The quotient without squares of roots; None where there are none."""
        factors = dict(self.factors)
        apart = tuple(_squared(factors))
        return replace(self, factors=factors, apart=apart) if factors != self.factors else None

    def term(self, like: Term) -> Term:
        """The quotient, of the type of a term, with one division and those that are apart."""
        above, below = (
            [f for f, n in self.factors.items() for _ in range(side * n)] for side in (1, -1)
        )
        above += self.powers
        if self.apart:
            above.sort(key=lambda f: -self.factors.get(f, 1))
        for i, base in enumerate(self.apart):
            over = above[i] if i < len(above) else const(1.0, like.type)
            above[i : i + 1] = [Term("div", (over, base), None, like.type)]
        if not below:
            result = _product(above) if above else const(1.0, like.type)
        elif not above:
            result = Term("rcp", (_product(below),), None, like.type)
        else:
            result = Term("div", (_product(above), _product(below)), None, like.type)
        return Term("neg", (result,), None, like.type) if self.negative else result


def _halves(factors: Mapping[Term, int]) -> dict[Term, int]:
    """How often the root of a value is a factor."""
    halves: dict[Term, int] = {}
    for factor, n in factors.items():
        if factor.op in _ROOTS:
            (base,) = factor.args
            halves[base] = halves.get(base, 0) + (n if factor.op == "sqrt" else -n)
    return halves


def _squared(factors: dict[Term, int]) -> Iterator[Term]:
    """Takes even powers of roots out of the factors, and gives what they divide by.

    That a value is not negative has to be certain without its root.
    """
    for base, half in _halves(factors).items():
        if half and half % 2 == 0 and never_negative(base):
            left = factors.pop(base, 0) + half // 2
            for op in _ROOTS:
                factors.pop(Term(op, (base,), None, base.type), None)
            if left > 0:
                factors[base] = left
            yield from [base] * -left


def _roots_met(factors: dict[Term, int]) -> bool:
    """Whether roots have met what they are roots of: x * rsqrt(x) is sqrt(x), put in its place.

    One root stays, so that there is no number where x is negative.
    """
    met = False
    for base, half in _halves(factors).items():
        power = 2 * factors.get(base, 0) + half
        if half % 2 and (power - half) * half < 0:
            met = True
            sqrt, rsqrt = (Term(op, (base,), None, base.type) for op in _ROOTS)
            for factor in (base, sqrt, rsqrt):
                factors.pop(factor, None)
            left = {rsqrt: -power} if power < 0 else {base: power // 2, sqrt: 1}
            factors.update({factor: n for factor, n in left.items() if n})
    return met


def _powers(factors: dict[Term, int], uses: Mapping[Term, int]) -> Iterator[Term]:
    """Takes powers and their bases out of the factors, and gives their quotients.

    Of exp(y*log(c*x)) the base may be x, too.
    """
    below = {f for f, n in factors.items() if n < 0}
    for factor in list(factors) if below else ():
        if factor.op == "exp" and factors[factor] == uses[factor] == 1:
            for base in _bases(factor.args[0]):
                scale = [a for a in base.args if a.op == CONST] if base.op == "mul" else []
                inner = [a for a in base.args if a.op != CONST] if scale else []
                met = next((x for x in (base, *inner) if x in below and factors[x] < 0), None)
                if met is not None:
                    factors[met] += 1
                    del factors[factor]
                    quotient = Term("div", (factor, base), None, factor.type)
                    yield quotient if met is base else _product([*scale, quotient])
                    break


def _bases(exponent: Term) -> Iterator[Term]:
    """What the factors of an exponent are logarithms of."""
    stack = [exponent]
    for _ in range(_FACTORS):
        if not stack:
            break
        here = stack.pop()
        if here.op == "log":
            yield here.args[0]
        elif here.op in ("mul", "neg"):
            stack += here.args
        elif here.op == "div":
            stack.append(here.args[0])


def _product(factors: Sequence[Term]) -> Term:
    result = factors[0]
    for factor in factors[1:]:
        result = Term("mul", (result, factor), None, result.type)
    return result


def _kept(term: Term, whole: frozenset[Term], quotients: Set[Term]) -> Iterator[frozenset[Term]]:
    """What is not taken apart: all in `whole`; all of them but one quotient; and nothing.

    In p*(q*s), q = p/(p*p) and s used often, p goes where only q is taken apart.
    """
    yield whole
    product = Product.of(term, whole)
    for factor in product.factors if product else ():
        if factor in whole and factor in quotients:
            yield whole - {factor}
    yield frozenset()


def without_common(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a product of quotients and an equal one, without what cancels.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, x = [var(name, Scalar.F32) for name in "abx"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> [(_, new)] = without_common([op("mul", op("rcp", a), op("div", op("mul", a, x), b))])
    >>> new
    div(x, b)
    """
    terms = toposort(flat)
    uses, whole = uses_of(terms, flat), used_often(terms, flat)
    found: set[Term] = set()  # what has lost a factor is not looked at again further up
    for term, quotients in _of_quotients(terms):
        if any(a in found for a in term.args):
            found.add(term)
            continue
        for kept in _kept(term, whole, quotients):
            quotient = Quotient.of(term, kept, uses)
            if quotient is not None and quotient.gains:
                found.add(term)
                new = quotient.term(term)
                if new is not term:
                    yield term, new
                break


def without_roots(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a product of quotients and an equal one, without squares of roots.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x, y = [var(name, Scalar.F32) for name in "xy"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> cosine = op("div", x, op("sqrt", op("add", op("mul", x, x), op("mul", y, y))))
    >>> [(_, new)] = without_roots([op("mul", cosine, cosine)])
    >>> new.op, [arg.op for arg in new.args]
    ('mul', ['div', 'var'])
    """
    terms = toposort(flat)
    uses, whole = uses_of(terms, flat), used_often(terms, flat)
    for term, quotients in _of_quotients(terms):
        for kept in _kept(term, whole, quotients):
            quotient = Quotient.of(term, kept, uses)
            rootless = quotient and quotient.without_roots()
            if rootless:
                yield term, rootless.term(term)
                break


def _of_quotients(terms: Sequence[Term]) -> Iterator[tuple[Term, Set[Term]]]:
    """Quotients of reals and products of them, each with all of these up to it."""
    quotients: set[Term] = set()
    for term in terms:
        if not term.type.is_real or term.op not in (*QUOTIENTS, "mul", "neg"):
            continue
        if term.op in QUOTIENTS or any(a in quotients for a in term.args):
            quotients.add(term)
            yield term, quotients
