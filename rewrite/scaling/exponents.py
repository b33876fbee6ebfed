"""The exponents with which the fewest products by powers of two are left, or nearly so.

    minimize  sum of d(group)    where    |sum of factor * k(value) - shift| <= d(group)

for each condition of a group: a linear program, whose solutions are nearly always integers. Where
they are not (x*x wants half of what its result wants), some are rounded, and it is solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, inf
from typing import TYPE_CHECKING

from ...terms.term import Term
from ..highs import LinearProgram, Row, apart, loaded, why_ended
from .balances import FURTHEST, Group

if TYPE_CHECKING:
    from ..highs import Highs

_DIVES = 6  # times that fractions are rounded, at most; the last time all of them
_PART = 4  # one in so many fractions is rounded at once
_WHOLE = 1e-6  # nearer to an integer than this is one


def exponents(groups: Sequence[Group], down: float = 1.0) -> list[dict[Term, int]]:
    """Good exponents of all values in the groups: rounded down, and rounded up where that differs.

    A power too much costs `down` times what one too few does.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> from .balances import Balance
    >>> x, y = var("x", Scalar.F64), var("y", Scalar.F64)
    >>> wanted, alike = Balance(((x, 1),), 1), Balance(((x, 1), (y, -1)))
    >>> exponents([(wanted,), (alike,)])
    [{x: 1, y: 1}]
    """
    values = list(dict.fromkeys(v for group in groups for b in group for v, _ in b.parts))
    return apart(lambda: _solved(values, groups, down))


def _solved(values: Sequence[Term], groups: Sequence[Group], down: float) -> list[dict[Term, int]]:
    highs = loaded(
        _program(values, groups, down), [("presolve", "off")]
    )  # there is little to be found
    first = _run(highs, len(values))
    found: list[dict[Term, int]] = []
    for rounded in (floor, ceil):
        solution = first
        for dive in range(_DIVES):
            fractions = [i for i, k in enumerate(solution) if abs(k - round(k)) > _WHOLE]
            if not fractions:
                break
            count = len(fractions) if dive == _DIVES - 1 else max(1, len(fractions) // _PART)
            for i in fractions[:count]:
                highs.changeColBounds(i, rounded(solution[i]), rounded(solution[i]))
            solution = _run(highs, len(values))
        whole = dict(zip(values, map(round, solution), strict=True))
        found += [whole] if whole not in found else []
        if solution is first:
            break
        for i in range(len(values)):
            highs.changeColBounds(i, -FURTHEST, FURTHEST)
    return found


def _run(highs: Highs, count: int) -> list[float]:
    highs.run()
    why_ended(highs)
    return list(highs.getSolution().col_value)[:count]


def _program(values: Sequence[Term], groups: Sequence[Group], down: float) -> LinearProgram:
    """The variables are the values' exponents, then the distances of groups, down and up.

    A group of one condition has a row, sum + down - up = shift; of several, each has two, and one
    distance is enough where both ways cost the same.
    """
    place = {value: i for i, value in enumerate(values)}
    rows: list[Row] = []
    least: list[float] = []
    most: list[float] = []
    costs = [0.0] * len(values)
    for group in groups:
        below, single = len(costs), len(group) == 1
        above = below + (single or down != 1.0)
        costs += [down, 1.0][: above - below + 1]
        for balance in group:
            row = {place[v]: float(f) for v, f in balance.parts}
            rows.append({**row, below: 1.0})
            least.append(balance.shift)
            most.append(inf)
            if single:
                rows[-1] = {**rows[-1], above: -1.0}
                most[-1] = balance.shift
            else:
                rows.append({**row, above: -1.0})
                least.append(-inf)
                most.append(balance.shift)
    distances = len(costs) - len(values)
    return LinearProgram(
        costs=costs,
        lower=[-float(FURTHEST)] * len(values) + [0.0] * distances,
        upper=[float(FURTHEST)] * len(values) + [inf] * distances,
        rows=rows,
        least=least,
        most=most,
    )
