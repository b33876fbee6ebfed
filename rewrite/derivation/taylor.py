"""Power series of terms about 0, from the slopes that rule files state.

    2*t - 3*sin(t) + t*cos(t)    is    t**5/60 - t**7/1260 + ...

What follows in the series of a function is the series of its slope, which needs only what came
before. Takes terms of one variable, gives coefficients, exact where constants are simple fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite

import numpy as np

from ...terms.rule import RuleSet
from ...terms.term import CONST, SELECT, Term, const, const_value, rebuild, toposort
from ..egraph.numbers import values
from ..factors.common import summands
from ..fingerprints import fraction
from .define import define
from .local import PULL, Setting, expand, flows, local

_COUNT = 64  # coefficients
_FUNCTIONS, _TERMS = 8, 200  # that lead to one another by their slopes; terms of all
_NOISE = Fraction(1, 2**40)  # relative to what cancels: a coefficient is 0

Series = Sequence[Fraction]
Known = dict[Term, Series | None]


class Taylor:
    """The series of terms, given the first coefficients of some, after which there are none."""

    def __init__(self, rules: RuleSet, given: Mapping[Term, Series]) -> None:
        self.rules = rules
        self.known: Known = {term: _padded(first) for term, first in given.items()}

    def of(self, term: Term) -> Series | None:
        """The coefficients of a term, from that of the power 0; None where they are not known."""
        (root,) = define(self.rules, [term], term.type, derived=False)
        if len(toposort([root])) > _TERMS:
            return None
        whole = self._series(root)
        if whole is None:
            return None
        sum_, number = _multiple(root)
        parts = [[number * c for c in self._series(p) or ()] for _, p in summands(sum_)]
        each: list[Series] = [*parts] or [whole]
        sizes = [sum(abs(p[k]) for p in each if k < len(p)) for k in range(len(whole))]
        pairs = zip(whole, sizes, strict=True)
        return [c if abs(c) > _NOISE * size else Fraction(0) for c, size in pairs]

    def _series(self, root: Term) -> Series | None:
        """That of a term over primitives."""
        for term in toposort([root]):
            if term not in self.known:
                plain = _plain(term, self.known)
                self.known[term] = self._function(term) if plain is None else plain
        return self.known[root]

    def _function(self, term: Term) -> Series | None:
        """A function's series by its slope, with all functions that lead to one another."""
        slopes: dict[Term, Term] = {}
        found: Known = {}
        pending = {term: None}
        inside: dict[Term, None] = {}  # what depends on them
        while len(slopes) < len(pending) <= _FUNCTIONS:
            each = [*pending][len(slopes)]
            slope = self._slope(each)
            first = self._first(each) if slope is not None else None
            if slope is None or first is None:
                return None
            slopes[each], found[each] = slope, [first]
            for below in toposort([slope]):
                if below in self.known or below in pending:
                    continue
                if any(a in pending or a in inside for a in below.args):
                    inside[below] = None
                elif (plain := _plain(below, self.known)) is not None or not below.args:
                    self.known[below] = plain
                else:
                    pending[below] = None
        if len(slopes) < len(pending):
            return None
        for k in range(1, min(len(self.known[t.args[0]] or ()) for t in slopes)):
            table = {**self.known, **found}
            for each in inside:
                table[each] = _plain(each, table)
            for each, slope in slopes.items():
                number = _next(table[slope], self.known[each.args[0]], k)
                if number is None:
                    return None
                found[each] = [*(found[each] or ()), number]
        self.known.update(found)
        return self.known[term]

    def _slope(self, term: Term) -> Term | None:
        """The slope of a function of one argument, over that and itself."""
        if len(term.args) != 1 or not self.known.get(term.args[0]):
            return None
        operator = self.rules.get(term.op)
        if operator is None or not operator.partials or not flows(self.rules, term, 0):
            return None
        node = local(PULL, term, 0, const(1.0, term.type))
        (slope,) = expand(Setting(self.rules, term.type), [node])
        return define(self.rules, [slope], term.type, derived=False)[0]

    def _first(self, term: Term) -> Fraction | None:
        """What a function is where its argument is at its start."""
        start = (self.known[term.args[0]] or [Fraction(0)])[0]
        there = rebuild(term, (const(float(start), term.type),))
        with np.errstate(all="ignore"):
            number = float(values(self.rules, [there], {})[there])
        return fraction(number) if isfinite(number) else None


