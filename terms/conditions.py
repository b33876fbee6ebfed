"""Conditions: what follows from one for those that it is made of.

Takes a term and whether it holds, gives other terms and whether they hold. `and`, `or` and `not`
are part of the structure of programs, as `select` is: all stages ask for what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .term import CONST, SELECT, Term, const_value

Assumption = tuple[Term, bool]  # a condition, and whether it holds
_FEW = 64
#: Comparisons, and what they are with their sides exchanged.
EXCHANGED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def facts(condition: Term, holds: bool) -> Iterator[Assumption]:
    """What follows for the conditions that a condition is made of."""
    stack = [(condition, holds)]
    while stack:
        term, true = stack.pop()
        yield term, true
        stack.extend(_parts(term, true) or ())


def few_facts(condition: Term, holds: bool) -> Iterator[Assumption]:
    """The first of them: where conditions are joined by the thousand, what was joined last."""
    return islice(facts(condition, holds), _FEW)


def conjuncts(condition: Term, holds: bool) -> Iterator[Assumption]:
    """The conditions that all hold where one holds, and only there; in order."""
    stack = [(condition, holds)]
    while stack:
        term, true = stack.pop()
        parts = _parts(term, true)
        if parts is not None:
            stack.extend(reversed(parts))
        elif term.op != CONST or bool(const_value(term)) != true:
            yield term, true


def _parts(term: Term, true: bool) -> Sequence[Assumption] | None:
    """The conditions that a condition stands for, if it stands for several, or for another."""
    if term.op == "logical_not":
        return [(term.args[0], not true)]
    if (term.op == "logical_and" and true) or (term.op == "logical_or" and not true):
        return [(arg, true) for arg in term.args]
    if term.op != SELECT:
        return None
    condition, then, last = term.args
    for arm, other, holds in ((then, last, True), (last, then, False)):
        if condition.op == CONST and bool(const_value(condition)) == holds:
            return [(arm, true)]
        if other.op == CONST and bool(const_value(other)) != true:
            return [(condition, holds), (arm, true)]
    return None
