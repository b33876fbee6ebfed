"""Constants: what operators give on them, by their NumPy meaning, and what a choice then is."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cache

import numpy as np

from ..rules.meaning import compile_meaning
from ..terms.rule import RuleSet
from ..terms.term import CAST, CONST, SELECT, Term, const, const_value, is_const, rebuild, toposort
from ..terms.types import Scalar, ScalarType
from ..terms.value import cast
from ..terms.walk import postorder


def evaluate(
    rules: RuleSet, op: str, type_: ScalarType, args: Sequence[Term], strict: bool
) -> Term | None:
    """The constant that an operator gives on constants; None where it is not a plain number.

    In strict mode the arithmetic is that of the type, bit for bit; else it is float64.
    """
    if op == CAST:
        found = cast(args[0], type_) if isinstance(type_, Scalar) else None
        return found if found is not None and found.op == CONST and _plain(found, strict) else None
    operator = rules.get(op)
    if operator is None or not operator.numpy or operator.is_composite:
        return None
    names = tuple(p.name for p in operator.params)
    numbers = [_number(a, strict) for a in args]
    with np.errstate(all="ignore"):
        result = compile_meaning(operator.numpy, names, operator.at)(numbers)
    value = np.asarray(result).item()
    if isinstance(value, complex) or not isinstance(type_, Scalar):
        return None
    if not strict and type_.is_real:
        value += 0.0  # -0.0, which would be an unknown to the e-graph, becomes 0
    number = const(value, type_)
    return number if _plain(number, strict) else None


def _plain(number: Term, strict: bool) -> bool:
    """Whether a constant may stand for what gave it: outside of strict mode, if its type has it."""
    return strict or not number.type.is_real or has(number.type, const_value(number))


def has(real: ScalarType, number: float) -> bool:
    """Whether a type has a number with all of its digits: 37530.0**16 is infinite in float32.

    >>> has(Scalar.F32, 1e30), has(Scalar.F32, 1e40), has(Scalar.F32, -1e-40), has(Scalar.F32, 0.0)
    (True, False, False, True)
    """
    lowest, largest = normal(real)
    return number == 0 or lowest <= abs(number) <= largest


@cache
def normal(real: ScalarType) -> tuple[float, float]:
    """The smallest number of a type with all of its digits, and the largest."""
    limits = np.finfo(real.value if real in (Scalar.F16, Scalar.F32) else np.float64)
    return float(limits.smallest_normal), float(limits.max)


def of_their_types(
    rules: RuleSet, pairs: Sequence[tuple[Term, Term]], given: Container[Term]
) -> list[tuple[Term, Term]]:
    """The pairs of which the second one has nothing but numbers that their types have.

    3.4e-10**12 is no number in single precision, as a constant or as a product of two: a program
    that asks for it loses what it is multiplied by. What is `given` may be what it is.
    """
    lost: dict[Term, bool] = {}
    for term in toposort([new for _, new in pairs]):
        if term in given:
            lost[term] = False
        elif term.op == CONST:
            lost[term] = not _plain(term, False)
        else:
            lost[term] = any(lost[a] for a in term.args) or _is_beyond(rules, term)
    kept = [pair for pair in pairs if not lost[pair[1]]]
    while True:  # what a pair is about may have come from one that is gone
        there = frozenset(toposort([new for _, new in kept]))
        left = [(old, new) for old, new in kept if old in given or old in there]
        if len(left) == len(kept):
            return kept
        kept = left


def _is_beyond(rules: RuleSet, term: Term) -> bool:
    """Whether an operator on constants gives no number of its type."""
    known = bool(term.args) and all(a.op == CONST for a in term.args) and term.attr is None
    if not known or not term.type.is_real:
        return False
    return evaluate(rules, term.op, term.type, term.args, False) is None


def whole(rules: RuleSet, term: Term) -> Term:
    """The integer or bool that an operator gives on constants; any other term itself."""
    plain = term.type in (Scalar.I32, Scalar.BOOL) and term.attr is None
    if not plain or not term.args or any(a.op != CONST for a in term.args):
        return term
    return evaluate(rules, term.op, term.type, term.args, True) or term


def folded(rules: RuleSet, term: Term, given: Container[Term] = ()) -> Term:
    """The term with everything in it computed that is an integer or a bool on constants.

    What is `given` stays as it is, and what is below it is not looked at.
    """
    done: dict[Term, Term] = {}
    for t in postorder([term], lambda t: () if t in given else t.args):
        if t in given:
            done[t] = t
            continue
        args = tuple([done[a] for a in t.args])
        if t.op == SELECT and args[0].op == CONST:
            done[t] = args[1] if is_const(args[0], True) else args[2]
        else:
            done[t] = whole(rules, rebuild(t, args))
    return done[term]


def _number(term: Term, strict: bool) -> np.ndarray:
    value = const_value(term)
    if term.type is Scalar.BOOL:
        return np.asarray(value, np.bool_)
    if term.type is Scalar.I32:
        return np.asarray(value, np.int32)
    return np.asarray(value, np.dtype(term.type.value) if strict else np.float64)
