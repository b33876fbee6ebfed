"""Conditions of branches: known while reading, or terms; put together without needless terms.

Takes conditions, gives conditions; knows nothing of values and of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....rules.intervals import Range, interval
from ....terms.term import CONST, SELECT, Term, const, const_value, is_const
from ....terms.types import Scalar
from ....terms.walk import postorder

Condition = bool | Term


def negated(condition: Condition) -> Condition:
    """`not condition`."""
    if isinstance(condition, bool):
        return not condition
    return Term("logical_not", (condition,), None, Scalar.BOOL)


def as_term(condition: Condition) -> Term:
    """A condition as a term."""
    return const(condition, Scalar.BOOL) if isinstance(condition, bool) else condition


def either(a: Condition, b: Condition) -> Condition:
    """`a or b`."""
    if isinstance(a, bool):
        return True if a else b
    if isinstance(b, bool):
        return True if b else a
    return a if a is b else Term("logical_or", (a, b), None, Scalar.BOOL)


def equals(term: Term, number: int) -> Condition:
    """`term == number` of an integer: of a choice between known ones, what it was chosen by."""
    done: dict[Term, Condition] = {}
    for t in postorder([term], lambda t: t.args[1:] if t.op == SELECT else ()):
        if t.op == CONST:
            done[t] = const_value(t) == number
        elif t.op == SELECT and all(a.op in (CONST, SELECT) for a in t.args[1:]):
            done[t] = chosen(t.args[0], done[t.args[1]], done[t.args[2]])
        else:
            done[t] = Term("eq", (t, const(number, t.type)), None, Scalar.BOOL)
    return done[term]


def chosen(condition: Term, then: Condition, other: Condition) -> Condition:
    """`condition ? then : other` of two conditions, without needless selects."""
    then, other = (True if then is condition else then), (False if other is condition else other)
    if then is other:
        return then
    if then is True and other is False:
        return condition
    if then is False and other is True:
        return negated(condition)
    return Term(SELECT, (condition, as_term(then), as_term(other)), None, Scalar.BOOL)


def both(a: Condition, b: Condition) -> Condition:
    """`a and b`."""
    if isinstance(a, bool):
        return b if a else False
    return chosen(a, b, False)


def resolved(condition: Condition, known: Mapping[Term, bool]) -> Condition:
    """A condition, as far as others decide about it."""
    if isinstance(condition, bool):
        return condition
    done: dict[Term, Condition] = {term: holds for term, holds in known.items()}
    stack = [condition]
    while stack:
        term = stack[-1]
        parts = term.args if term.op in _CONNECTIVES and term not in done else ()
        missing = [part for part in parts if part not in done]
        stack += missing
        if missing:
            continue
        stack.pop()
        if term.op == CONST:
            done[term] = bool(const_value(term))
        elif term not in done:
            done[term] = _connected(term.op, [done[p] for p in parts]) if parts else term
    return done[condition]


def _connected(op: str, parts: Sequence[Condition]) -> Condition:
    first, *others = parts
    if op == "logical_not":
        return negated(first)
    if op == "logical_or":
        return either(first, others[0])
    then, other = others if op == SELECT else (others[0], False)
    if isinstance(first, bool):
        return then if first else other
    return chosen(first, then, other)


def follows(
    condition: Condition, known: Mapping[Term, bool], ranges: Mapping[Term, Range] | None = None
) -> bool:
    """Whether a condition holds wherever what is known holds: tried case by case.

    An integer is one of those that it can be: `i % 3` that is neither 0 nor 1 is 2.
    """
    said = [(term, holds) for term, holds in known.items() if term.op in _CONNECTIVES]
    cases = [{term: holds for term, holds in known.items() if term.op not in _CONNECTIVES}]
    for _ in range(_CASES):
        if not cases:
            return True
        case = cases.pop()
        here = resolved(condition, case)
        if here is True:
            continue
        others = [(resolved(term, case), holds) for term, holds in said]
        if any(isinstance(found, bool) and found is not holds for found, holds in others):
            continue  # this cannot be
        open_ = [found for found in (here, *(c for c, _ in others)) if isinstance(found, Term)]
        if not open_:
            if ranges is not None and _is_none_of_its_own(case, ranges):
                continue
            return False
        atom = _decisive(open_[0])
        cases += [{**case, atom: True}, {**case, atom: False}]
    return False


def _is_none_of_its_own(case: Mapping[Term, bool], ranges: Mapping[Term, Range]) -> bool:
    """Whether some integer would have to be another number than those that it can be."""
    excluded: dict[Term, set[int]] = {}
    for term, holds in case.items():
        if term.op in _EQUAL and _EQUAL[term.op] is not holds and term.args[0].type is Scalar.I32:
            whole, number = sorted(term.args, key=is_const)
            if is_const(number):
                excluded.setdefault(whole, set()).add(int(const_value(number)))
    return any(
        high - low < len(numbers) and numbers.issuperset(range(int(low), int(high) + 1))
        for whole, numbers in excluded.items()
        for low, high in [interval(whole, ranges)]
    )


def _decisive(term: Term) -> Term:
    """A condition that is not made of others, and decides about one that is."""
    while term.op in _CONNECTIVES:
        term = term.args[0]
    return term


_EQUAL = {"eq": True, "ne": False}
_CASES = 500  # more are not tried
_CONNECTIVES = ("logical_not", "logical_and", "logical_or", SELECT)
