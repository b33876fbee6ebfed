"""Operators that overflow where their argument is a moderate number: exponentials and their kin.

What is finite but overflows counts for these alone: a square of 1e200 is no number that programs
meet, an exponential of 1000 is.
"""

from __future__ import annotations

import numpy as np

from ...rules.meaning import compile_meaning
from ...terms.rule import Operator, RuleSet

_FAR = (-2e4, 2e4)  # exp and exp2 overflow at 709 and 1024, in float64


def growing(rules: RuleSet) -> frozenset[str]:
    """The operators of one number that are infinite at numbers as large as they are met."""
    return frozenset(
        name
        for name, overloads in rules.operators.items()
        if any(_grows(operator) for operator in overloads)
    )


def _grows(operator: Operator) -> bool:
    if not operator.numpy or not operator.partials or operator.domain is not None:
        return False  # where a domain ends, it says so
    if len(operator.params) != 1:
        return False
    names = tuple(p.name for p in operator.params)
    with np.errstate(all="ignore"):
        meaning = compile_meaning(operator.numpy, names, operator.at)
        return any(bool(np.any(np.isinf(meaning([np.array(x)])))) for x in _FAR)
