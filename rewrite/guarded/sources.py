"""Guards at their sources: a value that is 0 under a condition makes products of it 0 there, too.

    s = 0 if h == 0 else 1/h,  0 if h == 0 else x*(1/h)*(1/h)    as    s,  x*s*s

Second derivatives of lengths put one condition around every entry. In the arm that is computed,
what a choice gives is what it chooses, so the guarded reciprocal can stand for the plain one; and
an arm that is 0 then where the other one, 0, is taken needs no choice of its own, if all its other
factors are numbers there. No single arm gets cheaper before all of them do, so no rule sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...terms.term import CONST, SELECT, Term, is_zero, rebuild, toposort
from .undefined import Undefined

_FEWEST = 2  # choices of one condition
_MOST = 6  # conditions that are tried
_ZERO_WITH_ALL = ("add", "sub", "neg", "abs", "min", "max")
_ZERO_WITH_FIRST = ("div",)


class Guarding(NamedTuple):
    """A condition, and which operand of its choices is 0: the first or the second arm."""

    condition: Term
    zero: int


def guardings(flat: Sequence[Term]) -> list[Guarding]:
    """The conditions under which values are 0 by others that are, with most of them first.

    >>> from ...terms.term import const, var
    >>> from ...terms.types import Scalar
    >>> x, h, nothing = var("x", Scalar.F64), var("h", Scalar.F64), const(0.0, Scalar.F64)
    >>> at_0, r = Term("eq", (h, nothing), None, Scalar.BOOL), Term("rcp", (h,), None, Scalar.F64)
    >>> both = (r, Term("mul", (x, r), None, Scalar.F64))
    >>> flat = [Term("select", (at_0, nothing, each), None, Scalar.F64) for each in both]
    >>> guardings(flat) == [Guarding(at_0, 1)]
    True
    """
    terms = toposort(flat)
    guards = {term: _guarding(term) for term in terms if _is_guarded(term)}
    bits: dict[Guarding, int] = {}
    arms: dict[Term, int] = {}  # under which conditions they have choices
    for choice, guarding in guards.items():
        bit = bits.setdefault(guarding, 1 << len(bits))
        arm = choice.args[3 - guarding.zero]
        arms[arm] = arms.get(arm, 0) | bit
    under: dict[Term, int] = {}  # the conditions that make them 0
    hits: dict[int, int] = {}
    for term in terms if len(guards) >= _FEWEST else ():
        zero = bits[guards[term]] if term in guards else _zero_under(term, under)
        left = zero & arms.get(term, 0)
        while left:
            hits[left & -left] = hits.get(left & -left, 0) + 1
            left &= left - 1
        under[term] = zero | arms.get(term, 0)
    found = [guarding for guarding, bit in bits.items() if bit in hits]
    return sorted(found, key=lambda guarding: -hits[bits[guarding]])[:_MOST]


def _zero_under(term: Term, under: Mapping[Term, int]) -> int:
    """The conditions that make a value 0, by those that make its operands 0."""
    args = [under[a] for a in term.args]
    if term.op == "mul":
        return args[0] | args[1]
    if term.op in _ZERO_WITH_FIRST:
        return args[0]
    if term.op not in (*_ZERO_WITH_ALL, SELECT):
        return 0
    parts = term.args[1:] if term.op == SELECT else term.args
    several = [under[a] for a in parts if not is_zero(a)]
    found = several[0] if several else 0
    for each in several[1:]:
        found &= each
    return found


def _guarding(choice: Term) -> Guarding:
    return Guarding(choice.args[0], 1 if is_zero(choice.args[1]) else 2)


def _is_guarded(term: Term) -> bool:
    """Whether a term is a choice between 0 and something else."""
    return term.op == SELECT and term.type.is_real and sum(map(is_zero, term.args[1:])) == 1


def at_sources(
    flat: Sequence[Term], guarding: Guarding, undefined: Undefined
) -> tuple[list[tuple[Term, Term]], Mapping[Term, Term]]:
    """Choices that are computed from each other, with what they are then, and each term as it is.

    >>> from ...rules import load
    >>> from ...terms.term import const, var
    >>> from ...terms.types import Scalar
    >>> x, h, nothing = var("x", Scalar.F64), var("h", Scalar.F64), const(0.0, Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> at_0, r = Term("eq", (h, nothing), None, Scalar.BOOL), op("rcp", h)
    >>> one, two = op("select", at_0, nothing, r), op("select", at_0, nothing, op("mul", x, r))
    >>> [(old, new)], _ = at_sources([one, two], Guarding(at_0, 1), Undefined(load()))
    >>> old is two, new == op("mul", x, one)
    (True, True)
    """
    terms = toposort(flat)
    choices = {t.args[3 - guarding.zero]: t for t in terms if _has(t, guarding)}
    outside: dict[Term, Term] = {}
    inside: dict[Term, Term] = {}  # in the arms of these choices
    zeros: dict[Term, None] = {}  # where the condition makes the choices 0
    pairs: list[tuple[Term, Term]] = []
    for term in terms:
        if _has(term, guarding):
            outside[term] = inside[term] = inside[term.args[3 - guarding.zero]]
            continue
        outside[term] = rebuild(term, tuple([outside[a] for a in term.args]))
        found = rebuild(term, tuple([inside[a] for a in term.args]))
        if _is_zero_then(found, zeros):
            zeros[found] = None
        choice = choices.get(term)
        if choice is not None:
            if found not in zeros or not undefined.nowhere(found):
                arms = (choice.args[1], found) if guarding.zero == 1 else (found, choice.args[2])
                found = rebuild(choice, (guarding.condition, *arms))
                zeros[found] = None
            if found is not choice:
                pairs.append((choice, found))
        inside[term] = found
    return pairs, outside


def _has(term: Term, guarding: Guarding) -> bool:
    return (
        _is_guarded(term)
        and term.args[0] is guarding.condition
        and is_zero(term.args[guarding.zero])
    )


def _is_zero_then(term: Term, zeros: Mapping[Term, None]) -> bool:
    """Whether a value is 0 where some are, if its other factors are numbers."""
    if term.op == "mul":
        return any(a in zeros for a in term.args)
    if term.op in _ZERO_WITH_FIRST:
        return term.args[0] in zeros
    arms = term.args[1:] if term.op == SELECT else term.args
    if term.op not in (*_ZERO_WITH_ALL, SELECT):
        return False
    return all(a in zeros or (a.op == CONST and is_zero(a)) for a in arms) and any(
        a in zeros for a in arms
    )
