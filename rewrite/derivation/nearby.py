"""Quotients that are 0/0 of a high order, by their series beside the point.

    (2*t - 3*sin(t) + t*cos(t)) / t**5    is, where abs(t) < 2,    1/60 - t*t/1260 + ...

Takes a numerator and a power of a distance, gives the quotient with a choice: the series near,
what was written far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ...terms.rule import RuleSet
from ...terms.term import CONST, SELECT, Term, const, const_value, is_const
from ...terms.types import Scalar
from ..fingerprints import fraction
from .taylor import Series, Taylor

_REACHES = [2.0**-k for k in range(-1, 11)]  # how far a series is used, in any unit
_MOST, _BEYOND = 22, 12  # terms; coefficients behind them, by which they are enough
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
    numbers = Taylor(rules, _starts(distance, given)).of(above)
    if numbers is None or any(numbers[:power]) or not any(numbers):
        return None
    numbers = numbers[power:]
    step = 1 if any(numbers[::2]) and any(numbers[1::2]) else 2
    reach = _reach(numbers, step, _SLACK.get(above.type, 0.0))
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


def _reach(numbers: Series, step: int, slack: float) -> tuple[float, int] | None:
    """How far the fewest terms reach that are enough; None where too many are not."""
    lead = next(k for k, number in enumerate(numbers) if number)
    for limit in _REACHES:
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
