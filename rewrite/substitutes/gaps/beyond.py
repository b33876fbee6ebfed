"""Gaps of functions that saturate, as they were written where these hardly vary any more.

    (1 - exp(-a*x)) / (1 - exp(-a))    is, from 1/2 of both a and a*x on, what it is here

What a gap leaves has slopes of 1/a that cancel: next to nothing of the exponentials, which
alone say the slope far out, is left in them. Takes what was written and what is left of it,
gives a choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....terms.term import SELECT, VAR, Term, const, is_const, toposort
from ....terms.types import Scalar
from .remainders import Remainders

_NEAR = 0.5  # with any step nearer, the form as written loses digits; exprel2 has its series there
_SATURATING = frozenset({"exp", "expm1", "erf"})
_SQUARE = 2


def beyond_gap(far: Term, near: Term, order: int, gap: Remainders) -> Term:
    """`near`, which a gap of an order has left of `far`, with that where functions saturate.

    A quotient of two functions saturates where these fall: where they grow, so that they are inf
    over inf at last, slopes of what was written cancel, and those of what is left do not.

    A function over the bare distance, (1 - exp(-c*w))/w, has an operator with slopes of its own,
    and where the distance is all that varies its powers are what slopes far out are made of.
    """
    parts = toposort([far])
    inner = [step for t in parts for q in gap.quotients.written(t) for step in _steps(q, gap)]
    steps = list(dict.fromkeys([*_steps(far, gap), *inner]))
    below = [t.args[-1] for t in parts if t.op in ("div", "rcp")]
    shares = any(_steps(t, gap) for t in below if gap.vanishes(t))
    if not steps or not (shares or ((inner or order >= _SQUARE) and _is_of_others(steps, gap))):
        return near
    if not any(t.op == "div" and all(_steps(side, gap) for side in t.args) for t in parts):
        steps = list(dict.fromkeys(gap.build("abs", _positive(step)) for step in steps))
    size, *others = steps
    for other in others:
        size = gap.build("min", size, other)
    there = Term("lt", (size, const(_NEAR, far.type)), None, Scalar.BOOL)
    return Term(SELECT, (there, near, far), None, far.type)


def _is_of_others(steps: Sequence[Term], gap: Remainders) -> bool:
    """Whether what functions are of varies with more than the distance."""
    own = toposort([gap.distance])
    return any(t.op == VAR and t not in own for t in toposort(steps))


def _steps(term: Term, gap: Remainders) -> list[Term]:
    """How far functions that saturate are from the gap, if what they are of is 0 there.

    Positive where an exponential falls, and negative where it grows. Powers are exponentials.
    """
    steps: list[Term] = []
    for each in toposort([term]):
        if each.op in _SATURATING and gap.vanishes(each.args[0]):
            (step,) = each.args
            steps.append(
                gap.build("abs", _positive(step)) if each.op == "erf" else _less(step, gap)
            )
        elif each.op == "pow" and is_const(gap.start(each.args[0]) or each, 1.0):
            base, exponent = each.args
            steps.append(_less(gap.build("mul", exponent, gap.build("log", base)), gap))
    return steps


def _less(term: Term, gap: Remainders) -> Term:
    return term.args[0] if term.op == "neg" else gap.build("neg", term)


def _positive(term: Term) -> Term:
    return term.args[0] if term.op in ("neg", "abs") else term
