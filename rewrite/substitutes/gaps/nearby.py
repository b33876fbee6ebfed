"""Quotients that are 0/0 of a high order, by their series beside the point.

    (2*t - 3*sin(t) + t*cos(t)) / t**5    is, where abs(t) < 2,    1/60 - t*t/1260 + ...

Takes a numerator and a power of a distance, gives the quotient with a choice: the series near,
what was written far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ....terms.rule import RuleSet
from ....terms.term import CONST, SELECT, Term, const, const_value, is_const, substitute, var
from ....terms.types import Scalar
from ...derivation.define import define
from ...derivation.taylor import Series, Taylor
from ...egraph.numbers import is_real, values
from ...fingerprints import fraction

_REACHES = [2.0**-k for k in range(-1, 11)]  # how far a series is used, in any unit
_MOST, _BEYOND = 22, 12  # terms; coefficients behind them, by which they are enough
_SHARES = (-0.99, -0.8, -0.6, -0.35, 0.35, 0.6, 0.8, 0.99)  # of a reach, where it is tried
_ALIKE, _ROUNDED = 1e-6, 1e-12  # of the series, and of the largest part of what is summed
#: Of what is left out, relative, of slopes of slopes, too: an eighth of a rounding.
_SLACK = {Scalar.F16: 2.0**-14, Scalar.F32: 2.0**-27, Scalar.F64: 2.0**-56}

Build = Callable[..., Term]


def with_series(
    far: Term,
    above: Term,
    power: int,
    distance: Term,
    given: Mapping[Term, tuple[Term, Term]],
    rules: RuleSet,
    build: Build,
) -> Term | None:
    """`far`, which is above / distance**power, with its series near 0; None where it has none."""
    starts = _starts(distance, given)
    whole = Taylor(rules, starts).of(above)
    if whole is None or any(whole[:power]) or not any(whole):
        return None
    numbers = whole[power:]
    step = 1 if any(numbers[::2]) and any(numbers[1::2]) else 2
    holds = _holds(above, whole, starts, rules)
    reach = _reach(numbers, step, _SLACK.get(above.type, 0.0), holds)
    if reach is None:
        return None
    limit, count = reach
    by = distance if step == 1 else _square(distance, given)
    first = 0 if step == 1 or any(numbers[::2]) else 1
    near = _polynomial(numbers[first::step][:count], by, build)
    if first:
        near = build("mul", distance, near)
    size = Term("abs", (by,), None, by.type)
    there = Term("lt", (size, const(limit**step, by.type)), None, Scalar.BOOL)
    return Term(SELECT, (there, near, far), None, far.type)


def _starts(distance: Term, given: Mapping[Term, tuple[Term, Term]]) -> dict[Term, Series]:
    """The first coefficients of what is given: of c + r*w, and of the square of the distance."""
    found: dict[Term, Series] = {}
    for term, (start, rest) in given.items():
        if start.op != CONST:
            continue
        first = fraction(float(const_value(start)))
        if rest.op == CONST:
            found[term] = [first, fraction(float(const_value(rest)))]
        elif rest is distance:
            found[term] = [first, Fraction(0), Fraction(1)]
    return found


def _square(distance: Term, given: Mapping[Term, tuple[Term, Term]]) -> Term:
    """The square of a distance, which a length is the root of."""
    known = [t for t, (start, rest) in given.items() if rest is distance and is_const(start, 0.0)]
    return known[0] if known else Term("mul", (distance, distance), None, distance.type)


def _holds(
    above: Term, whole: Series, starts: Mapping[Term, Series], rules: RuleSet
) -> Callable[[float], bool]:
    """Whether a term is its series so far from 0: not beyond the corner of a triangle wave.

    Slopes that are steps, and choices, are taken as they are at 0.
    """
    shares = np.array(_SHARES)
    at = np.concatenate([limit * shares for limit in _REACHES])
    leaves = {term: var(f"@{k}", term.type) for k, term in enumerate(starts)}
    (root,) = substitute(define(rules, [above], above.type, derived=False), leaves)
    numbers = {leaves[t]: _sum(series, at) for t, series in starts.items()}
    with np.errstate(all="ignore"):
        every = values(rules, [root], numbers)
        parts = [np.abs(x) for t, x in every.items() if is_real(t)]
        noise = np.max([np.broadcast_to(x, at.shape) for x in parts], axis=0)
        sizes = _sum([abs(c) for c in whole], np.abs(at))
        fits = np.abs(every[root] - _sum(whole, at)) <= _ALIKE * sizes + _ROUNDED * noise
    found = np.broadcast_to(fits, at.shape).reshape(len(_REACHES), -1)
    return {
        limit: bool(np.all(row)) for limit, row in zip(_REACHES, found, strict=True)
    }.__getitem__


def _sum(series: Series, at: Any) -> Any:
    """A power series at some places."""
    return np.polynomial.polynomial.polyval(at, [float(c) for c in series])


def _reach(
    numbers: Series, step: int, slack: float, holds: Callable[[float], bool]
) -> tuple[float, int] | None:
    """How far the fewest terms reach that are enough; None where too many are not."""
    lead = next(k for k, number in enumerate(numbers) if number)
    for limit in filter(holds, _REACHES):
        sizes = [abs(float(number)) * limit**k for k, number in enumerate(numbers)]
        for count in range(1, min(_MOST, (len(numbers) - _BEYOND) // step) + 1):
            left = sum(size * k * k for k, size in enumerate(sizes) if k >= step * count)
            if left <= slack * sizes[lead]:
                return limit, count
    return None


def _polynomial(numbers: Sequence[Fraction], by: Term, build: Build) -> Term:
    """Horner's form."""
    found = const(float(numbers[-1]), by.type)
    for number in reversed(numbers[:-1]):
        found = build("add", const(float(number), by.type), build("mul", by, found))
    return found
