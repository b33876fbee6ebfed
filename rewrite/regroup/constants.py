"""Constants of products: the summands of a sum take in what the whole sum is multiplied by.

Takes result terms, gives pairs of equal terms: a product as the program computes it, and with its
constant inside of a sum whose summands have constants anyway:

    3*x*(8*a*b - 4)    as    x*(24*a*b - 12)

Only where that loses no digits: by a power of two, or where each summand is rounded already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...terms.term import CONST, Term, const_value, toposort
from ...terms.types import ScalarType
from ..fold import has
from ..uses import uses_of
from .products import Product
from .summands import Summand, added, outer_sums, used_often


def constants_inside(flat: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Pairs of a product of the program and an equal one, with one multiplication less.

    Also of products that are factors of others: these may go on as they are.

    >>> from ...terms.term import const, var
    >>> from ...terms.types import Scalar
    >>> x, y = [var(name, Scalar.F32) for name in "xy"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F32)
    >>> inner = op("sub", op("mul", const(3.0, Scalar.F32), x), const(1.0, Scalar.F32))
    >>> half = op("mul", const(0.5, Scalar.F32), inner)
    >>> [(_, new), (_, outer)] = constants_inside([op("mul", y, half)])
    >>> new.args, outer is op("mul", y, new)
    ((mul(1.5, x), 0.5), True)
    """
    terms = toposort(flat)
    uses, whole = uses_of(terms, flat), used_often(terms, flat)
    sums = {t: summands for t, summands in outer_sums(terms, flat) if uses[t] == 1}
    for term in terms if sums else ():
        if term.op != "mul" or not term.type.is_real:
            continue
        product = Product.of(term, whole)
        if product is None or abs(product.constant) in (0.0, 1.0):
            continue
        for factor in product.factors:
            inside = [_summand(sign, s, whole) for sign, s in sums.get(factor, ())]
            scaled = _scaled(inside, product.constant, term.type)
            if scaled:
                result = added([one.term(term) for one in scaled])
                for other, n in reversed(product.factors.items()):
                    for _ in range(n if other is not factor else 0):
                        result = Term("mul", (other, result), None, term.type)
                yield term, result


def _summand(sign: float, term: Term, whole: frozenset[Term]) -> Summand:
    if term.op == CONST:
        return Summand(sign * const_value(term), ())
    return Summand.of(sign, term, whole)


def _scaled(summands: Sequence[Summand], constant: float, real: ScalarType) -> list[Summand]:
    """Summands times a constant; none where that costs more multiplications, or digits."""
    found, saved = [], 1
    for one in summands:
        new = replace(one, constant=one.constant * constant)
        rounded = not _is_power(one.constant) or sum(n for _, n in one.factors) != 1
        if not new.constant or not has(real, new.constant):
            return []
        if not (rounded or _is_power(constant)):
            return []
        if one.factors:
            saved += (abs(new.constant) == 1.0) - (abs(one.constant) == 1.0)
        found.append(new)
    return found if saved > 0 else []


def _is_power(constant: float) -> bool:
    """Whether a product with a constant is exact: it is a power of two."""
    return abs(math.frexp(constant)[0]) == 0.5
