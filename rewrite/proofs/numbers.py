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
from ..encode import variables
from ..leaks import Points, points, values
from .steps import Proof, Step, instance

#: Relative difference that is too much, beyond what a tiny change of the inputs would do.
_RELATIVE, _ABSOLUTE, _CONDITION = 1e-6, 1e-9, 1e4
_NUDGE, _GOLDEN = 2.0**-40, 0.6180339887


@dataclass(frozen=True, slots=True)
class Trial:
    """What numbers say: steps tried, the steps that differ, those that no point could try."""

    tried: int
    differing: tuple[Step, ...]
    untried: int


def trial(proof: Proof, rules: RuleSet, plain: Sequence[Term]) -> Trial:
    """Both ends of every step of a proof, at points where both are numbers."""
    steps = [step for lemma in proof.lemmas for step in lemma.steps]
    stated = [_conditions(step) for step in steps]
    roots = [*plain, *(t for step in steps for t in (step.before, step.after))]
    roots += [t for group in stated for t in group]
    at = points(roots, special=False)
    if not any(not isinstance(v, str) for v in at.values()):
        return Trial(0, (), len(steps))
    exact = values(rules, roots, at)
    near = values(rules, roots, _moved(at))
    differing, untried = [], 0
    for step, conditions in zip(steps, stated, strict=True):
        agree = _agree(step.before, step.after, conditions, exact, near)
        if agree is None:
            untried += 1
        elif not agree:
            differing.append(step)
    return Trial(len(steps) - untried, tuple(differing), untried)


def _moved(at: Points) -> Points:
    """Every variable elsewhere by its own little: what cancels at a point does not there."""
    found: dict[Term, Any] = {}
    for i, (term, numbers) in enumerate(at.items()):
        plain = isinstance(numbers, str) or not term.type.is_real
        found[term] = numbers if plain else numbers * (1 + _NUDGE * (1 + i * _GOLDEN % 1))
    return found


def _conditions(step: Step) -> list[Term]:
    """What a rule asks of numbers, over the terms of a step."""
    if step.rule is None:
        return []
    rule = step.rule
    asked = [
        condition
        for condition in rule.conditions
        if condition.op not in ("is_const", "exists")
        and all(v in rule.names for v in variables(condition))  # else it is about any bound
    ]
    return [instance(c, rule.names, step.bound) for c in asked]


def _agree(
    a: Term, b: Term, conditions: Sequence[Term], exact: dict[Term, Any], near: dict[Term, Any]
) -> bool | None:
    """Whether two terms are the same numbers, and conditions hold; None where nothing says so."""
    if isinstance(exact[a], str | Loop) or isinstance(exact[b], str | Loop):
        return None
    x, y, u, v = (np.asarray(n, np.float64) for n in (exact[a], exact[b], near[a], near[b]))
    with np.errstate(all="ignore"):
        both = np.isfinite(x) & np.isfinite(y) & np.isfinite(u) & np.isfinite(v)
        allowed = _RELATIVE * np.maximum(abs(x), abs(y)) + _ABSOLUTE
        allowed = allowed + _CONDITION * (abs(x - u) + abs(y - v))
        wrong = both & ~(abs(x - y) <= allowed)
        for condition in conditions:
            wrong = wrong | (both & ~np.asarray(exact[condition], np.bool_))
    return bool(not wrong.any()) if both.any() else None
