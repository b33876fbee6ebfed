"""Derivations tried with numbers: both ends of every step, at the same points.

Takes a proof and the variables' values, gives what differs. This knows nothing of rules or
of how a proof was found: an operator's NumPy meaning says what a term is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...terms.loop import Loop
from ...terms.rule import RuleSet
from ...terms.term import Term
from ..leaks import nudged, points, values
from .steps import Proof, Step

#: Relative difference that is too much, beyond what a tiny change of the inputs would do.
_RELATIVE, _ABSOLUTE, _CONDITION = 1e-6, 1e-9, 1e4


@dataclass(frozen=True, slots=True)
class Trial:
    """What numbers say: steps tried, the steps that differ, those that no point could try."""

    tried: int
    differing: tuple[Step, ...]
    untried: int


def trial(proof: Proof, rules: RuleSet, plain: Sequence[Term]) -> Trial:
    """Both ends of every step of a proof, at points where both are numbers."""
    steps = [step for lemma in proof.lemmas for step in lemma.steps]
    roots = [*plain, *(t for step in steps for t in (step.before, step.after))]
    at = points(roots, special=False)
    if not any(not isinstance(v, str) for v in at.values()):
        return Trial(0, (), len(steps))
    exact = values(rules, roots, at)
    near = values(rules, roots, {v: nudged(v, x) for v, x in at.items()})
    differing, untried = [], 0
    for step in steps:
        agree = _agree(step.before, step.after, exact, near)
        if agree is None:
            untried += 1
        elif not agree:
            differing.append(step)
    return Trial(len(steps) - untried, tuple(differing), untried)


def _agree(a: Term, b: Term, exact: dict[Term, Any], near: dict[Term, Any]) -> bool | None:
    """Whether two terms are the same numbers; None where nothing says so."""
    if isinstance(exact[a], str | Loop) or isinstance(exact[b], str | Loop):
        return None
    x, y, u, v = (np.asarray(n, np.float64) for n in (exact[a], exact[b], near[a], near[b]))
    with np.errstate(all="ignore"):
        both = np.isfinite(x) & np.isfinite(y) & np.isfinite(u) & np.isfinite(v)
        allowed = _RELATIVE * np.maximum(abs(x), abs(y)) + _ABSOLUTE
        allowed = allowed + _CONDITION * (abs(x - u) + abs(y - v))
        return (
            bool(np.all(abs(x - y)[both] <= np.broadcast_to(allowed, both.shape)[both]))
            if (both.any())
            else None
        )
