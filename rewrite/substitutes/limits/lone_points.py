"""Choices of a number at one point where the other arm has this number there, too.

    1 if x == 1 else x*x              x*x
    0.5 if x == 0 else exprel2(x)     exprel2(x)

As they are written, the slope at the point is that of a constant, 0, of functions with another one
there (T. Beck and H. Fischer, The if-problem in automatic differentiation, 1994). Only of arms of
the compared value alone, which have the same number at the point, but for rounding, and a finite
slope: `0 if x == 0 else sqrt(x)` keeps its choice. Takes a program in which quotients with limits
are functions that have them, gives one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ....terms.errors import DeriveError
from ....terms.program import Program, Slot
from ....terms.rule import RuleSet
from ....terms.term import (
    CONST,
    SELECT,
    VAR,
    Term,
    const_value,
    fold,
    rebuild,
    substitute,
    toposort,
)
from ....terms.types import Scalar
from ...derivation.define import define
from ...derivation.derive import derive
from ...fold import evaluate

_EPSILON = {Scalar.F16: 2.0**-10, Scalar.F32: 2.0**-23, Scalar.F64: 2.0**-52}
#: What has finite slopes everywhere: the square root in `0 if sqrt(q) == 0 else …` has none at 0.
_TAME = {
    *(VAR, CONST, "add", "sub", "neg", "mul", "abs", "min", "max"),
    *("hypot", "norm_of", "exp", "sin", "cos", "tanh", "atan"),
}
_ROUNDINGS = 4
_MOST = 200  # terms of an arm


class _Choice(NamedTuple):
    """A value, the number that it is compared with, what is chosen there, and elsewhere."""

    of: Term
    at: Term
    here: Term
    elsewhere: Term


def without_lone_points(program: Program, rules: RuleSet) -> Program:
    """The program without choices that change no value."""
    terms = toposort([*program.flat, *program.notes])
    if not any(_choice(term) for term in terms):
        return program
    tame = fold(terms, lambda term, args: term.op in _TAME and all(args))
    done: dict[Term, Term] = {}
    for term in terms:
        made = rebuild(term, tuple([done[a] for a in term.args]))
        before = _choice(term)
        choice = _choice(made) if before is not None and tame[before.of] else None
        same = choice is not None and _changes_nothing(choice, rules)
        done[term] = choice.elsewhere if choice is not None and same else made
    return program.with_terms(done)


def _choice(term: Term) -> _Choice | None:
    if term.op != SELECT or term.type not in _EPSILON or term.args[0].op not in ("eq", "ne"):
        return None
    condition, then, other = term.args
    here, elsewhere = (then, other) if condition.op == "eq" else (other, then)
    of, at = condition.args if condition.args[1].op == CONST else condition.args[::-1]
    if at.op != CONST or of.op == CONST or of.type is not term.type:
        return None
    return _Choice(of, at, here, elsewhere)


def _changes_nothing(choice: _Choice, rules: RuleSet) -> bool:
    """Whether the arm that is taken elsewhere has the number of the other one, and a slope."""
    real = choice.of.type
    assert isinstance(real, Scalar)
    slot = Slot("x", real)
    (x,) = slot.leaves()
    here, elsewhere = substitute([choice.here, choice.elsewhere], {choice.of: x})
    inside = toposort([here, elsewhere])
    if len(inside) > _MOST or any(not t.args and t.op != CONST and t is not x for t in inside):
        return False
    at = {x: choice.at}
    wanted, found = (_number(t, at, rules, real) for t in (here, elsewhere))
    if not math.isclose(wanted, found, rel_tol=_ROUNDINGS * _EPSILON[real]):
        return False
    arm = Program("arm", (slot,), (Slot("y", real),), ((elsewhere,),))
    try:
        (slope,) = derive(arm, "jacobian", rules, real).flat
    except DeriveError:  # it has none
        return False
    return math.isfinite(_number(slope, at, rules, real))


def _number(term: Term, at: Mapping[Term, Term], rules: RuleSet, real: Scalar) -> float:
    """What a term of one variable is at a point; NaN where nobody can say."""

    def known(t: Term, args: Sequence[Term | None]) -> Term | None:
        if t.op == CONST:
            return t
        if t.op == SELECT and args[0] is not None:
            return args[1] if const_value(args[0]) else args[2]
        plain = [a for a in args if a is not None]
        return evaluate(rules, t.op, t.type, plain, True) if len(plain) == len(args) else None

    (root,) = substitute(define(rules, [term], real, derived=True), at)
    found = fold([root], known)[root]
    return math.nan if found is None else float(const_value(found))
