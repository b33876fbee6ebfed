"""Exponents: of exponentials, those that are multiples of others.

Takes result terms, gives pairs of equal terms: the argument of an exponential as the program
computes it, and as a multiple of another one's, of which a rule makes a power of that one:

    exp(-2*x/3), exp(-4*x/3)    as    exp(-2*x/3), exp(2*(-2*x/3))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...terms.term import Term, const, toposort
from .products import Product

# Rules know these powers.
_MULTIPLES = {
    "exp": tuple((n, sign) for n in (2.0, 3.0, 4.0, 5.0) for sign in (1, -1)),
    "expm1": ((2.0, 1),),
}


def multiples_of_others(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of an exponent of the program and an equal term, a whole multiple of another one.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x = var("x", Scalar.F32)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> fifth, tenth = [op("mul", x, const(c, Scalar.F32)) for c in (0.2, -0.1)]
    >>> [(old, new)] = multiples_of_others([op("exp", fifth), op("exp", tenth)])
    >>> old is fifth, new.op, new.args[0].args
    (True, 'neg', (2.0, mul(x, -0.1)))
    """
    exponents = dict.fromkeys((t.op, t.args[0]) for t in toposort(flat) if t.op in _MULTIPLES)
    # Exponents of equal factors, by their constants.
    groups: dict[tuple[str, object], dict[float, Term]] = {}
    for op, exponent in exponents:
        product = Product.of(exponent)
        if product is not None and product.factors:
            same = exponent.type, frozenset(product.factors.items())
            groups.setdefault((op, same), {}).setdefault(product.constant, exponent)
    for (op, _), group in groups.items():
        for constant, exponent in group.items():
            for n, sign in _MULTIPLES[op]:
                part = constant / (sign * n)
                if part in group and part * sign * n == constant:  # without rounding
                    whole = Term("mul", (const(n, exponent.type), group[part]), None, exponent.type)
                    negative = Term("neg", (whole,), None, exponent.type)
                    yield exponent, whole if sign > 0 else negative
                    break
