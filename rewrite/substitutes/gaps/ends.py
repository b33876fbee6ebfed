"""Where a difference of a number and a square is 0, by which a program divides.

    1 - (2*b*x)**2    is 0 where x is 0.5/b or -0.5/b, at both ends of a raised cosine

Takes a factor of a divisor, gives the distances u - 1 and u + 1 for a multiple u of a variable, and
what the variable is by each of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ....terms.term import VAR, Term, const
from ....terms.types import Scalar
from ...factors.factored import WHOLE, Factor, Product

_SQUARE = 2 * WHOLE


_Given = Mapping[Term, tuple[Term, Term]]  # of terms: where a distance is 0, and the rest


def of_squares(factor: Factor) -> list[tuple[Term, _Given]]:
    """For 1 - u*u with u = n*b*x: x = 1/(n*b) + w/(n*b) by w = u - 1, and so by u + 1."""
    square = _square(factor)
    own = next((f.term for f in square.factors if f.term.op == VAR), None) if square else None
    if square is None or own is None:
        return []
    real = factor.term.type
    others = [f.term for f in square.factors if f.term is not own]
    number = math.sqrt(square.number)
    whole, by = _multiple(number, [own, *others], real), _over(1 / number, others, real)
    zero, one = const(0.0, real), const(1.0, real)
    found: list[tuple[Term, _Given]] = []
    for side in (1.0, -1.0):
        distance = Term("sub", (whole, const(side, real)), None, real)
        start = _over(side / number, others, real)
        found.append((distance, {own: (start, by), distance: (zero, one)}))
    return found


def _square(factor: Factor) -> Product | None:
    """u*u of a multiple of 1 - u*u, a square of variables; None of anything else."""
    linear = factor.linear
    if linear is None or len(linear) != 2 or None not in linear:
        return None
    (key,) = (term for term in linear if term is not None)
    square = Product.of(key)
    if square is None or not square.factors or len(square.factors) > 2:
        return None
    square.number *= -linear[key] / linear[None]
    is_one = all(f.power == _SQUARE and f.term.op == VAR for f in square.factors)
    return square if is_one and square.number > 0 else None


def _multiple(number: float, factors: Sequence[Term], real: Scalar) -> Term:
    """A number times variables."""
    first, *others = factors
    found = first if number == 1 else Term("mul", (const(number, real), first), None, real)
    for other in others:
        found = Term("mul", (found, other), None, real)
    return found


def _over(number: float, factors: Sequence[Term], real: Scalar) -> Term:
    """A number over variables."""
    found = const(number, real)
    for factor in factors:
        found = Term("div", (found, factor), None, real)
    return found
