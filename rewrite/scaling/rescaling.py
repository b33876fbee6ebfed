"""A program with other exponents: which of them save operators, and the program that has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...terms.term import Term, const, const_value, is_const, rebuild, toposort
from .balances import (
    POWERS,
    Exponents,
    along,
    groups,
    is_free,
    is_scaled,
    multiple,
    paid,
)
from .exponents import exponents
from .remade import Remade
from .worth import worth

_MOST = 2_000  # conditions: the linear program takes a second then, and longer than linear time


def rescaled(flat: Sequence[Term]) -> Remade | None:
    """The program with other exponents; None where that saves no operator.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, x = [var(name, Scalar.F64) for name in "abx"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> two, y = const(2.0, Scalar.F64), op("mul", x, x)
    >>> flat = [op("mul", two, op("mul", a, y)), op("mul", two, op("mul", b, y))]
    >>> found = rescaled(flat)
    >>> y = op("mul", x, op("mul", two, x))
    >>> [found.terms[t] for t in flat] == [op("mul", a, y), op("mul", b, y)]
    True
    """
    conditions = groups(flat)
    if not 0 < len(conditions) <= _MOST:
        return None
    best: dict[Term, int] = {}
    most = 0
    for candidate in exponents(conditions):
        chosen, saved = worth(conditions, candidate, paid)
        if saved > most:
            best, most = chosen, saved
    if not best:
        return None
    terms = toposort(flat)
    edges = dict.fromkeys(
        [a for t in terms if not is_scaled(t) for a in t.args if is_scaled(a)]
        + [t for t in flat if is_scaled(t)]
    )
    alone = _written(terms, best, lambda term, _: term)
    pairs = tuple([(t, alone(t, 0)) for t in edges if alone(t, 0) is not t])
    whole = _written(terms, best, rebuild)
    unmoved = [t for t in terms if not best.get(t, 0) or t in edges]
    return Remade(pairs, {t: whole(t, 0) for t in unmoved})


def _written(
    terms: Sequence[Term],
    chosen: Exponents,
    outside: Callable[[Term, tuple[Term, ...]], Term],
) -> Callable[[Term, int], Term]:
    """Every term, at any exponent; `outside` gives what is no operator here, over new arguments."""
    made: dict[Term, Term] = {}

    def at(term: Term, exponent: int) -> Term:
        if exponent and is_free(term):
            return const(float(const_value(term)) * 2.0**exponent, term.type)
        return _times(2.0 ** (exponent - chosen.get(term, 0)), made[term])

    for term in terms:
        if is_scaled(term):
            made[term] = _computed(term, chosen, at, made)
        else:
            made[term] = outside(term, tuple([at(arg, 0) for arg in term.args]))
    return at


def _computed(
    term: Term,
    chosen: Exponents,
    at: Callable[[Term, int], Term],
    made: Mapping[Term, Term],
) -> Term:
    """An operator at its exponent, over arguments at theirs as far as they can be."""
    own = chosen.get(term, 0)
    times = multiple(term)
    if times is not None:
        factor, value = times
        left = factor * 2.0 ** (own - chosen.get(value, 0))
        return (
            rebuild(term, (made[value],) * 2)
            if term.op == "add" and left == 2
            else _times(left, made[value])
        )
    if term.op in ("mul", "div"):
        a, b = term.args
        sign = 1 if term.op == "mul" else -1
        first = own - sign * chosen.get(b, 0) if is_free(a) else chosen.get(a, 0)
        return rebuild(term, (at(a, first), at(b, sign * (own - first))))
    if term.op == "rcp":
        [below] = term.args
        above = const(2.0 ** (own + chosen.get(below, 0)), term.type)
        if is_const(above, 1.0):
            return rebuild(term, (made[below],))
        return Term("div", (above, made[below]), None, term.type)
    if term.op in POWERS:
        return rebuild(term, (at(term.args[0], POWERS[term.op] * own),))
    follow = dict.fromkeys(along(term))
    return rebuild(term, tuple([at(a, own) if a in follow else made[a] for a in term.args]))


def _times(factor: float, term: Term) -> Term:
    if factor == 1.0:
        return term
    if factor == -1.0:
        return Term("neg", (term,), None, term.type)
    return Term("mul", (const(factor, term.type), term), None, term.type)
