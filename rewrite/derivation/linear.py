"""Whether a forward rule is linear in its tangents: only such a rule has a backward side.

Sums, products with what is free of tangents and choices are known to be linear by what they are.
What is written otherwise is tried with numbers: D(t + u) = D(t) + D(u) for tangents t and u. Takes
a call, gives nothing, or the error that names the rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from enum import Enum, auto

import numpy as np

from ...terms.errors import DeriveError
from ...terms.loop import LOAD, LOOP, RESTORE, SAVE, STORE
from ...terms.program import Call, Program
from ...terms.rule import RuleSet
from ...terms.term import (
    CALL,
    CAST,
    PROJ,
    SELECT,
    VAR,
    Term,
    const,
    is_const,
    substitute,
    toposort,
)
from ...terms.types import Memory, Scalar
from ..egraph.numbers import is_real, points, values
from .define import define


class Degree(Enum):
    """How a term depends on tangents."""

    FREE = auto()  # not at all
    LINEAR = auto()
    OPEN = auto()  # in a way that numbers tell
    HIDDEN = auto()  # through a loop, a call or a memory, which numbers do not see


def check_linear(call: Call, body: Program, rules: RuleSet, real: Scalar) -> None:
    """DeriveError where the forward rule of a call cannot be transposed."""
    fwd = call.fwd
    assert fwd is not None
    tangents = fwd.leaves()[len(body.leaves()) :]
    if not tangents or is_linear(fwd.flat[len(body.flat) :], tangents, rules, real):
        return
    raise DeriveError(
        f"{fwd.name}, the forward rule of {call.name}, is not linear in its tangents: it has no"
        " backward side",
        fwd.at,
        "what it gives as the tangent is a sum of tangents, each times what has no tangent in it"
        f" (p.d * a + x.d * b); or give {call.name} a backward rule: @custom_bwd",
    )


def is_linear(outputs: Sequence[Term], given: Sequence[Term], rules: RuleSet, real: Scalar) -> bool:
    """Whether terms are linear in some variables, as far as it is to be seen."""
    tangents = frozenset(given)
    outputs = define(rules, outputs, real, derived=False)
    degrees = _degrees(rules, toposort(outputs), tangents)
    asked = [t for t in outputs if is_real(t) and not _adds_up(t, degrees)]
    asked = [t for t in asked if degrees[t] is not Degree.HIDDEN]
    return not asked or _tried(rules, asked, tangents, degrees)


def _degrees(rules: RuleSet, order: Sequence[Term], tangents: Set[Term]) -> dict[Term, Degree]:
    found: dict[Term, Degree] = {}
    for term in order:
        given = {found[a] for a in term.args}
        if term in tangents:
            found[term] = Degree.LINEAR
        elif given <= {Degree.FREE}:
            found[term] = Degree.FREE
        elif Degree.HIDDEN in given or _is_opaque(rules, term):
            found[term] = Degree.HIDDEN
        else:
            found[term] = Degree.LINEAR if _stays_linear(term, found) else Degree.OPEN
    return found


def _stays_linear(term: Term, found: Mapping[Term, Degree]) -> bool:
    """Whether an operator over linear forms gives one."""
    free = [found[a] is Degree.FREE for a in term.args]
    linear = [_adds_up(a, found) for a in term.args]
    match term.op:
        case "add" | "sub" | "neg":
            return all(linear)
        case "mul":
            return (linear[0] and free[1]) or (free[0] and linear[1])
        case "div":
            return linear[0] and free[1]
        case _ if term.op == SELECT:
            return free[0] and all(linear[1:])
        case _ if term.op == CAST:
            return linear[0] and is_real(term)
    return False


def _adds_up(term: Term, found: Mapping[Term, Degree]) -> bool:
    return found[term] is Degree.LINEAR or is_const(term, 0.0)


def _tried(
    rules: RuleSet, outputs: Sequence[Term], tangents: Set[Term], degrees: Mapping[Term, Degree]
) -> bool:
    """Whether numbers say that D(t + u) = D(t) + D(u)."""
    order = toposort(outputs)
    unseen = {t: _named(t, "seen", k) for k, t in enumerate(order) if _is_unseen(rules, t, degrees)}
    outputs = substitute(outputs, unseen)
    reals = [t for t in order if t in tangents and is_real(t)]
    zeros = {t: const(0, t.type) for t in order if t in tangents and t not in reals}
    others = {t: _named(t, "other", k) for k, t in enumerate(reals)}
    sums = {t: Term("add", (t, u), None, t.type) for t, u in others.items()}
    ways = [substitute(outputs, zeros | way) for way in ({}, others, sums)]
    roots = [root for way in ways for root in way]
    numbers = values(rules, roots, points(roots, special=False))
    for one, other, both in zip(*ways, strict=True):
        parts = [np.asarray(numbers[root], np.float64) for root in (one, other, both)]
        with np.errstate(all="ignore"):
            error = np.abs(parts[0] + parts[1] - parts[2])
            size = np.abs(parts[0]) + np.abs(parts[1]) + np.abs(parts[2])
            wrong = np.isfinite(error) & (error > _MOST * size)
        if np.count_nonzero(np.broadcast_to(wrong, (max(wrong.size, _FEW),))) >= _FEW:
            return False
    return True


def _is_opaque(rules: RuleSet, term: Term) -> bool:
    """Whether numbers do not say what a term is: a loop, a call, a function without a meaning."""
    own = rules.operators.get(term.op)
    return term.op in _OPAQUE or (own is not None and not own[0].numpy)


def _is_unseen(rules: RuleSet, term: Term, degrees: Mapping[Term, Degree]) -> bool:
    """Whether a term is a number without tangents that only something opaque gives."""
    reads = term.op == PROJ or (term.op not in (LOOP, CALL) and _is_opaque(rules, term))
    return reads and degrees[term] is Degree.FREE and not isinstance(term.type, Memory)


def _named(term: Term, what: str, k: int) -> Term:
    return Term(VAR, (), f"{what} {k}", term.type)


_OPAQUE = (LOOP, CALL, LOAD, STORE, SAVE, RESTORE)
_MOST = 0.01  # relative: rules may be approximate, such as differences of two values
_FEW = 3  # so many points speak against a rule; fewer may be where digits are lost
