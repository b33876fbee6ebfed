"""Difference quotients of functions, as patterns of rule files say them.

    (f(a + x) - f(a)) / x    by f, where f(a) may be 0, and f(x)/(x - c) of what is 0 at c

Takes patterns, gives for terms what these make of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....terms.rule import Rewrite
from ....terms.term import CONST, VAR, Term, const, const_value, substitute, toposort
from ...egraph.encode import typed
from ...egraph.rulebook import meeting_types
from ...factors.common import ALGEBRA
from ...factors.ratios import matched


class Quotients:
    """Patterns of difference quotients, `(f(a + x) - f(a)) / x`, by f; f(a) may be 0."""

    def __init__(self, patterns: Sequence[Rewrite]) -> None:
        self.patterns: dict[str, list[Rewrite]] = {}
        self.others: dict[str, list[Rewrite]] = {}
        self.made: dict[str, list[Rewrite]] = {}
        self.ends: dict[str, list[Rewrite]] = {}  # log(x)/(x - 1)
        for rule in patterns:
            if rule.conditions or rule.digits or rule.squares or rule.last:
                continue
            if rule.lhs.op not in ALGEBRA or _is_whole(rule):
                self.others.setdefault(rule.lhs.op, []).append(rule)
            elif rule.lhs.op == "div" and rule.lhs.args[1].op == VAR:
                (above, _) = rule.lhs.args
                self.made.setdefault(rule.rhs.op, []).append(rule)
                f = above.args[0] if above.op == "sub" else above
                self.patterns.setdefault(f.op, []).append(rule)
            elif _is_of_end(rule):
                self.ends.setdefault(rule.lhs.args[0].op, []).append(rule)

    def find(self, term: Term, step: Term) -> tuple[Rewrite, Term, Term] | None:
        """For f(a + step) the rule, f(a), and (f(a + step) - f(a))/step."""
        for rule in self.patterns.get(term.op, ()):
            if meeting_types(rule, (term.type,)):
                (above, x), result = typed(rule.lhs, term.type).args, typed(rule.rhs, term.type)
                f, start = above.args if above.op == "sub" else (above, const(0.0, term.type))
                bound = matched(f, term) if f.args and x not in toposort([start]) else None
                if bound is not None and bound[x] is step:
                    at, quotient = substitute([start, result], bound)
                    return rule, at, quotient
        return None

    def of_end(self, term: Term, start: Term) -> tuple[Rewrite, Term] | None:
        """For f(x), which is 0 where x starts, the rule and f(x)/(x - start)."""
        for rule in self.ends.get(term.op, ()):
            if meeting_types(rule, (term.type,)):
                (above, below), result = typed(rule.lhs, term.type).args, typed(rule.rhs, term.type)
                bound = matched(above, term)
                if bound is not None and below.args[1] is start:
                    return rule, substitute([result], bound)[0]
        return None

    def better(self, term: Term) -> Term | None:
        """What another pattern makes of a function, log(cosh(x)) of x."""
        for rule in self.others.get(term.op, ()):
            if meeting_types(rule, (term.type,)):
                bound = matched(typed(rule.lhs, term.type), term)
                if bound is not None:
                    return substitute([typed(rule.rhs, term.type)], bound)[0]
        return None

    def opened(self, term: Term) -> Term | None:
        """The quotient that a function is where it divides by a number other than 0."""
        for quotient in self.written(term):
            below = quotient.args[1]
            if below.op == CONST and const_value(below):
                return quotient
        return None

    def written(self, term: Term) -> Iterator[Term]:
        """The quotients that patterns make a function of."""
        for rule in self.made.get(term.op, ()):
            if meeting_types(rule, (term.type,)):
                bound = matched(typed(rule.rhs, term.type), term)
                if bound is not None:
                    yield substitute([typed(rule.lhs, term.type)], bound)[0]


def _is_of_end(rule: Rewrite) -> bool:
    """Whether a pattern is of f(x)/(x - c), by x itself."""
    above, below = rule.lhs.args if rule.lhs.op == "div" else (rule.lhs, rule.lhs)
    return (
        len(above.args) == 1
        and below.op == "sub"
        and below.args[0] is above.args[0]
        and below.args[0].op == VAR
        and below.args[1].op == CONST
    )


def _is_whole(rule: Rewrite) -> bool:
    """Whether a pattern is of a whole quotient of numbers and functions, 1/(1 + exp(x))."""
    top, *_ = rule.lhs.args
    return rule.lhs.op in ("div", "rcp") and top.op == CONST and rule.rhs.op not in ALGEBRA
