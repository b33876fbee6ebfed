"""Sets of numbers: what a value can be.

Closed intervals of the numbers of a type, so that x > 0 is [the least number above 0, inf], and
whether NaN is among them. Results of operations are rounded outwards, further than any device does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import hypot, inf, isnan, nextafter

import numpy as np

from ...terms.types import Scalar

Interval = tuple[float, float]
_MOST = 4  # intervals of a set


@dataclass(frozen=True, slots=True)
class Numbers:
    """Intervals from the lowest to the highest, none with a number of another, and NaN or not."""

    parts: tuple[Interval, ...]
    nan: bool

    def __and__(self, other: Numbers) -> Numbers:
        """What is in both."""
        pairs = product(self.parts, other.parts)
        met = [(max(a, c), min(b, d)) for (a, b), (c, d) in pairs if max(a, c) <= min(b, d)]
        return Numbers(tuple(met), self.nan and other.nan)

    def __le__(self, other: Numbers) -> bool:
        """Whether all of these are among the others."""
        inside = (any(c <= a and b <= d for c, d in other.parts) for a, b in self.parts)
        return (other.nan or not self.nan) and all(inside)

    def has(self, number: float) -> bool:
        """Whether a number is among them."""
        return any(low <= number <= high for low, high in self.parts)

    @property
    def low(self) -> float:
        """The least of them; `inf` where there is none."""
        return self.parts[0][0] if self.parts else inf

    @property
    def high(self) -> float:
        """The greatest of them; `-inf` where there is none."""
        return self.parts[-1][1] if self.parts else -inf


ANY = Numbers(((-inf, inf),), True)
NONNEGATIVE = Numbers(((0.0, inf),), True)
NONPOSITIVE = Numbers(((-inf, 0.0),), True)


def only(number: float) -> Numbers:
    """The set of one number."""
    return Numbers(((number, number),), False)


def where(op: str, bound: float, holds: bool, kind: Scalar) -> Numbers:
    """The numbers of which a comparison with a bound comes out so."""
    if isnan(bound):
        return ANY
    below, above = _next(bound, -inf, kind), _next(bound, inf, kind)
    less = [(-inf, below)] if below < bound else []
    more = [(above, inf)] if bound < above else []
    same = [(bound, bound)]
    then = {
        "lt": (less, same + more),
        "le": (less + same, more),
        "gt": (more, less + same),
        "ge": (same + more, less),
        "eq": (same, less + more),
        "ne": (less + more, same),
    }
    return among(then[op][not holds], nan=kind.is_real and holds == (op == "ne"))


def _next(number: float, towards: float, kind: Scalar) -> float:
    if not kind.is_real:
        return number + (1 if towards > number else -1)
    if kind is Scalar.F64:
        return nextafter(number, towards)
    type_ = np.dtype(kind.value).type
    return float(np.nextafter(type_(number), type_(towards)))


def among(parts: Iterable[Interval], *, nan: bool) -> Numbers:
    """The numbers of some intervals, or of fewer and longer ones if they are many."""
    found: list[Interval] = []
    for low, high in sorted(parts):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    while len(found) > _MOST:
        gaps = [found[i + 1][0] - found[i][1] for i in range(len(found) - 1)]
        i = gaps.index(min(gaps))
        found[i : i + 2] = [(found[i][0], found[i + 1][1])]
    return Numbers(tuple(found), nan)


def union(sets: Iterable[Numbers]) -> Numbers:
    """What is in one of several sets."""
    sets = list(sets)
    return among([p for s in sets for p in s.parts], nan=any(s.nan for s in sets))


# -- what operations give --------------------------------------------------------------------


def _corners(operation: Callable[..., float]) -> Callable[[Scalar, list[Numbers]], Numbers]:
    """The image of an operation that is monotone in each argument: it ends at ends."""

    def image(kind: Scalar, args: list[Numbers]) -> Numbers:
        found = []
        for box in product(*[a.parts for a in args]):
            ends = [operation(*corner) for corner in product(*box)]
            if any(map(isnan, ends)):
                return ANY
            found.append(_outward(min(ends), max(ends), kind))
        return among(found, nan=any(a.nan for a in args))

    return image


def _outward(low: float, high: float, kind: Scalar) -> Interval:
    """An interval with every number that rounding, overflow or underflow can make of these."""
    limits = np.finfo(np.dtype(kind.value))
    slack, tiny, most = 8 * float(limits.eps), float(limits.tiny), float(limits.max)
    low -= abs(low) * slack if abs(low) < inf else 0
    high += abs(high) * slack if abs(high) < inf else 0
    low = 0.0 if 0 < low < tiny else -tiny if -tiny < low < 0 else min(low, most)
    high = 0.0 if -tiny < high < 0 else tiny if 0 < high < tiny else max(high, -most)
    return (low if low >= -most else -inf), (high if high <= most else inf)


_PRODUCT = _corners(lambda a, b: a * b)
_QUOTIENT = _corners(lambda a, b: a / b)
_ROOT = _corners(lambda a: a**0.5)
_POWER = _corners(lambda a: float(np.exp(a)))
_DISTANCE = _corners(hypot)


def _negative(_: Scalar, args: list[Numbers]) -> Numbers:
    (a,) = args
    return Numbers(tuple((-high, -low) for low, high in reversed(a.parts)), a.nan)


def _size(kind: Scalar, args: list[Numbers]) -> Numbers:
    (a,) = args
    return union([a & NONNEGATIVE, _negative(kind, args) & NONNEGATIVE])


def square(kind: Scalar, numbers: Numbers) -> Numbers:
    """The image of a product of a value with itself."""
    sizes = _size(kind, [numbers]).parts
    found = [_outward(low * low, high * high, kind) for low, high in sizes]
    return among(found, nan=numbers.nan)


def _product(kind: Scalar, args: list[Numbers]) -> Numbers:
    found = _PRODUCT(kind, args)
    vanish = any(a.has(0) and (b.high == inf or b.low == -inf) for a, b in (args, args[::-1]))
    return Numbers(found.parts, found.nan or vanish)


def _quotient(kind: Scalar, args: list[Numbers]) -> Numbers:
    a, b = args
    if not b.has(0):
        return _QUOTIENT(kind, args)
    least, most = _size(kind, [a]).low, _size(kind, [b]).high
    if least == 0 or most == inf:
        return ANY
    far = _outward(least / most, inf, kind) if most else (inf, inf)  # a zero may be negative
    return among([far, (-inf, -far[0])], nan=a.nan or b.nan)


def _power(kind: Scalar, args: list[Numbers]) -> Numbers:
    with np.errstate(over="ignore"):
        return _POWER(kind, args)


def _root(kind: Scalar, args: list[Numbers]) -> Numbers:
    (a,) = args
    found = _ROOT(kind, [a & NONNEGATIVE])
    return Numbers(found.parts, a.nan or a.low < 0)


def _distance(kind: Scalar, args: list[Numbers]) -> Numbers:
    """No less than either is away from 0; infinite beside NaN, too, where the other one is."""
    sizes = [_size(kind, [a]) for a in args]
    found = _DISTANCE(kind, sizes)
    far = [(inf, inf)] * any(a.nan and b.high == inf for a, b in (sizes, sizes[::-1]))
    return among([*found.parts, *far], nan=found.nan)


def _extremum(choose: Callable[..., float]) -> Callable[[Scalar, list[Numbers]], Numbers]:
    """The smaller or the greater of two; a number beside NaN is that number."""

    def image(_: Scalar, args: list[Numbers]) -> Numbers:
        a, b = args
        boxes = product(a.parts, b.parts)
        found = [(choose(low, c), choose(high, d)) for (low, high), (c, d) in boxes]
        found += [part for one, other in (args, args[::-1]) if one.nan for part in other.parts]
        return among(found, nan=a.nan and b.nan)

    return image


#: What operators on real numbers give, of sets of arguments.
IMAGES: Mapping[str, Callable[[Scalar, list[Numbers]], Numbers]] = {
    "add": _corners(lambda a, b: a + b),
    "sub": _corners(lambda a, b: a - b),
    "mul": _product,
    "div": _quotient,
    "neg": _negative,
    "abs": _size,
    "sqrt": _root,
    "exp": _power,
    "hypot": _distance,
    "min": _extremum(min),
    "max": _extremum(max),
}
