"""`@primal` patterns that never come to an end: what they make is matched again.

Takes a pattern and those beside it, raises RuleError where its left side, replaced by them again
and again, grows without end, or is always matched by one of them. Knows no e-graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...terms.errors import RuleError
from ...terms.rule import Rewrite, RuleSet
from ...terms.term import CONST, VAR, Term, substitute, toposort
from ..show import show_expression
from .judge import Floats, evaluate
from .samples import columns, points

_ROUNDS, _TERMS = 40, 400  # shipped patterns end after 4 rounds, with 6 terms
_LATELY = 6  # rounds in which a pattern that grows is seen again
_POINTS = 24
_HINT = (
    "write it towards terms that no @primal pattern matches again, or as a @rewrite, which keeps "
    "both sides"
)


def check_circle(rule: Rewrite, rules: RuleSet) -> None:
    """The left side, replaced again and again, comes to a term that no pattern matches."""
    stage = (rule.squares, rule.last)
    beside = [r for r in rules.rewrites if r.primal and (r.squares, r.last) == stage and r.on]
    system = _System(tuple(dict.fromkeys([rule, *beside])), rule, rules)
    seen: dict[Term, None] = {rule.lhs: None}
    level, used, settled = [rule.lhs], list[dict[Rewrite, None]](), False
    while level and len(used) < _ROUNDS and len(seen) < _TERMS:
        steps = [list(system.steps(term)) for term in level]
        settled |= not all(steps)
        used.append({by: None for found in steps for by, _ in found})
        made = dict.fromkeys(new for found in steps for _, new in found)
        if rule.lhs in made:
            used.append(used[0])
        level = [term for term in made if term not in seen]
        seen |= dict.fromkeys(level)
    again = [by for found in used[1:][-_LATELY if level else 0 :] for by in found]
    if rule not in again or (settled and not level):
        return
    what = "never comes to an end" if level else "leads back to itself"
    others = dict.fromkeys(f"{r.name} ({r.at})" for r in again if r is not rule)
    beside_it = f", with {', '.join(others)}" if others else ""
    shown = [show_expression(term, 60) for term in list(seen)[:3]]
    raise RuleError(f"[{rule.name}] {what}{beside_it}: {' >> '.join(shown)} >> …", rule.at, _HINT)


@dataclass
class _System:
    """Patterns, and what is known of the left side of one of them, with which it begins."""

    patterns: Sequence[Rewrite]
    start: Rewrite
    rules: RuleSet

    def __post_init__(self) -> None:
        given = [c.args[0] for c in self.start.conditions]
        self.known = frozenset(toposort([self.start.lhs, *given]))
        self.constants = {c.args[0] for c in self.start.conditions if c.op == "is_const"}

    def steps(self, term: Term) -> Iterator[tuple[Rewrite, Term]]:
        """What a term becomes where one pattern is replaced, everywhere in it."""
        for part in toposort([term]):
            for rule in self.patterns:
                if rule.lhs.op != part.op or not self._counts(rule, part, term):
                    continue
                bound = matched(rule.lhs, part)
                if bound is not None and self._fulfilled(rule, bound):
                    (new,) = substitute([rule.rhs], bound)
                    yield rule, substitute([term], {part: new})[0]

    def _counts(self, rule: Rewrite, part: Term, term: Term) -> bool:
        """Patterns of digits and of squares are for terms of the program, and what they become."""
        return not (rule.digits or rule.squares) or part is term or part in self.known

    def _fulfilled(self, rule: Rewrite, bound: Mapping[Term, Term]) -> bool:
        return all(self._true(c) for c in substitute(rule.conditions, bound))

    def _true(self, condition: Term) -> bool:
        """Whether a condition is known to hold: nothing is known of what patterns make."""
        subject = condition.args[0]
        if condition.op == "is_const":
            return subject.op == CONST or subject in self.constants
        if condition.op == "exists":
            return subject in self.known
        if subject not in self.known and subject.op != CONST:
            return False
        given = self.start.conditions
        return self._holds([*given, condition]) == self._holds(given)

    def _holds(self, conditions: Sequence[Term]) -> int:
        """At how many samples conditions hold."""
        env = columns(points(self.start.params, self.start.name, _POINTS), np.float64)
        everywhere = np.ones(len(next(iter(env.values()))), dtype=np.bool_)
        with np.errstate(all="ignore"):
            for condition in conditions:
                everywhere &= evaluate(condition, env, self.rules, Floats(np.float64))
        return int(everywhere.sum())


def matched(pattern: Term, term: Term) -> dict[Term, Term] | None:
    """What the variables of a pattern stand for in a term; None where it is no instance.

    >>> from ...terms.term import var
    >>> x, y = var("x"), var("y")
    >>> matched(Term("add", (x, x)), Term("add", (y, y))) == {x: y}
    True
    >>> matched(Term("add", (x, x)), Term("add", (x, y)))
    """
    bound: dict[Term, Term] = {}
    stack = [(pattern, term)]
    while stack:
        wanted, found = stack.pop()
        if wanted.op == VAR:
            if wanted.type is not found.type or bound.setdefault(wanted, found) is not found:
                return None
        elif wanted.op == CONST or not wanted.args:
            if wanted is not found:
                return None
        elif (wanted.op, wanted.attr, wanted.type) != (found.op, found.attr, found.type):
            return None
        else:
            stack += zip(wanted.args, found.args, strict=True)
    return bound
