"""Derivations tried with numbers: both sides of every rule, where it was applied.

Takes a proof and the plain program, gives what differs. A rule's variables have the numbers
that the terms which they stand for have in the program, at many points; both sides are
computed from these, so that nothing of what was rounded on the way counts. Equals put for
equals need no numbers. Knows nothing of how a proof was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...terms.rule import RuleSet
from ...terms.term import Term
from ..egraph.encode import variables
from ..egraph.numbers import points, values
from .steps import Proof, Step
from .witness import Typed

#: Difference that is too much, relative, and beyond what tiny changes of the variables do.
_RELATIVE, _CONDITION, _TINY = 1e-6, 1e4, 1e-290
_NUDGE, _GOLDEN = 2.0**-40, 0.6180339887
_CHUNK = 256  # applications of one rule that are tried at once


@dataclass(frozen=True, slots=True)
class Trial:
    """What numbers say: applications tried, those that differ, those that no point could try."""

    tried: int
    differing: tuple[Step, ...]
    untried: int


def trial(proof: Proof, rules: RuleSet, plain: Sequence[Term]) -> Trial:
    """Both sides of every application of a rule, at points where both are numbers."""
    steps = [s for lemma in proof.lemmas for s in lemma.steps if s.rule is not None]
    roots = [*plain, *(t for step in steps for t in step.bound)]
    at = points(roots, special=False)
    known = values(rules, roots, at) if roots else {}
    groups: dict[int, list[Step]] = {}
    for step in steps:
        groups.setdefault(id(step.rule), []).append(step)
    differing: list[Step] = []
    untried = 0
    for group in groups.values():
        for first in range(0, len(group), _CHUNK):
            part = group[first : first + _CHUNK]
            for step, agree in zip(part, _agree(part, rules, known), strict=True):
                if agree is None:
                    untried += 1
                elif not agree:
                    differing.append(step)
    return Trial(len(steps) - untried, tuple(differing), untried)


def _agree(steps: Sequence[Step], rules: RuleSet, known: dict[Term, Any]) -> list[bool | None]:
    """For applications of one rule, whether its sides agree; None where nothing says so."""
    rule = steps[0].rule
    assert rule is not None
    numbers = [[np.asarray(known[b]) for b in step.bound] for step in steps]
    if any(n.dtype.kind not in "fib" for row in numbers for n in row):
        return [None] * len(steps)  # loops and memories
    size = max((n.size for row in numbers for n in row), default=1)
    at = {
        name: np.stack([np.broadcast_to(row[i], (size,)) for row in numbers])
        for i, name in enumerate(rule.names)
    }
    with np.errstate(all="ignore"):
        both, wrong = _compared(rule, rules, at)
    both, wrong = np.broadcast_arrays(both, wrong)
    rows = (len(steps), both.size // len(steps)) if both.ndim > 1 else (1, both.size)
    found = [
        (bool(b.any()), bool(w.any()))
        for b, w in zip(both.reshape(rows), wrong.reshape(rows), strict=True)
    ]
    found = found if len(found) == len(steps) else found * len(steps)
    return [None if not tried else not bad for tried, bad in found]


def _compared(rule: Typed, rules: RuleSet, at: dict[Term, Any]) -> tuple[Any, Any]:
    """Where both sides are numbers, and where they differ or a condition does not hold."""
    near = {
        name: x * (1 + _NUDGE * (1 + i * _GOLDEN % 1)) if x.dtype.kind == "f" else x
        for i, (name, x) in enumerate(at.items())
    }
    stated = _conditions(rule)
    sides = [rule.lhs, rule.rhs]
    exact, moved = values(rules, [*sides, *stated], at), values(rules, sides, near)
    x, y, u, v = (np.asarray(n[t], np.float64) for n in (exact, moved) for t in sides)
    both = np.isfinite(x) & np.isfinite(y) & np.isfinite(u) & np.isfinite(v)
    allowed = _RELATIVE * np.maximum(abs(x), abs(y)) + _TINY
    allowed = allowed + _CONDITION * (abs(x - u) + abs(y - v))
    wrong = both & ~(abs(x - y) <= allowed)
    for condition in stated:
        wrong = wrong | (both & ~np.asarray(exact[condition], np.bool_))
    return both, wrong


def _conditions(rule: Typed) -> list[Term]:
    """What a rule asks of numbers: not of constants, and not that some bound exists."""
    return [
        condition
        for condition in rule.conditions
        if condition.op not in ("is_const", "exists")
        and all(v in rule.names for v in variables(condition))
    ]
