"""Fractions within fractions: what a summand is divided by goes to the quotient around its sum.

Takes result terms, gives pairs of equal terms: a quotient with a factor that is a sum, of which a
summand is a quotient, too, as the program computes it, and with one division:

    x / (k*k * (1 + a/(k*k)))    as    x / (k*k + a)
    x / (k * (1 + a/(k*k)))      as    (x*k) / (k*k + a)

Derivatives of logarithms leave such. What only the quotient needs is compared, so that no division
comes where one of those above is needed by others, too. And at least half of what goes there must
meet itself: where `k*k` overflows both are nearly 0, but `x / (1 + a/k)` is x, and `x*k / (k + a)`
is no number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...terms.term import CONST, Term, toposort
from ..uses import alone, uses_of
from .quotients import QUOTIENTS, Quotient
from .summands import Summand, added, outer_sums, used_often

_ALONE = 64  # operators that are looked at, of those that a quotient has for itself


def without_inner(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a quotient and an equal one that has fewer divisions.

    >>> from ...terms.term import const, var
    >>> from ...terms.types import Scalar
    >>> a, k, x = [var(name, Scalar.F32) for name in "akx"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> total = op("add", const(1.0, Scalar.F32), op("div", a, op("mul", k, k)))
    >>> [(_, new)] = without_inner([op("div", x, op("mul", k, total))])
    >>> new.op, new.args
    ('div', (mul(x, k), add(mul, a)))
    """
    terms = toposort(flat)
    uses, whole = uses_of(terms, flat), used_often(terms, flat)
    cleared = dict[Term, tuple[Term, Term]]()  # sums, times a divisor, and this
    for total, parts in outer_sums(terms, flat):
        found = _cleared(total, [Summand.of(sign, s, whole) for sign, s in parts])
        cleared.update({} if found is None else {total: found})
    within = set(cleared)  # and products and quotients of them
    for term in terms if cleared else ():
        if term.op not in (*QUOTIENTS, "mul", "neg") or not any(a in within for a in term.args):
            continue
        within.add(term)
        own = alone(term, uses, _ALONE)
        divisions = sum(t.op in QUOTIENTS for t in own)
        for kept in (whole, frozenset[Term]()):
            quotient = Quotient.of(term, kept, uses)
            new = _merged(quotient, cleared, term) if quotient is not None else None
            if new is not None and _divisions(new, own, uses) < divisions:
                yield term, new
                break


def _cleared(total: Term, summands: Sequence[Summand]) -> tuple[Term, Term] | None:
    """A sum times the first divisor of its summands, and that divisor."""
    quotients = [f for one in summands for f, n in one.factors if _divides(f) and n == 1]
    if not quotients:
        return None
    below = quotients[0].args[-1]
    inside = []
    for one in summands:
        factors = dict(one.factors)
        met = next((f for f in factors if f.op in QUOTIENTS and f.args[-1] is below), None)
        taken = below if met is None else met.args[0] if met.op == "div" else None
        if met is not None:
            factors[met] -= 1
        factors.update({} if taken is None else {taken: factors.get(taken, 0) + 1})
        inside.append(replace(one, factors=tuple((f, n) for f, n in factors.items() if n)))
    return added([one.term(total) for one in inside]), below


def _merged(
    quotient: Quotient, cleared: Mapping[Term, tuple[Term, Term]], like: Term
) -> Term | None:
    """A quotient with the first of its sums times the divisor in there."""
    total = next((f for f in quotient.factors if f in cleared), None)
    if total is None:
        return None
    inside, below = cleared[total]
    factors = dict(quotient.factors)
    side = factors.pop(total)
    for factor, n in _counted(below).items():
        moved, before = n * abs(side), factors.get(factor, 0)
        met = min(moved, max(before if side > 0 else -before, 0))
        if factor.op != CONST and moved - met > (met if side < 0 else 0):
            return None
        factors[factor] = before - n * side
    factors[inside] = factors.get(inside, 0) + side
    return replace(quotient, factors={f: n for f, n in factors.items() if n}).term(like)


def _divides(factor: Term) -> bool:
    """Whether by a value: a constant below the line costs nothing where it stands."""
    return factor.op in QUOTIENTS and factor.args[-1].op != CONST


def _counted(product: Term) -> Counter[Term]:
    """The factors of a product, and how often each occurs."""
    found, stack = Counter[Term](), [product]
    while stack:
        here = stack.pop()
        if here.op == "mul":
            stack += here.args
        else:
            found[here] += 1
    return found


def _divisions(new: Term, own: Mapping[Term, None], there: Mapping[Term, int]) -> int:
    """How many a new term has for itself: of its own, and of those of the one it stands for."""
    seen, stack = {new}, [new]
    while stack:
        for arg in stack.pop().args:
            if arg not in seen and (arg in own or arg not in there):
                seen.add(arg)
                stack.append(arg)
    return sum(t.op in QUOTIENTS for t in seen)
