"""Derivatives of derivative lines, by the rules of what is in them, against second differences.

Takes an operator's lines at a point, raises RuleError with a counterexample. A line may have the
right value and still be no function that can be derived: `dy_dx = 2 * (y / x)`, or one that is
built of an operator whose rule is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .compare import Tally, defined
from .differences import Slope, slope
from .judge import Precise, Rounded, evaluate
from .lines import (
    Compared,
    Place,
    Side,
    carries,
    curves,
    disagreement,
    moved,
    scope_of,
    seeds_of,
)
from .operators import Trial
from .tangents import Tangents, lifted, tangents_of

# Differences of differences: the inner step is far below all that the outer ones resolve.
_DIGITS, _INNER = 150, 50
_SERIES = 1e-12  # a series that ends is less accurate when it is differentiated


def check_second(
    trial: Trial, sides: Sequence[Side], point: Mapping[str, Any], tally: Tally, where: Place
) -> None:
    """The derivative of every line along one direction."""
    seeds = seeds_of(trial, point)
    with trial.precise.module.workdps(_DIGITS):
        scope = scope_of(trial, point, seeds)
        if not scope:
            return
        for side in sides:
            found = _rates(trial, side, scope, trial.precise)
            names = [name for name, _ in curves(trial, side, scope)]
            for k, right in enumerate(_second_slopes(trial, side, scope)):
                if right is None or not (defined(right.low) and defined(right.high)):
                    continue  # beyond all bounds: a rule may stop there, as pow does at 0
                rate = found[k % len(found)]  # a scalar beside a vector is broadcast
                tally.samples += 1
                tally.error(right.error(rate))
                if not right.accepts(rate, _SERIES * abs(rate)) and not right.accepts(
                    rate, _rounding(trial, side, scope, k % len(found))
                ):
                    one = Compared(side, names[k], rate, right)
                    raise disagreement(trial, one, point, seeds, "second differences", where)


def _rates(trial: Trial, side: Side, scope: Mapping[str, Any], how: Precise) -> list[Any]:
    """How the components of a line change along the direction, by the rules in it."""
    operator = trial.operator
    tangents = Tangents(trial.rules, how)
    duals = {name: lifted(value) for name, value in scope.items()}
    for param in operator.params:
        if carries(param):
            duals[param.name] = lifted(scope[param.name], scope[f"d{param.name}"])
    args = [duals[p.name] for p in operator.params]
    duals[operator.result.name] = tangents.derived(operator, args)
    zero = trial.precise.mp.mpf(0)
    rates = tangents_of(evaluate(side.term, duals, trial.rules, tangents))
    return [zero if rate is None else rate for rate in rates]


def _rounding(trial: Trial, side: Side, scope: Mapping[str, Any], k: int) -> Any:
    """How far a rate may be off because the constants of the rule are rounded to doubles."""
    rows = [_rates(trial, side, scope, how) for how in (Precise(), *map(Rounded, range(3)))]
    return 2 * max(abs(row[k % len(row)] - rows[0][k % len(row)]) for row in rows[1:])


def _second_slopes(trial: Trial, side: Side, scope: Mapping[str, Any]) -> list[Slope | None]:
    """The slopes along the direction of the slopes that a line states."""
    mpf = trial.precise.mp.mpf
    names = [p.name for p in trial.operator.params if carries(p)]
    step = mpf(10) ** -_INNER

    def inner(k: int, at: Any) -> Any:
        there = {n: moved(v, scope[f"d{n}"], at) if n in names else v for n, v in scope.items()}
        curve = [c for _, c in curves(trial, side, there)][k]
        return (curve(step) - curve(-step)) / (2 * step)

    size = len(list(curves(trial, side, scope)))
    return [slope(lambda at, k=k: inner(k, at), _DIGITS, step) for k in range(size)]  # type: ignore[misc]