def _multiple(term: Term) -> tuple[Term, Fraction]:
    """A term as a number times another one."""
    number = Fraction(1)
    while term.op in ("mul", "div", "neg"):
        if term.op == "neg":
            number, term = -number, term.args[0]
            continue
        *others, last = sorted(term.args, key=lambda a: a.op == CONST)
        if last.op != CONST or (term.op == "div" and last is not term.args[1]):
            break
        factor = fraction(float(const_value(last)))
        if not factor:
            break
        number = number * factor if term.op == "mul" else number / factor
        term = others[0]
    return term, number


def _next(slope: Series | None, inside: Series | None, k: int) -> Fraction | None:
    """The coefficient of x**k of a function, from those of its slope: k*f[k] = (f' * u')[k - 1]."""
    if slope is None or inside is None or len(slope) < k or len(inside) <= k:
        return None
    return sum((slope[j] * (k - j) * inside[k - j] for j in range(k)), Fraction(0)) / k


def _plain(term: Term, known: Mapping[Term, Series | None]) -> Series | None:
    """The series of a number, a choice, or of algebra on series; None of anything else."""
    if term.op == CONST and term.type.is_real and isfinite(const_value(term)):
        return _padded([fraction(float(const_value(term)))])
    if term.op == SELECT:
        taken = _decided(term.args[0], known)
        return None if taken is None else known.get(term.args[1 if taken else 2])
    args = [series for a in term.args if (series := known.get(a)) is not None]
    if not args or len(args) < len(term.args):
        return None
    if term.op == "pow":
        return _power(*args)
    return _ALGEBRA[term.op](*args) if term.op in _ALGEBRA else None


def _decided(condition: Term, known: Mapping[Term, Series | None]) -> bool | None:
    """Whether a comparison holds beside the gap, where it is the same on both sides."""
    sides = [known.get(a) for a in condition.args]
    if len(sides) != 2 or sides[0] is None or sides[1] is None:
        return None
    off = [a - b for a, b in zip(sides[0], sides[1], strict=False)]
    match condition.op:
        case "eq" | "ne":
            return any(off) == (condition.op == "ne")
        case "lt" | "le" if off[0]:
            return off[0] < 0
        case "gt" | "ge" if off[0]:
            return off[0] > 0
    return None


def _times(a: Series, b: Series) -> Series:
    count = min(len(a), len(b))
    return [sum((a[j] * b[k - j] for j in range(k + 1) if a[j]), Fraction(0)) for k in range(count)]


def _over(a: Series, b: Series) -> Series | None:
    """A quotient, after what both have as a power of the distance has gone."""
    zeros = next((k for k, number in enumerate(b) if number), None)
    if zeros is None or any(a[:zeros]):
        return None
    a, b = a[zeros:], b[zeros:]
    found: list[Fraction] = []
    for k in range(min(len(a), len(b))):
        less = sum((found[j] * b[k - j] for j in range(k)), Fraction(0))
        found.append((a[k] - less) / b[0])
    return found


def _power(base: Series, exponent: Series) -> Series | None:
    """A power of a whole number; of others where the base is not 0: b*p' = e*b'*p."""
    number = exponent[0]
    if any(exponent[1:]):
        return None
    if number.denominator == 1 and 0 < number <= _FUNCTIONS:
        found = base
        for _ in range(int(number) - 1):
            found = _times(found, base)
        return found
    if base[0] <= 0:
        return None
    powers = [fraction(float(base[0]) ** float(number))]
    for k in range(1, len(base)):
        above = sum(
            ((number * (k - j) - j) * base[k - j] * powers[j] for j in range(k)), Fraction(0)
        )
        powers.append(above / (k * base[0]))
    return powers


def _padded(first: Series) -> Series:
    return [*first, *[Fraction(0)] * (_COUNT - len(first))]


_ALGEBRA: Mapping[str, Callable[..., Series | None]] = {
    "add": lambda a, b: [x + y for x, y in zip(a, b, strict=False)],
    "sub": lambda a, b: [x - y for x, y in zip(a, b, strict=False)],
    "neg": lambda a: [-x for x in a],
    "mul": _times,
    "div": _over,
    "rcp": lambda a: _over(_padded([Fraction(1)]), a),
}
