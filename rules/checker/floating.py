"""Derivative lines in floats: what a line gives in float64 where its derivative is a plain number.

Takes an operator's lines and the slopes that were found for them, raises RuleError with a
counterexample. In 50 digits nothing underflows: `0 if y == 0 else …` is never put to the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .compare import Tally, defined
from .differences import Slope
from .judge import Floats, evaluate
from .lines import Compared, Place, Side, disagreement
from .operators import Trial
from .samples import columns

# A line may lose digits where it cancels (1 - y*y of tanh), but not the number.
_RELATIVE, _ABSOLUTE = 1e-6, 1e-9
_LARGE = 1e15  # beyond, a derivative says little about a neighbourhood in floats


@dataclass(frozen=True)
class Known:
    """The derivative that a line has to give at a point."""

    side: Side
    point: Mapping[str, Any]
    slope: Slope
    bar: Any = 1.0  # the cotangent of the result, which weights the slope of a backward side


def check_in_floats(trial: Trial, known: Sequence[Known], tally: Tally, where: Place) -> None:
    """Every line over float64, at all points where its derivative is one finite number."""
    operator = trial.operator
    if operator.is_composite or operator.result.kind == "tuple":
        return
    for side in dict.fromkeys(k.side for k in known):
        rows = [k for k in known if k.side is side and _plain(k.slope)]
        if not rows:
            continue
        found = _values(trial, side, rows)
        for row, number in zip(rows, found, strict=True):
            right = row.slope.low
            tally.samples += 1
            if np.isfinite(number) and _near(number, right):
                continue
            one = Compared(side, "", float(number), row.slope)
            raise disagreement(trial, one, row.point, {}, "central differences in float64", where)


def _near(number: Any, right: Any) -> bool:
    return bool(abs(float(number) - right) <= _RELATIVE * abs(right) + _ABSOLUTE)


def _plain(slope: Slope) -> bool:
    return bool(slope.low == slope.high and defined(slope.low) and abs(slope.low) < _LARGE)


def _values(trial: Trial, side: Side, rows: Sequence[Known]) -> Any:
    """A line at points, with the cotangents that its slopes were found for, and tangents 1."""
    operator, floats = trial.operator, Floats(np.float64)
    scope = columns([dict(row.point) for row in rows], np.float64)
    bars = np.array([row.bar for row in rows], np.float64)
    args = [scope[p.name] for p in operator.params]
    with np.errstate(all="ignore"):
        if operator.definition is None:
            value = floats.call(operator, args)
        else:
            value = evaluate(operator.definition, scope, trial.rules, floats)
        ones = {f"d{p.name}": np.float64(1) for p in operator.params}
        name = operator.result.name
        scope = {**scope, name: value, f"{name}_bar": bars, **ones}
        found = evaluate(side.term, scope, trial.rules, floats)
    return np.broadcast_to(np.asarray(found, np.float64), len(rows))
