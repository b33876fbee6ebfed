"""Where a value is no number, or infinite, although all that it is computed from are numbers.

    u / (1 if h == 0 else h), sqrt(x*x + y*y)    =>    nowhere
    u / h                                        =>    where h is 0

Takes terms over primitives, gives the values that must not be 0; choices keep those of one arm from
being 0. What is finite but overflows does not count, but for exponentials.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from ...terms.conditions import few_facts
from ...terms.rule import RuleSet
from ...terms.term import CONST, SELECT, Term, const_value
from ...terms.walk import postorder
from ..fingerprints import TOTAL
from .images import Images

_MOST = 8  # values that are kept of one

#: The values that must not be 0; None where that is not all, or not known.
_Poles = frozenset[Term] | None
_NONE: frozenset[Term] = frozenset()


class Undefined:
    """Of the values of a program, each asked for once."""

    def __init__(self, rules: RuleSet) -> None:
        self.images = Images(rules)
        self.known: dict[Term, _Poles] = {}

    def nowhere(self, term: Term) -> bool:
        """Whether a value is a number wherever its variables are."""
        for each in postorder([term], lambda t: () if t in self.known else t.args):
            if each not in self.known:
                self.known[each] = self._of(each, self.known)
        return self.known[term] == _NONE

    def _of(self, term: Term, known: Mapping[Term, _Poles]) -> _Poles:
        if term.op == SELECT:
            condition, then, last = term.args
            first = _kept(known[then], condition, holds=True)
            return _union(known[condition], first, _kept(known[last], condition, holds=False))
        below = _union(*[known[a] for a in term.args])
        match term.op:
            case "div" | "rcp":
                fine = self._is_other_than_0(term.args[-1])
                return below if fine else _union(below, frozenset(term.args[-1:]))
            case "sqrt":
                return below if self._is_at_least_0(term.args[0]) else None
            case "pow":
                base, exponent = term.args
                fine = self._is_at_least_0(base) and self.images.anywhere(exponent).low > 0
                return below if fine else None
            case "exp" | "expm1" | "sinh" | "cosh":
                image = self.images.anywhere(term)
                return below if -inf < image.low and image.high < inf else None
        return below if not term.args or term.op in TOTAL else None

    def _is_at_least_0(self, term: Term) -> bool:
        return self.images.anywhere(term).low >= 0

    def _is_other_than_0(self, term: Term) -> bool:
        if term.op == SELECT:
            arms = ((term.args[1], True), (term.args[2], False))
            return all(_is_other(arm) or arm in _not_0(term.args[0], holds) for arm, holds in arms)
        return not self.images.anywhere(term).has(0)


def _is_other(term: Term) -> bool:
    return term.op == CONST and const_value(term) != 0


def _kept(poles: _Poles, condition: Term, *, holds: bool) -> _Poles:
    """What may still be 0 in an arm."""
    return poles - _not_0(condition, holds) if poles else poles


def _not_0(condition: Term, holds: bool) -> frozenset[Term]:
    """The values that are not 0 where a condition holds, or not."""
    found = []
    for fact, true in few_facts(condition, holds):
        if fact.op == ("ne" if true else "eq") or (true and fact.op in ("lt", "gt")):
            found += [
                a for a, b in (fact.args, fact.args[::-1]) if b.op == CONST and not const_value(b)
            ]
    return frozenset(found)


def _union(*sets: _Poles) -> _Poles:
    """All of some sets; None where one is, or where they are many."""
    found = frozenset[Term]()
    for each in sets:
        if each is None or len(found := found | each) > _MOST:
            return None
    return found
